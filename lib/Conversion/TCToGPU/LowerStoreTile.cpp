//===- LowerStoreTile.cpp - Expand the storing of accumulators ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.store_tile into the accesses of one thread, with alpha and beta,
// and tc.reduce_tile into the sum of what it would store.
//
//===----------------------------------------------------------------------===//

#include "ExchangeWords.h"
#include "TileIndexing.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ComplexArithmetic.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"
#include "tc/Dialect/TC/Utils/ScaleOutput.h"
#include "tc/Gpu/Layout/StoreExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <limits>

namespace tc {
#define GEN_PASS_DEF_TCLOWERSTORETILE
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::VectorType;

namespace {

/// A run of a thread's elements along one side of the tile: where it begins, in
/// C and in the auxiliary tensors, and whether it lies in them.
struct Run {
  SplitIndex offset;
  SmallVector<SplitIndex> auxiliaries;
  Value inside;
};

/// The operands that both operations have.
struct TileOperands {
  TileOperands(StoreTileOp op)
      : op(op), accumulators(op.getAccumulators()), origins(op.getOrigins()),
        auxiliaries(op.getAuxiliaries()), alpha(op.getAlpha()),
        beta(op.getBeta()), dest(op.getDest()),
        epilogue(op.getEpilogue().empty() ? nullptr
                                          : &op.getEpilogue().front()) {}
  TileOperands(ReduceTileOp op)
      : op(op), accumulators(op.getAccumulators()), origins(op.getOrigins()),
        auxiliaries(op.getAuxiliaries()), alpha(op.getAlpha()),
        epilogue(op.getEpilogue().empty() ? nullptr
                                          : &op.getEpilogue().front()) {}

  Operation *op;
  mlir::ValueRange accumulators, origins, auxiliaries;
  Value alpha, beta;
  /// Null if the elements are added up.
  Value dest;
  mlir::Region *epilogue;
};

class TileStore {
public:
  TileStore(const TileOperands &operands, const KernelInfo &kernel)
      : tile(operands), kernel(kernel), shape(kernel, operands.op),
        layout(kernel.layout), semiring(kernel.contraction.semiring),
        builder(tile.op),
        loc(nameStep(tile.op, tile.dest ? "store tile" : "reduce tile")),
        offset(builder, loc,
               offsetType(kernel, model::Tensor::C, builder.getContext())),
        coordinate(builder, loc, coordinateType(kernel, builder.getContext())),
        stores(model::layoutOfStores(layout)),
        exchanging(model::exchangingLanes(layout)),
        finishesFirst(exchanging > 1 && !operands.beta && !operands.epilogue),
        sums(operands.accumulators) {}

  /// Stores the tile, or returns the sum of its elements.
  Value build();

private:
  void keepSumsInPlace();
  Run runAt(bool ofN, int64_t element);
  Value origin(unsigned index);
  Value scalar(int64_t m, int64_t n, int64_t part);
  void findStorePlace();
  SmallVector<Value> exchange(SmallVector<Value> words) {
    return exchangeWords(builder, loc, std::move(words), laneOfExchange);
  }
  SmallVector<Value> exchangeSums(SmallVector<Value> elements);
  /// The stride of an index in flat C.
  UniformNumber strideOf(unsigned index) const {
    return shape.stride(model::Tensor::C, index);
  }
  IndexBuilder auxiliaryOffset(const AuxiliaryTensor &auxiliary);
  Value originOffset(IndexBuilder &offset, UniformNumber first,
                     llvm::function_ref<UniformNumber(unsigned)> stride);
  Value scale(Value factor, Value elements);
  Value load(VectorType type, Value at);
  Value contributes(Type sumType);
  Value loadOld(VectorType type, Value at);
  Value addOld(Value sum, Value at, Value old);
  Value loadAuxiliary(unsigned number, SplitIndex element);
  Value finish(Value sum, Value old, const Run &m, const Run &n);
  /// The type in which a vector of sums is stored.
  VectorType storedType(VectorType type) {
    // A flat buffer of complex numbers has their parts.
    MemRefType of = tile.dest ? cast<MemRefType>(tile.dest.getType())
                              : kernel.types[model::Tensor::C];
    return type.clone(of.getElementType());
  }
  void store(Value sum, const Run &m, const Run &n);
  void add(Value sum, const Run &m, const Run &n);
  Value condition(const Run &m, const Run &n);

