//===- TreeRewriter.cpp - Contractions of a tree ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a contraction of each step of a tree, and loops over slices around
// them.
//
//===----------------------------------------------------------------------===//

#include "TreeRewriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace tc;
using mlir::OpFoldResult;
using mlir::ShapedType;

Result<model::MemoryPlan> tc::planTemporaries(const model::Network &network,
                                              const model::Order &order) {
  return planMemory(firstSlice(network, order.slices), order.tree,
                    alignmentOfTemporaries);
}

namespace {

class TreeRewriter {
public:
  TreeRewriter(mlir::RewriterBase &rewriter, EinsumOp op,
               const model::Network &network, const model::Order &order)
      : rewriter(rewriter), op(op), network(network), order(order),
        tree(order.tree), labels(op.getLabels()),
        offsets(labels.size(), rewriter.getIndexAttr(0)) {
    for (StringAttr label : labels)
      lengths.push_back(op.getExtent(label));
  }

  LogicalResult rewrite();

private:
  IndexListAttr listOf(unsigned node);
  LogicalResult makeWorkspace();
  Value makeLoops(size_t level, Value output);
  Value makeSteps(Value output);
  Value sliceOf(Value tensor, const model::IndexList &indices);
  Value insert(Value part, Value output);
  Value betaOfSlice();
  Value destinationOf(unsigned node);
  OpFoldResult extentOf(unsigned index);
  bool isSliced(const model::IndexList &indices) const;
  void placeOf(const model::IndexList &indices,
               SmallVector<OpFoldResult> &firsts,
               SmallVector<OpFoldResult> &sizes);
  bool conjugates(unsigned operand) {
    return tree.nodes[operand].isInput() && op.conjugates(operand);
  }

  mlir::RewriterBase &rewriter;
  EinsumOp op;
  const model::Network &network;
  const model::Order &order;
  const model::ContractionTree &tree;
  SmallVector<StringAttr> labels;
  /// Of the slice of which steps are made: where it begins and how long it is
  /// along each index.
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> lengths;
  model::MemoryPlan plan;
  /// Of operations on memrefs, if there are temporaries.
  Value workspace;
};

} // namespace

IndexListAttr TreeRewriter::listOf(unsigned node) {
  SmallVector<StringAttr> list;
  for (unsigned index : tree.nodes[node].indices)
    list.push_back(labels[index]);
  return IndexListAttr::get(op.getContext(), list);
}

LogicalResult TreeRewriter::makeWorkspace() {
  Result<model::MemoryPlan> made = planTemporaries(network, order);
  if (!made)
    return op.emitOpError(made.error());
  plan = std::move(*made);
  if (plan.bytes == 0)
    return success();
  auto type = MemRefType::get({plan.bytes}, rewriter.getI8Type());
  workspace = mlir::memref::AllocOp::create(
      rewriter, op.getLoc(), type,
      rewriter.getI64IntegerAttr(alignmentOfTemporaries));
  return success();
}

OpFoldResult TreeRewriter::extentOf(unsigned index) {
  if (!ShapedType::isDynamic(lengths[index]))
    return rewriter.getIndexAttr(lengths[index]);
  for (auto [input, list] : llvm::zip(
           op.getInputs(), op.getInputIndices().getAsRange<IndexListAttr>()))
    if (std::optional<unsigned> dim = list.find(labels[index]))
      return mlir::tensor::getMixedSize(rewriter, op.getLoc(), input, *dim);
  llvm_unreachable("an index of an einsum is in one of its inputs");
}

Value TreeRewriter::destinationOf(unsigned node) {
  Location loc = op.getLoc();
  if (!op.hasBuffers()) {
    // A tensor that is made in a loop would be another buffer in each slice.
    mlir::OpBuilder::InsertionGuard guard(rewriter);
    if (rewriter.getInsertionBlock() != op->getBlock())
      rewriter.setInsertionPoint(op->getBlock()->findAncestorOpInBlock(
          *rewriter.getInsertionBlock()->getParentOp()));
    SmallVector<OpFoldResult> extents;
    for (unsigned index : tree.nodes[node].indices)
      extents.push_back(extentOf(index));
    return mlir::tensor::EmptyOp::create(rewriter, loc, extents,
                                         op.getFactorType());
  }
  SmallVector<int64_t> extents;
  for (unsigned index : tree.nodes[node].indices)
    extents.push_back(lengths[index]);
  Value offset =
      mlir::arith::ConstantIndexOp::create(rewriter, loc, plan.offsets[node]);
  return mlir::memref::ViewOp::create(
      rewriter, loc, MemRefType::get(extents, op.getFactorType()), workspace,
      offset, mlir::ValueRange());
}

bool TreeRewriter::isSliced(const model::IndexList &indices) const {
  return llvm::any_of(order.slices, [&](const model::Slice &slice) {
    return llvm::is_contained(indices, slice.index);
  });
}

void TreeRewriter::placeOf(const model::IndexList &indices,
                           SmallVector<OpFoldResult> &firsts,
                           SmallVector<OpFoldResult> &sizes) {
  for (unsigned index : indices) {
    firsts.push_back(offsets[index]);
    sizes.push_back(rewriter.getIndexAttr(lengths[index]));
  }
}

