//===- MaterializeLoopNest.cpp - A kernel's loop over tiles ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces a kernel's contraction by the loop nest that its schedule denotes.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/Utils/PartsView.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/MapVector.h"

namespace tc {
#define GEN_PASS_DEF_TCMATERIALIZELOOPNEST
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace gpu = mlir::gpu;
namespace scf = mlir::scf;
using mlir::ValueRange;
using model::Tensor;

/// The whole buffer behind an argument, from its base pointer, as one
/// dimension of real numbers.
Value LoopNest::flatten(unsigned number, int64_t size) {
  return viewParts(builder, loc,
                   op->getParentOfType<gpu::GPUFuncOp>().getArgument(number),
                   size);
}

/// A tensor between contractions of a chain is no argument.
void LoopNest::flattenInputs() {
  std::optional<Tensor> chained = kernel.producedInput();
  if (chained != Tensor::A)
    flatA = flatten(Tensor::A);
  if (chained != Tensor::B)
    flatB = flatten(Tensor::B);
}

Value LoopNest::flatten(Tensor tensor) {
  return flatten(
      *mainAttr().getArgument(kernel.term, tensor),
      (kernel.contraction.offset[tensor] + kernel.contraction.span(tensor)) *
          kernel.numbersOfElement(tensor));
}

/// Goes to the tile of that number among those along some dimensions.
void LoopNest::setOrigins(ArrayRef<model::TileDim> dims, Value number) {
  for (auto [dim, origin] : llvm::zip_equal(
           dims, tileOrigins(builder, loc, coordinate, dims, number, shape)))
    outputOrigins[dim.index] = origin;
}

/// The origins along some of the tile's dimensions, in their order; those along
/// K are the last and are given.
SmallVector<Value> LoopNest::originsOf(ArrayRef<model::TileDim> dims,
                                       ValueRange kOrigins) {
  SmallVector<Value> origins;
  for (const model::TileDim &dim : dims.drop_back(kOrigins.size()))
    origins.push_back(outputOrigins.lookup(dim.index));
  llvm::append_range(origins, kOrigins);
  return origins;
}

SmallVector<Value> LoopNest::originsOf(Input input, ValueRange kOrigins) {
  return originsOf(kernel.inputDims(input == Input::A ? Tensor::A : Tensor::B),
                   kOrigins);
}

/// Adds all elements of the tile up, and those of all blocks.
void LoopNest::reduceTile(ValueRange sums) {
  Type type = getElementType(
      op.getContext(),
      model::reductionTypeOf(kernel.contraction.elementType[Tensor::C]));
  auto ofThread = ReduceTileOp::create(
      builder, loc, type, sums, originsOf(kernel.outputDims(), ValueRange()),
      op.getAlpha(), flatSides, /*epilogueCount=*/op.getHasEpilogue());
  if (mlir::Region *epilogue = op.getEpilogue())
    copyRegions(epilogue, ofThread->getRegions());
  ReduceBlocksOp::create(builder, loc, ofThread, flatC, storage, workspace());
}

void LoopNest::storeTile(ValueRange sums) {
  if (kernel.contraction.reducesC)
    return reduceTile(sums);
  auto store = StoreTileOp::create(
      builder, loc, sums, flatC, originsOf(kernel.outputDims(), ValueRange()),
      op.getAlpha(), op.getBeta(), flatSides, kernel.term,
      /*epilogueCount=*/op.getHasEpilogue());
  if (mlir::Region *epilogue = op.getEpilogue())
    copyRegions(epilogue, store->getRegions());
}

/// Leaves the block's part of a sum in the workspace; the last block to do so
/// adds up all parts and stores the tile.
void LoopNest::storeSharedTile(ValueRange sums) {
  Value isLast = StorePartialSumsOp::create(builder, loc, builder.getI1Type(),
                                            sums, workspace());
  auto guarded =
      scf::IfOp::create(builder, loc, isLast, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  mlir::Region *combine = op.getCombine();
  auto total =
      AddPartialSumsOp::create(builder, loc, sums.getTypes(), workspace(),
                               /*combineCount=*/combine ? 1 : 0);
  if (combine)
    copyRegions(combine, total->getRegions());
  storeTile(total.getResults());
}

/// Keeps one input's shared tile, which spans K, and loops over the tiles of
/// the other side. The next tile's loads are issued before the present one is
/// stored, so that they are under way meanwhile.
void LoopNest::loopOverTiles(const model::BlockPlace<Value> &begin) {
  bool keepsA = layout.mapping.stationary == model::Stationary::A;
  Input moving = keepsA ? Input::B : Input::A;
  bool passesRegisters = tiledCopyOf(moving).passesRegisters();
  const std::vector<model::TileDim> &way = keepsA ? layout.n : layout.m;
  setOrigins(keepsA ? layout.m : layout.n, keepsA ? begin.m : begin.n);
  model::TileRange<Value> tiles =
      model::tilesOfBlock(model::tileCount(way), layout.mapping.tilesPerBlock,
                          keepsA ? begin.n : begin.m, counter);
  setOrigins(way, tiles.first);
  SmallVector<Value> kOrigins =
      tileOrigins(builder, loc, coordinate, layout.k, Value(), shape);
  Value buffer = counter.constant(0);
  StartedTile first = startTile(kOrigins, buffer, Value());
  finishTile(first, kOrigins, buffer, Value());

  Value group = first.group;
  bool carriesGroup = completesByGroups(moving);
  auto loop = scf::ForOp::create(
      builder, loc, counter.constant(0), tiles.count, counter.constant(1),
      carriesGroup ? ValueRange(group) : ValueRange());
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  if (carriesGroup)
    group = loop.getRegionIterArg(0);
  SmallVector<Value> arrived =
      waitForTiles({Input::A, Input::B}, buffer, group);
  Value step = loop.getInductionVar();
  Value next = counter.add(step, counter.constant(1));
  Value more = counter.lessThan(next, tiles.count);
  setOrigins(way, counter.add(tiles.first, next));
  SmallVector<Value> nextTile;
  if (passesRegisters)
    nextTile = fetch(moving, kOrigins, more);
  SmallVector<Value> sums = multiply(arrived, kOrigins, zeroSums());
  // All threads must have read the shared tile's last contents.
  gpu::BarrierOp::create(builder, loc);
  if (!passesRegisters)
    group = startInput(moving, kOrigins, buffer, more).group;
  setOrigins(way, counter.add(tiles.first, step));
  storeTile(sums);
  if (passesRegisters) {
    auto guarded = scf::IfOp::create(builder, loc, more,
                                     /*withElseRegion=*/false);
    mlir::OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    deposit(moving, nextTile, kOrigins, buffer);
  }
  if (carriesGroup)
    scf::YieldOp::create(builder, loc, group);
}

/// The values that all terms need of the block and its shared memory.
void LoopNest::enter() {
  auto workgroup = gpu::AddressSpaceAttr::get(
      op.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto storageType =
      MemRefType::get({mlir::ShapedType::kDynamic}, builder.getI8Type(),
                      mlir::MemRefLayoutAttrInterface(), workgroup);
  storage = gpu::DynamicSharedMemoryOp::create(builder, loc, storageType);
  place = blockPlace(builder, loc, layout, shape);
  setOrigins(layout.batch, place.batch);
  if (layout.mapping.stationary != model::Stationary::Output)
    return;
  setOrigins(layout.m, place.m);
  setOrigins(layout.n, place.n);
}

void LoopNest::build() {
  flattenInputs();
  flatC = flatten(Tensor::C);
  for (auto [number, side] : llvm::enumerate(kernel.auxiliaries))
    flatSides.push_back(flatten(3 + number, side.elements));
  enter();
  if (layout.mapping.stationary != model::Stationary::Output) {
    loopOverTiles(place);
  } else {
    SmallVector<Value> sums =
        layout.threeProducts ? sumThreeProducts() : sumTile(place.part);
    if (layout.mapping.splitK > 1)
      storeSharedTile(sums);
    else
      storeTile(sums);
  }
  op.erase();
}

/// All edges of a group are of one kind, which says how the loops of its
/// contractions follow on one another.
static void buildLoops(ArrayRef<ContractOp> ops, const KernelPlan &plan) {
  if (plan.group.edges.empty())
    return LoopNest(ops.front(), plan.contractions.front()).build();
  switch (model::kindOf(plan.group.edges.front())) {
  case model::EdgeKind::Accumulate:
    return buildSum(ops, plan);
  case model::EdgeKind::Feed:
    return buildChain(ops, plan);
  case model::EdgeKind::Share:
    return buildProductsOfInput(ops, plan);
  }
}

namespace {
struct MaterializeLoopNest
    : public tc::impl::TCMaterializeLoopNestBase<MaterializeLoopNest> {
  void runOnOperation() override {
    auto &plans = getAnalysis<KernelPlans>();
    llvm::MapVector<gpu::GPUFuncOp, SmallVector<ContractOp>> kernels;
    for (auto function : getOperation().getOps<gpu::GPUFuncOp>())
      function.walk([&](ContractOp op) { kernels[function].push_back(op); });
    for (auto &[function, ops] : kernels) {
      const KernelPlan *plan = plans.planOf(function);
      if (!plan)
        return signalPassFailure();
      if (plan->contractions.size() != ops.size()) {
        function.emitOpError("has ")
            << plan->contractions.size() << " terms, but holds " << ops.size()
            << " contractions";
        return signalPassFailure();
      }
      buildLoops(ops, *plan);
    }
  }
};
} // namespace
