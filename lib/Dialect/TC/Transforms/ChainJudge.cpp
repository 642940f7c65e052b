//===- ChainJudge.cpp - The time of tiles of a chain ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds up what the model predicts of each contraction by itself, all tensors
// being as near as all of a tile is, and what it takes to fetch those from
// farther away that are no tile of what the chain makes on the way.
//
//===----------------------------------------------------------------------===//

#include "ChainJudge.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Cpu/CpuMovement.h"
#include "tc/Cpu/CpuStrategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

using namespace tc;
using mlir::RankedTensorType;

static double bytesOf(RankedTensorType type, ArrayRef<int64_t> shape) {
  auto element = getModelElementType(type.getElementType());
  double bytes = element ? static_cast<double>(model::byteWidth(*element))
                         : std::ceil(type.getElementTypeBitWidth() / 8.0);
  for (int64_t extent : shape)
    bytes *= static_cast<double>(extent);
  return bytes;
}

double ChainTensor::bytes() const { return bytesOf(type, type.getShape()); }

double ChainTensor::bytes(ArrayRef<int64_t> lengths) const {
  return bytesOf(type, OperationChain::tileShape(type, dims, lengths));
}

ChainJudge::ChainJudge(const OperationChain &chain,
                       const model::CpuTarget &target)
    : chain(chain), target(target), hierarchy(model::memoryHierarchy(target)) {
  DenseSet<Value> seen;
  for (Operation *op : chain.ops) {
    const DimsOfResult &dims = chain.dims.at(op);
    auto note = [&](Value value, const DimsOfResult &ofValue) {
      auto type = cast<RankedTensorType>(value.getType());
      Operation *maker = value.getDefiningOp();
      ChainTensor tensor = {type, ofValue,
                            maker && maker != chain.last() &&
                                chain.contains(maker)};
      tensors[op].push_back(tensor);
      if (seen.insert(value).second)
        distinct.push_back(tensor);
    };
    auto destination = cast<mlir::DestinationStyleOpInterface>(op);
    for (mlir::OpOperand *input : destination.getDpsInputOperands())
      if (std::optional<DimsOfResult> ofInput = dimsOfOperand(*input, dims))
        note(input->get(), *ofInput);
    note(op->getResult(0), dims);
  }
}

double ChainJudge::bytesBetween() const {
  double bytes = 0;
  for (const ChainTensor &tensor : distinct)
    bytes += tensor.isBetween ? tensor.bytes() : 0;
  return bytes;
}

double ChainJudge::bytesOfTile(ArrayRef<int64_t> lengths, int64_t dim) const {
  double bytes = 0;
  for (const ChainTensor &tensor : distinct)
    bytes += llvm::is_contained(tensor.dims, dim) ? tensor.bytes(lengths) : 0;
  return bytes;
}

double ChainJudge::countTiles(ArrayRef<int64_t> lengths) const {
  double count = 1;
  for (auto [extent, length] : llvm::zip_equal(shape(), lengths))
    count *=
        std::ceil(static_cast<double>(extent) / static_cast<double>(length));
  return count;
}

/// A length up to `most` that divides the extent, if one is not much shorter;
/// else one with which the last tile is about as long as the others.
static int64_t roundLength(int64_t extent, int64_t most) {
  for (int64_t length = most; 2 * length > most; --length)
    if (extent % length == 0)
      return length;
  int64_t tiles = (extent + most - 1) / most;
  return (extent + tiles - 1) / tiles;
}

std::optional<SmallVector<int64_t>>
ChainJudge::largestTile(double bytes) const {
  SmallVector<int64_t> lengths(shape()), dims = chain.common;
  llvm::sort(dims, [&](int64_t a, int64_t b) {
    double ofA = bytesOfTile(shape(), a), ofB = bytesOfTile(shape(), b);
    return ofA > ofB || (ofA == ofB && a < b);
  });
  for (int64_t dim : dims) {
    lengths[dim] = 1;
    if (bytesOfTile(lengths, dim) > bytes)
      continue;
    int64_t low = 1, high = shape()[dim];
    while (low < high) {
      lengths[dim] = low + (high - low + 1) / 2;
      if (bytesOfTile(lengths, dim) <= bytes)
        low = lengths[dim];
      else
        high = lengths[dim] - 1;
    }
    lengths[dim] = roundLength(shape()[dim], low);
    return lengths;
  }
  return std::nullopt;
}

