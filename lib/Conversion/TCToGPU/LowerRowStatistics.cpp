//===- LowerRowStatistics.cpp - Expand steps of a softmax -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.exponentiate_accumulators, tc.store_row_reciprocals and
// tc.rescale_accumulators into code of one thread.
//
//===----------------------------------------------------------------------===//

#include "ProducedElements.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

namespace tc {
#define GEN_PASS_DEF_TCLOWERROWSTATISTICS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace LLVM = mlir::LLVM;
namespace math = mlir::math;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::ValueRange;
using mlir::VectorType;

namespace {

/// The memory of the numbers of rows, which the three operations share.
class RowStatistics {
public:
  RowStatistics(Operation *op, Value statistics, const KernelInfo &from,
                const KernelInfo &to)
      : from(from), to(to), statistics(statistics), builder(op),
        loc(nameStep(op, "rows of a softmax")),
        index(builder, loc, builder.getI32Type()),
        type(cast<MemRefType>(statistics.getType()).getElementType()),
        edge(edgeBetween(from, to)),
        rows(model::softmaxRows(from.layout, to.contraction, edge.indices)),
        strides(model::rowStrides(from.contraction, from.layout, rows)) {}

  SmallVector<Value> exponentiate(ExponentiateAccumulatorsOp op);
  void storeReciprocals(StoreRowReciprocalsOp op);
  SmallVector<Value> rescale(RescaleAccumulatorsOp op);

  const model::SoftmaxRows &getRows() const { return rows; }

private:
  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  }
  Value larger(Value x, Value y) {
    return arith::MaxNumFOp::create(builder, loc, x, y);
  }
  Value load(SplitIndex at) {
    return memref::LoadOp::create(builder, loc, statistics,
                                  ValueRange{index.toIndex(at)});
  }
  void store(Value value, SplitIndex at) {
    memref::StoreOp::create(builder, loc, value, statistics,
                            ValueRange{index.toIndex(at)});
  }
  SmallVector<SplitIndex> rowsOf(const model::KernelLayout &layout, bool alongN,
                                 function_ref<int64_t(unsigned)> strideOf);
  SmallVector<SplitIndex> rowsOfThread();
  SmallVector<Value> insideAlongRow(ValueRange kOrigins);
  SmallVector<Value> combineSharers(ValueRange ofThread,
                                    ArrayRef<SplitIndex> places,
                                    function_ref<Value(Value, Value)> combine);
  void enterIfZero(Value number);
  Value shuffle(Value value, int64_t bits);
  void storeFactors(ValueRange factors, ArrayRef<SplitIndex> places);
  Value powerOfTwo(Value exponent);
  bool scalesExponents(ExponentiateAccumulatorsOp op) const;
  Value input(ExponentiateAccumulatorsOp op, Value sums);

  const KernelInfo &from, &to;
  Value statistics;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  Type type;
  model::IndexedEdge edge;
  model::SoftmaxRows rows;
  std::vector<int64_t> strides;
};

} // namespace

/// The number of the row that each of a thread's elements along a side is of.
SmallVector<SplitIndex>
RowStatistics::rowsOf(const model::KernelLayout &layout, bool alongN,
                      function_ref<int64_t(unsigned)> strideOf) {
  ThreadPosition thread = threadPosition(builder, loc, layout);
  SmallVector<SplitIndex> result;
  for (int64_t element = 0;
       element < (alongN ? layout.registerN : layout.registerM); ++element) {
    SplitIndex &row = result.emplace_back();
    for (auto [dim, at] : llvm::zip_equal(
             llvm::reverse(alongN ? layout.n : layout.m),
             localCoordinates(builder, loc, layout, alongN, thread, element))) {
      at = index.resolve(at);
      int64_t stride = strideOf(dim.index);
      row.value = index.add(row.value, index.multiply(at.value, stride));
      row.constant += at.constant * stride;
    }
  }
  return result;
}

SmallVector<SplitIndex> RowStatistics::rowsOfThread() {
  return rowsOf(from.layout, rows.alongN,
                [&](unsigned number) { return strides[number]; });
}

/// The conditions that each of a thread's elements along a row is in the
/// tensor, null if it always is.
SmallVector<Value> RowStatistics::insideAlongRow(ValueRange kOrigins) {
  const model::KernelLayout &layout = from.layout;
  bool ofN = !rows.alongN;
  ThreadPosition thread = threadPosition(builder, loc, layout);
  SmallVector<Value> inside;
  for (int64_t element = 0;
       element < (ofN ? layout.registerN : layout.registerM); ++element) {
    SmallVector<Value> conditions;
    for (auto [dim, at] : llvm::zip_equal(
             llvm::reverse(ofN ? layout.n : layout.m),
             localCoordinates(builder, loc, layout, ofN, thread, element)))
      if (Value within = isWithinSummed(builder, loc, to, kOrigins,
                                        edge.indices, dim, index.resolve(at)))
        conditions.push_back(within);
    inside.push_back(conjunction(builder, loc, conditions));
  }
  return inside;
}

