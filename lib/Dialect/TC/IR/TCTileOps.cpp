//===- TCTileOps.cpp - The steps of a kernel on its tiles -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies what the tile operations demand of their operands. Their fit
// with the enclosing kernel's layout is checked where they are expanded.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace tc;
using mlir::ValueRange;
using mlir::VectorType;

/// The vectors of one operation are all of the same, one-dimensional type.
static LogicalResult verifyVectors(Operation *op, ValueRange vectors) {
  if (vectors.empty())
    return op->emitOpError("needs at least one vector");
  auto first = cast<VectorType>(vectors.front().getType());
  if (first.getRank() != 1)
    return op->emitOpError("needs vectors of one dimension, got ") << first;
  for (Type type : vectors.getTypes())
    if (type != first)
      return op->emitOpError("needs vectors of one type, got ")
             << first << " and " << type;
  return success();
}

/// The same, and they hold what the buffer does.
static LogicalResult verifyVectors(Operation *op, ValueRange vectors,
                                   MemRefType buffer) {
  if (failed(verifyVectors(op, vectors)))
    return failure();
  auto first = cast<VectorType>(vectors.front().getType());
  if (first.getElementType() != buffer.getElementType())
    return op->emitOpError("has vectors of ")
           << first.getElementType() << " but a buffer of "
           << buffer.getElementType();
  return success();
}

static LogicalResult verifyFlat(Operation *op, MemRefType type) {
  if (type.getRank() != 1)
    return op->emitOpError("needs a flat buffer, got ") << type;
  return success();
}

static LogicalResult verifySharedTile(Operation *op, MemRefType type) {
  if (type.getRank() != 2 || !type.hasStaticShape() ||
      !type.getLayout().isIdentity())
    return op->emitOpError(
               "needs a contiguous shared tile of two static dimensions, got ")
           << type;
  return success();
}

/// A region is a block whose arguments have those types and that yields one.
static LogicalResult verifyRegion(Operation *op, mlir::Region &region,
                                  StringRef name, ArrayRef<Type> arguments,
                                  Type yielded) {
  if (!region.hasOneBlock() || region.front().empty() ||
      !isa<YieldOp>(region.front().back()))
    return op->emitOpError("needs a block that ends in tc.yield as ") << name;
  if (region.getArgumentTypes() != mlir::TypeRange(arguments))
    return op->emitOpError("needs ")
           << name << " with arguments of " << arguments << ", got "
           << region.getArgumentTypes();
  Type type = cast<YieldOp>(region.front().back()).getValue().getType();
  if (type != yielded)
    return op->emitOpError("needs ")
           << name << " that yields " << yielded << ", got " << type;
  return success();
}

/// A region of a user-defined semiring makes one number of two.
static LogicalResult verifyOperation(Operation *op, mlir::Region &region,
                                     StringRef name, Type type) {
  return verifyRegion(op, region, name, {type, type}, type);
}

/// alpha and beta have the type of the sums that they scale.
static LogicalResult verifyFactor(Operation *op, Value factor, Type sum) {
  if (!factor || factor.getType() == sum ||
      factor.getType() == mlir::ComplexType::get(sum))
    return success();
  return op->emitOpError("scales ") << sum << " by " << factor.getType();
}

/// An epilogue makes what is stored of a sum, of the old element, and of those
/// of flat auxiliary tensors.
static LogicalResult verifyEpilogue(Operation *op, mlir::RegionRange epilogue,
                                    ValueRange auxiliaries, Type sum,
                                    Type stored) {
  if (epilogue.empty()) {
    if (!auxiliaries.empty())
      return op->emitOpError(
          "has auxiliary tensors, but no epilogue that reads "
          "them");
    return success();
  }
  SmallVector<Type> arguments = {sum, stored};
  for (Value auxiliary : auxiliaries) {
    auto type = cast<MemRefType>(auxiliary.getType());
    if (failed(verifyFlat(op, type)))
      return failure();
    arguments.push_back(type.getElementType());
  }
  if (epilogue.size() > 1)
    return op->emitOpError("has ") << epilogue.size() << " epilogues";
  return verifyRegion(op, *epilogue.front(), "an epilogue", arguments, stored);
}

LogicalResult LoadTileFromGlobalOp::verify() {
  auto type = cast<MemRefType>(getSource().getType());
  if (failed(verifyFlat(*this, type)))
    return failure();
  return verifyVectors(*this, getFragments(), type);
}

