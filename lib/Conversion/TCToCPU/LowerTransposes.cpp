//===- LowerTransposes.cpp - Transpositions by vectors --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops around copies of vectors, or of squares of vectors that are transposed
// in registers.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToCPU/Passes.h"

#include "CpuBlock.h"

#include "tc/Dialect/TC/Utils/PartsView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstdlib>

namespace tc {
#define GEN_PASS_DEF_TCLOWERTRANSPOSES
#include "tc/Conversion/TCToCPU/Passes.h.inc"
} // namespace tc

using namespace tc;
using namespace tc::cpu;
namespace linalg = mlir::linalg;
namespace memref = mlir::memref;

/// Squares of this many elements along both dimensions are visited before
/// others: the lines of 32 rows of source and target stay in any first cache.
static constexpr int64_t tileExtent = 32;

namespace {

/// One dimension of a transposition.
struct Dimension {
  int64_t extent, from, to;
};

/// A loop, by the distance that an iteration adds to the position in source and
/// target.
struct Loop {
  int64_t count, from, to;
};

/// Emits the loops of one transposition.
class Copier {
public:
  Copier(linalg::TransposeOp op, int64_t lanes,
         SmallVector<Dimension> dimensions)
      : op(op), lanes(lanes), dimensions(std::move(dimensions)),
        builder(op.getLoc(), op), emit(builder) {}

  void run();

private:
  Value flatten(Value memref, int64_t Dimension::*stride, Value &base);
  void nest(ArrayRef<Loop> loops, Value from, Value to,
            function_ref<void(Value, Value)> body);
  void copyAlong(const Dimension &dimension, Value from, Value to);
  void copySquares(const Dimension &read, const Dimension &written, Value from,
                   Value to);
  void copySquare(const Dimension &read, const Dimension &written,
                  int64_t extent, Value from, Value to);
  /// Calls `body` with the places at which steps of `step` elements cover an
  /// extent; the last one may begin earlier and copy some elements again.
  void cover(Value extent, int64_t step, function_ref<void(Value)> body);

  linalg::TransposeOp op;
  int64_t lanes;
  SmallVector<Dimension> dimensions;
  ImplicitLocOpBuilder builder;
  Emitter emit;
  Value source, target;
};

} // namespace

/// The buffer as one dimension from its base pointer, and where it begins.
Value Copier::flatten(Value memref, int64_t Dimension::*stride, Value &base) {
  memref = withKnownOffset(builder, builder.getLoc(), memref);
  auto type = cast<MemRefType>(memref.getType());
  int64_t offset = type.getStridesAndOffset().second, reach = offset;
  for (const Dimension &dimension : dimensions)
    reach += std::max<int64_t>(0, (dimension.extent - 1) * dimension.*stride);
  base = emit.constant(offset);
  auto flatType = MemRefType::get({reach + 1}, type.getElementType());
  return memref::ReinterpretCastOp::create(
      builder, flatType, memref, /*offset=*/0,
      /*sizes=*/ArrayRef<int64_t>{reach + 1},
      /*strides=*/ArrayRef<int64_t>{1});
}

void Copier::nest(ArrayRef<Loop> loops, Value from, Value to,
                  function_ref<void(Value, Value)> body) {
  if (loops.empty())
    return body(from, to);
  const Loop &loop = loops.front();
  emit.loop(emit.constant(loop.count), [&](Value i) {
    nest(loops.drop_front(), emit.add(from, emit.mul(i, loop.from)),
         emit.add(to, emit.mul(i, loop.to)), body);
  });
}

void Copier::cover(Value extent, int64_t step, function_ref<void(Value)> body) {
  emit.loop(emit.ceilDiv(extent, step), [&](Value i) {
    body(emit.min(emit.mul(i, step), emit.sub(extent, emit.constant(step))));
  });
}

static int64_t powerOfTwoWithin(int64_t most) {
  return int64_t(1) << llvm::Log2_64(static_cast<uint64_t>(most));
}

void Copier::copyAlong(const Dimension &dimension, Value from, Value to) {
  int64_t step = powerOfTwoWithin(std::min(lanes, dimension.extent));
  cover(emit.constant(dimension.extent), step, [&](Value at) {
    Value elements = emit.loadVector(source, emit.add(from, at), step);
    emit.storeVector(elements, target, emit.add(to, at));
  });
}

void Copier::copySquare(const Dimension &read, const Dimension &written,
                        int64_t extent, Value from, Value to) {
  SmallVector<Value> square;
  for (int64_t i = 0; i < extent; ++i)
    square.push_back(emit.loadVector(
        source, emit.add(from, emit.constant(i * written.from)), extent));
  transposeSquare(builder, square);
  for (int64_t i = 0; i < extent; ++i)
    emit.storeVector(square[i], target,
                     emit.add(to, emit.constant(i * read.to)));
}