/// Combines what all threads have of each row, and returns it for those of this
/// thread. All threads wait at a barrier.
SmallVector<Value>
RowStatistics::combineSharers(ValueRange ofThread, ArrayRef<SplitIndex> places,
                              function_ref<Value(Value, Value)> combine) {
  SmallVector<Value> combined(ofThread);
  for (Value &value : combined)
    for (int64_t lane = 1; lane < rows.lanes; lane *= 2)
      value = combine(value, shuffle(value, lane * rows.laneStride));
  if (rows.slots() > 1) {
    ThreadPosition thread = threadPosition(builder, loc, from.layout);
    Value sharer = rows.alongN ? thread.m : thread.n;
    Value slot = index.divide(sharer, rows.lanes);
    mlir::OpBuilder::InsertionGuard guard(builder);
    enterIfZero(index.remainder(sharer, rows.lanes));
    for (auto [value, place] : llvm::zip_equal(combined, places))
      store(value,
            index.sum(place, {index.multiply(slot, rows.rows), rows.rows}));
  }
  gpu::BarrierOp::create(builder, loc);
  if (rows.slots() == 1)
    return combined;
  for (auto [value, place] : llvm::zip_equal(combined, places)) {
    value = Value();
    for (int64_t slot = 0; slot < rows.slots(); ++slot) {
      Value other =
          load({place.value, place.constant + rows.rows * (1 + slot)});
      value = value ? combine(value, other) : other;
    }
  }
  return combined;
}

/// Builds what follows for the threads alone of which a number is zero, and for
/// all if it is null.
void RowStatistics::enterIfZero(Value number) {
  if (!number)
    return;
  auto guarded = scf::IfOp::create(builder, loc, index.lessThan(number, 1),
                                   /*withElseRegion=*/false);
  builder.setInsertionPointToStart(guarded.thenBlock());
}

/// The number of the lane whose own differs in these bits.
Value RowStatistics::shuffle(Value value, int64_t bits) {
  auto shuffled = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, index.constant(bits),
                                  index.constant(model::warpThreads),
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (type.isF32())
    return shuffled(value);
  // Words of 64 bits go by halves.
  auto words = VectorType::get({2}, builder.getI32Type());
  Value halves = LLVM::BitcastOp::create(builder, loc, words, value);
  SmallVector<Value> moved;
  for (int64_t half : {0, 1})
    moved.push_back(
        shuffled(vector::ExtractOp::create(builder, loc, halves, half)));
  Value both = vector::FromElementsOp::create(builder, loc, words, moved);
  return LLVM::BitcastOp::create(builder, loc, type, both);
}

/// Stores a number for each row, by one of the threads that have it.
void RowStatistics::storeFactors(ValueRange factors,
                                 ArrayRef<SplitIndex> places) {
  ThreadPosition thread = threadPosition(builder, loc, from.layout);
  Value sharer = rows.alongN ? thread.m : thread.n;
  mlir::OpBuilder::InsertionGuard guard(builder);
  enterIfZero(rows.sharers > 1 ? sharer : Value());
  for (auto [factor, place] : llvm::zip_equal(factors, places))
    store(factor, place);
}

/// Two to the power of a number, by the one instruction that there is for it in
/// f32: what is less than the least normal number becomes zero.
Value RowStatistics::powerOfTwo(Value exponent) {
  if (!type.isF32())
    return math::Exp2Op::create(builder, loc, exponent);
  return LLVM::CallIntrinsicOp::create(
             builder, loc, type,
             builder.getStringAttr("llvm.nvvm.ex2.approx.ftz"),
             ValueRange{exponent})
      .getResult(0);
}

/// Returns true if a positive factor need only be in the exponents, as nothing
/// is done to the sums and no type rounds them.
bool RowStatistics::scalesExponents(ExponentiateAccumulatorsOp op) const {
  return op.getEpilogue().empty() &&
         from.types[model::Tensor::C].getElementType() == type &&
         getNumber(from.attr->alpha).real() > 0;
}

/// The argument of the softmax: sums with their factor and code, rounded to the
/// type of the tensor that they are elements of.
Value RowStatistics::input(ExponentiateAccumulatorsOp op, Value sums) {
  if (scalesExponents(op))
    return sums;
  sums = applyCodeBetween(builder, loc, from, op.getEpilogue(),
                          scaleSums(builder, loc, from, sums));
  return convertElements(builder, loc, sums, type);
}

