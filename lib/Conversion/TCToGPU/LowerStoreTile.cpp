//===- LowerStoreTile.cpp - Expand the storing of accumulators ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.store_tile into the accesses of one thread, with alpha and beta.
//
//===----------------------------------------------------------------------===//

#include "TileIndexing.h"

#include "tc/Conversion/ElementArithmetic.h"
#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERSTORETILE
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::VectorType;

namespace {

/// A run of a thread's elements along one side of the tile: where it begins and
/// whether it lies in the tensor.
struct Run {
  SplitIndex offset;
  Value inside;
};

class TileStore {
public:
  TileStore(StoreTileOp op, const KernelInfo &kernel)
      : op(op), kernel(kernel), layout(kernel.layout),
        semiring(kernel.contraction.semiring), builder(op),
        loc(nameStep(op, "store tile")),
        offset(builder, loc,
               offsetType(kernel, model::Tensor::C, op.getContext())),
        coordinate(builder, loc, coordinateType(kernel, op.getContext())) {}

  void build();

private:
  Run runAt(ArrayRef<model::TileDim> dims, Value position, int64_t threads,
            int64_t group, int64_t element);
  Value origin(unsigned index);
  Value scalar(int64_t m, int64_t n);
  Value loadOld(VectorType type, Value at);
  /// What a vector of sums is stored as.
  VectorType storedType(VectorType type) {
    return type.clone(
        cast<MemRefType>(op.getDest().getType()).getElementType());
  }
  void store(Value sum, const Run &m, const Run &n, Value base);

  StoreTileOp op;
  const KernelInfo &kernel;
  const model::KernelLayout &layout;
  model::Semiring semiring;
  OpBuilder builder;
  Location loc;
  IndexBuilder offset, coordinate;
};

} // namespace

Value TileStore::origin(unsigned index) {
  for (auto [dim, value] :
       llvm::zip_equal(kernel.outputDims(), op.getOrigins()))
    if (dim.index == index)
      return value;
  llvm_unreachable("the output's tile has only the output's indices");
}

/// Locates a thread's element number `element` along one side, whose dimensions
/// are `dims` (last fastest) and which `threads` threads share in groups of
/// `group` neighbours.
Run TileStore::runAt(ArrayRef<model::TileDim> dims, Value position,
                     int64_t threads, int64_t group, int64_t element) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  SmallVector<model::TileDim> order(llvm::reverse(dims));
  SmallVector<int64_t> radices;
  for (const model::TileDim &dim : order)
    radices.push_back(dim.tile);

  // element = (round * threads + position) * group + within
  int64_t round = element / group, within = element % group;
  SmallVector<SplitIndex> local;
  if (!order.empty() && order.front().tile % group == 0) {
    radices.front() /= group;
    local = digits(index, position ? position : index.constant(0), threads,
                   round, radices);
    local.front().value = index.multiply(local.front().value, group);
    local.front().constant = local.front().constant * group + within;
  } else {
    Value number = index.add(index.multiply(position, group),
                             index.constant(round * threads * group + within));
    int64_t block = 1;
    for (int64_t radix : radices)
      block *= radix;
    local = digits(index, number, block, 0, radices);
  }

  Run run;
  SmallVector<Value> conditions;
  for (auto [dim, at] : llvm::zip_equal(order, local)) {
    int64_t stride =
        kernel.contraction.indices[dim.index].stride[model::Tensor::C];
    run.offset.value = offset.add(
        run.offset.value, offset.multiply(offset.extend(at.value), stride));
    run.offset.constant += at.constant * stride;
    if (dim.ragged())
      conditions.push_back(coordinate.lessThan(
          coordinate.add(origin(dim.index), coordinate.extend(at.value)),
          dim.extent - at.constant));
  }
  run.inside = conjunction(builder, loc, conditions);
  return run;
}

Value TileStore::scalar(int64_t m, int64_t n) {
  int64_t columns = layout.registerN / layout.groupN;
  Value sum = op.getAccumulators()[m * columns + n / layout.groupN];
  return vector::ExtractOp::create(builder, loc, sum, n % layout.groupN);
}

/// The output's present elements in the type of the sums. A beta that turns out
/// to be zero at run time must not let NaN through, so then they are not
/// loaded: the product of zero and one is zero.
Value TileStore::loadOld(VectorType type, Value at) {
  auto load = [&]() -> Value {
    VectorType stored = storedType(type);
    auto access = vector::LoadOp::create(builder, loc, stored, op.getDest(),
                                         mlir::ValueRange{at});
    access.setAlignment(vectorBytes(stored));
    return convertElements(builder, loc, access, type.getElementType());
  };
  if (mlir::matchPattern(op.getBeta(), mlir::m_Constant()))
    return load();
  Value zero = arith::ConstantOp::create(
      builder, loc, getZero(semiring, type.getElementType()));
  Value contributes;
  if (isa<FloatType>(type.getElementType()))
    contributes = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                        op.getBeta(), zero);
  else
    contributes = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        op.getBeta(), zero);
  auto guarded = scf::IfOp::create(builder, loc, type, contributes,
                                   /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(builder, loc, load());
  builder.setInsertionPointToStart(guarded.elseBlock());
  Value none = arith::ConstantOp::create(builder, loc, getOne(semiring, type));
  scf::YieldOp::create(builder, loc, none);
  return guarded.getResult(0);
}

