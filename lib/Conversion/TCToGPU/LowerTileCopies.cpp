//===- LowerTileCopies.cpp - Expand the tiled copy of tiles ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.load_tile_from_global, tc.store_tile_to_shared and tc.copy_tile
// into the accesses of one thread.
//
//===----------------------------------------------------------------------===//

#include "MatrixRows.h"
#include "TileIndexing.h"

#include "tc/Analysis/UserSemirings.h"
#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ComplexArithmetic.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERTILECOPIES
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace nvgpu = mlir::nvgpu;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::VectorType;

namespace {

/// The accesses with which the calling thread copies its part of a tile.
class TileCopy {
public:
  TileCopy(OpBuilder &builder, Operation *op, Location loc,
           const KernelInfo &kernel, Input input)
      : builder(builder), loc(loc), kernel(kernel), shape(kernel, op),
        tensor(input == Input::A ? model::Tensor::A : model::Tensor::B),
        tiledCopy(input == Input::A ? kernel.layout.a : kernel.layout.b) {
    for (const model::TileDim &dim : tiledCopy.order)
      radices.push_back(dim.tile);
    if (!radices.empty())
      radices.front() /= tiledCopy.width;
  }

  /// Coordinates within the tile, in the order of the tiled copy, of the first
  /// element of the thread's access number `round`.
  SmallVector<SplitIndex> coordinates(int64_t round) {
    IndexBuilder index(builder, loc, builder.getI32Type());
    SmallVector<SplitIndex> result =
        digits(index, threadNumber(builder, loc, index.getType()),
               tiledCopy.threads, round, radices);
    for (SplitIndex &digit : result)
      digit = index.resolve(digit);
    if (!result.empty()) {
      result[0].value = index.multiply(result[0].value, tiledCopy.width);
      result[0].constant *= tiledCopy.width;
    }
    return result;
  }

  /// The condition that access number `round` exists, null if it does for all
  /// threads.
  Value exists(int64_t round) {
    int64_t left = std::min(tiledCopy.accesses - round * tiledCopy.threads,
                            tiledCopy.threads);
    if (left == kernel.layout.threads)
      return Value();
    IndexBuilder index(builder, loc, builder.getI32Type());
    return index.lessThan(threadNumber(builder, loc, index.getType()), left);
  }

  /// Numbers that one access loads.
  int64_t numbersOfAccess() const {
    return tiledCopy.width * kernel.numbersOfElement(tensor);
  }

  /// Loads the thread's elements; see tc.load_tile_from_global.
  SmallVector<Value> fetch(Value flat, mlir::ValueRange origins,
                           VectorType type);
  /// Stores them to the shared tile; see tc.store_tile_to_shared. `prologue` is
  /// null if there is none.
  void deposit(mlir::ValueRange fragments, Value sharedTile,
               mlir::Region *prologue, mlir::ValueRange kOrigins,
               int64_t product);
  /// Starts to copy them; see tc.copy_tile.
  void copy(Value flat, mlir::ValueRange origins, Value sharedTile);

private:
  /// The source of an access: the tensor from the first element on that the
  /// thread accesses in any K tile, the element in that for the present one,
  /// and the condition for it to lie in the tensor, null if it always does.
  struct Source {
    Value tensor, element;
    Value inside;
  };
  Source source(Value flat, int64_t round, mlir::ValueRange origins);
  static SplitIndex steps(IndexBuilder &index, const model::TileDim &dim,
                          SplitIndex local);
  Value isInside(const model::TileDim &dim, SplitIndex local, Value origin);
  /// The same in the shared tile, and the distance there between elements of
  /// one access.
  std::pair<SplitIndex, int64_t> place(int64_t round);
  Value advance(Value flat, Value first);
  Value load(Value flat, int64_t round, mlir::ValueRange origins,
             VectorType type);
  /// The condition that access number `round` lies within the K indices'
  /// extents, null if it does for all threads.
  Value insideAlongK(int64_t round, mlir::ValueRange kOrigins);
  Value factorOf(Value numbers, int64_t product);
  Value toSharedTileElements(Value factors);
  void store(Value vector, Value flat, SplitIndex at);
  void storeGathered(ArrayRef<Value> fragments, Value flat, SplitIndex at,
                     int64_t distance);
  Value applyPrologue(mlir::Region &prologue, Value fragment, int64_t round,
                      mlir::ValueRange kOrigins);
  Value origin(mlir::ValueRange origins, unsigned index) const;
  /// The stride of an index in the flat tensor.
  UniformNumber strideOf(const model::TileDim &dim) const {
    return shape.stride(tensor, dim.index);
  }
  /// The offset that all of a block's accesses to one K tile share, split into
  /// what stays and what changes along K.
  Value fixedOffset(IndexBuilder &index, mlir::ValueRange origins);
  Value movingOffset(IndexBuilder &index, mlir::ValueRange origins);

