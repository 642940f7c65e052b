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

#include "BlockTiles.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace tc {
#define GEN_PASS_DEF_TCMATERIALIZELOOPNEST
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
namespace NVVM = mlir::NVVM;
namespace scf = mlir::scf;
using mlir::ValueRange;
using mlir::VectorType;
using model::Tensor;

namespace {

class LoopNest {
public:
  LoopNest(ContractOp op, const KernelInfo &kernel)
      : op(op), kernel(kernel), layout(kernel.layout), builder(op),
        loc(nameStep(op, "loop over tiles")),
        coordinate(builder, loc, coordinateType(kernel, op.getContext())),
        counter(builder, loc, builder.getI32Type()),
        sumType(kernel.sumType(op.getContext())) {}

  void build();

private:
  /// What threads hold of a tile on its way by registers; nothing of an operand
  /// that is copied asynchronously.
  struct TileInRegisters {
    SmallVector<Value> a, b;
  };

  Value flatten(unsigned argument, int64_t size);
  Value flatten(Tensor tensor);
  Value panel(Input input, Value buffer);
  void setOrigins(ArrayRef<model::TileDim> dims, Value number);
  SmallVector<Value> originsOf(ArrayRef<model::TileDim> dims,
                               ValueRange kOrigins);
  SmallVector<Value> originsOf(Input input, ValueRange kOrigins);
  void copy(Input input, ValueRange kOrigins, Value buffer, Value active);
  SmallVector<Value> fetch(Input input, ValueRange kOrigins, Value active);
  TileInRegisters startTile(ValueRange kOrigins, Value buffer, Value active);
  void deposit(Input input, ValueRange fragments, ValueRange kOrigins,
               Value buffer);
  void finishTile(const TileInRegisters &tile, ValueRange kOrigins,
                  Value buffer);
  void waitForTile(int64_t laterTiles);
  SmallVector<Value> multiply(Value buffer, ValueRange sums);
  SmallVector<Value> advance(ValueRange kOrigins);
  Value nextBuffer(Value buffer);
  SmallVector<Value> loop(int64_t tilesAhead, ValueRange kOrigins,
                          ValueRange sums, Value count);
  SmallVector<Value> zeroSums();
  SmallVector<Value> sumTile(Value part);
  void storeTile(ValueRange sums);
  void storeSharedTile(ValueRange sums);
  void walkTiles(const model::BlockPlace<Value> &place);

  const model::Staging &stagingOf(Input input) const {
    return input == Input::A ? layout.a : layout.b;
  }
  bool isAsynchronous() const {
    return layout.a.asynchronous || layout.b.asynchronous;
  }

  ContractOp op;
  const KernelInfo &kernel;
  const model::KernelLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexBuilder coordinate, counter;
  Type sumType;

  Value flatA, flatB, flatC, storage;
  SmallVector<Value> flatSides;
  /// Where the present tile begins along batch, M and N indices.
  DenseMap<unsigned, Value> outputOrigins;
};

} // namespace