SmallVector<Value> RowStatistics::exponentiate(ExponentiateAccumulatorsOp op) {
  const model::KernelLayout &layout = from.layout;
  int64_t group = layout.groupN, columns = layout.registerN;
  SmallVector<SplitIndex> places = rowsOfThread();
  SmallVector<Value> inside = insideAlongRow(op.getKOrigins());
  Value lowest = constant(-std::numeric_limits<double>::infinity());
  // The elements by their row and column among those of the thread.
  SmallVector<Value> elements;
  for (Value sums : op.getAccumulators()) {
    Value inputs = input(op, sums);
    for (int64_t v = 0; v < group; ++v)
      elements.push_back(vector::ExtractOp::create(builder, loc, inputs, v));
  }
  auto rowOf = [&](size_t element) {
    return rows.alongN ? element % columns : element / columns;
  };
  for (auto [number, element] : llvm::enumerate(elements)) {
    Value isInside = inside[rows.alongN ? number / columns : number % columns];
    if (isInside)
      element =
          arith::SelectOp::create(builder, loc, isInside, element, lowest);
  }
  SmallVector<Value> maxima(places.size());
  for (auto [number, element] : llvm::enumerate(elements)) {
    Value &most = maxima[rowOf(number)];
    most = most ? larger(most, element) : element;
  }
  maxima = combineSharers(maxima, places,
                          [&](Value x, Value y) { return larger(x, y); });

  // Powers of two are what the hardware has.
  double scale = scalesExponents(op) ? getNumber(from.attr->alpha).real() : 1;
  Value logarithm = constant(scale * std::log2(std::exp(1.0)));
  SmallVector<Value> references, factors, sums;
  for (auto [row, most] : llvm::enumerate(maxima)) {
    Value before = op.getMaxima()[row];
    most = larger(before, arith::MulFOp::create(builder, loc, most, logarithm));
    // Of a row without any number above minus infinity, as yet.
    Value isEmpty = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, most, lowest);
    Value reference =
        arith::SelectOp::create(builder, loc, isEmpty, constant(0), most);
    factors.push_back(
        powerOfTwo(arith::SubFOp::create(builder, loc, before, reference)));
    references.push_back(arith::NegFOp::create(builder, loc, reference));
    sums.push_back(
        arith::MulFOp::create(builder, loc, op.getSums()[row], factors.back()));
  }
  for (auto [number, element] : llvm::enumerate(elements)) {
    size_t row = rowOf(number);
    element = powerOfTwo(
        math::FmaOp::create(builder, loc, element, logarithm, references[row]));
    sums[row] = arith::AddFOp::create(builder, loc, sums[row], element);
  }
  storeFactors(factors, places);
  SmallVector<Value> results;
  auto vectorType = VectorType::get({group}, type);
  for (size_t first = 0; first < elements.size(); first += group)
    results.push_back(vector::FromElementsOp::create(
        builder, loc, vectorType,
        ArrayRef<Value>(elements).slice(first, group)));
  llvm::append_range(results, maxima);
  llvm::append_range(results, sums);
  return results;
}

void RowStatistics::storeReciprocals(StoreRowReciprocalsOp op) {
  SmallVector<SplitIndex> places = rowsOfThread();
  SmallVector<Value> sums =
      combineSharers(op.getSums(), places, [&](Value x, Value y) -> Value {
        return arith::AddFOp::create(builder, loc, x, y);
      });
  for (Value &sum : sums)
    sum = arith::DivFOp::create(builder, loc, constant(1), sum);
  storeFactors(sums, places);
  gpu::BarrierOp::create(builder, loc);
}

SmallVector<Value> RowStatistics::rescale(RescaleAccumulatorsOp op) {
  const model::KernelLayout &layout = to.layout;
  bool alongN = op.getInput() == Input::B;
  auto strideOf = [&](unsigned number) -> int64_t {
    for (auto [one, other] : edge.indices)
      if (other == number)
        return strides[one];
    return 0;
  };
  SmallVector<Value> factors;
  for (const SplitIndex &row : rowsOf(layout, alongN, strideOf))
    factors.push_back(load(row));
  SmallVector<Value> results;
  int64_t vectors = layout.registerN / layout.groupN;
  for (auto [number, sums] : llvm::enumerate(op.getAccumulators())) {
    auto vectorType = cast<VectorType>(sums.getType());
    Value factor =
        alongN ? Value(vector::FromElementsOp::create(
                     builder, loc, vectorType,
                     ArrayRef<Value>(factors).slice(
                         number % vectors * layout.groupN, layout.groupN)))
               : Value(vector::BroadcastOp::create(builder, loc, vectorType,
                                                   factors[number / vectors]));
    results.push_back(arith::MulFOp::create(builder, loc, sums, factor));
  }
  return results;
}

