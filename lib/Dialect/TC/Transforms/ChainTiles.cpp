//===- ChainTiles.cpp - Chains of operations, tile by tile ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds which operations can be computed tile by tile together, by following
// dimensions from what the last one computes to the first ones, and makes the
// loops.
//
//===----------------------------------------------------------------------===//

#include "ChainTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/TilingInterface.h"

#include <numeric>

using namespace tc;
using mlir::OpOperand;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

//===----------------------------------------------------------------------===//
// Operations of a chain
//===----------------------------------------------------------------------===//

mlir::RankedTensorType OperationChain::resultType() const {
  return cast<RankedTensorType>(last()->getResult(0).getType());
}

SmallVector<ContractOp> OperationChain::contractions() const {
  SmallVector<ContractOp> found;
  for (Operation *op : ops)
    if (auto contraction = dyn_cast<ContractOp>(op))
      found.push_back(contraction);
  return found;
}

SmallVector<int64_t> OperationChain::tileShape(RankedTensorType type,
                                               ArrayRef<int64_t> dims,
                                               ArrayRef<int64_t> lengths) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, dim] : llvm::zip_equal(shape, dims))
    if (dim != noDim)
      extent = lengths[dim];
  return shape;
}

/// Those of the dimensions that the labels name, from those of C.
static std::optional<DimsOfResult> dimsOfList(ContractOp op, IndexListAttr list,
                                              ArrayRef<int64_t> ofC) {
  DimsOfResult dims;
  for (StringAttr label : list) {
    std::optional<unsigned> place = op.getCIndices().find(label);
    int64_t dim = place ? ofC[*place] : noDim;
    // A tile of a diagonal is less than the tile of the tensor.
    if (dim != noDim && llvm::is_contained(dims, dim))
      return std::nullopt;
    dims.push_back(dim);
  }
  return dims;
}

std::optional<DimsOfResult> tc::dimsOfOperand(OpOperand &operand,
                                              ArrayRef<int64_t> ofResult) {
  Operation *owner = operand.getOwner();
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return std::nullopt;
  if (auto op = dyn_cast<ContractOp>(owner)) {
    // Between C and the auxiliary tensors stand the factors.
    unsigned number = operand.getOperandNumber();
    if (number >= 3)
      number -= (op.getAlpha() ? 1 : 0) + (op.getBeta() ? 1 : 0);
    return dimsOfList(op, op.getIndexLists()[number], ofResult);
  }
  if (isa<linalg::SoftmaxOp>(owner))
    return DimsOfResult(ofResult);
  auto op = dyn_cast<linalg::LinalgOp>(owner);
  if (!op)
    return std::nullopt;
  DimsOfResult ofLoops(op.getNumLoops(), noDim);
  mlir::AffineMap ofInit = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [place, dim] : llvm::enumerate(ofResult))
    ofLoops[ofInit.getDimPosition(place)] = dim;
  DimsOfResult dims;
  mlir::AffineMap map = op.getMatchingIndexingMap(&operand);
  for (unsigned place = 0; place < map.getNumResults(); ++place)
    dims.push_back(ofLoops[map.getDimPosition(place)]);
  return dims;
}

/// Returns true if an operation may be one of a chain, and its result be cut
/// along any dimension but that of a softmax.
static bool canBeInChain(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return false;
  if (auto contraction = dyn_cast<ContractOp>(op))
    return !contraction.getScheduleAttr() &&
           !contraction.getCpuScheduleAttr() && !contraction.hasZeroExtent() &&
           llvm::all_of(contraction.getTensors(), [](Value tensor) {
             return cast<ShapedType>(tensor.getType()).hasStaticShape();
           });
  if (isa<linalg::SoftmaxOp>(op))
    return true;
  auto elementwise = dyn_cast<linalg::LinalgOp>(op);
  return elementwise && isa<mlir::TilingInterface>(op) &&
         elementwise.getNumParallelLoops() == elementwise.getNumLoops() &&
         llvm::all_of(elementwise.getIndexingMapsArray(),
                      [](mlir::AffineMap map) {
                        return map.isProjectedPermutation();
                      }) &&
         elementwise.getMatchingIndexingMap(elementwise.getDpsInitOperand(0))
             .isPermutation();
}

/// The dimension along which an operation needs all of what it computes.
static int64_t wholeDim(Operation *op, ArrayRef<int64_t> ofResult) {
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return ofResult[softmax.getDimension()];
  return noDim;
}