void TileStore::store(Value sum, const Run &m, const Run &n, Value base) {
  auto type = cast<VectorType>(sum.getType());
  SmallVector<Value> conditions;
  for (const Run *run : {&m, &n})
    if (run->inside)
      conditions.push_back(run->inside);
  SplitIndex element{
      offset.add(offset.add(base, m.offset.value), n.offset.value),
      m.offset.constant + n.offset.constant};

  mlir::OpBuilder::InsertionGuard guard(builder);
  if (Value condition = conjunction(builder, loc, conditions)) {
    auto guarded = scf::IfOp::create(builder, loc, condition, false);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  Value at = offset.toIndex(element);
  auto broadcast = [&](Value value) -> Value {
    return vector::BroadcastOp::create(builder, loc, type, value);
  };
  if (Value alpha = op.getAlpha())
    sum = multiply(builder, loc, semiring, broadcast(alpha), sum);
  if (Value beta = op.getBeta())
    sum = multiplyAndCombine(builder, loc, semiring, broadcast(beta),
                             loadOld(type, at), sum);
  VectorType stored = storedType(type);
  sum = convertElements(builder, loc, sum, stored.getElementType());
  auto access = vector::StoreOp::create(builder, loc, sum, op.getDest(),
                                        mlir::ValueRange{at});
  access.setAlignment(vectorBytes(stored));
}

void TileStore::build() {
  ThreadPosition thread = threadPosition(builder, loc, layout);
  Value base;
  if (int64_t first = kernel.contraction.offset[model::Tensor::C])
    base = offset.constant(first);
  for (auto [dim, value] :
       llvm::zip_equal(kernel.outputDims(), op.getOrigins()))
    base = offset.add(
        base,
        offset.multiply(
            offset.extend(value),
            kernel.contraction.indices[dim.index].stride[model::Tensor::C]));

  int64_t widthM = layout.storesAlongN ? 1 : layout.widthC;
  int64_t widthN = layout.storesAlongN ? layout.widthC : 1;
  SmallVector<Run> rows, columns;
  for (int64_t m = 0; m < layout.registerM; m += widthM)
    rows.push_back(
        runAt(layout.m, thread.m, layout.threadsM, layout.groupM, m));
  for (int64_t n = 0; n < layout.registerN; n += widthN)
    columns.push_back(
        runAt(layout.n, thread.n, layout.threadsN, layout.groupN, n));

  for (auto [row, m] : llvm::enumerate(rows))
    for (auto [column, n] : llvm::enumerate(columns)) {
      SmallVector<Value> elements;
      for (int64_t v = 0; v < layout.widthC; ++v)
        elements.push_back(scalar(row * widthM + (widthM > 1 ? v : 0),
                                  column * widthN + (widthN > 1 ? v : 0)));
      auto type = VectorType::get({layout.widthC}, elements[0].getType());
      Value sum = vector::FromElementsOp::create(builder, loc, type, elements);
      store(sum, m, n, base);
    }
}

static LogicalResult lower(StoreTileOp op) {
  FailureOr<KernelInfo> kernel = getEnclosingKernelInfo(op);
  if (failed(kernel))
    return failure();
  const model::KernelLayout &layout = kernel->layout;
  int64_t expected = layout.registerM * (layout.registerN / layout.groupN);
  if (static_cast<int64_t>(op.getAccumulators().size()) != expected ||
      cast<VectorType>(op.getAccumulators().front().getType())
              .getNumElements() != layout.groupN ||
      op.getOrigins().size() != kernel->outputDims().size())
    return op.emitOpError("doesn't fit the kernel's layout: expected ")
           << expected << " accumulators of " << layout.groupN << " and "
           << kernel->outputDims().size() << " origins";
  TileStore(op, *kernel).build();
  op.erase();
  return success();
}

namespace {
struct LowerStoreTile : public tc::impl::TCLowerStoreTileBase<LowerStoreTile> {
  void runOnOperation() override {
    SmallVector<StoreTileOp> ops;
    getOperation()->walk([&](StoreTileOp op) { ops.push_back(op); });
    for (StoreTileOp op : ops)
      if (failed(lower(op)))
        return signalPassFailure();
  }
};
} // namespace
