//===- LinalgToTC.cpp - From linalg to contractions -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raises structured operations that are contractions to tc.contract. Maps and
// payload decide, not the operation's name. Upstream's own test of whether
// something is a contraction asks for rows, columns and a summed loop, none of
// which need be there here.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/LinalgToTC/Passes.h"

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTLINALGTOTC
#include "tc/Conversion/LinalgToTC/Passes.h.inc"
} // namespace tc

using namespace tc;
using mlir::AffineDimExpr;
using mlir::AffineMap;
using mlir::BlockArgument;
using model::Tensor;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

namespace {
/// The inputs whose elements a payload multiplies, by their position.
struct Factors {
  unsigned a, b;
};
} // namespace

/// The input that a factor is an element of, as it is or extended.
static std::optional<unsigned> matchFactor(Value factor, unsigned numInputs) {
  if (auto extension = factor.getDefiningOp<arith::ExtFOp>())
    factor = extension.getIn();
  auto argument = dyn_cast<BlockArgument>(factor);
  if (!argument || argument.getArgNumber() >= numInputs)
    return std::nullopt;
  return argument.getArgNumber();
}

/// Matches `yield c + a * b`, and nothing else in the payload that matters.
static std::optional<Factors> matchPayload(linalg::LinalgOp op) {
  mlir::Block &body = *op.getBlock();
  auto yield = dyn_cast<linalg::YieldOp>(body.getTerminator());
  if (!yield || !llvm::all_of(body, [](Operation &op) {
        return mlir::isMemoryEffectFree(&op);
      }))
    return std::nullopt;
  unsigned numInputs = op.getNumDpsInputs();
  // The payload of linalg.map does not get to see C.
  if (body.getNumArguments() != numInputs + 1)
    return std::nullopt;
  Value old = body.getArgument(numInputs);
  auto sum = yield.getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || (sum.getLhs() != old && sum.getRhs() != old))
    return std::nullopt;
  Value added = sum.getLhs() == old ? sum.getRhs() : sum.getLhs();
  auto product = added.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  auto left = matchFactor(product.getLhs(), numInputs);
  auto right = matchFactor(product.getRhs(), numInputs);
  if (!left || !right)
    return std::nullopt;
  Factors factors{std::min(*left, *right), std::max(*left, *right)};
  // An input that is no factor may still decide how often loops run.
  bool usesAll = factors.a == factors.b ? numInputs == 1 : numInputs == 2;
  if (!usesAll)
    return std::nullopt;
  return factors;
}

/// The loops that the dimensions of an operand follow, if each follows one.
static std::optional<SmallVector<unsigned>> matchLoops(AffineMap map) {
  SmallVector<unsigned> loops;
  for (mlir::AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return std::nullopt;
    loops.push_back(loop.getPosition());
  }
  return loops;
}

static unsigned positionOf(Tensor tensor, linalg::LinalgOp op,
                           const Factors &factors) {
  switch (tensor) {
  case Tensor::A:
    return factors.a;
  case Tensor::B:
    return factors.b;
  case Tensor::C:
    return op.getNumDpsInputs();
  }
  llvm_unreachable("no such tensor");
}

/// The loops of the three operands, if they are those of a contraction.
static std::optional<model::PerTensor<SmallVector<unsigned>>>
matchIndices(linalg::LinalgOp op, const Factors &factors) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  model::PerTensor<SmallVector<unsigned>> lists;
  for (Tensor tensor : model::allTensors) {
    auto loops = matchLoops(maps[positionOf(tensor, op, factors)]);
    if (!loops)
      return std::nullopt;
    lists[tensor] = std::move(*loops);
  }
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    auto times = llvm::count(lists[Tensor::C], loop);
    bool isInput = llvm::is_contained(lists[Tensor::A], loop) ||
                   llvm::is_contained(lists[Tensor::B], loop);
    auto expected = times ? mlir::utils::IteratorType::parallel
                          : mlir::utils::IteratorType::reduction;
    if (times > 1 || !isInput || iterator != expected)
      return std::nullopt;
  }
  return lists;
}

/// The letter for loops that play the same part.
static char letterOf(unsigned loop,
                     const model::PerTensor<SmallVector<unsigned>> &lists) {
  auto isIn = [&](Tensor tensor) {
    return llvm::is_contained(lists[tensor], loop);
  };
  bool inBoth = isIn(Tensor::A) && isIn(Tensor::B);
  if (isIn(Tensor::C))
    return inBoth ? 'b' : isIn(Tensor::A) ? 'm' : 'n';
  return inBoth ? 'k' : 's';
}