/// The dimensions of the chain's result along those of an operation's, if only
/// operations of the chain use it and all use it alike.
static std::optional<DimsOfResult> dimsByUses(Operation *op,
                                              const OperationChain &chain) {
  std::optional<DimsOfResult> common;
  for (OpOperand &use : op->getUses()) {
    auto owner = chain.dims.find(use.getOwner());
    if (owner == chain.dims.end())
      return std::nullopt;
    std::optional<DimsOfResult> dims = dimsOfOperand(use, owner->second);
    if (!dims || (common && *common != *dims))
      return std::nullopt;
    common = std::move(dims);
  }
  return common;
}

/// The chain of what has a dimension of the result of an operation in common.
static OperationChain findChain(Operation *last, int64_t dim) {
  OperationChain chain;
  DimsOfResult all(
      cast<RankedTensorType>(last->getResult(0).getType()).getRank());
  std::iota(all.begin(), all.end(), 0);
  chain.ops.push_back(last);
  chain.dims[last] = all;
  DenseSet<int64_t> whole = {wholeDim(last, all)};
  for (Operation *op = last->getPrevNode(); op; op = op->getPrevNode()) {
    if (!canBeInChain(op))
      continue;
    std::optional<DimsOfResult> dims = dimsByUses(op, chain);
    if (!dims || !llvm::is_contained(*dims, dim) || wholeDim(op, *dims) == dim)
      continue;
    whole.insert(wholeDim(op, *dims));
    chain.ops.push_back(op);
    chain.dims[op] = std::move(*dims);
  }
  std::reverse(chain.ops.begin(), chain.ops.end());
  for (int64_t each : all)
    if (!whole.contains(each) && llvm::all_of(chain.ops, [&](Operation *op) {
          return llvm::is_contained(chain.dims[op], each);
        }))
      chain.common.push_back(each);
  return chain;
}

SmallVector<OperationChain> tc::findChainsTo(Operation *last) {
  SmallVector<OperationChain> chains;
  if (!canBeInChain(last))
    return chains;
  auto type = cast<RankedTensorType>(last->getResult(0).getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    OperationChain chain = findChain(last, dim);
    bool isNew = llvm::none_of(chains, [&](const OperationChain &other) {
      return other.ops == chain.ops;
    });
    if (isNew && !chain.common.empty() && chain.contractions().size() > 1)
      chains.push_back(std::move(chain));
  }
  return chains;
}

//===----------------------------------------------------------------------===//
// Loops over tiles
//===----------------------------------------------------------------------===//

/// Returns true if an operation needs what its destination holds.
static bool readsDestination(Operation *op) {
  if (auto contraction = dyn_cast<ContractOp>(op))
    return contraction.readsC();
  auto elementwise = dyn_cast<linalg::LinalgOp>(op);
  return elementwise && elementwise.payloadUsesValueFromOperand(
                            elementwise.getDpsInitOperand(0));
}

static OpOperand &destinationOf(Operation *op) {
  return *cast<mlir::DestinationStyleOpInterface>(op).getDpsInitOperand(0);
}

namespace {

class ChainTiler {
public:
  ChainTiler(mlir::RewriterBase &rewriter, const OperationChain &chain,
             ArrayRef<int64_t> lengths)
      : rewriter(rewriter), chain(chain), lengths(lengths),
        shape(chain.resultType().getShape()),
        offsets(shape.size(), rewriter.getIndexAttr(0)) {}

  void run();

private:
  Value makeLoops(size_t level, Value output);
  Value makeTile(Value output);
  mlir::TilingResult makeTileOf(Operation *op);
  SmallVector<OpFoldResult> sizesOf(ArrayRef<int64_t> tile);

  mlir::RewriterBase &rewriter;
  const OperationChain &chain;
  /// Of the tiles that are made now, along each dimension of the result.
  SmallVector<int64_t> lengths;
  ArrayRef<int64_t> shape;
  SmallVector<OpFoldResult> offsets;
  /// The operation in whose destination the chain's result comes to be.
  Operation *first = nullptr;
};

} // namespace