/// Copies along the dimension that is contiguous in the source and the one that
/// is in the target.
void Copier::copySquares(const Dimension &read, const Dimension &written,
                         Value from, Value to) {
  int64_t extent =
      powerOfTwoWithin(std::min({lanes, read.extent, written.extent}));
  auto tiles = [&](const Dimension &dimension,
                   function_ref<void(Value, Value)> body) {
    int64_t count = (dimension.extent + tileExtent - 1) / tileExtent;
    // A last tile that holds no square joins the one before.
    if (count > 1 && dimension.extent - (count - 1) * tileExtent < extent)
      --count;
    emit.loop(emit.constant(count), [&](Value i) {
      Value begin = emit.mul(i, tileExtent);
      Value rest = emit.sub(emit.constant(dimension.extent), begin);
      Value isLast = emit.equal(i, emit.constant(count - 1));
      Value size = builder.createOrFold<mlir::arith::SelectOp>(
          isLast, rest, emit.constant(tileExtent));
      body(begin, size);
    });
  };
  tiles(read, [&](Value readBegin, Value readSize) {
    tiles(written, [&](Value writtenBegin, Value writtenSize) {
      cover(readSize, extent, [&](Value r) {
        Value readAt = emit.add(readBegin, r);
        cover(writtenSize, extent, [&](Value w) {
          Value writtenAt = emit.add(writtenBegin, w);
          auto position = [&](Value base, int64_t Dimension::*stride) {
            base = emit.add(base, emit.mul(readAt, read.*stride));
            return emit.add(base, emit.mul(writtenAt, written.*stride));
          };
          copySquare(read, written, extent, position(from, &Dimension::from),
                     position(to, &Dimension::to));
        });
      });
    });
  });
}

void Copier::run() {
  Value from, to;
  source = flatten(op.getInput(), &Dimension::from, from);
  target = flatten(op.getInit(), &Dimension::to, to);
  auto isContiguous = [](int64_t Dimension::*stride) {
    return [stride](const Dimension &dimension) {
      return dimension.*stride == 1 && dimension.extent > 1;
    };
  };
  const Dimension *end = dimensions.end();
  const Dimension *read =
      llvm::find_if(dimensions, isContiguous(&Dimension::from));
  const Dimension *written =
      llvm::find_if(dimensions, isContiguous(&Dimension::to));
  bool byVectors = read != end && written != end;

  // The other dimensions, in the order in which the target lies in memory.
  SmallVector<const Dimension *> others;
  for (const Dimension &dimension : dimensions)
    if (!byVectors || (&dimension != read && &dimension != written))
      others.push_back(&dimension);
  llvm::sort(others, [](const Dimension *a, const Dimension *b) {
    return std::pair(std::abs(b->to), b) < std::pair(std::abs(a->to), a);
  });
  SmallVector<Loop> loops;
  for (const Dimension *dimension : others)
    loops.push_back({dimension->extent, dimension->from, dimension->to});
  nest(loops, from, to, [&](Value from, Value to) {
    if (!byVectors)
      return emit.store(emit.load(source, from), target, to);
    if (read == written)
      return copyAlong(*read, from, to);
    copySquares(*read, *written, from, to);
  });
  op.erase();
}

static LogicalResult lowerTransposition(linalg::TransposeOp op, int64_t lanes) {
  if (lanes < 1 || !llvm::isPowerOf2_64(lanes))
    return op.emitOpError("'tc.lanes' must be a power of two, but is ")
           << lanes;
  auto from = dyn_cast<MemRefType>(op.getInput().getType());
  auto to = dyn_cast<MemRefType>(op.getInit().getType());
  if (!from || !to)
    return op.emitOpError("works on tensors: bufferize it first");
  if (llvm::is_contained(to.getShape(), 0)) {
    op.erase();
    return success();
  }
  auto fromStrides = from.getStridesAndOffset().first;
  auto toStrides = to.getStridesAndOffset().first;
  if (!from.hasStaticShape() || !to.hasStaticShape() ||
      llvm::any_of(fromStrides, ShapedType::isDynamic) ||
      llvm::any_of(toStrides, ShapedType::isDynamic))
    return op.emitOpError("extents and strides of its buffers must be known at "
                          "compile time");
  SmallVector<Dimension> dimensions;
  for (auto [dim, sourceDim] : llvm::enumerate(op.getPermutation()))
    dimensions.push_back(
        {to.getDimSize(dim), fromStrides[sourceDim], toStrides[dim]});
  Copier(op, lanes, std::move(dimensions)).run();
  return success();
}

namespace {
struct LowerTransposes
    : public tc::impl::TCLowerTransposesBase<LowerTransposes> {
  void runOnOperation() override {
    SmallVector<linalg::TransposeOp> ops;
    getOperation()->walk([&](linalg::TransposeOp op) { ops.push_back(op); });
    bool anyFailed = false;
    for (linalg::TransposeOp op : ops)
      if (auto lanes = op->getAttrOfType<mlir::IntegerAttr>("tc.lanes"))
        anyFailed |= failed(lowerTransposition(op, lanes.getInt()));
    if (anyFailed)
      signalPassFailure();
  }
};
} // namespace