  OpBuilder &builder;
  Location loc;
  const KernelInfo &kernel;
  ShapeValues shape;
  model::Tensor tensor;
  const model::TiledCopy &tiledCopy;
  SmallVector<int64_t> radices;
};

} // namespace

Value TileCopy::origin(mlir::ValueRange origins, unsigned index) const {
  for (auto [dim, value] : llvm::zip_equal(kernel.inputDims(tensor), origins))
    if (dim.index == index)
      return value;
  llvm_unreachable("the tiled copy has only the operand's indices");
}

Value TileCopy::fixedOffset(IndexBuilder &index, mlir::ValueRange origins) {
  UniformNumber first = shape.offset(tensor);
  Value offset = first.value;
  if (!offset && first.constant)
    offset = index.constant(first.constant);
  for (auto [dim, value] : llvm::zip_equal(kernel.inputDims(tensor), origins)) {
    const model::Index &along = kernel.contraction.indices[dim.index];
    if (along.role != model::Role::K)
      offset =
          index.add(offset, index.multiply(index.extend(value), strideOf(dim)));
  }
  return offset;
}

Value TileCopy::movingOffset(IndexBuilder &index, mlir::ValueRange origins) {
  Value offset;
  for (auto [dim, value] : llvm::zip_equal(kernel.inputDims(tensor), origins)) {
    const model::Index &along = kernel.contraction.indices[dim.index];
    if (along.role == model::Role::K)
      offset =
          index.add(offset, index.multiply(index.extend(value), strideOf(dim)));
  }
  return offset;
}

/// The distance of an element from the tile's origin along an index.
SplitIndex TileCopy::steps(IndexBuilder &index, const model::TileDim &dim,
                           SplitIndex local) {
  return {index.multiply(index.extend(local.value), dim.step),
          local.constant * dim.step};
}

/// The condition that an element lies within the extent of an index.
Value TileCopy::isInside(const model::TileDim &dim, SplitIndex local,
                         Value origin) {
  IndexBuilder coordinate(builder, loc,
                          coordinateType(kernel, builder.getContext()));
  SplitIndex at = steps(coordinate, dim, local);
  return coordinate.lessThan({coordinate.add(origin, at.value), at.constant},
                             shape.extent(dim.index));
}

TileCopy::Source TileCopy::source(Value flat, int64_t round,
                                  mlir::ValueRange origins) {
  IndexBuilder offset(builder, loc,
                      offsetType(kernel, tensor, builder.getContext()));
  SmallVector<Value> conditions;
  // Everything but the K tile's part leaves the loop, as an address.
  SplitIndex element{fixedOffset(offset, origins), 0};
  for (auto [dim, local] :
       llvm::zip_equal(tiledCopy.order, coordinates(round))) {
    UniformNumber stride = strideOf(dim);
    stride.constant *= dim.step;
    SplitIndex distance =
        offset.scale(stride.value ? steps(offset, dim, local) : local, stride);
    element.value = offset.add(element.value, distance.value);
    element.constant += distance.constant;
    if (dim.ragged())
      conditions.push_back(isInside(dim, local, origin(origins, dim.index)));
  }
  SplitIndex moving{movingOffset(offset, origins), element.constant};
  return {advance(flat, offset.toIndex({element.value, 0})),
          offset.toIndex(moving), conjunction(builder, loc, conditions)};
}