  const TileOperands &tile;
  const KernelInfo &kernel;
  ShapeValues shape;
  const model::KernelLayout &layout;
  model::Semiring semiring;
  OpBuilder builder;
  Location loc;
  IndexBuilder offset, coordinate;
  /// The layout and this thread's place in it, as stores see them, and by which
  /// of the lanes that exchange sums it is.
  const model::KernelLayout stores;
  int64_t exchanging;
  ThreadPosition thread;
  Value laneOfExchange;
  /// Sums are scaled and converted before they are exchanged.
  bool finishesFirst;
  /// The accumulators.
  SmallVector<Value> sums;
  /// Of the elements that have been added up.
  Value total;
  /// The beginning of the tile in C and in each auxiliary tensor.
  Value base;
  SmallVector<Value> auxiliaryBases;
};

} // namespace

Value TileStore::origin(unsigned index) {
  for (auto [dim, value] : llvm::zip_equal(kernel.outputDims(), tile.origins))
    if (dim.index == index)
      return value;
  llvm_unreachable("the output's tile has only the output's indices");
}

/// Has the sums computed before anything that depends on whether they are
/// stored. Where K takes no loop, LLVM would sink all products into what is
/// guarded, behind the loads of all their factors at once: more than there are
/// registers. Instructions for matrices stay where they are by themselves.
void TileStore::keepSumsInPlace() {
  auto isRagged = [](const model::TileDim &dim) { return dim.ragged(); };
  bool isGuarded =
      llvm::any_of(layout.m, isRagged) || llvm::any_of(layout.n, isRagged);
  if (layout.steps != 1 || layout.hasDynamicShape || !isGuarded ||
      layout.isCollective())
    return;
  for (Value &sum : sums) {
    auto type = cast<VectorType>(sum.getType());
    SmallVector<Value> elements;
    for (int64_t v = 0; v < type.getNumElements(); ++v)
      elements.push_back(keepInPlace(
          builder, loc, vector::ExtractOp::create(builder, loc, sum, v)));
    sum = vector::FromElementsOp::create(builder, loc, type, elements);
  }
}

/// Locates a thread's element number `element` along N or M.
Run TileStore::runAt(bool ofN, int64_t element) {
  SmallVector<model::TileDim> order(llvm::reverse(ofN ? layout.n : layout.m));
  SmallVector<SplitIndex> local =
      localCoordinates(builder, loc, stores, ofN, thread, element);

  Run run;
  run.auxiliaries.resize(kernel.auxiliaries.size());
  SmallVector<Value> conditions;
  for (auto [dim, at] : llvm::zip_equal(order, local)) {
    run.offset = offset.sum(run.offset, offset.scale(at, strideOf(dim.index)));
    if (at.condition && (dim.ragged() || !kernel.auxiliaries.empty()))
      at = IndexBuilder(builder, loc, builder.getI32Type()).resolve(at);
    for (auto [number, begin] : llvm::enumerate(run.auxiliaries)) {
      IndexBuilder ofAuxiliary = auxiliaryOffset(kernel.auxiliaries[number]);
      SplitIndex distance = ofAuxiliary.scale(
          {at.value, at.constant}, shape.auxiliaryStride(number, dim.index));
      begin.value = ofAuxiliary.add(begin.value, distance.value);
      begin.constant += distance.constant;
    }
    if (dim.ragged())
      conditions.push_back(coordinate.lessThan(
          {coordinate.add(origin(dim.index), coordinate.extend(at.value)),
           at.constant},
          shape.extent(dim.index)));
  }
  run.offset = offset.resolve(run.offset);
  run.inside = conjunction(builder, loc, conditions);
  return run;
}

/// A thread's accumulator of a row and a column; of complex numbers that are
/// elements, that of a part.
Value TileStore::scalar(int64_t m, int64_t n, int64_t part) {
  int64_t columns = layout.registerN / layout.groupN;
  int64_t row = part * layout.registerM + m;
  Value sum = sums[row * columns + n / layout.groupN];
  return vector::ExtractOp::create(builder, loc, sum, n % layout.groupN);
}

/// Finds the thread's place among those of its block, and, where lanes exchange
/// sums, the one that it has in `stores`, as `placeOfStores` says.
void TileStore::findStorePlace() {
  thread = threadPosition(builder, loc, layout);
  if (exchanging == 1)
    return;
  IndexBuilder index(builder, loc, builder.getI32Type());
  Value &position = layout.storesAlongN ? thread.n : thread.m;
  int64_t threads = layout.storesAlongN ? layout.threadsN : layout.threadsM;
  laneOfExchange = index.remainder(position, exchanging, threads);
  position = index.add(index.multiply(laneOfExchange, threads / exchanging),
                       index.divide(position, exchanging, threads));
}

/// The sums that the thread stores of those that it has: neighbours along C, of
/// which each pair has come from one lane. Those that are finished first share
/// words.
SmallVector<Value> TileStore::exchangeSums(SmallVector<Value> elements) {
  SmallVector<Value> result(elements.size());
  if (!finishesFirst) {
    int64_t group = layout.widthC / exchanging;
    for (int64_t within = 0; within < group; ++within) {
      SmallVector<Value> words;
      for (int64_t product = 0; product < exchanging; ++product)
        words.push_back(elements[product * group + within]);
      for (auto [product, word] : llvm::enumerate(exchange(words)))
        result[product * group + within] = word;
    }
    return result;
  }
  auto sumType = VectorType::get({layout.widthC}, elements[0].getType());
  Value sum = vector::FromElementsOp::create(builder, loc, sumType, elements);
  if (tile.alpha)
    sum = scale(tile.alpha, sum);
  auto wordType = VectorType::get({exchanging}, builder.getI32Type());
  Value words = vector::BitCastOp::create(
      builder, loc, wordType,
      convertElements(builder, loc, sum, storedType(sumType).getElementType()));
  SmallVector<Value> parts;
  for (int64_t product = 0; product < exchanging; ++product)
    parts.push_back(vector::ExtractOp::create(builder, loc, words, product));
  Value exchanged = vector::BitCastOp::create(
      builder, loc, storedType(sumType),
      vector::FromElementsOp::create(builder, loc, wordType, exchange(parts)));
  for (int64_t v = 0; v < layout.widthC; ++v)
    result[v] = vector::ExtractOp::create(builder, loc, exchanged, v);
  return result;
}

/// Offsets in an auxiliary tensor are as wide as coordinates at least.
IndexBuilder TileStore::auxiliaryOffset(const AuxiliaryTensor &auxiliary) {
  if (!shape.isKnown())
    return {builder, loc, offset.getType()};
  bool isNarrow = auxiliary.elements <= std::numeric_limits<int32_t>::max() &&
                  coordinate.getType() == builder.getI32Type();
  return {builder, loc, isNarrow ? builder.getI32Type() : builder.getI64Type()};
}

/// The offset of the tile's first element in a tensor of those strides, which
/// begins at `first`.
Value TileStore::originOffset(
    IndexBuilder &arithmetic, UniformNumber first,
    llvm::function_ref<UniformNumber(unsigned)> stride) {
  Value sum = first.value;
  if (!sum && first.constant)
    sum = arithmetic.constant(first.constant);
  for (auto [dim, value] : llvm::zip_equal(kernel.outputDims(), tile.origins))
    sum = arithmetic.add(
        sum, arithmetic.multiply(arithmetic.extend(value), stride(dim.index)));
  return sum;
}

/// Multiplies sums by alpha or old elements by beta.
Value TileStore::scale(Value factor, Value elements) {
  if (!isa<mlir::ComplexType>(factor.getType()))
    return multiply(
        builder, loc, semiring,
        vector::BroadcastOp::create(builder, loc, elements.getType(), factor),
        elements);
  auto [real, imaginary] = splitFactor(builder, loc, factor);
  return scaleNumbers(builder, loc, real, imaginary, elements);
}

/// The output's present elements, as they are.
Value TileStore::load(VectorType type, Value at) {
  auto access = vector::LoadOp::create(builder, loc, storedType(type),
                                       tile.dest, mlir::ValueRange{at});
  access.setAlignment(vectorBytes(storedType(type)));
  return access;
}

/// The condition that a beta that is known at run time only is not zero; null
/// if beta is a constant.
Value TileStore::contributes(Type sumType) {
  if (mlir::matchPattern(tile.beta, mlir::m_Constant()))
    return {};
  Value zero =
      arith::ConstantOp::create(builder, loc, getZero(semiring, sumType));
  auto differs = [&](Value number) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                 number, zero);
  };
  if (isa<mlir::ComplexType>(tile.beta.getType()))
    return arith::OrIOp::create(
        builder, loc, differs(complex::ReOp::create(builder, loc, tile.beta)),
        differs(complex::ImOp::create(builder, loc, tile.beta)));
  if (isa<FloatType>(sumType))
    return differs(tile.beta);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                               tile.beta, zero);
}

