//===- LowerHandOverSums.cpp - Expand the change of hands of sums ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.hand_over_sums into stores to shared memory and loads from it.
//
//===----------------------------------------------------------------------===//

#include "TileIndexing.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Model/SumExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERHANDOVERSUMS
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

class HandOver {
public:
  HandOver(HandOverSumsOp op, const KernelInfo &from, const KernelInfo &to)
      : op(op), from(from.layout), to(to.layout), builder(op),
        loc(nameStep(op, "hand sums over")),
        index(builder, loc, builder.getI32Type()),
        sumType(from.sumType(op.getContext())),
        bits(model::bankBits(
            model::byteWidth(from.contraction.accumulatorType))) {
    int64_t stride = 1;
    std::vector<model::TileDim> tile = model::outputTile(this->from);
    for (const model::TileDim &dim : llvm::reverse(tile)) {
      strides[dim.index] = stride;
      stride *= dim.tile;
      isBinary &= llvm::isPowerOf2_64(dim.tile);
    }
  }

  SmallVector<Value> build();

private:
  Value exchangePlace(Value number, int64_t elements);
  Value place(const model::KernelLayout &layout, const SplitIndex &m,
              const SplitIndex &n);
  SmallVector<SplitIndex> places(const model::KernelLayout &layout, bool ofN);

  HandOverSumsOp op;
  const model::KernelLayout &from, &to;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  Type sumType;
  int64_t bits;
  /// Whether all tiles are powers of two: then what depends on the thread and
  /// what is constant have no bit of a place in common.
  bool isBinary = true;
  /// By the numbers of C's indices, in the tile.
  DenseMap<unsigned, int64_t> strides;
};

} // namespace

/// What each of a thread's elements along N or M adds to its place in the tile.
SmallVector<SplitIndex> HandOver::places(const model::KernelLayout &layout,
                                         bool ofN) {
  ThreadPosition thread = threadPosition(builder, loc, layout);
  SmallVector<SplitIndex> result;
  for (int64_t element = 0;
       element < (ofN ? layout.registerN : layout.registerM); ++element) {
    SplitIndex &sum = result.emplace_back();
    for (auto [dim, at] : llvm::zip_equal(
             llvm::reverse(ofN ? layout.n : layout.m),
             localCoordinates(builder, loc, layout, ofN, thread, element))) {
      int64_t stride = strides.lookup(dim.index);
      sum.value = index.add(sum.value, index.multiply(at.value, stride));
      sum.constant += at.constant * stride;
    }
  }
  return result;
}

/// See model::exchangePlace.
Value HandOver::exchangePlace(Value number, int64_t elements) {
  Value folded;
  for (int64_t shift = bits; elements >> shift > 0; shift += bits) {
    Value group =
        arith::ShRUIOp::create(builder, loc, number, index.constant(shift));
    folded = folded ? index.exclusiveOr(folded, group) : group;
  }
  if (!folded)
    return number;
  int64_t low = (int64_t(1) << bits) - 1;
  return index.exclusiveOr(
      number, arith::AndIOp::create(builder, loc, folded, index.constant(low)));
}

/// Where a sum lies, as an index.
Value HandOver::place(const model::KernelLayout &layout, const SplitIndex &m,
                      const SplitIndex &n) {
  Value ofThread = index.add(m.value, n.value);
  int64_t constant = m.constant + n.constant;
  int64_t elements = layout.blockM * layout.blockN;
  if (!isBinary || !ofThread)
    return index.toIndex(
        {exchangePlace(index.add(ofThread, index.constant(constant)), elements),
         0});
  // Exclusive ors of bits that no two have in common can be taken one by one,
  // and those beyond the banks' are sums.
  int64_t placed = model::exchangePlace(constant, bits);
  int64_t low = placed & ((int64_t(1) << bits) - 1);
  Value begin = exchangePlace(ofThread, elements);
  if (low)
    begin = index.exclusiveOr(begin, index.constant(low));
  return index.toIndex({begin, placed - low});
}

SmallVector<Value> HandOver::build() {
  auto space = cast<MemRefType>(op.getStorage().getType()).getMemorySpace();
  int64_t elements = model::exchangeBytes(from, *getModelElementType(sumType)) *
                     8 / sumType.getIntOrFloatBitWidth();
  auto type = MemRefType::get({elements}, sumType,
                              mlir::MemRefLayoutAttrInterface(), space);
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0);
  Value sums = memref::ViewOp::create(builder, loc, type, op.getStorage(),
                                      begin, ValueRange());
  // All threads must have read the panels that lie there.
  gpu::BarrierOp::create(builder, loc);
  SmallVector<SplitIndex> rows = places(from, /*ofN=*/false);
  SmallVector<SplitIndex> columns = places(from, /*ofN=*/true);
  int64_t vectors = from.registerN / from.groupN;
  for (auto [m, row] : llvm::enumerate(rows))
    for (auto [n, column] : llvm::enumerate(columns)) {
      Value sum = vector::ExtractOp::create(
          builder, loc, op.getAccumulators()[m * vectors + n / from.groupN],
          n % from.groupN);
      memref::StoreOp::create(builder, loc, sum, sums,
                              ValueRange{place(from, row, column)});
    }
  gpu::BarrierOp::create(builder, loc);
  rows = places(to, /*ofN=*/false);
  columns = places(to, /*ofN=*/true);
  auto vectorType = VectorType::get({to.groupN}, sumType);
  SmallVector<Value> results;
  for (const SplitIndex &row : rows)
    for (int64_t n = 0; n < to.registerN; n += to.groupN) {
      SmallVector<Value> group;
      for (int64_t v = 0; v < to.groupN; ++v)
        group.push_back(memref::LoadOp::create(
            builder, loc, sums, ValueRange{place(to, row, columns[n + v])}));
      results.push_back(
          vector::FromElementsOp::create(builder, loc, vectorType, group));
    }
  // And before panels lie there again, the sums.
  gpu::BarrierOp::create(builder, loc);
  return results;
}

static LogicalResult checkFit(HandOverSumsOp op, StringRef what,
                              ValueRange vectors,
                              const model::KernelLayout &layout) {
  int64_t count = layout.registerM * (layout.registerN / layout.groupN);
  auto type = cast<VectorType>(vectors.front().getType());
  if (static_cast<int64_t>(vectors.size()) == count &&
      type.getNumElements() == layout.groupN)
    return success();
  return op.emitOpError(
             "doesn't fit the layout of the term that it hands sums ")
         << what << ": expected " << count << " vectors of " << layout.groupN;
}

static LogicalResult lower(HandOverSumsOp op) {
  FailureOr<KernelInfo> from = getEnclosingKernelInfo(op, op.getFrom());
  FailureOr<KernelInfo> to = getEnclosingKernelInfo(op, op.getTo());
  if (failed(from) || failed(to) ||
      failed(checkFit(op, "from", op.getAccumulators(), from->layout)) ||
      failed(checkFit(op, "to", op.getResults(), to->layout)))
    return failure();
  SmallVector<Value> results = HandOver(op, *from, *to).build();
  op.replaceAllUsesWith(results);
  op.erase();
  return success();
}

namespace {
struct LowerHandOverSums
    : public tc::impl::TCLowerHandOverSumsBase<LowerHandOverSums> {
  void runOnOperation() override {
    SmallVector<HandOverSumsOp> ops;
    getOperation()->walk([&](HandOverSumsOp op) { ops.push_back(op); });
    for (HandOverSumsOp op : ops)
      if (failed(lower(op)))
        return signalPassFailure();
  }
};
} // namespace