/// A flat tensor from an element on.
Value TileCopy::advance(Value flat, Value first) {
  auto type = cast<MemRefType>(flat.getType());
  int64_t size = type.getDimSize(0);
  auto layout = mlir::StridedLayoutAttr::get(builder.getContext(),
                                             mlir::ShapedType::kDynamic, {1});
  auto view = MemRefType::get({size}, type.getElementType(), layout,
                              type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, view, flat, mlir::getAsOpFoldResult(first),
      ArrayRef<mlir::OpFoldResult>{builder.getIndexAttr(size)},
      ArrayRef<mlir::OpFoldResult>{builder.getIndexAttr(1)});
}

std::pair<SplitIndex, int64_t> TileCopy::place(int64_t round) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  SplitIndex element;
  int64_t frontStride = 1;
  for (auto [position, entry] :
       llvm::enumerate(llvm::zip_equal(tiledCopy.order, coordinates(round)))) {
    auto [dim, local] = entry;
    bool isOfK = kernel.contraction.indices[dim.index].role == model::Role::K;
    int64_t stride = tiledCopy.sharedTileStride(dim, isOfK);
    if (position == 0)
      frontStride = stride;
    element.value =
        index.add(element.value, index.multiply(local.value, stride));
    element.constant += local.constant * stride;
  }
  return {element, frontStride};
}

/// A vector of what fills a shared tile.
static mlir::TypedAttr getFill(model::Fill fill, VectorType type) {
  return mlir::DenseElementsAttr::get(
      type, Attribute(tc::getFill(fill, type.getElementType())));
}

Value TileCopy::load(Value flat, int64_t round, mlir::ValueRange origins,
                     VectorType type) {
  Source from = source(flat, round, origins);
  SmallVector<Value> conditions;
  for (Value condition : {exists(round), from.inside})
    if (condition)
      conditions.push_back(condition);
  auto build = [&](OpBuilder &inner) -> Value {
    auto access =
        vector::LoadOp::create(inner, loc, type, from.tensor, from.element);
    access.setAlignment(vectorBytes(type));
    return access;
  };
  Value condition = conjunction(builder, loc, conditions);
  if (!condition)
    return build(builder);
  auto guarded = scf::IfOp::create(builder, loc, type, condition,
                                   /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(builder, loc, build(builder));
  builder.setInsertionPointToStart(guarded.elseBlock());
  // Elements that a prologue maps get their fill after that.
  mlir::TypedAttr fill = kernel.contraction.hasPrologue[tensor]
                             ? builder.getZeroAttr(type)
                             : getFill(tiledCopy.fill, type);
  Value others = arith::ConstantOp::create(builder, loc, fill);
  scf::YieldOp::create(builder, loc, others);
  return guarded.getResult(0);
}

Value TileCopy::insideAlongK(int64_t round, mlir::ValueRange kOrigins) {
  DenseMap<unsigned, Value> origins;
  for (auto [dim, value] : llvm::zip_equal(kernel.layout.k, kOrigins))
    origins[dim.index] = value;
  SmallVector<Value> conditions;
  for (auto [dim, local] : llvm::zip_equal(tiledCopy.order, coordinates(round)))
    if (dim.ragged() && origins.contains(dim.index))
      conditions.push_back(isInside(dim, local, origins[dim.index]));
  return conjunction(builder, loc, conditions);
}

/// The result of a region for a constant, null if folding does not say.
static Attribute evaluate(mlir::Region &region, Attribute argument) {
  DenseMap<Value, Attribute> values = {{region.getArgument(0), argument}};
  for (Operation &op : region.front().without_terminator()) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    SmallVector<mlir::OpFoldResult> results;
    if (op.getNumResults() != 1 || failed(op.fold(operands, results)) ||
        results.size() != 1)
      return {};
    auto constant = dyn_cast<Attribute>(results.front());
    values[op.getResult(0)] =
        constant ? constant : values.lookup(cast<Value>(results.front()));
  }
  return values.lookup(region.front().getTerminator()->getOperand(0));
}