/// Names loops after their roles, and numbers those that share one.
static SmallVector<StringAttr>
nameLoops(MLIRContext *context, unsigned numLoops,
          const model::PerTensor<SmallVector<unsigned>> &lists) {
  SmallVector<char> letters;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    letters.push_back(letterOf(loop, lists));
  SmallVector<StringAttr> names;
  for (auto [loop, letter] : llvm::enumerate(letters)) {
    std::string name(1, letter);
    if (llvm::count(letters, letter) > 1)
      name += std::to_string(
          llvm::count(ArrayRef(letters).take_front(loop), letter));
    names.push_back(StringAttr::get(context, name));
  }
  return names;
}

/// Whether tc.contract can have such operands.
static bool areTypesSupported(linalg::LinalgOp op, const Factors &factors) {
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return false;
  Value a = op.getDpsInputs()[factors.a], b = op.getDpsInputs()[factors.b];
  Value c = op.getDpsInits()[0];
  for (Value operand : {a, b, c}) {
    if (auto ranked = dyn_cast<RankedTensorType>(operand.getType())) {
      if (ranked.getEncoding())
        return false;
    } else if (auto memref = dyn_cast<MemRefType>(operand.getType())) {
      if (!memref.isStrided())
        return false;
    } else {
      return false;
    }
  }
  auto input = getModelElementType(mlir::getElementTypeOrSelf(a));
  auto output = getModelElementType(mlir::getElementTypeOrSelf(c));
  if (!input || !output || !model::mayStoreAs(*input, *output) ||
      mlir::getElementTypeOrSelf(a) != mlir::getElementTypeOrSelf(b))
    return false;
  bool isBuffer = isa<MemRefType>(c.getType());
  return !isBuffer || (a != c && b != c);
}

/// The zeros that a destination was filled with: on tensors the fill that it is
/// the result of, on buffers the last before `op` that touches memory.
static linalg::FillOp findZeroFill(linalg::LinalgOp op) {
  Value c = op.getDpsInits()[0];
  linalg::FillOp fill;
  if (isa<RankedTensorType>(c.getType())) {
    fill = c.getDefiningOp<linalg::FillOp>();
  } else {
    Operation *previous = op->getPrevNode();
    while (previous && mlir::isMemoryEffectFree(previous))
      previous = previous->getPrevNode();
    fill = dyn_cast_or_null<linalg::FillOp>(previous);
    if (fill && fill.getDpsInits()[0] != c)
      return {};
  }
  if (!fill || !matchPattern(fill.value(), mlir::m_AnyZeroFloat()))
    return {};
  return fill;
}

/// Raises an operation if it is a contraction.
static bool raiseToContract(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return false;
  auto factors = matchPayload(op);
  if (!factors || !areTypesSupported(op, *factors))
    return false;
  auto lists = matchIndices(op, *factors);
  if (!lists)
    return false;

  SmallVector<StringAttr> names =
      nameLoops(op.getContext(), op.getNumLoops(), *lists);
  model::PerTensor<IndexListAttr> indices;
  for (Tensor tensor : model::allTensors)
    indices[tensor] = IndexListAttr::get(
        op.getContext(),
        llvm::map_to_vector((*lists)[tensor],
                            [&](unsigned loop) { return names[loop]; }));

  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value a = op.getDpsInputs()[factors->a], b = op.getDpsInputs()[factors->b];
  Value c = op.getDpsInits()[0], beta;
  linalg::FillOp fill = findZeroFill(op);
  if (fill) {
    c = fill.getDpsInits()[0];
  } else if (matchPattern(c, mlir::m_AnyZeroFloat())) {
    c = tensor::EmptyOp::create(builder, c.getType(), ValueRange());
  } else {
    model::ElementType input =
        *getModelElementType(mlir::getElementTypeOrSelf(a));
    Type sumType =
        tc::getElementType(op.getContext(), model::accumulatorTypeOf(input));
    beta =
        arith::ConstantOp::create(builder, builder.getFloatAttr(sumType, 1.0));
  }
  auto contract = ContractOp::create(builder, a, b, c, indices[Tensor::A],
                                     indices[Tensor::B], indices[Tensor::C],
                                     /*alpha=*/Value(), beta);
  op->replaceAllUsesWith(contract->getResults());
  op->erase();
  if (fill && fill->use_empty())
    fill->erase();
  return true;
}

namespace {
struct ConvertLinalgToTC
    : public tc::impl::ConvertLinalgToTCBase<ConvertLinalgToTC> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      // Fills are erased along the way.
      if (!isa<linalg::FillOp>(op))
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      numRaised += raiseToContract(op);
  }
};
} // namespace