/// Returns true if a shared tile may hold factors: as they are, or 8-bit floats
/// as halves.
static bool canHold(MemRefType sharedTile, Type factor) {
  bool isFloat8 = isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(factor);
  return sharedTile.getElementType() == factor ||
         (isFloat8 && sharedTile.getElementType().isF16());
}

LogicalResult StoreTileToSharedOp::verifyRegions() {
  auto type = cast<MemRefType>(getSharedTile().getType());
  if (failed(verifySharedTile(*this, type)) ||
      failed(verifyVectors(*this, getFragments())))
    return failure();
  Type loadedType =
      cast<VectorType>(getFragments().front().getType()).getElementType();
  if (getPrologue().empty())
    return canHold(type, loadedType)
               ? success()
               : verifyVectors(*this, getFragments(), type);
  if (getPrologue().size() > 1)
    return emitOpError("has ") << getPrologue().size() << " prologues";
  mlir::Region &prologue = getPrologue().front();
  Type factor = type.getElementType();
  if (!prologue.empty() && !prologue.front().empty())
    if (auto yield = dyn_cast<YieldOp>(prologue.front().back());
        yield && canHold(type, yield.getValue().getType()))
      factor = yield.getValue().getType();
  return verifyRegion(*this, prologue, "a prologue", loadedType, factor);
}

LogicalResult CopyTileOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto sharedTile = cast<MemRefType>(getSharedTile().getType());
  if (failed(verifyFlat(*this, source)) ||
      failed(verifySharedTile(*this, sharedTile)))
    return failure();
  if (source.getElementType() != sharedTile.getElementType())
    return emitOpError("copies ")
           << source.getElementType() << " to a shared tile of "
           << sharedTile.getElementType();
  return success();
}

LogicalResult WaitForTilesOp::inferReturnTypes(mlir::MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getSharedTiles().getTypes());
  return success();
}

LogicalResult WaitForTilesOp::verify() {
  if (getSharedTiles().empty())
    return emitOpError("waits for no tile");
  if (getGroup() && getGroup().getDefiningOp<CopyTileOp>())
    return emitOpError("waits for a copy that is in no group");
  if (!getGroup() && getLater() > 0)
    return emitOpError("lets later groups be under way, but waits for none");
  return success();
}

/// A tile is read after a wait for it, which whoever gives it to a block has
/// seen to.
static LogicalResult verifyArrived(Operation *op, Value sharedTile) {
  Operation *source = sharedTile.getDefiningOp();
  if (!source || isa<WaitForTilesOp>(source))
    return success();
  return op->emitOpError("reads a shared tile that nothing waits for: "
                         "'tc.wait_for_tiles' yields those that have arrived");
}

LogicalResult MultiplyTilesOp::verifyRegions() {
  auto a = cast<MemRefType>(getLhs().getType());
  auto b = cast<MemRefType>(getRhs().getType());
  if (failed(verifySharedTile(*this, a)) ||
      failed(verifySharedTile(*this, b)) ||
      failed(verifyArrived(*this, getLhs())) ||
      failed(verifyArrived(*this, getRhs())))
    return failure();
  if (getAccumulators().getTypes() != getResults().getTypes())
    return emitOpError("needs results of the accumulators' types");
  if (failed(verifyVectors(*this, getAccumulators())))
    return failure();
  if (getSemiring().empty())
    return getKOrigins().empty()
               ? success()
               : emitOpError("leaves out products only in a semiring of "
                             "regions");
  if (getSemiring().size() != 2)
    return emitOpError("has ")
           << getSemiring().size()
           << " regions in place of a product and of what combines";
  auto type = cast<VectorType>(getAccumulators().front().getType());
  return failure(
      failed(verifyOperation(*this, getSemiring().front(), "a product",
                             type.getElementType())) ||
      failed(verifyOperation(*this, getSemiring().back(), "a combination",
                             type.getElementType())));
}

LogicalResult ConvertAccumulatorsOp::verify() {
  if (failed(verifyVectors(*this, getAccumulators())) ||
      failed(verifyVectors(*this, getResults())))
    return failure();
  auto elementsOf = [](ValueRange vectors) {
    auto type = cast<VectorType>(vectors.front().getType());
    return std::pair(type.getElementType(),
                     type.getNumElements() *
                         static_cast<int64_t>(vectors.size()));
  };
  auto [type, count] = elementsOf(getAccumulators());
  auto [resultType, resultCount] = elementsOf(getResults());
  if (type != resultType || count != resultCount)
    return emitOpError("takes ")
           << count << " sums of " << type << " and yields " << resultCount
           << " of " << resultType;
  auto storage = cast<MemRefType>(getStorage().getType());
  if (storage.getRank() != 1 || !storage.getElementType().isInteger(8))
    return emitOpError("needs bytes of shared memory, got ") << storage;
  return success();
}