/// Maps the elements of one access to factors, with the shared tile's fill
/// beyond K.
Value TileCopy::applyPrologue(mlir::Region &prologue, Value fragment,
                              int64_t round, mlir::ValueRange kOrigins) {
  Value factors = applyRegion(builder, loc, prologue, fragment);
  Value inside = insideAlongK(round, kOrigins);
  if (!inside)
    return factors;
  auto type = cast<VectorType>(factors.getType());
  mlir::TypedAttr fill = getFill(tiledCopy.fill, type);
  Attribute ofZero = evaluate(
      prologue, builder.getZeroAttr(prologue.getArgument(0).getType()));
  if (ofZero &&
      ofZero == cast<mlir::DenseElementsAttr>(fill).getSplatValue<Attribute>())
    return factors;
  return arith::SelectOp::create(builder, loc, inside, factors,
                                 arith::ConstantOp::create(builder, loc, fill));
}

/// The factors of one of the three real products that complex numbers are
/// multiplied by.
Value TileCopy::factorOf(Value numbers, int64_t product) {
  auto [real, imaginary] = splitNumbers(builder, loc, numbers);
  return factorOfProduct(builder, loc, real, imaginary,
                         tensor == model::Tensor::A,
                         kernel.contraction.conjugates[tensor], product);
}

/// The elements of the shared tile for factors.
Value TileCopy::toSharedTileElements(Value factors) {
  return convertElements(
      builder, loc, factors,
      getElementType(builder.getContext(), tiledCopy.elementType));
}

SmallVector<Value> TileCopy::fetch(Value flat, mlir::ValueRange origins,
                                   VectorType type) {
  SmallVector<Value> fragments;
  for (int64_t round = 0; round < tiledCopy.accessesPerThread; ++round)
    fragments.push_back(load(flat, round, origins, type));
  return fragments;
}

/// Stores neighbours in a shared tile row.
void TileCopy::store(Value vector, Value flat, SplitIndex at) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  auto access = vector::StoreOp::create(builder, loc, vector, flat,
                                        mlir::ValueRange{index.toIndex(at)});
  access.setAlignment(vectorBytes(cast<VectorType>(vector.getType())));
}

/// Stores what several accesses have loaded, neighbours of all together. Those
/// of one access lie so far apart.
void TileCopy::storeGathered(ArrayRef<Value> fragments, Value flat,
                             SplitIndex at, int64_t distance) {
  auto type = cast<VectorType>(fragments.front().getType());
  auto together = VectorType::get(static_cast<int64_t>(fragments.size()),
                                  type.getElementType());
  IndexBuilder index(builder, loc, builder.getI32Type());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    SplitIndex place{at.value, at.constant + i * distance};
    SmallVector<Value> elements;
    for (Value fragment : fragments)
      elements.push_back(vector::ExtractOp::create(builder, loc, fragment, i));
    if (elements.size() == 1)
      memref::StoreOp::create(builder, loc, elements.front(), flat,
                              mlir::ValueRange{index.toIndex(place)});
    else
      store(vector::FromElementsOp::create(builder, loc, together, elements),
            flat, place);
  }
}

void TileCopy::deposit(mlir::ValueRange fragments, Value sharedTile,
                       mlir::Region *prologue, mlir::ValueRange kOrigins,
                       int64_t product) {
  Value flat = flattenSharedTile(builder, loc, sharedTile);
  auto factorsOf = [&](int64_t round) {
    Value loaded = fragments[round];
    Value factors =
        prologue ? applyPrologue(*prologue, loaded, round, kOrigins) : loaded;
    if (kernel.contraction.threeProducts)
      factors = factorOf(factors, product);
    return factors;
  };
  for (int64_t round = 0; round < tiledCopy.accessesPerThread;
       round += tiledCopy.gathered) {
    auto [element, frontStride] = place(round);
    SmallVector<Value> factors;
    for (int64_t i = 0; i < tiledCopy.gathered; ++i)
      factors.push_back(factorsOf(round + i));
    mlir::OpBuilder::InsertionGuard guard(builder);
    if (Value condition = exists(round)) {
      auto guarded = scf::IfOp::create(builder, loc, condition,
                                       /*withElseRegion=*/false);
      builder.setInsertionPointToStart(guarded.thenBlock());
    }
    auto type = cast<VectorType>(factors.front().getType());
    bool isSingle = type.getNumElements() * tiledCopy.gathered == 1;
    if (tiledCopy.contiguousInSharedTile || isSingle) {
      for (Value row : matrixRowsOf(builder, loc, kernel.contraction, tiledCopy,
                                    tensor, factors.front())) {
        store(toSharedTileElements(row), flat, element);
        if (tiledCopy.matrixRows)
          element.constant +=
              tiledCopy.sharedTileStride(*tiledCopy.matrixRows, /*isOfK=*/true);
      }
      continue;
    }
    for (Value &factor : factors)
      factor = toSharedTileElements(factor);
    storeGathered(factors, flat, element, frontStride);
  }
}

