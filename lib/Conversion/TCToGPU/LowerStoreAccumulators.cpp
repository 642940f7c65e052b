//===- LowerStoreAccumulators.cpp - Expand sums that stay -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.store_accumulators_to_shared into stores of one thread, and
// tc.accumulators_to_factors into what it would store.
//
//===----------------------------------------------------------------------===//

#include "MatrixRows.h"
#include "ProducedElements.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"
#include "tc/Gpu/Layout/ChainLayout.h"
#include "tc/Problem/ComplexParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

namespace tc {
#define GEN_PASS_DEF_TCLOWERSTOREACCUMULATORS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;

namespace memref = mlir::memref;
namespace vector = mlir::vector;
using mlir::ValueRange;
using mlir::VectorType;
using model::Tensor;

namespace {

class AccumulatorStore {
public:
  template <typename Op>
  AccumulatorStore(Op op, const KernelInfo &from, const KernelInfo &to)
      : accumulators(op.getAccumulators()), kOrigins(op.getKOrigins()),
        epilogue(op.getEpilogue()), from(from), to(to), layout(from.layout),
        builder(op), loc(nameStep(op, "store accumulators")),
        index(builder, loc, builder.getI32Type()),
        sink(op.getInput() == Input::A ? Tensor::A : Tensor::B),
        linked(indicesBetween(from, to, sink)) {}

  void storeTo(Value sharedTile);
  SmallVector<Value> factors(VectorType type);

private:
  static model::LinkedIndices
  indicesBetween(const KernelInfo &from, const KernelInfo &to, Tensor sink) {
    return model::linkIndices(
        from.contraction, from.record.tensors[Tensor::C].labels, to.contraction,
        to.record.tensors[sink].labels, sink);
  }

  /// Rows or columns of a thread: what each adds to the place in the shared
  /// tile, and whether it is in the tensor along what is summed over.
  struct Line {
    SplitIndex place;
    Value inside;
  };
  SmallVector<Line> lines(bool ofN);
  Value finish(Value sum, Type stored);
  Value zeroBeyond(Value elements, const Line &row, const Line &column);
  int64_t widthOfStore() const;
  void store(Value sums, const Line &row, ArrayRef<Line> columns,
             int64_t offset);

  ValueRange accumulators, kOrigins;
  mlir::RegionRange epilogue;
  const KernelInfo &from, &to;
  const model::KernelLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  Tensor sink;
  model::LinkedIndices linked;
  /// The shared tile.
  Value flat;
};

} // namespace

SmallVector<AccumulatorStore::Line> AccumulatorStore::lines(bool ofN) {
  ThreadPosition thread = threadPosition(builder, loc, layout);
  SmallVector<Line> result;
  for (int64_t element = 0;
       element < (ofN ? layout.registerN : layout.registerM); ++element) {
    Line &line = result.emplace_back();
    SmallVector<Value> conditions;
    for (auto [dim, at] : llvm::zip_equal(
             llvm::reverse(ofN ? layout.n : layout.m),
             localCoordinates(builder, loc, layout, ofN, thread, element))) {
      at = index.resolve(at);
      auto found = llvm::find_if(
          linked, [&, i = dim.index](auto pair) { return pair.first == i; });
      if (found == linked.end())
        continue;
      int64_t stride = model::sharedTileStride(to.layout, sink, found->second);
      line.place.value =
          index.add(line.place.value, index.multiply(at.value, stride));
      line.place.constant += at.constant * stride;
      if (Value within =
              isWithinSummed(builder, loc, to, kOrigins, linked, dim, at))
        conditions.push_back(within);
    }
    line.inside = conjunction(builder, loc, conditions);
  }
  return result;
}

/// The elements to store of a vector of sums, in that type.
Value AccumulatorStore::finish(Value sum, Type stored) {
  if (!to.takesSoftmax())
    sum = scaleSums(builder, loc, from, sum);
  sum = applyCodeBetween(builder, loc, from, epilogue, sum);
  return convertElements(builder, loc, sum, stored);
}

/// The number of elements of neighbouring columns that are neighbours in the
/// shared tile whatever the layouts are: both parts of a complex number.
int64_t AccumulatorStore::widthOfStore() const {
  const std::optional<model::ComplexParts> &parts = from.contraction.parts;
  if (!parts)
    return 1;
  for (auto [one, other] : linked)
    if (one == parts->output &&
        model::sharedTileStride(to.layout, sink, other) == 1)
      return model::partsOfNumber;
  return 1;
}

/// Elements of a row and a column, or zero where they lie beyond what `to` sums
/// over.
Value AccumulatorStore::zeroBeyond(Value elements, const Line &row,
                                   const Line &column) {
  SmallVector<Value> conditions;
  for (const Line *line : {&row, &column})
    if (line->inside)
      conditions.push_back(line->inside);
  Value inside = conjunction(builder, loc, conditions);
  if (!inside)
    return elements;
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(elements.getType()));
  return arith::SelectOp::create(builder, loc, inside, elements, zero);
}