/// The type that a region yields, if there is one and it yields anything.
static Type yieldedBy(mlir::RegionRange regions, Type otherwise) {
  if (!regions.empty() && !regions.front()->empty() &&
      !regions.front()->front().empty())
    if (auto yield = dyn_cast<YieldOp>(regions.front()->front().back()))
      return yield.getValue().getType();
  return otherwise;
}

/// The code between two contractions makes a factor of the second one of a sum
/// of the first one; its second argument, an element of the tensor between the
/// two, is not used.
static LogicalResult verifyCodeBetween(Operation *op,
                                       mlir::RegionRange epilogue, Type sum,
                                       Type stored) {
  if (epilogue.empty())
    return success();
  if (epilogue.size() > 1)
    return op->emitOpError("has ") << epilogue.size() << " epilogues";
  mlir::Region &region = *epilogue.front();
  Type between =
      region.getNumArguments() == 2 ? region.getArgument(1).getType() : stored;
  return verifyRegion(op, region, "an epilogue", {sum, between}, stored);
}

LogicalResult StoreAccumulatorsToSharedOp::verifyRegions() {
  auto type = cast<MemRefType>(getSharedTile().getType());
  if (failed(verifySharedTile(*this, type)) ||
      failed(verifyVectors(*this, getAccumulators())))
    return failure();
  if (getFrom() == getTo())
    return emitOpError("stores what term ") << getFrom()
                                            << " computes to a "
                                               "shared tile of the same term";
  // The shared tile may hold factors that are converted to another type.
  auto sums = cast<VectorType>(getAccumulators().front().getType());
  return verifyCodeBetween(*this, getEpilogue(), sums.getElementType(),
                           yieldedBy(getEpilogue(), type.getElementType()));
}

/// The numbers of rows are of the type of sums, and so many that they are
/// known.
static LogicalResult verifyStatistics(Operation *op, MemRefType statistics,
                                      Type sum) {
  if (!statistics.hasStaticShape())
    return op->emitOpError("needs a known number of numbers of rows, got ")
           << statistics;
  if (statistics.getElementType() != sum)
    return op->emitOpError("has sums of ")
           << sum << " but numbers of rows of " << statistics.getElementType();
  return success();
}

/// Checks that an edge is between two terms.
static LogicalResult verifyEdge(Operation *op, uint64_t from, uint64_t to) {
  if (from != to)
    return success();
  return op->emitOpError("takes what term ")
         << from << " computes to the same term";
}

LogicalResult AccumulatorsToFactorsOp::verifyRegions() {
  if (failed(verifyEdge(*this, getFrom(), getTo())) ||
      failed(verifyVectors(*this, getAccumulators())) ||
      failed(verifyVectors(*this, getFactors())))
    return failure();
  auto sums = cast<VectorType>(getAccumulators().front().getType());
  auto factors = cast<VectorType>(getFactors().front().getType());
  if (getFactors().size() != getAccumulators().size() ||
      factors.getShape() != sums.getShape())
    return emitOpError("needs factors like its accumulators, ")
           << getAccumulators().size() << " vectors of "
           << sums.getNumElements() << ", got " << getFactors().size()
           << " vectors of " << factors.getNumElements();
  return verifyCodeBetween(*this, getEpilogue(), sums.getElementType(),
                           yieldedBy(getEpilogue(), factors.getElementType()));
}

LogicalResult MultiplyFactorsOp::verify() {
  auto type = cast<MemRefType>(getRhs().getType());
  if (failed(verifySharedTile(*this, type)) ||
      failed(verifyArrived(*this, getRhs())) ||
      failed(verifyVectors(*this, getFactors(), type)) ||
      failed(verifyVectors(*this, getAccumulators())))
    return failure();
  return getAccumulators().getTypes() == getResults().getTypes()
             ? success()
             : emitOpError("needs results of the accumulators' types");
}

/// Each row of a thread has a number of the type of sums.
static LogicalResult verifyRows(Operation *op, ValueRange numbers, Type sum) {
  if (numbers.empty())
    return op->emitOpError("needs numbers of at least one row");
  for (Type type : numbers.getTypes())
    if (type != sum)
      return op->emitOpError("has sums of ")
             << sum << " but a number of a row of " << type;
  return success();
}

