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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tc {
#define GEN_PASS_DEF_TCMATERIALIZELOOPNEST
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
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
        elementType(kernel.types[Tensor::C].getElementType()) {}

  void build();

private:
  /// A tile of A and of B on its way from global to shared memory.
  struct Fragments {
    SmallVector<Value> a, b;
  };

  Value flatten(Tensor tensor);
  Value panel(Value storage, int64_t byteOffset, const model::Staging &staging);
  void placeBlock();
  SmallVector<Value> originsOf(ArrayRef<model::TileDim> dims,
                               ValueRange kOrigins);
  Fragments fetch(ValueRange kOrigins, Value active);
  SmallVector<Value> fetch(Input input, ValueRange kOrigins, Value active);
  void deposit(const Fragments &tile);
  SmallVector<Value> advance(ValueRange kOrigins);
  SmallVector<Value> loop(Fragments first, ValueRange kOrigins,
                          ValueRange sums);

  ContractOp op;
  const KernelInfo &kernel;
  const model::KernelLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexBuilder coordinate;
  Type elementType;

  Value flatA, flatB, panelA, panelB;
  /// Where the block's tile begins along batch, M and N indices.
  DenseMap<unsigned, Value> outputOrigins;
};

} // namespace

/// The whole buffer behind a tensor, from its base pointer, as one dimension.
Value LoopNest::flatten(Tensor tensor) {
  Value argument = op->getParentOfType<gpu::GPUFuncOp>().getArgument(
      static_cast<unsigned>(tensor));
  int64_t size =
      kernel.contraction.offset[tensor] + kernel.contraction.span(tensor);
  MemRefType type = kernel.types[tensor];
  auto flat =
      MemRefType::get({size}, type.getElementType(),
                      mlir::MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, flat, argument,
      /*offset=*/0, ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
}

Value LoopNest::panel(Value storage, int64_t byteOffset,
                      const model::Staging &staging) {
  auto type =
      MemRefType::get({layout.blockK, staging.rowLength}, elementType,
                      mlir::MemRefLayoutAttrInterface(),
                      cast<MemRefType>(storage.getType()).getMemorySpace());
  Value offset = arith::ConstantIndexOp::create(builder, loc, byteOffset);
  return memref::ViewOp::create(builder, loc, type, storage, offset,
                                ValueRange());
}

void LoopNest::placeBlock() {
  model::BlockPlace<Value> place = blockPlace(builder, loc, layout);
  for (auto [dims, number] :
       {std::pair(&layout.m, place.m), std::pair(&layout.n, place.n),
        std::pair(&layout.batch, place.batch)})
    for (auto [dim, origin] : llvm::zip_equal(
             *dims, tileOrigins(builder, loc, coordinate, *dims, number)))
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

SmallVector<Value> LoopNest::fetch(Input input, ValueRange kOrigins,
                                   Value active) {
  bool isA = input == Input::A;
  const model::Staging &staging = isA ? layout.a : layout.b;
  SmallVector<Type> types(staging.accessesPerThread,
                          VectorType::get({staging.width}, elementType));
  SmallVector<model::TileDim> dims =
      kernel.inputDims(isA ? Tensor::A : Tensor::B);
  auto fetch =
      FetchTileOp::create(builder, loc, types, input, isA ? flatA : flatB,
                          originsOf(dims, kOrigins), active);
  return SmallVector<Value>(fetch.getFragments());
}

LoopNest::Fragments LoopNest::fetch(ValueRange kOrigins, Value active) {
  Fragments tile;
  tile.a = fetch(Input::A, kOrigins, active);
  tile.b = fetch(Input::B, kOrigins, active);
  return tile;
}

/// Stores a tile to the panels and lets all threads see it.
void LoopNest::deposit(const Fragments &tile) {
  DepositTileOp::create(builder, loc, Input::A, tile.a, panelA);
  DepositTileOp::create(builder, loc, Input::B, tile.b, panelB);
  gpu::BarrierOp::create(builder, loc);
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

SmallVector<Value> LoopNest::loop(Fragments first, ValueRange kOrigins,
                                  ValueRange sums) {
  IndexBuilder counter(builder, loc, builder.getI32Type());
  SmallVector<Value> carried;
  for (ValueRange values :
       {sums, ValueRange(first.a), ValueRange(first.b), kOrigins})
    llvm::append_range(carried, values);
  auto loop = scf::ForOp::create(builder, loc, counter.constant(0),
                                 counter.constant(layout.steps),
                                 counter.constant(1), carried);

  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange arguments = loop.getRegionIterArgs();
  ValueRange sumsIn = arguments.take_front(sums.size());
  arguments = arguments.drop_front(sums.size());
  Fragments tile;
  tile.a.append(arguments.begin(), arguments.begin() + first.a.size());
  arguments = arguments.drop_front(first.a.size());
  tile.b.append(arguments.begin(), arguments.begin() + first.b.size());
  ValueRange kIn = arguments.drop_front(first.b.size());

  // All threads must have read the panels' last contents.
  gpu::BarrierOp::create(builder, loc);
  deposit(tile);
  SmallVector<Value> kNext = advance(kIn);
  Value more = counter.lessThan(loop.getInductionVar(), layout.steps - 1);
  Fragments next = fetch(kNext, more);
  auto product = MultiplyPanelsOp::create(builder, loc, panelA, panelB, sumsIn);

  SmallVector<Value> yielded(product.getResults());
  for (ValueRange values :
       {ValueRange(next.a), ValueRange(next.b), ValueRange(kNext)})
    llvm::append_range(yielded, values);
  scf::YieldOp::create(builder, loc, yielded);
  return SmallVector<Value>(loop.getResults().take_front(sums.size()));
}

void LoopNest::build() {
  flatA = flatten(Tensor::A);
  flatB = flatten(Tensor::B);
  Value flatC = flatten(Tensor::C);
  auto workgroup = gpu::AddressSpaceAttr::get(
      op.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto storageType =
      MemRefType::get({mlir::ShapedType::kDynamic}, builder.getI8Type(),
                      mlir::MemRefLayoutAttrInterface(), workgroup);
  Value storage = gpu::DynamicSharedMemoryOp::create(builder, loc, storageType);
  panelA = panel(storage, 0, layout.a);
  panelB = panel(storage, layout.panelBOffsetBytes, layout.b);
  placeBlock();

  auto vectorType = VectorType::get({layout.groupN}, elementType);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
  SmallVector<Value> sums(layout.registerM * (layout.registerN / layout.groupN),
                          zero);
  SmallVector<Value> kOrigins(layout.k.size(), coordinate.constant(0));
  Fragments first = fetch(kOrigins, Value());
  if (layout.steps == 1) {
    deposit(first);
    sums = SmallVector<Value>(
        MultiplyPanelsOp::create(builder, loc, panelA, panelB, sums)
            .getResults());
  } else {
    sums = loop(first, kOrigins, sums);
  }

  StoreTileOp::create(builder, loc, sums, flatC,
                      originsOf(kernel.outputDims(), ValueRange()),
                      op.getAlpha(), op.getBeta());
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