/// The operation on a tile, and the slices that it takes.
mlir::TilingResult ChainTiler::makeTileOf(Operation *op) {
  SmallVector<OpFoldResult> firsts, sizes;
  const DimsOfResult &dims = chain.dims.at(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [dim, size] :
       llvm::zip_equal(dims, OperationChain::tileShape(type, dims, lengths))) {
    firsts.push_back(dim == noDim ? OpFoldResult(rewriter.getIndexAttr(0))
                                  : offsets[dim]);
    sizes.push_back(rewriter.getIndexAttr(size));
  }
  auto tiled = cast<mlir::TilingInterface>(op);
  // Loops of a softmax are those over its result.
  FailureOr<mlir::TilingResult> result =
      isa<linalg::SoftmaxOp>(op)
          ? tiled.getTiledImplementation(rewriter, firsts, sizes)
          : tiled.generateResultTileValue(rewriter, 0, firsts, sizes);
  if (failed(result))
    llvm::report_fatal_error("an operation of a chain cannot be tiled");
  return std::move(*result);
}

/// The output with a tile of it.
Value ChainTiler::makeTile(Value output) {
  DenseMap<Value, Value> tiles;
  Operation *tile = nullptr;
  for (Operation *op : chain.ops) {
    mlir::TilingResult made = makeTileOf(op);
    tile = made.tiledOps.front();
    Value tileOfDestination = destinationOf(tile).get();
    for (Operation *generated : made.generatedSlices) {
      auto slice = cast<tensor::ExtractSliceOp>(generated);
      Value whole = slice.getSource();
      bool isDestination = slice.getResult() == tileOfDestination &&
                           whole == destinationOf(op).get();
      if (Value known = tiles.lookup(whole)) {
        rewriter.replaceOp(slice, known);
      } else if (isDestination && op == first) {
        rewriter.modifyOpInPlace(
            slice, [&] { slice.getSourceMutable().assign(output); });
      } else if (isDestination && !readsDestination(op)) {
        // A tensor that is made in a loop would be another buffer for each
        // tile.
        mlir::OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPoint(
            chain.last()->getBlock()->findAncestorOpInBlock(*slice));
        rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
            slice, slice.getType().getShape(),
            slice.getType().getElementType());
      } else if (slice.getType() == whole.getType()) {
        rewriter.replaceOp(slice, whole);
      }
    }
    tiles[op->getResult(0)] = tile->getResult(0);
  }
  SmallVector<OpFoldResult> sizes,
      steps(shape.size(), rewriter.getIndexAttr(1));
  for (int64_t length : lengths)
    sizes.push_back(rewriter.getIndexAttr(length));
  return tensor::InsertSliceOp::create(rewriter, chain.last()->getLoc(),
                                       tile->getResult(0), output, offsets,
                                       sizes, steps);
}

/// Of the tiles along that dimension and those behind it; where the others
/// begin is known. The rest at the end is a tile of its own.
Value ChainTiler::makeLoops(size_t level, Value output) {
  if (level == shape.size())
    return makeTile(output);
  int64_t extent = shape[level], length = lengths[level];
  if (length == extent) {
    offsets[level] = rewriter.getIndexAttr(0);
    return makeLoops(level + 1, output);
  }
  Location loc = chain.last()->getLoc();
  int64_t rest = extent % length;
  auto number = [&](int64_t value) -> Value {
    return mlir::arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto loop =
      mlir::scf::ForOp::create(rewriter, loc, number(0), number(extent - rest),
                               number(length), mlir::ValueRange(output));
  {
    mlir::OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    offsets[level] = loop.getInductionVar();
    Value made = makeLoops(level + 1, loop.getRegionIterArg(0));
    mlir::scf::YieldOp::create(rewriter, loc, made);
  }
  output = loop.getResult(0);
  if (rest == 0)
    return output;
  lengths[level] = rest;
  offsets[level] = rewriter.getIndexAttr(extent - rest);
  output = makeLoops(level + 1, output);
  lengths[level] = length;
  return output;
}

void ChainTiler::run() {
  first = chain.last();
  while (Operation *before = destinationOf(first).get().getDefiningOp()) {
    if (!chain.contains(before))
      break;
    first = before;
  }
  rewriter.setInsertionPoint(chain.last());
  Value made = makeLoops(0, destinationOf(first).get());
  rewriter.replaceOp(chain.last(), made);
  for (Operation *op : llvm::reverse(ArrayRef(chain.ops).drop_back()))
    rewriter.eraseOp(op);
}

void tc::tileChain(mlir::RewriterBase &rewriter, const OperationChain &chain,
                   ArrayRef<int64_t> lengths) {
  ChainTiler(rewriter, chain, lengths).run();
}