LogicalResult ExponentiateAccumulatorsOp::verifyRegions() {
  if (failed(verifyEdge(*this, getFrom(), getTo())) ||
      failed(verifyVectors(*this, getAccumulators())))
    return failure();
  Type sum =
      cast<VectorType>(getAccumulators().front().getType()).getElementType();
  if (failed(verifyStatistics(
          *this, cast<MemRefType>(getStatistics().getType()), sum)) ||
      failed(verifyRows(*this, getMaxima(), sum)) ||
      failed(verifyRows(*this, getSums(), sum)))
    return failure();
  if (getMaxima().size() != getSums().size())
    return emitOpError("has ") << getMaxima().size() << " maxima, but "
                               << getSums().size() << " sums";
  if (getExponentials().getTypes() != getAccumulators().getTypes() ||
      getNewMaxima().getTypes() != getMaxima().getTypes() ||
      getNewSums().getTypes() != getSums().getTypes())
    return emitOpError("must have results of the types of its accumulators, "
                       "maxima and sums");
  return verifyCodeBetween(*this, getEpilogue(), sum,
                           yieldedBy(getEpilogue(), sum));
}

LogicalResult StoreRowReciprocalsOp::verify() {
  auto statistics = cast<MemRefType>(getStatistics().getType());
  Type sum = statistics.getElementType();
  return failure(failed(verifyEdge(*this, getFrom(), getTo())) ||
                 failed(verifyStatistics(*this, statistics, sum)) ||
                 failed(verifyRows(*this, getSums(), sum)));
}

LogicalResult RescaleAccumulatorsOp::verify() {
  if (failed(verifyEdge(*this, getFrom(), getTo())) ||
      failed(verifyVectors(*this, getAccumulators())))
    return failure();
  if (getResults().getTypes() != getAccumulators().getTypes())
    return emitOpError("must have results of the types of its accumulators");
  return verifyStatistics(
      *this, cast<MemRefType>(getStatistics().getType()),
      cast<VectorType>(getAccumulators().front().getType()).getElementType());
}

LogicalResult StoreTileOp::verifyRegions() {
  auto type = cast<MemRefType>(getDest().getType());
  if (failed(verifyFlat(*this, type)))
    return failure();
  if (failed(verifyVectors(*this, getAccumulators())))
    return failure();
  auto sum = cast<VectorType>(getAccumulators().front().getType());
  for (Value scalar : {getAlpha(), getBeta()})
    if (failed(verifyFactor(*this, scalar, sum.getElementType())))
      return failure();
  return verifyEpilogue(*this, getEpilogue(), getAuxiliaries(),
                        sum.getElementType(), type.getElementType());
}

LogicalResult ReduceTileOp::verifyRegions() {
  if (failed(verifyVectors(*this, getAccumulators())))
    return failure();
  auto sum = cast<VectorType>(getAccumulators().front().getType());
  if (failed(verifyFactor(*this, getAlpha(), sum.getElementType())))
    return failure();
  // An epilogue yields the elements that would be stored.
  Type stored = sum.getElementType();
  if (!getEpilogue().empty() && !getEpilogue().front().empty() &&
      !getEpilogue().front().front().empty())
    if (auto yield = dyn_cast<YieldOp>(getEpilogue().front().front().back()))
      stored = yield.getValue().getType();
  return verifyEpilogue(*this, getEpilogue(), getAuxiliaries(),
                        sum.getElementType(), stored);
}

LogicalResult ReduceBlocksOp::verify() {
  auto type = cast<MemRefType>(getDest().getType());
  if (failed(verifyFlat(*this, type)))
    return failure();
  bool isFloat = isa<FloatType>(getSum().getType());
  if (isFloat != isa<FloatType>(type.getElementType()))
    return emitOpError("stores a sum of ")
           << getSum().getType() << " to a buffer of " << type.getElementType();
  return success();
}

LogicalResult StorePartialSumsOp::verify() {
  return verifyVectors(*this, getAccumulators());
}

LogicalResult AddPartialSumsOp::verifyRegions() {
  if (failed(verifyVectors(*this, getResults())))
    return failure();
  if (getCombine().empty())
    return success();
  if (getCombine().size() > 1)
    return emitOpError("has ") << getCombine().size() << " combinations";
  auto type = cast<VectorType>(getResults().front().getType());
  return verifyOperation(*this, getCombine().front(), "a combination",
                         type.getElementType());
}
