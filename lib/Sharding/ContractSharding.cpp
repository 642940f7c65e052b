//===- ContractSharding.cpp - Contractions over grids of devices ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Propagation prefers the shardings that cost no movement, and asks for each
// set of them what the operation makes of it: here, dimensions of the grid go
// to the labels that ask for them first, and what was annotated otherwise is
// moved by upstream's resharding. Upstream's own defaults know neither complex
// numbers nor operands that are no tensors.
//
// Upstream would cut an extent that its parts do not divide to a multiple of
// them, so that partition looks at extents first.
//
//===----------------------------------------------------------------------===//

#include "tc/Sharding/ContractSharding.h"

#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/Semiring.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterfaceImpl.h"
#include "mlir/Dialect/Shard/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

using namespace tc;
namespace arith = mlir::arith;
namespace shard = mlir::shard;
using mlir::AffineMap;
using mlir::utils::IteratorType;

/// The dimensions of the grid that cut each label, of those that are cut.
using Cuts = llvm::MapVector<StringAttr, ArrayRef<shard::GridAxis>>;

static shard::ReductionKind reductionKindOf(model::Semiring semiring) {
  if (semiring == model::Semiring::UserDefined)
    return shard::ReductionKind::Generic;
  switch (model::combineOf(semiring)) {
  case model::Combine::Add:
    return shard::ReductionKind::Sum;
  case model::Combine::Max:
    return shard::ReductionKind::Max;
  case model::Combine::Min:
    return shard::ReductionKind::Min;
  case model::Combine::Or:
    return shard::ReductionKind::BitwiseOr;
  case model::Combine::Xor:
    return shard::ReductionKind::BitwiseXor;
  }
  llvm_unreachable("a kind of sum");
}

/// The index list of an operand or, after these, of the result; null of alpha
/// and beta.
static IndexListAttr getIndexListOf(ContractOp op, unsigned position) {
  if (position >= op->getNumOperands())
    return op.getCIndices();
  Value operand = op->getOperand(position);
  if (!isa<ShapedType>(operand.getType()))
    return {};
  // Alpha and beta stand between C and the auxiliaries.
  unsigned factors = (op.getAlpha() ? 1 : 0) + (op.getBeta() ? 1 : 0);
  return op.getIndexLists()[position < 3 ? position : position - factors];
}

static AffineMap mapOf(ContractOp op, unsigned position) {
  SmallVector<StringAttr> labels = op.getLabels();
  SmallVector<mlir::AffineExpr> dims;
  if (IndexListAttr list = getIndexListOf(op, position))
    for (StringAttr label : list)
      dims.push_back(mlir::getAffineDimExpr(
          llvm::find(labels, label) - labels.begin(), op.getContext()));
  return AffineMap::get(labels.size(), 0, dims, op.getContext());
}

/// The grid axes that cut the label of an operand's dimension. Trailing
/// dimensions that a sharding does not mention are whole.
static ArrayRef<shard::GridAxis> getAxes(const shard::Sharding &sharding,
                                         unsigned dim) {
  if (dim >= sharding.getSplitAxes().size())
    return {};
  return sharding.getSplitAxes()[dim].asArrayRef();
}

/// Returns true if an input holds a label twice: parts of a diagonal are no
/// equal parts of the tensor that has it.
static bool isOnDiagonal(ContractOp op, StringAttr label) {
  return llvm::count(op.getAIndices(), label) > 1 ||
         llvm::count(op.getBIndices(), label) > 1;
}

/// Gives the dimensions of the grid to loops, in the order in which shardings
/// ask for them.
static shard::ShardingOption
chooseLoops(ContractOp op, ArrayRef<shard::Sharding> operandShardings,
            ArrayRef<shard::Sharding> resultShardings) {
  SmallVector<StringAttr> labels = op.getLabels();
  shard::ShardingOption option = shard::ShardingOption::makeEmpty();
  option.shardingArray.resize(labels.size());
  llvm::SmallDenseSet<shard::GridAxis> taken;
  auto visit = [&](const shard::Sharding &sharding, IndexListAttr list) {
    if (!sharding || (option.grid && option.grid != sharding.getGridAttr()))
      return;
    option.grid = sharding.getGridAttr();
    option.empty = false;
    for (auto [dim, label] : llvm::enumerate(list)) {
      ArrayRef<shard::GridAxis> axes = getAxes(sharding, dim);
      SmallVector<shard::GridAxis> &loop =
          option.shardingArray[llvm::find(labels, label) - labels.begin()];
      if (!loop.empty() || isOnDiagonal(op, label) ||
          llvm::any_of(
              axes, [&](shard::GridAxis axis) { return taken.contains(axis); }))
        continue;
      loop.assign(axes.begin(), axes.end());
      taken.insert_range(axes);
    }
  };
  for (const shard::Sharding &sharding : resultShardings)
    visit(sharding, op.getCIndices());
  for (auto [position, sharding] : llvm::enumerate(operandShardings))
    if (IndexListAttr list = getIndexListOf(op, position))
      visit(sharding, list);
  return option;
}

