//===- LowerConvertAccumulators.cpp - Expand the change of layout
//----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.convert_accumulators into stores to shared memory and loads from
// it.
//
//===----------------------------------------------------------------------===//

#include "TileIndexing.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Gpu/Layout/SumExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERCONVERTACCUMULATORS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
namespace vector = mlir::vector;
using mlir::ValueRange;
using mlir::VectorType;

namespace {

class AccumulatorConversion {
public:
  AccumulatorConversion(ConvertAccumulatorsOp op, const KernelInfo &from,
                        const KernelInfo &to)
      : op(op), from(from.layout), to(to.layout), builder(op),
        loc(nameStep(op, "convert accumulators")),
        index(builder, loc, builder.getI32Type()),
        sumType(from.sumType(op.getContext())),
        places(model::placeSums(
            from.layout, to.layout,
            model::byteWidth(from.contraction.accumulatorType))),
        strides(model::placeStrides(from.layout)) {
    for (const model::TileDim &dim : model::outputTile(from.layout))
      isBinary &= llvm::isPowerOf2_64(dim.tile);
  }

  SmallVector<Value> build();

private:
  Value flip(Value number);
  Value place(const SplitIndex &m, const SplitIndex &n);
  SmallVector<SplitIndex> numbers(const model::KernelLayout &layout, bool ofN);

  ConvertAccumulatorsOp op;
  const model::KernelLayout &from, &to;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  Type sumType;
  model::SumPlaces places;
  /// By the numbers of C's indices, in the tile.
  std::vector<int64_t> strides;
  /// True if all tiles are powers of two: then what depends on the thread and
  /// what is constant have no bit of a place in common.
  bool isBinary = true;
};

} // namespace

/// The contribution of each of a thread's elements along N or M to its number
/// in the tile.
SmallVector<SplitIndex>
AccumulatorConversion::numbers(const model::KernelLayout &layout, bool ofN) {
  ThreadPosition thread = threadPosition(builder, loc, layout);
  SmallVector<SplitIndex> result;
  for (int64_t element = 0;
       element < (ofN ? layout.registerN : layout.registerM); ++element) {
    SplitIndex &sum = result.emplace_back();
    for (auto [dim, at] : llvm::zip_equal(
             llvm::reverse(ofN ? layout.n : layout.m),
             localCoordinates(builder, loc, layout, ofN, thread, element))) {
      at = index.resolve(at);
      int64_t stride = strides[dim.index];
      sum.value = index.add(sum.value, index.multiply(at.value, stride));
      sum.constant += at.constant * stride;
    }
  }
  return result;
}

/// See model::SumPlaces.
Value AccumulatorConversion::flip(Value number) {
  Value result = number;
  for (auto [bit, flips] : llvm::enumerate(places.flips)) {
    if (flips == 0)
      continue;
    Value isSet = arith::AndIOp::create(
        builder, loc,
        arith::ShRUIOp::create(builder, loc, number,
                               index.constant(static_cast<int64_t>(bit))),
        index.constant(1));
    result = index.exclusiveOr(result, index.multiply(isSet, flips));
  }
  return result;
}

/// The place of a sum, as an index.
Value AccumulatorConversion::place(const SplitIndex &m, const SplitIndex &n) {
  Value ofThread = index.add(m.value, n.value);
  int64_t constant = m.constant + n.constant;
  if (!isBinary || !ofThread)
    return index.toIndex(
        {flip(index.add(ofThread, index.constant(constant))), 0});
  // Bits that no two have in common flip others one by one, and those beyond
  // the banks' add up.
  int64_t placed = places(constant);
  int64_t low = placed & ((int64_t(1) << places.bits) - 1);
  Value begin = flip(ofThread);
  if (low)
    begin = index.exclusiveOr(begin, index.constant(low));
  return index.toIndex({begin, placed - low});
}

SmallVector<Value> AccumulatorConversion::build() {
  auto space = cast<MemRefType>(op.getStorage().getType()).getMemorySpace();
  int64_t elements = model::exchangeBytes(from, *getModelElementType(sumType)) *
                     8 / sumType.getIntOrFloatBitWidth();
  auto type = MemRefType::get({elements}, sumType,
                              mlir::MemRefLayoutAttrInterface(), space);
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0);
  Value sums = memref::ViewOp::create(builder, loc, type, op.getStorage(),
                                      begin, ValueRange());
  // All threads must have read the shared tiles that lie there.
  gpu::BarrierOp::create(builder, loc);
  SmallVector<SplitIndex> rows = numbers(from, /*ofN=*/false);
  SmallVector<SplitIndex> columns = numbers(from, /*ofN=*/true);
  int64_t vectors = from.registerN / from.groupN;
  for (auto [m, row] : llvm::enumerate(rows))
    for (auto [n, column] : llvm::enumerate(columns)) {
      Value sum = vector::ExtractOp::create(
          builder, loc, op.getAccumulators()[m * vectors + n / from.groupN],
          n % from.groupN);
      memref::StoreOp::create(builder, loc, sum, sums,
                              ValueRange{place(row, column)});
    }
  gpu::BarrierOp::create(builder, loc);
  rows = numbers(to, /*ofN=*/false);
  columns = numbers(to, /*ofN=*/true);
  auto vectorType = VectorType::get({to.groupN}, sumType);
  SmallVector<Value> results;
  for (const SplitIndex &row : rows)
    for (int64_t n = 0; n < to.registerN; n += to.groupN) {
      SmallVector<Value> group;
      for (int64_t v = 0; v < to.groupN; ++v)
        group.push_back(memref::LoadOp::create(
            builder, loc, sums, ValueRange{place(row, columns[n + v])}));
      results.push_back(
          vector::FromElementsOp::create(builder, loc, vectorType, group));
    }
  // And before shared tiles lie there again, the sums.
  gpu::BarrierOp::create(builder, loc);
  return results;
}

static LogicalResult checkFit(ConvertAccumulatorsOp op, StringRef what,
                              ValueRange vectors,
                              const model::KernelLayout &layout) {
  int64_t count = layout.registerM * (layout.registerN / layout.groupN);
  auto type = cast<VectorType>(vectors.front().getType());
  if (static_cast<int64_t>(vectors.size()) == count &&
      type.getNumElements() == layout.groupN)
    return success();
  return op.emitOpError(
             "doesn't fit the layout of the term that it converts sums ")
         << what << ": expected " << count << " vectors of " << layout.groupN;
}

static LogicalResult lower(KernelPlans &plans, ConvertAccumulatorsOp op) {
  const KernelInfo *from = plans.enclosing(op, op.getFrom());
  const KernelInfo *to = from ? plans.enclosing(op, op.getTo()) : nullptr;
  if (!to || failed(checkFit(op, "from", op.getAccumulators(), from->layout)) ||
      failed(checkFit(op, "to", op.getResults(), to->layout)))
    return failure();
  SmallVector<Value> results = AccumulatorConversion(op, *from, *to).build();
  op.replaceAllUsesWith(results);
  op.erase();
  return success();
}

namespace {
struct LowerConvertAccumulators
    : public tc::impl::TCLowerConvertAccumulatorsBase<
          LowerConvertAccumulators> {
  void runOnOperation() override {
    auto &plans = getAnalysis<KernelPlans>();
    SmallVector<ConvertAccumulatorsOp> ops;
    getOperation()->walk([&](ConvertAccumulatorsOp op) { ops.push_back(op); });
    for (ConvertAccumulatorsOp op : ops)
      if (failed(lower(plans, op)))
        return signalPassFailure();
  }
};
} // namespace