/// Holds an operation against the layouts of the terms that it is of, and
/// replaces it.
template <typename Op, typename Build>
static LogicalResult lowerBy(KernelPlans &plans, Op op, int64_t accumulators,
                             int64_t ofTerm, Build build) {
  const KernelInfo *from = plans.enclosing(op, op.getFrom());
  const KernelInfo *to = from ? plans.enclosing(op, op.getTo()) : nullptr;
  if (!to)
    return failure();
  model::Tensor sink =
      op.getInput() == Input::A ? model::Tensor::A : model::Tensor::B;
  if (to->producedInput() != sink || !to->takesSoftmax())
    return op.emitOpError("doesn't fit its kernel: term ")
           << op.getTo() << " takes no softmax as that input";
  if (!to->isConsumerOf(*from))
    return op.emitOpError("doesn't fit its kernel: term ")
           << op.getFrom() << " computes no input of term " << op.getTo();
  RowStatistics statistics(op, op.getStatistics(), *from, *to);
  const model::SoftmaxRows &rows = statistics.getRows();
  if (int64_t count =
          cast<MemRefType>(op.getStatistics().getType()).getNumElements();
      count != rows.count())
    return op.emitOpError("doesn't fit its kernel: it needs ")
           << rows.count() << " numbers for rows, but there are " << count;
  const model::KernelLayout &layout = ofTerm == 0 ? to->layout : from->layout;
  int64_t expected = layout.registerM * (layout.registerN / layout.groupN);
  if (accumulators && accumulators != expected)
    return op.emitOpError("doesn't fit its kernel: expected ")
           << expected << " vectors of sums, got " << accumulators;
  return build(statistics, *from, *to);
}

/// Checks that there is a number for each row of a thread.
static LogicalResult checkRows(Operation *op, const RowStatistics &statistics,
                               const KernelInfo &from, size_t numbers) {
  int64_t expected = statistics.getRows().alongN ? from.layout.registerN
                                                 : from.layout.registerM;
  if (static_cast<int64_t>(numbers) == expected)
    return success();
  return op->emitOpError("doesn't fit its kernel: a thread has ")
         << expected << " rows, but there are numbers of " << numbers;
}

static LogicalResult lower(KernelPlans &plans, ExponentiateAccumulatorsOp op) {
  return lowerBy(
      plans, op, static_cast<int64_t>(op.getAccumulators().size()),
      /*ofTerm=*/1,
      [&](RowStatistics &statistics, const KernelInfo &from,
          const KernelInfo &to) -> LogicalResult {
        if (failed(checkRows(op, statistics, from, op.getMaxima().size())))
          return failure();
        if (op.getKOrigins().size() != to.layout.k.size())
          return op.emitOpError("doesn't fit its kernel: term ")
                 << op.getTo() << " sums over " << to.layout.k.size()
                 << " indices, but there are " << op.getKOrigins().size()
                 << " origins";
        op->replaceAllUsesWith(statistics.exponentiate(op));
        op.erase();
        return success();
      });
}

static LogicalResult lower(KernelPlans &plans, StoreRowReciprocalsOp op) {
  return lowerBy(
      plans, op, /*accumulators=*/0, /*ofTerm=*/1,
      [&](RowStatistics &statistics, const KernelInfo &from,
          const KernelInfo &) -> LogicalResult {
        if (failed(checkRows(op, statistics, from, op.getSums().size())))
          return failure();
        statistics.storeReciprocals(op);
        op.erase();
        return success();
      });
}

static LogicalResult lower(KernelPlans &plans, RescaleAccumulatorsOp op) {
  return lowerBy(plans, op, static_cast<int64_t>(op.getAccumulators().size()),
                 /*ofTerm=*/0,
                 [&](RowStatistics &statistics, const KernelInfo &,
                     const KernelInfo &) -> LogicalResult {
                   op->replaceAllUsesWith(statistics.rescale(op));
                   op.erase();
                   return success();
                 });
}

namespace {
struct LowerRowStatistics
    : public tc::impl::TCLowerRowStatisticsBase<LowerRowStatistics> {
  void runOnOperation() override {
    auto &plans = getAnalysis<KernelPlans>();
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<ExponentiateAccumulatorsOp, StoreRowReciprocalsOp,
              RescaleAccumulatorsOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      LogicalResult lowered =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<ExponentiateAccumulatorsOp, StoreRowReciprocalsOp,
                    RescaleAccumulatorsOp>(
                  [&](auto each) { return lower(plans, each); });
      if (failed(lowered))
        return signalPassFailure();
    }
  }
};
} // namespace