/// Stores elements of neighbouring columns, so far behind their places.
void AccumulatorStore::store(Value sums, const Line &row,
                             ArrayRef<Line> columns, int64_t offset) {
  int64_t width = widthOfStore();
  for (int64_t v = 0; v < layout.groupN; v += width) {
    SmallVector<int64_t> neighbours(width);
    std::iota(neighbours.begin(), neighbours.end(), v);
    Value elements =
        width == 1
            ? Value(vector::ExtractOp::create(builder, loc, sums, v))
            : vector::ShuffleOp::create(builder, loc, sums, sums, neighbours);
    elements = zeroBeyond(elements, row, columns[v]);
    SplitIndex place = index.sum(row.place, columns[v].place);
    place.constant += offset;
    Value at = index.toIndex(place);
    if (width == 1) {
      memref::StoreOp::create(builder, loc, elements, flat, ValueRange{at});
      continue;
    }
    auto access =
        vector::StoreOp::create(builder, loc, elements, flat, ValueRange{at});
    access.setAlignment(vectorBytes(cast<VectorType>(elements.getType())));
  }
}

void AccumulatorStore::storeTo(Value sharedTile) {
  flat = flattenSharedTile(builder, loc, sharedTile);
  Type stored = cast<MemRefType>(sharedTile.getType()).getElementType();
  SmallVector<Line> rows = lines(/*ofN=*/false), columns = lines(/*ofN=*/true);
  int64_t group = layout.groupN, vectors = layout.registerN / group;
  const model::TiledCopy &tile = sink == Tensor::A ? to.layout.a : to.layout.b;
  for (auto [m, row] : llvm::enumerate(std::as_const(rows)))
    for (int64_t number = 0; number < vectors; ++number) {
      Value sums = finish(accumulators[m * vectors + number], stored);
      ArrayRef<Line> own = ArrayRef(columns).slice(number * group, group);
      int64_t offset = 0;
      for (Value matrixRow :
           matrixRowsOf(builder, loc, to.contraction, tile, sink, sums)) {
        store(matrixRow, row, own, offset);
        if (tile.matrixRows)
          offset += tile.sharedTileStride(*tile.matrixRows, /*isOfK=*/true);
      }
    }
}

SmallVector<Value> AccumulatorStore::factors(VectorType type) {
  SmallVector<Line> rows = lines(/*ofN=*/false), columns = lines(/*ofN=*/true);
  int64_t group = layout.groupN, vectors = layout.registerN / group;
  SmallVector<Value> results;
  for (auto [m, row] : llvm::enumerate(std::as_const(rows)))
    for (int64_t number = 0; number < vectors; ++number) {
      Value sums =
          finish(accumulators[m * vectors + number], type.getElementType());
      SmallVector<Value> elements;
      for (int64_t v = 0; v < group; ++v)
        elements.push_back(
            zeroBeyond(vector::ExtractOp::create(builder, loc, sums, v), row,
                       columns[number * group + v]));
      results.push_back(
          vector::FromElementsOp::create(builder, loc, type, elements));
    }
  return results;
}

template <typename Op> static LogicalResult lower(KernelPlans &plans, Op op) {
  const KernelInfo *from = plans.enclosing(op, op.getFrom());
  const KernelInfo *to = from ? plans.enclosing(op, op.getTo()) : nullptr;
  if (!to)
    return failure();
  const model::KernelLayout &layout = from->layout;
  int64_t count = layout.registerM * (layout.registerN / layout.groupN);
  auto type = cast<VectorType>(op.getAccumulators().front().getType());
  if (static_cast<int64_t>(op.getAccumulators().size()) != count ||
      type.getNumElements() != layout.groupN)
    return op.emitOpError("doesn't fit the layout of term ")
           << op.getFrom() << ": expected " << count << " vectors of "
           << layout.groupN;
  Tensor sink = op.getInput() == Input::A ? Tensor::A : Tensor::B;
  if (to->producedInput() != sink)
    return op.emitOpError("doesn't fit its kernel: term ")
           << op.getTo() << " has another chained input";
  if (!to->isConsumerOf(*from))
    return op.emitOpError("doesn't fit its kernel: term ")
           << op.getFrom() << " computes no input of term " << op.getTo();
  if (op.getKOrigins().size() != to->layout.k.size())
    return op.emitOpError("doesn't fit its kernel: term ")
           << op.getTo() << " sums over " << to->layout.k.size()
           << " indices, but there are " << op.getKOrigins().size()
           << " origins";
  if (std::is_same_v<Op, AccumulatorsToFactorsOp> &&
      !model::staysInRegisters(from->layout, to->layout,
                               edgeBetween(*from, *to)))
    return op.emitOpError("doesn't fit its kernel: what a thread has summed in "
                          "term ")
           << op.getFrom() << " is not what it multiplies in term "
           << op.getTo();
  AccumulatorStore store(op, *from, *to);
  if constexpr (std::is_same_v<Op, AccumulatorsToFactorsOp>) {
    op.replaceAllUsesWith(
        store.factors(cast<VectorType>(op.getFactors().front().getType())));
  } else {
    store.storeTo(op.getSharedTile());
  }
  op.erase();
  return success();
}

namespace {
struct LowerStoreAccumulators
    : public tc::impl::TCLowerStoreAccumulatorsBase<LowerStoreAccumulators> {
  template <typename Op> void lowerAll() {
    auto &plans = getAnalysis<KernelPlans>();
    SmallVector<Op> ops;
    getOperation()->walk([&](Op op) { ops.push_back(op); });
    for (Op op : ops)
      if (failed(lower(plans, op)))
        return signalPassFailure();
  }

  void runOnOperation() override {
    lowerAll<StoreAccumulatorsToSharedOp>();
    lowerAll<AccumulatorsToFactorsOp>();
  }
};
} // namespace