/// The whole buffer behind an argument, from its base pointer, as one
/// dimension.
Value LoopNest::flatten(unsigned number, int64_t size) {
  Value argument = op->getParentOfType<gpu::GPUFuncOp>().getArgument(number);
  auto type = cast<MemRefType>(argument.getType());
  auto flat =
      MemRefType::get({size}, type.getElementType(),
                      mlir::MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, flat, argument,
      /*offset=*/0, ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
}

Value LoopNest::flatten(Tensor tensor) {
  return flatten(static_cast<unsigned>(tensor),
                 kernel.contraction.offset[tensor] +
                     kernel.contraction.span(tensor));
}

/// The panel of an input in the pair of panels that begins so many bytes into
/// shared memory.
Value LoopNest::panel(Input input, Value buffer) {
  const model::Staging &staging = stagingOf(input);
  auto type =
      MemRefType::get({staging.rows, staging.rowLength},
                      getElementType(op.getContext(), staging.elementType),
                      mlir::MemRefLayoutAttrInterface(),
                      cast<MemRefType>(storage.getType()).getMemorySpace());
  Value offset = counter.toIndex(
      {buffer, input == Input::A ? 0 : layout.panelBOffsetBytes});
  return memref::ViewOp::create(builder, loc, type, storage, offset,
                                ValueRange());
}

/// Goes to the tile of that number among those along some dimensions.
void LoopNest::setOrigins(ArrayRef<model::TileDim> dims, Value number) {
  for (auto [dim, origin] : llvm::zip_equal(
           dims, tileOrigins(builder, loc, coordinate, dims, number)))
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

void LoopNest::copy(Input input, ValueRange kOrigins, Value buffer,
                    Value active) {
  CopyTileOp::create(builder, loc, input, input == Input::A ? flatA : flatB,
                     originsOf(input, kOrigins), panel(input, buffer), active);
}

SmallVector<Value> LoopNest::fetch(Input input, ValueRange kOrigins,
                                   Value active) {
  const model::Staging &staging = stagingOf(input);
  Tensor tensor = input == Input::A ? Tensor::A : Tensor::B;
  SmallVector<Type> types(
      staging.accessesPerThread,
      VectorType::get({staging.width}, kernel.types[tensor].getElementType()));
  auto fetch = FetchTileOp::create(builder, loc, types, input,
                                   input == Input::A ? flatA : flatB,
                                   originsOf(input, kOrigins), active);
  return SmallVector<Value>(fetch.getFragments());
}

/// Starts to bring a tile to a pair of panels.
LoopNest::TileInRegisters LoopNest::startTile(ValueRange kOrigins, Value buffer,
                                              Value active) {
  TileInRegisters tile;
  for (auto [input, fragments] :
       {std::pair(Input::A, &tile.a), std::pair(Input::B, &tile.b)}) {
    if (stagingOf(input).asynchronous)
      copy(input, kOrigins, buffer, active);
    else
      *fragments = fetch(input, kOrigins, active);
  }
  // There is a group for every tile, an empty one beyond the last, so that as
  // many are left whenever one is waited for.
  if (isAsynchronous())
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  return tile;
}

/// Stores an input's tile, mapped by any prologue, to its panel.
void LoopNest::deposit(Input input, ValueRange fragments, ValueRange kOrigins,
                       Value buffer) {
  mlir::Region *prologue =
      op.getPrologue(input == Input::A ? Tensor::A : Tensor::B);
  auto deposit = DepositTileOp::create(
      builder, loc, input, fragments, panel(input, buffer),
      prologue ? kOrigins : ValueRange(), /*prologueCount=*/prologue ? 1 : 0);
  mlir::IRMapping mapping;
  if (prologue)
    prologue->cloneInto(&deposit.getPrologue().front(), mapping);
}

/// Stores what went by registers to its panels.
void LoopNest::finishTile(const TileInRegisters &tile, ValueRange kOrigins,
                          Value buffer) {
  for (auto [input, fragments] :
       {std::pair(Input::A, &tile.a), std::pair(Input::B, &tile.b)})
    if (!stagingOf(input).asynchronous)
      deposit(input, *fragments, kOrigins, buffer);
}

/// Waits until all but so many tiles have arrived, for all threads.
void LoopNest::waitForTile(int64_t laterTiles) {
  if (isAsynchronous())
    NVVM::CpAsyncWaitGroupOp::create(builder, loc, laterTiles);
  gpu::BarrierOp::create(builder, loc);
}

SmallVector<Value> LoopNest::multiply(Value buffer, ValueRange sums) {
  auto product = MultiplyPanelsOp::create(builder, loc, panel(Input::A, buffer),
                                          panel(Input::B, buffer), sums);
  return SmallVector<Value>(product.getResults());
}

/// Steps to the next K tile: the last index first, with a carry to the one
/// before it.
SmallVector<Value> LoopNest::advance(ValueRange kOrigins) {
  SmallVector<Value> next(kOrigins);
  Value carry;
  for (size_t i = layout.k.size(); i-- > 0;) {
    const model::TileDim &dim = layout.k[i];
    Value stepped = coordinate.add(next[i], coordinate.constant(dim.tile));
    if (carry)
      stepped = arith::SelectOp::create(builder, loc, carry, stepped, next[i]);
    // The first index runs past its extent after the last tile.
    if (i == 0) {
      next[i] = stepped;
      break;
    }
    Value within = coordinate.lessThan(stepped, dim.extent);
    next[i] = arith::SelectOp::create(builder, loc, within, stepped,
                                      coordinate.constant(0));
    carry = arith::XOrIOp::create(
        builder, loc, within, arith::ConstantIntOp::create(builder, loc, 1, 1));
  }
  return next;
}

/// The pair of panels after one, around to the first.
Value LoopNest::nextBuffer(Value buffer) {
  Value next = counter.add(buffer, counter.constant(layout.bufferBytes));
  Value hasNext =
      counter.lessThan(buffer, (layout.buffers - 1) * layout.bufferBytes);
  return arith::SelectOp::create(builder, loc, hasNext, next,
                                 counter.constant(0));
}

/// Multiplies `count` tiles (i32), the first `tilesAhead` of which are on their
/// way.
/// `kOrigins` are those of the next one to start.
SmallVector<Value> LoopNest::loop(int64_t tilesAhead, ValueRange kOrigins,
                                  ValueRange sums, Value count) {
  SmallVector<Value> carried(sums);
  llvm::append_range(carried, kOrigins);
  carried.push_back(counter.constant(0));
  carried.push_back(counter.constant(tilesAhead * layout.bufferBytes));
  Value started = counter.add(count, counter.constant(-tilesAhead));
  auto loop = scf::ForOp::create(builder, loc, counter.constant(0), count,
                                 counter.constant(1), carried);

  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange arguments = loop.getRegionIterArgs();
  ValueRange sumsIn = arguments.take_front(sums.size());
  ValueRange kNext = arguments.slice(sums.size(), kOrigins.size());
  Value buffer = arguments[arguments.size() - 2], free = arguments.back();

  // By then, all threads have read the panels that are free.
  waitForTile(tilesAhead - 1);
  Value more = counter.lessThan(loop.getInductionVar(), started);
  TileInRegisters next = startTile(kNext, free, more);
  SmallVector<Value> yielded = multiply(buffer, sumsIn);
  if (!layout.a.asynchronous || !layout.b.asynchronous) {
    auto guarded = scf::IfOp::create(builder, loc, more,
                                     /*withElseRegion=*/false);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    finishTile(next, kNext, free);
  }
  llvm::append_range(yielded, advance(kNext));
  yielded.push_back(nextBuffer(buffer));
  yielded.push_back(nextBuffer(free));
  scf::YieldOp::create(builder, loc, yielded);
  return SmallVector<Value>(loop.getResults().take_front(sums.size()));
}

SmallVector<Value> LoopNest::zeroSums() {
  auto vectorType = VectorType::get({layout.groupN}, sumType);
  Value zero = arith::ConstantOp::create(
      builder, loc, getZero(kernel.contraction.semiring, vectorType));
  return SmallVector<Value>(
      layout.registerM * (layout.registerN / layout.groupN), zero);
}

/// Adds up the products of the block's K tiles, which are all of them or, if
/// blocks share the sum, those of a part.
SmallVector<Value> LoopNest::sumTile(Value part) {
  model::TileRange<Value> tiles = model::tilesOfPart(
      model::tileCount(layout.k), layout.mapping.splitK, part, counter);
  SmallVector<Value> kOrigins =
      tileOrigins(builder, loc, coordinate, layout.k, tiles.first);
  // No part has fewer tiles than that.
  int64_t tilesAhead = std::max<int64_t>(1, layout.buffers - 1);
  for (int64_t tile = 0; tile < tilesAhead; ++tile) {
    Value buffer = counter.constant(tile * layout.bufferBytes);
    finishTile(startTile(kOrigins, buffer, Value()), kOrigins, buffer);
    kOrigins = advance(kOrigins);
  }
  if (layout.steps > 1)
    return loop(tilesAhead, kOrigins, zeroSums(), tiles.count);
  waitForTile(/*laterTiles=*/0);
  return multiply(counter.constant(0), zeroSums());
}

void LoopNest::storeTile(ValueRange sums) {
  auto store = StoreTileOp::create(builder, loc, sums, flatC,
                                   originsOf(kernel.outputDims(), ValueRange()),
                                   op.getAlpha(), op.getBeta(), flatSides,
                                   /*epilogueCount=*/op.getHasEpilogue());
  mlir::IRMapping mapping;
  if (mlir::Region *epilogue = op.getEpilogue())
    epilogue->cloneInto(&store.getEpilogue().front(), mapping);
}

/// Leaves the block's part of a sum in the workspace; the last block to do so
/// adds up all parts and stores the tile.
void LoopNest::storeSharedTile(ValueRange sums) {
  Value workspace = op->getParentOfType<gpu::GPUFuncOp>().getArgument(
      kernel.workspaceArgument());
  Value isLast =
      PublishPartOp::create(builder, loc, builder.getI1Type(), sums, workspace);
  auto guarded =
      scf::IfOp::create(builder, loc, isLast, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  auto total = AddPartsOp::create(builder, loc, sums.getTypes(), workspace);
  storeTile(total.getResults());
}

/// Keeps one input's panel, which spans K, and walks along the tiles of the
/// other side. The next tile's loads are issued before the present one is
/// stored, so that they are under way meanwhile.
void LoopNest::walkTiles(const model::BlockPlace<Value> &place) {
  bool keepsA = layout.mapping.stationary == model::Stationary::A;
  Input moving = keepsA ? Input::B : Input::A;
  bool isAsync = stagingOf(moving).asynchronous;
  const std::vector<model::TileDim> &way = keepsA ? layout.n : layout.m;
  setOrigins(keepsA ? layout.m : layout.n, keepsA ? place.m : place.n);
  model::TileRange<Value> tiles =
      model::tilesOfWalk(model::tileCount(way), layout.mapping.walk,
                         keepsA ? place.n : place.m, counter);
  setOrigins(way, tiles.first);
  SmallVector<Value> kOrigins =
      tileOrigins(builder, loc, coordinate, layout.k, Value());
  Value buffer = counter.constant(0);
  finishTile(startTile(kOrigins, buffer, Value()), kOrigins, buffer);

  auto loop = scf::ForOp::create(builder, loc, counter.constant(0), tiles.count,
                                 counter.constant(1));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  waitForTile(/*laterTiles=*/0);
  Value step = loop.getInductionVar();
  Value next = counter.add(step, counter.constant(1));
  Value more = counter.lessThan(next, tiles.count);
  setOrigins(way, counter.add(tiles.first, next));
  SmallVector<Value> nextTile;
  if (!isAsync)
    nextTile = fetch(moving, kOrigins, more);
  SmallVector<Value> sums = multiply(buffer, zeroSums());
  // All threads must have read the panel's last contents.
  gpu::BarrierOp::create(builder, loc);
  if (isAsync) {
    copy(moving, kOrigins, buffer, more);
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  }
  setOrigins(way, counter.add(tiles.first, step));
  storeTile(sums);
  if (!isAsync) {
    auto guarded = scf::IfOp::create(builder, loc, more,
                                     /*withElseRegion=*/false);
    mlir::OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    deposit(moving, nextTile, kOrigins, buffer);
  }
}

void LoopNest::build() {
  flatA = flatten(Tensor::A);
  flatB = flatten(Tensor::B);
  flatC = flatten(Tensor::C);
  for (auto [number, side] : llvm::enumerate(kernel.sides))
    flatSides.push_back(flatten(3 + number, side.elements));
  auto workgroup = gpu::AddressSpaceAttr::get(
      op.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto storageType =
      MemRefType::get({mlir::ShapedType::kDynamic}, builder.getI8Type(),
                      mlir::MemRefLayoutAttrInterface(), workgroup);
  storage = gpu::DynamicSharedMemoryOp::create(builder, loc, storageType);

  model::BlockPlace<Value> place = blockPlace(builder, loc, layout);
  setOrigins(layout.batch, place.batch);
  if (layout.mapping.stationary != model::Stationary::Output) {
    walkTiles(place);
  } else {
    setOrigins(layout.m, place.m);
    setOrigins(layout.n, place.n);
    SmallVector<Value> sums = sumTile(place.part);
    if (layout.mapping.splitK > 1)
      storeSharedTile(sums);
    else
      storeTile(sums);
  }
  op.erase();
}

namespace {
struct MaterializeLoopNest
    : public tc::impl::TCMaterializeLoopNestBase<MaterializeLoopNest> {
  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    for (ContractOp op : ops) {
      FailureOr<KernelInfo> kernel = getEnclosingKernelInfo(op);
      if (failed(kernel))
        return signalPassFailure();
      LoopNest(op, *kernel).build();
    }
  }
};
} // namespace
