//===- TCFusedOps.cpp - Groups of contractions ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification and canonicalisation of groups of contractions.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/DenseSet.h"

using namespace tc;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;

bool tc::addsAllElements(Operation *operation) {
  auto op = dyn_cast<linalg::LinalgOp>(operation);
  if (!op)
    return false;
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1)
    return false;
  mlir::OpOperand *input = op.getDpsInputOperand(0);
  mlir::OpOperand *init = op.getDpsInitOperand(0);
  if (!op.getMatchingIndexingMap(input).isIdentity() ||
      op.getMatchingIndexingMap(init).getNumResults() != 0 ||
      op.getNumReductionLoops() != op.getNumLoops() || op.getNumLoops() == 0 ||
      !isa<ShapedType>(init->get().getType()))
    return false;
  mlir::Block &body = *op.getBlock();
  Operation *yield = body.getTerminator();
  Operation *sum = yield->getNumOperands() == 1
                       ? yield->getOperand(0).getDefiningOp()
                       : nullptr;
  if (!llvm::isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum) ||
      sum->getBlock() != &body)
    return false;
  Value x = body.getArgument(0), y = body.getArgument(1);
  return (sum->getOperand(0) == x && sum->getOperand(1) == y) ||
         (sum->getOperand(0) == y && sum->getOperand(1) == x);
}

void FusedOp::build(OpBuilder &builder, mlir::OperationState &state,
                    TypeRange results) {
  state.addTypes(results);
  state.addRegion()->emplaceBlock();
}

void FusedYieldOp::build(OpBuilder &, mlir::OperationState &) {}

SmallVector<ContractOp> FusedOp::getContractions() {
  return llvm::to_vector(getBody()->getOps<ContractOp>());
}

model::Group FusedOp::getGroup() { return groupOf(getContractions()); }

std::optional<model::Tensor> tc::getInputThatIs(ContractOp op, Value tensor) {
  if (op.getA() == tensor)
    return model::Tensor::A;
  if (op.getB() == tensor)
    return model::Tensor::B;
  return std::nullopt;
}

/// The input that all of these have, the larger one of two.
static Value findSharedInput(ArrayRef<ContractOp> ops) {
  auto sizeOf = [](Value tensor) {
    auto type = cast<ShapedType>(tensor.getType());
    return type.hasStaticShape() ? type.getNumElements() : 0;
  };
  ContractOp first = ops.front();
  Value shared;
  for (Value tensor : {first.getA(), first.getB()})
    if (llvm::all_of(ops,
                     [&](ContractOp op) {
                       return getInputThatIs(op, tensor).has_value();
                     }) &&
        (!shared || sizeOf(tensor) > sizeOf(shared)))
      shared = tensor;
  return shared;
}

Operation *FusedOp::getSoftmax() {
  SmallVector<ContractOp> ops = getContractions();
  return getGroup().has(model::EdgeKind::Feed)
             ? getSoftmaxBetween(ops[ops.size() - 2], ops.back())
             : nullptr;
}

FusedYieldOp FusedOp::getYield() {
  return cast<FusedYieldOp>(getBody()->getTerminator());
}

/// The result of a contraction or, on memrefs, the buffer of C.
static Value getOutput(ContractOp op) {
  return op.hasBuffers() ? op.getC() : Value(op.getResult());
}

Operation *tc::getSoftmaxBetween(ContractOp op, ContractOp next) {
  if (op->getBlock() != next->getBlock())
    return nullptr;
  for (Operation *between = op->getNextNode(); between && between != next;
       between = between->getNextNode())
    if (auto softmax = dyn_cast<linalg::SoftmaxOp>(between);
        softmax && softmax.getInput() == getOutput(op))
      return between;
  return nullptr;
}

std::optional<model::Tensor> tc::getProducedInput(ContractOp op,
                                                  ContractOp next) {
  Value output = getOutput(op);
  if (auto softmax =
          llvm::cast_or_null<linalg::SoftmaxOp>(getSoftmaxBetween(op, next)))
    output = op.hasBuffers() ? Value(softmax.getOutput())
                             : Value(softmax->getResult(0));
  bool isA = next.getA() == output, isB = next.getB() == output;
  if (isA == isB || next.getC() == output)
    return std::nullopt;
  return isA ? model::Tensor::A : model::Tensor::B;
}