/// The sharding of an operand or, after these, of the result that the loops ask
/// for; null of alpha and beta.
static shard::Sharding shardingOf(ContractOp op, unsigned position,
                                  const shard::ShardingOption &option) {
  IndexListAttr list = getIndexListOf(op, position);
  if (!list)
    return {};
  SmallVector<StringAttr> labels = op.getLabels();
  SmallVector<SmallVector<shard::GridAxis>> axes;
  for (StringAttr label : list)
    axes.push_back(
        option.shardingArray[llvm::find(labels, label) - labels.begin()]);
  shard::removeTrailingEmptySubArray(axes);
  return shard::Sharding::get(
      option.grid, llvm::map_to_vector(axes, [&](const auto &dim) {
        return shard::GridAxesAttr::get(op.getContext(), dim);
      }));
}

/// Finds the grid axes that cut the labels.
static FailureOr<Cuts> findCuts(ContractOp op,
                                ArrayRef<shard::Sharding> shardings) {
  Cuts all;
  for (auto [position, sharding] : llvm::enumerate(shardings)) {
    if (!sharding)
      continue;
    if (!sharding.getStaticHaloSizes().empty() ||
        !sharding.getStaticShardedDimsOffsets().empty())
      return op.emitOpError("cannot be partitioned into parts with halos or "
                            "offsets, only into equal ones");
    IndexListAttr list = getIndexListOf(op, position);
    for (auto [dim, label] : llvm::enumerate(list)) {
      ArrayRef<shard::GridAxis> axes = getAxes(sharding, dim);
      auto [place, isNew] = all.try_emplace(label, axes);
      if (!isNew && place->second != axes)
        return op.emitOpError("cannot be partitioned: index '")
               << label.getValue()
               << "' is cut in one place otherwise than in another";
    }
  }
  Cuts cuts;
  llvm::SmallDenseMap<shard::GridAxis, StringAttr> owners;
  for (auto [label, axes] : all) {
    for (shard::GridAxis axis : axes)
      if (auto [owner, isNew] = owners.try_emplace(axis, label); !isNew)
        return op.emitOpError("cannot be partitioned: dimension ")
               << axis << " of the grid cuts both '" << owner->second.getValue()
               << "' and '" << label.getValue() << "'";
    if (!axes.empty())
      cuts.insert({label, axes});
  }
  return cuts;
}

static LogicalResult checkExtents(ContractOp op, const Cuts &cuts,
                                  shard::GridOp grid) {
  for (auto [label, axes] : cuts) {
    int64_t extent = op.getExtent(label);
    int64_t parts = shard::collectiveProcessGroupSize(axes, grid);
    if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(parts) &&
        extent % parts != 0)
      return op.emitOpError("cannot be partitioned: index '")
             << label.getValue() << "' of extent " << extent << " has no "
             << parts << " equal parts";
  }
  return success();
}

/// Checks that a contraction is a combination of those of parts of a summed
/// index.
static LogicalResult checkSums(ContractOp op, StringAttr label) {
  StringRef why;
  if (op.getEpilogue())
    why = "its epilogue maps the whole sum";
  else if (op.getSemiring() == model::Semiring::UserDefined)
    why = "no all-reduce combines by a semiring that is user-defined";
  else if (op.getAlpha() && !model::scalingDistributes(op.getSemiring()))
    why = "alpha does not distribute over the sums of its semiring";
  else
    return success();
  return op.emitOpError("cannot be partitioned along the summed index '")
         << label.getValue() << "': " << why;
}

/// Lets only the first device of each group that shares a sum add the old
/// contents of C: with others, beta is the semiring's zero, with which these do
/// not contribute.
static void addOldContentsOnce(ContractOp part, shard::GridOp grid,
                               ArrayRef<shard::GridAxis> axes) {
  mlir::ImplicitLocOpBuilder builder(part.getLoc(), part);
  Value index =
      shard::createProcessLinearIndex(grid.getSymName(), axes, builder);
  Value first = arith::ConstantIndexOp::create(builder, 0);
  Value isFirst =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, index, first);
  Value zero =
      createNumber(builder, part.getLoc(),
                   getZero(part.getSemiring(), part.getAccumulatorType()));
  Value beta = arith::SelectOp::create(builder, isFirst, part.getBeta(), zero);
  part.getBetaMutable().assign(beta);
}