void TileCopy::copy(Value flatSource, mlir::ValueRange origins,
                    Value sharedTile) {
  Value flat = flattenSharedTile(builder, loc, sharedTile);
  IndexBuilder index(builder, loc, builder.getI32Type());
  mlir::UnitAttr bypass =
      tiledCopy.atom().bypassesL1 ? builder.getUnitAttr() : mlir::UnitAttr();
  for (int64_t round = 0; round < tiledCopy.accessesPerThread; ++round) {
    Source from = source(flatSource, round, origins);
    mlir::OpBuilder::InsertionGuard guard(builder);
    if (Value condition = exists(round)) {
      auto guarded = scf::IfOp::create(builder, loc, condition,
                                       /*withElseRegion=*/false);
      builder.setInsertionPointToStart(guarded.thenBlock());
    }
    Value elements;
    if (from.inside)
      elements = arith::SelectOp::create(
          builder, loc, from.inside,
          arith::ConstantIndexOp::create(builder, loc, tiledCopy.width),
          arith::ConstantIndexOp::create(builder, loc, 0));
    nvgpu::DeviceAsyncCopyOp::create(
        builder, loc, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
        flat, mlir::ValueRange{index.toIndex(place(round).first)}, from.tensor,
        from.element, builder.getIndexAttr(tiledCopy.width), elements, bypass);
  }
}

static StringRef nameOf(Input input) { return input == Input::A ? "A" : "B"; }

/// Expands one fetch. The next K tile's fetch is guarded as a whole by its
/// `active` operand, which is the same for all threads of a block.
static LogicalResult lower(KernelPlans &plans, LoadTileFromGlobalOp op) {
  const KernelInfo *kernel = plans.enclosing(op, op.getTerm());
  if (!kernel)
    return failure();
  OpBuilder builder(op);
  Location loc =
      nameStep(op, llvm::Twine("load tile of ") + nameOf(op.getInput()));
  TileCopy copy(builder, op, loc, *kernel, op.getInput());
  const model::TiledCopy &tiledCopy =
      op.getInput() == Input::A ? kernel->layout.a : kernel->layout.b;
  auto tensor = op.getInput() == Input::A ? model::Tensor::A : model::Tensor::B;
  auto type = cast<VectorType>(op.getFragments().front().getType());
  if (static_cast<int64_t>(op.getFragments().size()) !=
          tiledCopy.accessesPerThread ||
      type.getNumElements() != copy.numbersOfAccess() ||
      op.getOrigins().size() != kernel->inputDims(tensor).size())
    return op.emitOpError("doesn't fit the kernel's layout: expected ")
           << tiledCopy.accessesPerThread << " vectors of "
           << copy.numbersOfAccess() << " and "
           << kernel->inputDims(tensor).size() << " origins";

  SmallVector<Value> loaded;
  if (!op.getActive()) {
    loaded = copy.fetch(op.getSource(), op.getOrigins(), type);
  } else {
    SmallVector<Type> types(op.getFragments().getTypes());
    auto guarded = scf::IfOp::create(builder, loc, types, op.getActive(), true);
    builder.setInsertionPointToStart(guarded.thenBlock());
    scf::YieldOp::create(builder, loc,
                         copy.fetch(op.getSource(), op.getOrigins(), type));
    builder.setInsertionPointToStart(guarded.elseBlock());
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    scf::YieldOp::create(builder, loc, SmallVector<Value>(types.size(), zero));
    llvm::append_range(loaded, guarded.getResults());
  }
  op.replaceAllUsesWith(loaded);
  op.erase();
  return success();
}

static LogicalResult checkSharedTile(Operation *op, Value sharedTile,
                                     const model::TiledCopy &tiledCopy) {
  int64_t shape[] = {tiledCopy.rows, tiledCopy.rowLength};
  if (cast<MemRefType>(sharedTile.getType()).getShape() ==
      ArrayRef<int64_t>(shape))
    return success();
  return op->emitOpError(
             "doesn't fit the kernel's layout: expected a shared tile of ")
         << shape[0] << "x" << shape[1];
}