/// The output's present elements in the type of the sums. A beta that turns out
/// to be zero at run time must not let NaN through, so then they are not
/// loaded: the product of zero and one is zero.
Value TileStore::loadOld(VectorType type, Value at) {
  auto loadSums = [&] {
    return convertElements(builder, loc, load(type, at), type.getElementType());
  };
  Value condition = contributes(type.getElementType());
  if (!condition)
    return loadSums();
  auto guarded = scf::IfOp::create(builder, loc, type, condition,
                                   /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(builder, loc, loadSums());
  builder.setInsertionPointToStart(guarded.elseBlock());
  Value none = arith::ConstantOp::create(builder, loc, getOne(semiring, type));
  scf::YieldOp::create(builder, loc, none);
  return guarded.getResult(0);
}

/// Combines a sum with beta times the output's elements, which `old` has if
/// they have been loaded.
Value TileStore::addOld(Value sum, Value at, Value old) {
  auto type = cast<VectorType>(sum.getType());
  Value beta;
  if (!isa<mlir::ComplexType>(tile.beta.getType()))
    beta = vector::BroadcastOp::create(builder, loc, type, tile.beta);
  auto addTerm = [&](Value term) -> Value {
    if (!beta)
      return arith::AddFOp::create(builder, loc, scale(tile.beta, term), sum);
    return multiplyAndCombine(builder, loc, semiring, beta, term, sum);
  };
  if (!old)
    return addTerm(loadOld(type, at));
  Value added =
      addTerm(convertElements(builder, loc, old, type.getElementType()));
  if (Value condition = contributes(type.getElementType()))
    return arith::SelectOp::create(builder, loc, condition, added, sum);
  return added;
}

/// The elements of an auxiliary tensor for one vector of C: one for all where
/// the tensor does not have the index that the vector goes along.
Value TileStore::loadAuxiliary(unsigned number, SplitIndex element) {
  const AuxiliaryTensor &auxiliary = kernel.auxiliaries[number];
  IndexBuilder index = auxiliaryOffset(auxiliary);
  Value flat = tile.auxiliaries[number];
  Type elementType = auxiliary.type.getElementType();
  auto type = VectorType::get({layout.widthC}, elementType);
  auto loadAt = [&](SplitIndex distance, int64_t width) -> Value {
    auto piece = VectorType::get({width}, elementType);
    SplitIndex at = index.sum(element, distance);
    auto access = vector::LoadOp::create(builder, loc, piece, flat,
                                         mlir::ValueRange{index.toIndex(at)});
    access.setAlignment(vectorBytes(piece));
    return access;
  };
  if (auxiliary.width == layout.widthC)
    return loadAt({}, auxiliary.width);
  if (auxiliary.vectorStride == 0)
    return vector::BroadcastOp::create(
        builder, loc, type,
        vector::ExtractOp::create(builder, loc, loadAt({}, 1), 0));
  SmallVector<Value> elements;
  UniformNumber stride = shape.auxiliaryStride(
      number, *kernel.contraction.strideOneIndex(model::Tensor::C));
  for (int64_t v = 0; v < layout.widthC; v += auxiliary.width) {
    Value piece = loadAt(index.scale({Value(), v}, stride), auxiliary.width);
    for (int64_t i = 0; i < auxiliary.width; ++i)
      elements.push_back(vector::ExtractOp::create(builder, loc, piece, i));
  }
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

/// The elements to store of a vector of sums that alpha and beta have been
/// applied to.
Value TileStore::finish(Value sum, Value old, const Run &m, const Run &n) {
  auto type = cast<VectorType>(sum.getType());
  if (!tile.epilogue)
    return convertElements(builder, loc, sum,
                           storedType(type).getElementType());
  SmallVector<Value> arguments = {sum};
  // Unused arguments need not be loaded.
  for (mlir::BlockArgument argument :
       tile.epilogue->getArguments().drop_front()) {
    unsigned number = argument.getArgNumber();
    if (argument.use_empty()) {
      arguments.push_back(arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(type.clone(argument.getType()))));
      continue;
    }
    if (number == 1) {
      arguments.push_back(old);
      continue;
    }
    unsigned auxiliary = number - 2;
    IndexBuilder index = auxiliaryOffset(kernel.auxiliaries[auxiliary]);
    arguments.push_back(loadAuxiliary(
        auxiliary, {index.add(index.add(auxiliaryBases[auxiliary],
                                        m.auxiliaries[auxiliary].value),
                              n.auxiliaries[auxiliary].value),
                    m.auxiliaries[auxiliary].constant +
                        n.auxiliaries[auxiliary].constant}));
  }
  return applyRegion(builder, loc, *tile.epilogue, arguments);
}

/// The condition that elements of a row and a column lie in the tensor; null if
/// all do.
Value TileStore::condition(const Run &m, const Run &n) {
  SmallVector<Value> conditions;
  for (const Run *run : {&m, &n})
    if (run->inside)
      conditions.push_back(run->inside);
  return conjunction(builder, loc, conditions);
}

void TileStore::store(Value sum, const Run &m, const Run &n) {
  auto type = cast<VectorType>(sum.getType());
  SplitIndex element{
      offset.add(offset.add(base, m.offset.value), n.offset.value),
      m.offset.constant + n.offset.constant};

  mlir::OpBuilder::InsertionGuard guard(builder);
  if (Value inside = condition(m, n)) {
    auto guarded = scf::IfOp::create(builder, loc, inside, false);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  Value at = offset.toIndex(element);
  bool usesOld = tile.epilogue && !tile.epilogue->getArgument(1).use_empty();
  Value old = usesOld ? load(type, at) : Value();
  if (tile.alpha && !finishesFirst)
    sum = scale(tile.alpha, sum);
  if (tile.beta)
    sum = addOld(sum, at, old);
  Value stored = finish(sum, old, m, n);
  auto access = vector::StoreOp::create(builder, loc, stored, tile.dest,
                                        mlir::ValueRange{at});
  access.setAlignment(vectorBytes(cast<VectorType>(stored.getType())));
}

/// Adds what would be stored of a vector to the total.
void TileStore::add(Value sum, const Run &m, const Run &n) {
  auto addElements = [&] {
    Value elements = tile.alpha ? scale(tile.alpha, sum) : sum;
    elements = convertElements(builder, loc, finish(elements, {}, m, n),
                               total.getType());
    Value result = total;
    for (int64_t v = 0; v < layout.widthC; ++v)
      result = combine(builder, loc, SemiringCode(), result,
                       vector::ExtractOp::create(builder, loc, elements, v));
    return result;
  };
  Value inside = condition(m, n);
  if (!inside) {
    total = addElements();
    return;
  }
  auto guarded = scf::IfOp::create(builder, loc, total.getType(), inside,
                                   /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(builder, loc, addElements());
  builder.setInsertionPointToStart(guarded.elseBlock());
  scf::YieldOp::create(builder, loc, total);
  total = guarded.getResult(0);
}

Value TileStore::build() {
  keepSumsInPlace();
  findStorePlace();
  if (!tile.dest)
    total = arith::ConstantOp::create(
        builder, loc,
        builder.getZeroAttr(getElementType(
            builder.getContext(),
            model::reductionTypeOf(
                kernel.contraction.elementType[model::Tensor::C]))));
  int64_t parts = kernel.numbersOfElement(model::Tensor::C);
  base = originOffset(offset, shape.offset(model::Tensor::C),
                      [&](unsigned index) { return strideOf(index); });
  for (auto [number, auxiliary] : llvm::enumerate(kernel.auxiliaries)) {
    IndexBuilder index = auxiliaryOffset(auxiliary);
    auxiliaryBases.push_back(originOffset(
        index, shape.auxiliaryOffset(number), [&, place = number](unsigned of) {
          return shape.auxiliaryStride(place, of);
        }));
  }

  int64_t widthM = layout.storesAlongN ? 1 : layout.widthC;
  int64_t widthN = layout.storesAlongN ? layout.widthC : 1;
  SmallVector<Run> rows, columns;
  for (int64_t m = 0; m < layout.registerM; m += widthM)
    rows.push_back(runAt(/*ofN=*/false, m));
  for (int64_t n = 0; n < layout.registerN; n += widthN)
    columns.push_back(runAt(/*ofN=*/true, n));

  for (auto [row, m] : llvm::enumerate(rows))
    for (auto [column, n] : llvm::enumerate(columns)) {
      SmallVector<Value> elements;
      for (int64_t v = 0; v < layout.widthC; ++v)
        for (int64_t part = 0; part < parts; ++part)
          elements.push_back(scalar(row * widthM + (widthM > 1 ? v : 0),
                                    column * widthN + (widthN > 1 ? v : 0),
                                    part));
      if (exchanging > 1)
        elements = exchangeSums(elements);
      auto type =
          VectorType::get({layout.widthC * parts}, elements[0].getType());
      Value sum = vector::FromElementsOp::create(builder, loc, type, elements);
      if (tile.dest)
        store(sum, m, n);
      else
        add(sum, m, n);
    }
  return total;
}

/// Checks that the operands are those of a tile of the kernel.
static LogicalResult checkFit(const TileOperands &tile,
                              const KernelInfo &kernel) {
  const model::KernelLayout &layout = kernel.layout;
  int64_t expected = layout.registerM * (layout.registerN / layout.groupN) *
                     kernel.numbersOfElement(model::Tensor::C);
  if (static_cast<int64_t>(tile.accumulators.size()) != expected ||
      cast<VectorType>(tile.accumulators.front().getType()).getNumElements() !=
          layout.groupN ||
      tile.origins.size() != kernel.outputDims().size())
    return tile.op->emitOpError("doesn't fit the kernel's layout: expected ")
           << expected << " accumulators of " << layout.groupN << " and "
           << kernel.outputDims().size() << " origins";
  if (tile.auxiliaries.size() != kernel.auxiliaries.size())
    return tile.op->emitOpError("doesn't fit its kernel: expected ")
           << kernel.auxiliaries.size() << " auxiliary tensors, got "
           << tile.auxiliaries.size();
  if (kernel.contraction.reducesC == static_cast<bool>(tile.dest))
    return tile.op->emitOpError("doesn't fit its kernel, which ")
           << (tile.dest ? "adds up the elements of C" : "stores C");
  return success();
}

template <typename Op>
static LogicalResult lowerStore(KernelPlans &plans, Op op) {
  int64_t term = 0;
  if constexpr (std::is_same_v<Op, StoreTileOp>)
    term = static_cast<int64_t>(op.getTerm());
  const KernelInfo *kernel = plans.enclosing(op, term);
  TileOperands tile(op);
  if (!kernel || failed(checkFit(tile, *kernel)))
    return failure();
  Value sum = TileStore(tile, *kernel).build();
  if constexpr (std::is_same_v<Op, ReduceTileOp>) {
    if (op.getSum().getType() != sum.getType())
      return op.emitOpError("doesn't fit its kernel: expected a sum of ")
             << sum.getType() << ", got " << op.getSum().getType();
    op.getSum().replaceAllUsesWith(sum);
  }
  op.erase();
  return success();
}

namespace {
struct LowerStoreTile : public tc::impl::TCLowerStoreTileBase<LowerStoreTile> {
  template <typename Op> LogicalResult lowerAll() {
    auto &plans = getAnalysis<KernelPlans>();
    SmallVector<Op> ops;
    getOperation()->walk([&](Op op) { ops.push_back(op); });
    for (Op op : ops)
      if (failed(lowerStore(plans, op)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    if (failed(lowerAll<StoreTileOp>()) || failed(lowerAll<ReduceTileOp>()))
      return signalPassFailure();
  }
};
} // namespace