// External models have methods of the names that the interface's defaults have.
// NOLINTBEGIN(bugprone-derived-method-shadowing-base-method)
namespace {
struct ContractSharding
    : public shard::ShardingInterface::ExternalModel<ContractSharding,
                                                     ContractOp> {
  SmallVector<IteratorType> getLoopIteratorTypes(Operation *op) const {
    return cast<ContractOp>(op).getLoopIteratorTypes();
  }

  SmallVector<shard::ReductionKind>
  getReductionLoopIteratorKinds(Operation *op) const {
    auto contraction = cast<ContractOp>(op);
    return SmallVector<shard::ReductionKind>(
        llvm::count(contraction.getLoopIteratorTypes(),
                    IteratorType::reduction),
        reductionKindOf(contraction.getSemiring()));
  }

  SmallVector<AffineMap> getIndexingMaps(Operation *op) const {
    auto contraction = cast<ContractOp>(op);
    return llvm::map_to_vector(
        llvm::seq(op->getNumOperands() + op->getNumResults()),
        [&](unsigned position) { return mapOf(contraction, position); });
  }

  FailureOr<shard::ShardingOption>
  getShardingOption(Operation *op, ArrayRef<shard::Sharding> operandShardings,
                    ArrayRef<shard::Sharding> resultShardings) const {
    return chooseLoops(cast<ContractOp>(op), operandShardings, resultShardings);
  }

  FailureOr<std::vector<shard::Sharding>>
  getShardingAnnotations(Operation *op,
                         const shard::ShardingOption &option) const {
    std::vector<shard::Sharding> shardings;
    for (unsigned position :
         llvm::seq(op->getNumOperands() + op->getNumResults()))
      shardings.push_back(shardingOf(cast<ContractOp>(op), position, option));
    return shardings;
  }

  LogicalResult
  addShardingAnnotations(Operation *op, OpBuilder &builder,
                         const shard::ShardingOption &option) const {
    auto contraction = cast<ContractOp>(op);
    for (OpResult result : op->getResults())
      shard::maybeInsertTargetShardingAnnotation(
          shardingOf(contraction, op->getNumOperands(), option), result,
          builder);
    for (OpOperand &operand : op->getOpOperands()) {
      OpBuilder::InsertionGuard guard(builder);
      if (shard::Sharding sharding =
              shardingOf(contraction, operand.getOperandNumber(), option))
        shard::maybeInsertSourceShardingAnnotation(sharding, operand, builder);
    }
    return success();
  }

  LogicalResult partition(Operation *op, ArrayRef<Value> operands,
                          ArrayRef<shard::Sharding> operandShardings,
                          ArrayRef<shard::Sharding> resultShardings,
                          mlir::IRMapping &parts,
                          mlir::SymbolTableCollection &symbols,
                          OpBuilder &builder) const {
    auto contraction = cast<ContractOp>(op);
    if (contraction.hasBuffers())
      return op->emitOpError("cannot be partitioned on memrefs");
    SmallVector<shard::Sharding, 0> shardings(operandShardings);
    llvm::append_range(shardings, resultShardings);
    FailureOr<Cuts> cuts = findCuts(contraction, shardings);
    if (failed(cuts))
      return failure();
    shard::GridOp grid;
    for (const shard::Sharding &sharding : shardings)
      if (!grid)
        grid = shard::getGridOrNull(op, sharding.getGridAttr(), symbols);
    if (!cuts->empty() && failed(checkExtents(contraction, *cuts, grid)))
      return failure();
    SmallVector<shard::GridAxis> summed;
    for (auto [label, axes] : *cuts) {
      if (contraction.getCIndices().contains(label))
        continue;
      if (failed(checkSums(contraction, label)))
        return failure();
      llvm::append_range(summed, axes);
    }

    shard::partitionTriviallyShardableOperation(*op, operands, operandShardings,
                                                resultShardings, parts, symbols,
                                                builder);
    if (summed.empty())
      return success();
    Value part = parts.lookup(contraction.getResult());
    auto partOp = part.getDefiningOp<ContractOp>();
    if (partOp.readsC())
      addOldContentsOnce(partOp, grid, summed);
    parts.map(contraction.getResult(),
              shard::AllReduceOp::create(
                  builder, op->getLoc(), part, grid.getSymName(), summed,
                  reductionKindOf(contraction.getSemiring()))
                  .getResult());
    return success();
  }
};
} // namespace
// NOLINTEND(bugprone-derived-method-shadowing-base-method)

void tc::registerContractSharding(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TCDialect *,
                            shard::ShardDialect *) {
    // The dialects of the other operations that partition builds.
    context->loadDialect<mlir::affine::AffineDialect, arith::ArithDialect>();
    ContractOp::attachInterface<ContractSharding>(*context);
  });
}