static LogicalResult lower(KernelPlans &plans, StoreTileToSharedOp op) {
  const KernelInfo *kernel = plans.enclosing(op, op.getTerm());
  if (!kernel)
    return failure();
  const model::TiledCopy &tiledCopy =
      op.getInput() == Input::A ? kernel->layout.a : kernel->layout.b;
  auto type = cast<VectorType>(op.getFragments().front().getType());
  OpBuilder builder(op);
  Location loc = nameStep(op, llvm::Twine("copy tile of ") +
                                  nameOf(op.getInput()) + " to shared");
  TileCopy copy(builder, op, loc, *kernel, op.getInput());
  if (static_cast<int64_t>(op.getFragments().size()) !=
          tiledCopy.accessesPerThread ||
      type.getNumElements() != copy.numbersOfAccess())
    return op.emitOpError("doesn't fit the kernel's layout: expected ")
           << tiledCopy.accessesPerThread << " vectors of "
           << copy.numbersOfAccess();
  bool hasPrologue = !op.getPrologue().empty();
  size_t kOrigins = hasPrologue ? kernel->layout.k.size() : 0;
  if (op.getKOrigins().size() != kOrigins)
    return op.emitOpError("doesn't fit the kernel's layout: expected ")
           << kOrigins << " origins along K";
  if (failed(checkSharedTile(op, op.getSharedTile(), tiledCopy)))
    return failure();
  copy.deposit(op.getFragments(), op.getSharedTile(),
               hasPrologue ? &op.getPrologue().front() : nullptr,
               op.getKOrigins(), op.getProduct());
  op.erase();
  return success();
}

static LogicalResult lower(KernelPlans &plans, CopyTileOp op) {
  const KernelInfo *kernel = plans.enclosing(op, op.getTerm());
  if (!kernel)
    return failure();
  bool isA = op.getInput() == Input::A;
  const model::TiledCopy &tiledCopy = isA ? kernel->layout.a : kernel->layout.b;
  size_t origins =
      kernel->inputDims(isA ? model::Tensor::A : model::Tensor::B).size();
  if (tiledCopy.passesRegisters() || op.getOrigins().size() != origins)
    return op.emitOpError("doesn't fit the kernel's layout: expected ")
           << (tiledCopy.passesRegisters() ? "no asynchronous copy, and " : "")
           << origins << " origins";
  if (failed(checkSharedTile(op, op.getSharedTile(), tiledCopy)))
    return failure();
  OpBuilder builder(op);
  Location loc =
      nameStep(op, llvm::Twine("copy tile of ") + nameOf(op.getInput()));
  if (op.getActive()) {
    auto guarded = scf::IfOp::create(builder, loc, op.getActive(),
                                     /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  TileCopy(builder, op, loc, *kernel, op.getInput())
      .copy(op.getSource(), op.getOrigins(), op.getSharedTile());
  // A group has all copies that were started before, those of other scopes
  // among them, whose tokens it cannot name.
  llvm::SmallSetVector<Operation *, 2> users(op.getToken().user_begin(),
                                             op.getToken().user_end());
  for (Operation *user : users) {
    auto group = dyn_cast<GroupCopiesOp>(user);
    if (!group)
      return op.emitOpError("has a token that only 'tc.group_copies' may take");
    llvm::BitVector taken(group->getNumOperands());
    for (auto [number, token] : llvm::enumerate(group.getCopies()))
      if (token == op.getToken())
        taken.set(number);
    group->eraseOperands(taken);
  }
  op.erase();
  return success();
}

namespace {
struct LowerTileCopies
    : public tc::impl::TCLowerTileCopiesBase<LowerTileCopies> {
  void runOnOperation() override {
    auto &plans = getAnalysis<KernelPlans>();
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<LoadTileFromGlobalOp, StoreTileToSharedOp, CopyTileOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      LogicalResult lowered =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<LoadTileFromGlobalOp, StoreTileToSharedOp, CopyTileOp>(
                  [&](auto step) { return lower(plans, step); });
      if (failed(lowered))
        return signalPassFailure();
    }
  }
};
} // namespace