model::Group tc::groupOf(ArrayRef<ContractOp> ops) {
  model::Group group;
  group.size = std::max<unsigned>(1, ops.size());
  if (ops.size() < 2)
    return group;
  auto numberOf = [&](size_t place) {
    return static_cast<unsigned>((place + 1) % ops.size());
  };
  ContractOp first = ops[0], second = ops[1];
  bool isChain = getProducedInput(first, second).has_value();
  bool isSum = first.hasBuffers() ? second.getC() == first.getC()
                                  : second.getC() == first.getResult();
  Value shared = isChain || isSum ? Value() : findSharedInput(ops);
  for (size_t place = 0; place + 1 < ops.size(); ++place) {
    unsigned from = numberOf(place), to = numberOf(place + 1);
    if (isChain) {
      if (auto sink = getProducedInput(ops[place], ops[place + 1]))
        group.edges.push_back(
            model::feedEdge(from, to, *sink,
                            getSoftmaxBetween(ops[place], ops[place + 1])
                                ? model::EdgeFunction::Softmax
                                : model::EdgeFunction::Identity));
    } else if (shared) {
      group.edges.push_back(
          model::shareEdge(*getInputThatIs(ops.back(), shared), from,
                           *getInputThatIs(ops[place], shared)));
    } else {
      group.edges.push_back(model::accumulateEdge(from));
    }
  }
  return group;
}

Operation *FusedOp::getReduction() {
  Operation *last = getYield()->getPrevNode();
  auto reduction = llvm::dyn_cast_or_null<linalg::LinalgOp>(last);
  SmallVector<ContractOp> ops = getContractions();
  if (!reduction || ops.empty() || reduction.getNumDpsInputs() != 1)
    return nullptr;
  bool isOfOutput =
      reduction.getDpsInputOperand(0)->get() == getOutput(ops.back());
  return isOfOutput ? last : nullptr;
}

void FusedOp::dissolve(RewriterBase &rewriter) {
  FusedYieldOp yield = getYield();
  SmallVector<Value> values(yield.getValues());
  rewriter.inlineBlockBefore(getBody(), *this);
  rewriter.eraseOp(yield);
  rewriter.replaceOp(*this, values);
}

/// Checks that each contraction computes an input of the next one, or its C.
static LogicalResult verifySequence(ArrayRef<ContractOp> ops, bool isChain) {
  ContractOp first = ops.front();
  for (ContractOp op : ops)
    if (op.hasBuffers() != first.hasBuffers())
      return op.emitOpError("is on ")
             << (op.hasBuffers() ? "memrefs" : "tensors")
             << ", but the first one of its 'tc.fused' is not";
  for (auto [number, each] : llvm::enumerate(ops)) {
    ContractOp op = each;
    if (op.hasBuffers() && !isChain) {
      if (op.getC() != first.getC())
        return op.emitOpError(
            "must have the C of the first one of its 'tc.fused'");
      continue;
    }
    if (number + 1 == ops.size())
      continue;
    ContractOp next = ops[number + 1];
    bool feeds = isChain ? getProducedInput(op, next).has_value()
                         : next.getC() == op.getResult();
    Operation *softmax = isChain ? getSoftmaxBetween(op, next) : nullptr;
    bool isShared = !op.hasBuffers() && (!op.getResult().hasOneUse() ||
                                         (softmax && !softmax->hasOneUse()));
    if (!feeds || isShared)
      return op.emitOpError(isChain ? "must compute A or B" : "must compute C")
             << " of the next one of its 'tc.fused', and nothing else may use "
                "that";
  }
  return success();
}

/// Checks that contractions which share an input have outputs of their own.
static LogicalResult verifyProductsOfInput(ArrayRef<ContractOp> ops) {
  llvm::DenseSet<Value> outputs;
  for (ContractOp op : ops) {
    ContractOp first = ops.front();
    if (op.hasBuffers() != first.hasBuffers())
      return op.emitOpError("is on ")
             << (op.hasBuffers() ? "memrefs" : "tensors")
             << ", but the first one of its 'tc.fused' is not";
    if (!outputs.insert(op.hasBuffers() ? op.getC() : Value(op.getResult()))
             .second)
      return op.emitOpError("must have a C of its own, as the contractions of "
                            "its 'tc.fused' have an input in common");
  }
  for (ContractOp op : ops)
    for (Value tensor : op.getTensors())
      if (outputs.contains(tensor) && (!op.hasBuffers() || tensor != op.getC()))
        return op.emitOpError("must not use what another one of its 'tc.fused' "
                              "computes, as they have an input in common");
  return success();
}

/// Returns true if a group on tensors yields what each of its contractions
/// computes and, besides, only values from around it. Passes that know nothing
/// of groups put these in place of a contraction that has been computed before.
static bool yieldsEach(FusedOp group, ArrayRef<ContractOp> ops) {
  llvm::DenseSet<Value> missing;
  for (ContractOp op : ops)
    missing.insert(op.getResult());
  llvm::DenseSet<Value> computed = missing;
  for (Value value : group.getYield().getValues()) {
    missing.erase(value);
    if (!computed.contains(value) &&
        group.getBodyRegion().isAncestor(value.getParentRegion()))
      return false;
  }
  return missing.empty();
}