Value TreeRewriter::sliceOf(Value tensor, const model::IndexList &indices) {
  if (!isSliced(indices))
    return tensor;
  SmallVector<OpFoldResult> firsts, sizes,
      steps(indices.size(), rewriter.getIndexAttr(1));
  placeOf(indices, firsts, sizes);
  if (op.hasBuffers())
    return mlir::memref::SubViewOp::create(rewriter, op.getLoc(), tensor,
                                           firsts, sizes, steps);
  return mlir::tensor::ExtractSliceOp::create(rewriter, op.getLoc(), tensor,
                                              firsts, sizes, steps);
}

Value TreeRewriter::insert(Value part, Value output) {
  if (op.hasBuffers())
    return output;
  if (!isSliced(network.output))
    return part;
  SmallVector<OpFoldResult> firsts, sizes,
      steps(network.output.size(), rewriter.getIndexAttr(1));
  placeOf(network.output, firsts, sizes);
  return mlir::tensor::InsertSliceOp::create(rewriter, op.getLoc(), part,
                                             output, firsts, sizes, steps);
}

/// The operation's in the first slice of a sum; the others add to that.
Value TreeRewriter::betaOfSlice() {
  Value beta = op.getBeta();
  if (beta && isOne(op.getSemiring(), beta))
    return beta;
  Location loc = op.getLoc();
  Value isFirst;
  bool isLater = false;
  for (const model::Slice &slice : order.slices) {
    if (llvm::is_contained(network.output, slice.index))
      continue;
    OpFoldResult offset = offsets[slice.index];
    if (std::optional<int64_t> known = mlir::getConstantIntValue(offset)) {
      isLater |= *known != 0;
      continue;
    }
    Value zero = mlir::arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value begins = mlir::arith::CmpIOp::create(rewriter, loc,
                                               mlir::arith::CmpIPredicate::eq,
                                               cast<Value>(offset), zero);
    isFirst = isFirst
                  ? mlir::arith::AndIOp::create(rewriter, loc, isFirst, begins)
                  : begins;
  }
  if (!isLater && !isFirst)
    return beta;
  Type type = op.getAccumulatorType();
  Value one = createNumber(rewriter, loc, getOne(op.getSemiring(), type));
  if (isLater)
    return one;
  if (!beta)
    beta = createNumber(rewriter, loc, getZero(op.getSemiring(), type));
  return mlir::arith::SelectOp::create(rewriter, loc, isFirst, beta, one);
}

/// The output with what the slice makes.
Value TreeRewriter::makeSteps(Value output) {
  SmallVector<Value> values;
  for (auto [input, indices] : llvm::zip(op.getInputs(), network.inputs))
    values.push_back(sliceOf(input, indices));
  for (unsigned node = values.size(); node < tree.nodes.size(); ++node) {
    unsigned a = tree.nodes[node].operands.front(),
             b = tree.nodes[node].operands.back();
    bool isLast = node + 1 == tree.nodes.size();
    Value destination =
        isLast ? sliceOf(output, network.output) : destinationOf(node);
    auto step = ContractOp::create(
        rewriter, op.getLoc(), values[a], values[b], destination, listOf(a),
        listOf(b), listOf(node), isLast ? op.getAlpha() : Value(),
        isLast ? betaOfSlice() : Value(), ScheduleAttr(), op.getPrecision(),
        op.getSemiring());
    step.setConjugateA(conjugates(a));
    step.setConjugateB(conjugates(b));
    values.push_back(op.hasBuffers() ? step.getC() : step.getResult());
  }
  return insert(values.back(), output);
}

/// Of the slices from that position on; those before are chosen.
Value TreeRewriter::makeLoops(size_t level, Value output) {
  if (level == order.slices.size())
    return makeSteps(output);
  const model::Slice &slice = order.slices[level];
  int64_t rest = raggedLength(network, slice);
  int64_t end = network.indices[slice.index].extent - rest;
  lengths[slice.index] = slice.length;
  offsets[slice.index] = rewriter.getIndexAttr(0);
  if (end == slice.length) {
    output = makeLoops(level + 1, output);
  } else {
    Location loc = op.getLoc();
    auto number = [&](int64_t value) -> Value {
      return mlir::arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    SmallVector<Value> carried;
    if (!op.hasBuffers())
      carried.push_back(output);
    auto loop = mlir::scf::ForOp::create(rewriter, loc, number(0), number(end),
                                         number(slice.length), carried);
    mlir::OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    offsets[slice.index] = loop.getInductionVar();
    Value made = makeLoops(level + 1,
                           op.hasBuffers() ? output : loop.getRegionIterArg(0));
    if (!op.hasBuffers()) {
      mlir::scf::YieldOp::create(rewriter, loc, made);
      output = loop.getResult(0);
    }
  }
  if (rest == 0)
    return output;
  lengths[slice.index] = rest;
  offsets[slice.index] = rewriter.getIndexAttr(end);
  return makeLoops(level + 1, output);
}

LogicalResult TreeRewriter::rewrite() {
  rewriter.setInsertionPoint(op);
  if (op.hasBuffers() && failed(makeWorkspace()))
    return failure();
  Value made = makeLoops(0, op.getOutput());
  if (workspace)
    mlir::memref::DeallocOp::create(rewriter, op.getLoc(), workspace);
  if (op.hasBuffers())
    rewriter.eraseOp(op);
  else
    rewriter.replaceOp(op, made);
  return success();
}

LogicalResult tc::rewriteAsTree(mlir::RewriterBase &rewriter, EinsumOp op,
                                const model::Network &network,
                                const model::Order &order) {
  return TreeRewriter(rewriter, op, network, order).rewrite();
}
