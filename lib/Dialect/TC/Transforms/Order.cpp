//===- Order.cpp - Makes trees of contractions of many tensors --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the model for the order in which the inputs of an operation are
// contracted, and makes a contraction of each step.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/TargetLookup.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/TargetFile.h"
#include "tc/Problem/Semiring.h"
#include "tc/Program/MemoryPlan.h"
#include "tc/Program/OrderText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace tc {
#define GEN_PASS_DEF_ORDERPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
using mlir::OpFoldResult;
using mlir::ShapedType;

/// Of the places of temporaries, as of other buffers.
static constexpr int64_t alignment = 64;

static bool hasUnknownExtent(EinsumOp op) {
  return llvm::any_of(op.getLabels(), [&](mlir::StringAttr label) {
    return ShapedType::isDynamic(op.getExtent(label));
  });
}

/// The operation as the model sees it. The order of what has an empty index
/// does not matter, nor that of unknown extents: such an operation has a path.
static model::Network networkOf(EinsumOp op) {
  model::Network network;
  llvm::SmallVector<mlir::StringAttr> labels = op.getLabels();
  for (mlir::StringAttr label : labels)
    network.indices.push_back(
        {label.str(), std::max<int64_t>(op.getExtent(label), 1)});
  auto positions = [&](IndexListAttr list) {
    model::IndexList result;
    for (mlir::StringAttr label : list)
      result.push_back(
          static_cast<unsigned>(llvm::find(labels, label) - labels.begin()));
    return result;
  };
  for (auto list : op.getInputIndices().getAsRange<IndexListAttr>())
    network.inputs.push_back(positions(list));
  network.output = positions(op.getOutputIndices());
  network.type = *getModelElementType(op.getFactorType());
  network.outputType = *getModelElementType(
      mlir::getElementTypeOrSelf(op.getOutput().getType()));
  network.precision = op.getPrecision();
  network.semiring = op.getSemiring();
  return network;
}

namespace {

/// Makes the contractions of a tree.
class TreeRewriter {
public:
  TreeRewriter(mlir::RewriterBase &rewriter, EinsumOp op,
               const model::Network &network,
               const model::ContractionTree &tree, int64_t memoryLimit)
      : rewriter(rewriter), op(op), network(network), tree(tree),
        memoryLimit(memoryLimit), labels(op.getLabels()),
        values(op.getInputs()) {}

  LogicalResult rewrite();

private:
  IndexListAttr listOf(unsigned node);
  LogicalResult makeWorkspace();
  Value destinationOf(unsigned node);
  OpFoldResult extentOf(unsigned index);
  bool conjugates(unsigned operand) {
    return tree.nodes[operand].isInput() && op.conjugates(operand);
  }

  mlir::RewriterBase &rewriter;
  EinsumOp op;
  const model::Network &network;
  const model::ContractionTree &tree;
  /// Of the workspace, in bytes; none if it is negative.
  int64_t memoryLimit;
  llvm::SmallVector<mlir::StringAttr> labels;
  /// Of the nodes.
  llvm::SmallVector<Value> values;
  model::MemoryPlan plan;
  /// Of operations on memrefs, if there are temporaries.
  Value workspace;
};

} // namespace

IndexListAttr TreeRewriter::listOf(unsigned node) {
  llvm::SmallVector<mlir::StringAttr> list;
  for (unsigned index : tree.nodes[node].indices)
    list.push_back(labels[index]);
  return IndexListAttr::get(op.getContext(), list);
}

LogicalResult TreeRewriter::makeWorkspace() {
  Result<model::MemoryPlan> made = model::planMemory(network, tree, alignment);
  if (!made)
    return op.emitOpError(made.error());
  plan = std::move(*made);
  // Places are aligned, and there may be gaps between them.
  if (memoryLimit >= 0 && plan.bytes > memoryLimit)
    return op.emitOpError("the temporaries take ")
           << plan.bytes << " B with their places' alignment, more than "
           << memoryLimit << " B";
  if (plan.bytes == 0)
    return success();
  auto type = mlir::MemRefType::get({plan.bytes}, rewriter.getI8Type());
  workspace = mlir::memref::AllocOp::create(
      rewriter, op.getLoc(), type, rewriter.getI64IntegerAttr(alignment));
  return success();
}