LogicalResult FusedOp::verifyRegions() {
  Operation *reduction = getReduction(), *softmax = getSoftmax();
  for (Operation &op : getBody()->without_terminator()) {
    if (isa<FusedOp>(op))
      return op.emitOpError("cannot be in another one");
    if (&op == reduction && !addsAllElements(&op))
      return op.emitOpError(
          "must add all elements of what the last contraction "
          "of its 'tc.fused' computes to one number");
    if (&op != softmax && isa<linalg::SoftmaxOp>(op))
      return op.emitOpError("must be of what the last contraction but one of "
                            "its 'tc.fused' computes, for the last one");
    if (&op != reduction && &op != softmax && !isa<ContractOp>(op) &&
        !mlir::isMemoryEffectFree(&op))
      return op.emitOpError(
          "may touch memory, which only contractions, a softmax before the "
          "last one and a reduction of its output do in a 'tc.fused'");
  }
  FusedYieldOp yield = getYield();
  if (yield.getValues().getTypes() != getResultTypes())
    return yield.emitOpError("yields (")
           << yield.getValues().getTypes() << "), but the results are ("
           << getResultTypes() << ")";
  SmallVector<ContractOp> ops = getContractions();
  if (ops.empty())
    return success();
  model::Group group = getGroup();
  bool sharesInput = group.has(model::EdgeKind::Share);
  if (failed(sharesInput
                 ? verifyProductsOfInput(ops)
                 : verifySequence(ops, group.has(model::EdgeKind::Feed))))
    return failure();
  ContractOp last = ops.back();
  if (sharesInput) {
    if (reduction)
      return reduction->emitOpError("must not be in a 'tc.fused' whose "
                                    "contractions have an input in common");
    if (last.hasBuffers() ? yield.getValues().empty() : yieldsEach(*this, ops))
      return success();
    return yield.emitOpError(last.hasBuffers()
                                 ? "must yield nothing, as contractions are on "
                                   "memrefs"
                                 : "must yield what all contractions compute, "
                                   "as these have an input in common");
  }
  if (reduction && !last.hasBuffers() && !last.getResult().hasOneUse())
    return last.emitOpError("is added up, so nothing else may use its result");
  Operation *end = reduction ? reduction : last.getOperation();
  // One that is left of several with one input.
  bool isLeft = ops.size() == 1 && !reduction && !last.hasBuffers();
  if (yield.getValues() == mlir::ValueRange(end->getResults()) ||
      (isLeft && yieldsEach(*this, ops)))
    return success();
  return yield.emitOpError(
      last.hasBuffers() ? "must yield nothing, as contractions are on memrefs"
      : reduction ? "must yield what the reduction computes, and only that"
                  : "must yield what the last contraction computes, and only "
                    "that");
}

namespace {

/// A group of one contraction that is stored is that contraction.
struct DissolveTrivialGroup : public mlir::OpRewritePattern<FusedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FusedOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getContractions().size() > 1 || op.getReduction())
      return rewriter.notifyMatchFailure(op, "holds several operations");
    op.dissolve(rewriter);
    return success();
  }
};

/// Yields what contractions compute in place of casts of it, which come after
/// the group: contractions have learnt more of their shapes then.
struct YieldBeforeCasts : public mlir::OpRewritePattern<FusedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FusedOp op,
                                PatternRewriter &rewriter) const override {
    FusedYieldOp yield = op.getYield();
    SmallVector<Value> values(yield.getValues());
    for (Value &value : values)
      if (auto cast = value.getDefiningOp<mlir::tensor::CastOp>();
          cast && cast->getParentOp() == op)
        value = cast.getSource();
    if (ValueRange(values) == yield.getValues())
      return rewriter.notifyMatchFailure(op, "yields no casts");
    auto fused =
        FusedOp::create(rewriter, op.getLoc(), ValueRange(values).getTypes());
    fused->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    fused.setDissolvable(op.getDissolvable());
    rewriter.modifyOpInPlace(yield,
                             [&] { yield.getValuesMutable().assign(values); });
    rewriter.mergeBlocks(op.getBody(), fused.getBody());
    SmallVector<Value> results;
    for (auto [was, now] : llvm::zip_equal(op.getResults(), fused.getResults()))
      results.push_back(was.getType() == now.getType()
                            ? Value(now)
                            : mlir::tensor::CastOp::create(
                                  rewriter, op.getLoc(), was.getType(), now));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void FusedOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<DissolveTrivialGroup, YieldBeforeCasts>(context);
}