/// The time of the contraction by itself, on tiles.
FailureOr<double> ChainJudge::predict(ContractOp op,
                                      ArrayRef<int64_t> lengths) const {
  mlir::OpBuilder builder(op.getContext());
  mlir::OwningOpRef<ModuleOp> scratch = ModuleOp::create(op.getLoc());
  builder.setInsertionPointToStart(scratch->getBody());
  auto function = mlir::func::FuncOp::create(builder, op.getLoc(), "tile",
                                             builder.getFunctionType({}, {}));
  mlir::Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> operands;
  const DimsOfResult &ofC = chain.dims.at(op);
  auto dimOf = [&](StringAttr label) {
    std::optional<unsigned> place = op.getCIndices().find(label);
    return place ? ofC[*place] : noDim;
  };
  for (auto [tensor, list] :
       llvm::zip_equal(op.getTensors(), op.getIndexLists())) {
    auto type = cast<RankedTensorType>(tensor.getType());
    DimsOfResult dims(llvm::map_range(list, dimOf));
    SmallVector<int64_t> tile = OperationChain::tileShape(type, dims, lengths);
    // A tensor between operations has a tile of its own; of others, it is a
    // part.
    bool isOutput = tensor == op.getC();
    Operation *maker = tensor.getDefiningOp();
    bool isBetween = isOutput ? op.getOperation() != chain.last()
                              : maker && chain.contains(maker);
    SmallVector<int64_t> strides = mlir::computeStrides(
        isBetween ? ArrayRef<int64_t>(tile) : type.getShape());
    operands.push_back(body->addArgument(
        mlir::MemRefType::get(tile, type.getElementType(),
                              mlir::StridedLayoutAttr::get(
                                  op.getContext(), /*offset=*/0, strides)),
        op.getLoc()));
  }
  function.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), {}));
  // Schedules are chosen for what is left of the indices.
  ContractOp tile =
      op.recreate(builder, op.getLoc(), operands, op.getIndexLists());
  mlir::func::ReturnOp::create(builder, op.getLoc());
  mlir::RewritePatternSet patterns(op.getContext());
  populateCollapseIndicesPatterns(patterns);
  (void)mlir::applyPatternsGreedily(
      function, std::move(patterns),
      mlir::GreedyRewriteConfig().enableFolding(false));
  tile = *function.getOps<ContractOp>().begin();
  FailureOr<std::vector<model::Contraction>> forms = toCpuForms(tile);
  if (failed(forms))
    return failure();
  Result<std::vector<model::StrategyChoice>> choices =
      model::considerStrategies(*forms, target);
  if (!choices)
    return failure();
  return model::fastestStrategy(*choices).time.total();
}

/// The rate at which the level that holds so many bytes delivers them.
double ChainJudge::rateOfLevelWith(double bytes) const {
  return hierarchy[model::levelHolding(hierarchy, bytes)].bytesPerSecond;
}

/// The time to move all tensors of an operation that is no contraction, from
/// where a tile of them is. Memory that is written is fetched first. A softmax
/// is four operations: of the largest number, which reads its input, of the
/// exponentials, which reads it again, of their sum and of the quotients, which
/// read and write what it computes.
double ChainJudge::secondsToMove(Operation *op,
                                 ArrayRef<int64_t> lengths) const {
  double read = 0, written = 0;
  for (const auto &[number, tensor] : llvm::enumerate(tensors.at(op)))
    (number + 1 == tensors.at(op).size() ? written : read) +=
        tensor.bytes(lengths);
  double moved = isa<mlir::linalg::SoftmaxOp>(op) ? 2 * read + 5 * written
                                                  : read + 2 * written;
  return moved / rateOfLevelWith(read + written);
}

/// The time to add for tensors that are cut and not between operations: they
/// are where all of them are, and not where a tile is.
double ChainJudge::secondsFromAfar(Operation *op,
                                   ArrayRef<int64_t> lengths) const {
  double ofTile = 0, ofAll = 0, moved = 0;
  for (const ChainTensor &tensor : distinct)
    ofAll += tensor.isBetween ? 0 : tensor.bytes();
  for (const auto &[number, tensor] : llvm::enumerate(tensors.at(op))) {
    ofTile += tensor.bytes(lengths);
    bool isOutput = number + 1 == tensors.at(op).size();
    if (!tensor.isBetween && tensor.isCut(shape(), lengths))
      moved += tensor.bytes(lengths) * (isOutput ? 2 : 1);
  }
  return std::max(0.0, moved / rateOfLevelWith(ofAll) -
                           moved / rateOfLevelWith(ofTile));
}

FailureOr<double> ChainJudge::predict(ArrayRef<int64_t> lengths) const {
  bool isCut = lengths != shape();
  double seconds = 0;
  for (Operation *op : chain.ops) {
    auto contraction = dyn_cast<ContractOp>(op);
    FailureOr<double> alone = contraction ? predict(contraction, lengths)
                                          : secondsToMove(op, lengths);
    if (failed(alone))
      return failure();
    seconds += *alone + (isCut ? secondsFromAfar(op, lengths) : 0);
  }
  double tiles = 1;
  for (auto [extent, length] : llvm::zip_equal(shape(), lengths))
    tiles *= static_cast<double>(extent) / static_cast<double>(length);
  return seconds * tiles;
}