OpFoldResult TreeRewriter::extentOf(unsigned index) {
  int64_t extent = op.getExtent(labels[index]);
  if (!ShapedType::isDynamic(extent))
    return rewriter.getIndexAttr(extent);
  for (auto [input, list] : llvm::zip(
           op.getInputs(), op.getInputIndices().getAsRange<IndexListAttr>()))
    if (std::optional<unsigned> dim = list.find(labels[index]))
      return mlir::tensor::getMixedSize(rewriter, op.getLoc(), input, *dim);
  llvm_unreachable("an index of an einsum is in one of its inputs");
}

Value TreeRewriter::destinationOf(unsigned node) {
  Location loc = op.getLoc();
  if (!op.hasBuffers()) {
    llvm::SmallVector<OpFoldResult> extents;
    for (unsigned index : tree.nodes[node].indices)
      extents.push_back(extentOf(index));
    return mlir::tensor::EmptyOp::create(rewriter, loc, extents,
                                         op.getFactorType());
  }
  llvm::SmallVector<int64_t> extents;
  for (unsigned index : tree.nodes[node].indices)
    extents.push_back(op.getExtent(labels[index]));
  Value offset =
      mlir::arith::ConstantIndexOp::create(rewriter, loc, plan.offsets[node]);
  return mlir::memref::ViewOp::create(
      rewriter, loc, mlir::MemRefType::get(extents, op.getFactorType()),
      workspace, offset, mlir::ValueRange());
}

LogicalResult TreeRewriter::rewrite() {
  rewriter.setInsertionPoint(op);
  if (op.hasBuffers() && failed(makeWorkspace()))
    return failure();
  for (unsigned node = values.size(); node < tree.nodes.size(); ++node) {
    unsigned a = tree.nodes[node].operands.front(),
             b = tree.nodes[node].operands.back();
    bool isLast = node + 1 == tree.nodes.size();
    auto step = ContractOp::create(
        rewriter, op.getLoc(), values[a], values[b],
        isLast ? op.getOutput() : destinationOf(node), listOf(a), listOf(b),
        listOf(node), isLast ? op.getAlpha() : Value(),
        isLast ? op.getBeta() : Value(), ScheduleAttr(), op.getPrecision(),
        op.getSemiring());
    step.setConjugateA(conjugates(a));
    step.setConjugateB(conjugates(b));
    values.push_back(op.hasBuffers() ? step.getC() : step.getResult());
  }
  if (workspace)
    mlir::memref::DeallocOp::create(rewriter, op.getLoc(), workspace);
  if (op.hasBuffers())
    rewriter.eraseOp(op);
  else
    rewriter.replaceOp(op, values.back());
  return success();
}

/// The semiring's one among factors. Where it is infinite and the type is not,
/// the largest number is as good: a product with it is the other factor.
static mlir::TypedAttr getOneOfFactors(model::Semiring semiring, Type type) {
  double one = model::oneOf(semiring);
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || !std::isinf(one) ||
      llvm::APFloat::semanticsHasInf(floatType.getFloatSemantics()))
    return getOne(semiring, type);
  return mlir::FloatAttr::get(
      floatType,
      llvm::APFloat::getLargest(floatType.getFloatSemantics(), one < 0));
}

/// A tensor or buffer without dimensions that holds the semiring's one.
static Value makeOne(mlir::RewriterBase &rewriter, EinsumOp op) {
  Type type = op.getFactorType();
  if (!op.hasBuffers()) {
    auto tensorType = RankedTensorType::get({}, type);
    if (isa<mlir::ComplexType>(type))
      return mlir::arith::ConstantOp::create(
          rewriter, op.getLoc(), getOne(op.getSemiring(), tensorType));
    Attribute one = getOneOfFactors(op.getSemiring(), type);
    return mlir::arith::ConstantOp::create(
        rewriter, op.getLoc(), mlir::DenseElementsAttr::get(tensorType, one));
  }
  Value buffer = mlir::memref::AllocOp::create(
      rewriter, op.getLoc(), MemRefType::get({}, type),
      rewriter.getI64IntegerAttr(alignment));
  Value one = createNumber(rewriter, op.getLoc(),
                           getOneOfFactors(op.getSemiring(), type));
  mlir::memref::StoreOp::create(rewriter, op.getLoc(), one, buffer);
  return buffer;
}

/// Makes a contraction of an operation with one input.
static void contractAlone(mlir::RewriterBase &rewriter, EinsumOp op) {
  rewriter.setInsertionPoint(op);
  Value one = makeOne(rewriter, op);
  auto contraction = ContractOp::create(
      rewriter, op.getLoc(), op.getInputs().front(), one, op.getOutput(),
      op.getIndexLists().front(),
      IndexListAttr::get(op.getContext(), ArrayRef<StringAttr>()),
      op.getOutputIndices(), op.getAlpha(), op.getBeta(), ScheduleAttr(),
      op.getPrecision(), op.getSemiring());
  contraction.setConjugateA(op.conjugates(0));
  if (op.hasBuffers()) {
    mlir::memref::DeallocOp::create(rewriter, op.getLoc(), one);
    rewriter.eraseOp(op);
  } else {
    rewriter.replaceOp(op, contraction);
  }
}

namespace {

struct OrderPass : public tc::impl::OrderPassBase<OrderPass> {
  using OrderPassBase::OrderPassBase;

  void runOnOperation() override {
    llvm::SmallVector<EinsumOp> operations;
    mlir::IRRewriter rewriter(&getContext());
    getOperation()->walk([&](EinsumOp op) {
      if (op.getInputs().size() > 1)
        operations.push_back(op);
      else
        contractAlone(rewriter, op);
    });
    // Pipelines have the pass whether or not there is something to order.
    if (operations.empty())
      return;
    if (failed(findTarget()))
      return signalPassFailure();
    explanations.clear();
    for (EinsumOp op : operations) {
      if (failed(order(rewriter, op)))
        return signalPassFailure();
      ++numOrdered;
    }
    llvm::errs() << explanations;
  }

  LogicalResult findTarget() {
    auto report = [&](const std::string &error) {
      return emitError(getOperation()->getLoc()) << error;
    };
    if (threads < 1)
      return report("option 'threads': must be 1 at least, but is " +
                    std::to_string(threads));
    if (target == "cpu") {
      Result<model::CpuTarget> found = model::loadCpuTarget(targetFile);
      if (!found)
        return report((targetFile.empty() ? "" : "option 'target-file': ") +
                      found.error());
      cpu = std::move(*found);
      return success();
    }
    Result<model::Target> found =
        lookUpTargetOptions(getOperation(), target, targetFile);
    if (!found)
      return report(found.error());
    gpu = std::move(*found);
    return success();
  }

  std::unique_ptr<model::StepTimes> makeTimes(const model::Network &network) {
    if (gpu)
      return makeStepTimes(*gpu, network.type, network.precision);
    return makeStepTimes(*cpu, network.type, threads);
  }

  LogicalResult order(mlir::IRRewriter &rewriter, EinsumOp op) {
    model::Network network = networkOf(op);
    std::unique_ptr<model::StepTimes> times = makeTimes(network);
    if (hasUnknownExtent(op) && (!op.getPath() || op.hasBuffers()))
      return op.emitOpError(
          op.hasBuffers()
              ? "has an unknown extent, of which temporaries would be made"
              : "has an unknown extent, so that its order needs a path");
    model::OrderResult found;
    if (op.getPath()) {
      model::ContractionPath path;
      for (llvm::ArrayRef<int64_t> step : op.getSteps())
        path.emplace_back(step.begin(), step.end());
      Result<model::ContractionTree> tree = model::treeOf(network, path);
      if (!tree)
        return op.emitOpError(tree.error());
      if (!hasUnknownExtent(op))
        tree = orderIndices(network, *tree, *times);
      found.order = judge(network, *tree, *times);
      found.predictions = times->predictions();
    } else {
      model::OrderOptions options;
      if (memoryLimit >= 0)
        options.memoryLimit = static_cast<double>(memoryLimit);
      Result<model::OrderResult> searched =
          searchOrder(network, *times, options);
      if (!searched)
        return op.emitOpError(searched.error());
      found = std::move(*searched);
    }
    if (explain)
      explanations += orderText(network, found, gpu ? gpu->name : cpu->name);
    return TreeRewriter(rewriter, op, network, found.order.tree, memoryLimit)
        .rewrite();
  }

  std::optional<model::Target> gpu;
  std::optional<model::CpuTarget> cpu;
  std::string explanations;
};

} // namespace
