//===- TCToCPU.cpp - From contractions to loops over panels ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Materialises the loops over blocks that a CPU schedule denotes (GETT, paper
// 001, section 3) and places packing at the outermost loop that it depends on.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToCPU/Passes.h"

#include "CpuBlock.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Analysis/ContractionDims.h"
#include "tc/Cpu/CpuStores.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/PartsView.h"
#include "tc/Dialect/TC/Utils/ScaleOutput.h"
#include "tc/Problem/ComplexParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <array>
#include <map>

namespace tc {
#define GEN_PASS_DEF_TCTOCPU
#include "tc/Conversion/TCToCPU/Passes.h.inc"
} // namespace tc

using namespace tc;
using namespace tc::cpu;
using model::countBlocks;
using model::CpuIndex;
using model::CpuLayout;
using model::CpuSchedule;
using model::CpuSide;
using model::Role;
using model::Tensor;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace LLVM = mlir::LLVM;

/// Of the widest vectors.
static constexpr int64_t scratchAlignment = 64;

namespace {

/// The loops of one contraction.
class LoopNest {
public:
  LoopNest(ContractOp op, const model::Contraction &contraction,
           const CpuSchedule &schedule, const CpuLayout &layout)
      : op(op), contraction(contraction), schedule(schedule), layout(layout),
        builder(op.getLoc(), op), emit(builder), workspace(emit) {}

  void build();

private:
  /// One side of the product, with what holds its current block.
  struct Side {
    const CpuSide &layout;
    Role role;
    Value source, base;
    Range range;
    SideTables tables;
    PackedBlock packed;
  };

  void requestPanels(Workspace &memory, const CpuSide &side, Value &panels);
  void requestMemory(Side &side);
  void requestMemory();
  void buildParallel();
  void buildLoops();
  void shareOut(function_ref<void()> body);
  Value firstOfWay(Role role, Value member);
  void loopOverShare(Role role, function_ref<void(Value)> body);
  void atBatch(ArrayRef<CpuIndex> indices, ArrayRef<Value> coordinates,
               function_ref<void()> body);
  void loopOverBatch(size_t i);
  void loopOverSlices(size_t i);
  void loopOverBlocks(size_t i);
  const std::vector<CpuIndex> &indicesOf(Role role) const {
    return layout.indices(role, schedule);
  }
  void setRange(ArrayRef<CpuIndex> indices, Value number, Range &range);
  bool makesOneTrip(Role role) const;
  Value depthOfBlock();
  void prepareWhole();
  void prepare();
  std::optional<PackedParts> partsOf(Tensor input) const;
  void updateOutput();

  ContractOp op;
  const model::Contraction &contraction;
  const CpuSchedule &schedule;
  const CpuLayout &layout;
  ImplicitLocOpBuilder builder;
  Emitter emit;
  Workspace workspace;

  /// The coordinates of the slices' loops that sum.
  SmallVector<std::pair<CpuIndex, Value>> summed;
  SmallVector<Side, 2> sides;
  Range k;
  /// Shared panels: those of rows and of columns, where they are.
  std::array<Value, 2> sharedPanels;
  /// The part of the current thread, by role.
  std::map<Role, Value> way;
  /// The roles whose loops are open.
  SmallVector<Role> open;
  OutputUpdate output;
  Value streams;
};

} // namespace

void LoopNest::requestPanels(Workspace &memory, const CpuSide &side,
                             Value &panels) {
  memory.request(panels,
                 getElementType(op.getContext(), contraction.accumulatorType),
                 side.panels() * side.width * layout.depth);
}

/// Returns true if a tensor's elements differ along some index of a side.
static bool varies(const OutputTensor &tensor, const CpuSide &side) {
  return llvm::any_of(side.indices, [&](const CpuIndex &index) {
    return tensor.strideOf(index) != 0;
  });
}

void LoopNest::requestMemory(Side &side) {
  side.tables.outputOffsets.resize(output.tensors.size());
  Type indexType = builder.getIndexType();
  int64_t entries = side.layout.panels() * side.layout.chunksPerPanel();
  for (auto [table, tensor] :
       llvm::zip_equal(side.tables.outputOffsets, output.tensors))
    if (&tensor == output.tensors.begin() || varies(tensor, side.layout))
      workspace.request(table, indexType, entries);
  if (!side.layout.hasFullPanels())
    workspace.request(side.tables.counts, indexType, entries);
  if (side.layout.chunksPerPanel() > 1)
    workspace.request(side.tables.places, indexType, entries);
  side.packed.panelStride = side.layout.width * layout.depth;
  if (Value shared = sharedPanels[side.role == schedule.rows ? 0 : 1])
    side.packed.buffer = shared;
  else
    requestPanels(workspace, side.layout, side.packed.buffer);
}

/// Asks for what each thread has for itself.
void LoopNest::requestMemory() {
  Role columnRole = schedule.rows == Role::M ? Role::N : Role::M;
  output.semiring = SemiringCode(op);
  output.sumType = getElementType(op.getContext(), contraction.accumulatorType);
  output.hasThreeProducts = contraction.threeProducts.has_value();
  output.isComplex = contraction.parts || output.hasThreeProducts;
  output.epilogue = op.getEpilogue();
  output.tensors =
      flattenOutputs(emit, op, contraction, output.numbersOfElement());
  for (Role role : {schedule.rows, columnRole}) {
    const CpuSide &side = layout.side(role, schedule);
    Value source = flattenInput(emit, op, contraction, side.input,
                                output.numbersOfElement());
    sides.push_back({side, role, source, Value(), {}, {}, {}});
    sides.back().packed.prologue = op.getPrologue(side.input);
    sides.back().packed.parts = partsOf(side.input);
    if (output.hasThreeProducts)
      sides.back().packed.factors = {side.input == Tensor::A,
                                     contraction.conjugates[side.input]};
  }
  for (Side &side : sides)
    requestMemory(side);
  if (layout.buffersSums)
    workspace.request(output.waitingSums, output.sumType,
                      layout.bufferedSums());
}

void LoopNest::build() {
  if (layout.threads > 1) {
    buildParallel();
  } else {
    requestMemory();
    workspace.allocate();
    requireMemory(emit, workspace.isAllocated(), {});
    buildLoops();
    workspace.free();
  }
  op.erase();
}

/// The same by several threads. They agree that all have their memory before
/// one of them writes to C.
void LoopNest::buildParallel() {
  Workspace shared(emit);
  const CpuSide *both[] = {&layout.rows, &layout.columns};
  for (auto [side, panels] : llvm::zip_equal(both, sharedPanels))
    if (side->shared)
      requestPanels(shared, *side, panels);
  shared.allocate();
  if (shared.isRequested())
    requireMemory(emit, shared.isAllocated(), {});
  Type flagType = builder.getI32Type();
  Value lacking =
      emit.allocateOnStack(MemRefType::get({1}, flagType), /*alignment=*/4);
  auto flag = [&](int32_t value) {
    return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(value));
  };
  auto allHave = [&] {
    return emit.equal(emit.load(lacking, emit.constant(0)), flag(0));
  };
  emit.store(flag(0), lacking, emit.constant(0));
  emit.parallel(layout.threads, [&] {
    requestMemory();
    workspace.allocate();
    emit.ifThenElse(
        workspace.isAllocated(), [] {},
        [&] {
          memref::AtomicRMWOp::create(builder, arith::AtomicRMWKind::assign,
                                      flag(1), lacking, emit.constant(0));
        });
    emit.barrier();
    emit.ifThen(allHave(), [&] { buildLoops(); });
    workspace.free();
  });
  shared.free();
  requireMemory(emit, allHave(), {});
}

/// Builds the loops that each thread runs.
void LoopNest::buildLoops() {
  int64_t tileElements = schedule.registerRows * schedule.registerColumns;
  auto scratchType = MemRefType::get({tileElements * output.numbersOfElement()},
                                     output.sumType);
  output.scratch = emit.allocateOnStack(scratchType, scratchAlignment);
  if (output.hasThreeProducts)
    output.partSums = emit.allocateOnStack(scratchType, scratchAlignment);
  output.setFactors(emit, op);

  output.streamedElements =
      model::streamedElements(contraction, schedule, layout);
  if (output.streamedElements > 0) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(
        builder, beforeReshaping(op.getC()));
    int64_t alignment = alignmentOfStore(
        model::alignmentToStream(contraction, output.streamedElements));
    streams = emit.equal(emit.remainder(address, alignment), emit.constant(0));
  }
  output.streams = streams;

  for (Side &side : sides)
    side.base = emit.constant(contraction.offset[side.layout.input]);
  prepareWhole();
  loopOverBatch(0);
  // Streaming stores are to be seen by whoever sees the stores that follow.
  if (streams)
    LLVM::FenceOp::create(builder, LLVM::AtomicOrdering::seq_cst, StringRef());
}

/// Gives each thread its part of the work of `body`.
void LoopNest::shareOut(function_ref<void()> body) {
  bool isInLoop =
      schedule.threads.batch <= 1 &&
      !(open.empty() && layout.loops.empty() && layout.batch.empty());
  emit.shareOut(
      layout.threads,
      [&](Value thread) {
        for (Role role : {Role::N, Role::M, Role::Batch}) {
          int64_t ways = schedule.threads.ways(role);
          way[role] = emit.remainder(thread, ways);
          thread = emit.floorDiv(thread, ways);
        }
        body();
      },
      /*endsRegion=*/!isInLoop);
}

/// The first block of a thread that is `member`-th in sharing a role. Runs of
/// blocks differ by one at most.
Value LoopNest::firstOfWay(Role role, Value member) {
  int64_t blocks = countBlocks(indicesOf(role));
  int64_t ways = schedule.threads.ways(role);
  if (blocks % ways == 0)
    return emit.mul(member, blocks / ways);
  return emit.floorDiv(emit.mul(member, blocks), ways);
}

/// The loop over the current thread's blocks of a role.
void LoopNest::loopOverShare(Role role, function_ref<void(Value)> body) {
  int64_t blocks = countBlocks(indicesOf(role));
  int64_t ways = schedule.threads.ways(role);
  if (ways == 1)
    return emit.loop(emit.constant(blocks), body);
  if (ways == blocks)
    return body(way[role]);
  emit.loop(firstOfWay(role, way[role]),
            firstOfWay(role, emit.add(way[role], emit.constant(1))), body);
}

/// Does the work for some coordinates of the batch or of slices.
void LoopNest::atBatch(ArrayRef<CpuIndex> indices, ArrayRef<Value> coordinates,
                       function_ref<void()> body) {
  SmallVector<Value, 2> bases;
  SmallVector<OutputTensor> outputs = output.tensors;
  for (Side &side : sides) {
    bases.push_back(side.base);
    for (auto [index, coordinate] : llvm::zip_equal(indices, coordinates))
      side.base = emit.add(
          side.base, emit.mul(coordinate, index.stride[side.layout.input]));
  }
  for (OutputTensor &tensor : output.tensors)
    for (auto [index, coordinate] : llvm::zip_equal(indices, coordinates))
      tensor.base =
          emit.add(tensor.base, emit.mul(coordinate, tensor.strideOf(index)));
  body();
  for (auto [side, base] : llvm::zip_equal(sides, bases))
    side.base = base;
  output.tensors = std::move(outputs);
}

void LoopNest::loopOverBatch(size_t i) {
  if (schedule.threads.batch > 1)
    return shareOut([&] {
      loopOverShare(Role::Batch, [&](Value number) {
        SmallVector<Value> coordinates(layout.batch.size());
        for (size_t place = layout.batch.size(); place-- > 0;) {
          int64_t extent = layout.batch[place].extent;
          coordinates[place] = emit.remainder(number, extent);
          number = emit.floorDiv(number, extent);
        }
        atBatch(layout.batch, coordinates, [&] { loopOverSlices(0); });
      });
    });
  if (i == layout.batch.size())
    return loopOverSlices(0);
  emit.loop(emit.constant(layout.batch[i].extent), [&](Value coordinate) {
    atBatch(layout.batch[i], coordinate, [&] { loopOverBatch(i + 1); });
  });
}

/// The loops around the matrix products that strategy loop_over_gemm makes.
void LoopNest::loopOverSlices(size_t i) {
  if (i == layout.loops.size()) {
    prepare();
    return loopOverBlocks(0);
  }
  const CpuIndex &index = layout.loops[i];
  bool sums = contraction.indices[*index.position].role == Role::K;
  emit.loop(emit.constant(index.extent), [&](Value coordinate) {
    if (sums)
      summed.push_back({index, coordinate});
    atBatch(index, coordinate, [&] { loopOverSlices(i + 1); });
    if (sums)
      summed.pop_back();
  });
}

/// The block of that number along the indices of a role.
void LoopNest::setRange(ArrayRef<CpuIndex> indices, Value number,
                        Range &range) {
  int64_t before = 1;
  range.origins.clear();
  range.sizes.clear();
  for (const CpuIndex &index : indices) {
    Value block = emit.remainder(emit.floorDiv(number, before), index.blocks());
    before *= index.blocks();
    Value origin = emit.mul(block, index.tile);
    range.origins.push_back(origin);
    range.sizes.push_back(
        index.lastTile() == index.tile
            ? emit.constant(index.tile)
            : emit.min(emit.constant(index.tile),
                       emit.sub(emit.constant(index.extent), origin)));
  }
}

/// Returns true if one block holds all of a role.
bool LoopNest::makesOneTrip(Role role) const {
  return countBlocks(indicesOf(role)) == 1;
}

/// Values of K in the current block.
Value LoopNest::depthOfBlock() {
  Value depth = emit.constant(1);
  for (Value size : k.sizes)
    depth = emit.mul(depth, size);
  return depth;
}

/// Builds the values that are the same for all slices.
void LoopNest::prepareWhole() {
  Value first = emit.constant(0);
  if (makesOneTrip(Role::K))
    setRange(layout.k, first, k);
  for (Side &side : sides) {
    if (!makesOneTrip(side.role))
      continue;
    setRange(side.layout.indices, first, side.range);
    buildTables(emit, side.layout, output.tensors, side.range,
                side.packed.panelStride, side.tables);
  }
}

/// Packs the blocks that have become known with the innermost open loop. A
/// block that depends on no loop is packed before all of them.
void LoopNest::prepare() {
  auto isKnown = [&](Role role, ArrayRef<Role> loops) {
    return makesOneTrip(role) || llvm::is_contained(loops, role);
  };
  auto becomesKnown = [&](ArrayRef<Role> needed) {
    ArrayRef<Role> before = open;
    if (!before.empty())
      before = before.drop_back();
    auto known = [&](ArrayRef<Role> loops) {
      return llvm::all_of(needed,
                          [&](Role role) { return isKnown(role, loops); });
    };
    return known(open) && (open.empty() || !known(before));
  };
  for (Side &side : sides) {
    if (!makesOneTrip(side.role) && becomesKnown({side.role}))
      buildTables(emit, side.layout, output.tensors, side.range,
                  side.packed.panelStride, side.tables);
    if (becomesKnown({side.role, Role::K})) {
      if (side.packed.factors)
        side.packed.factorStride = emit.mul(depthOfBlock(), side.layout.width);
      auto pack = side.layout.shared ? packTogether : packBlock;
      pack(emit, layout, side.layout, side.source, side.base, side.range, k,
           side.tables, side.packed);
    }
  }
}

void LoopNest::loopOverBlocks(size_t i) {
  if (i == schedule.order.size())
    return updateOutput();
  if (i == layout.sharedOut && way.empty())
    return shareOut([&] { loopOverBlocks(i); });
  Role role = schedule.order[i];
  loopOverShare(role, [&](Value number) {
    setRange(indicesOf(role), number,
             role == Role::K ? k : sides[role == schedule.rows ? 0 : 1].range);
    open.push_back(role);
    prepare();
    loopOverBlocks(i + 1);
    open.pop_back();
  });
}

/// The form of complex numbers in the panels of an input, if its parts run
/// along C's.
std::optional<PackedParts> LoopNest::partsOf(Tensor input) const {
  if (!contraction.parts || contraction.parts->expanded != input)
    return std::nullopt;
  PackedParts parts;
  Tensor other = input == Tensor::A ? Tensor::B : Tensor::A;
  parts.conjugated = contraction.conjugates[input];
  parts.otherConjugated = contraction.conjugates[other];
  for (auto [place, index] : llvm::enumerate(layout.k))
    if (contraction.parts->summed &&
        index.position == contraction.parts->summed)
      parts.row = place;
  return parts;
}

/// Multiplies the current blocks. The first slice and block along K scale the
/// old contents of C, the others add to it; the last complete the sums.
void LoopNest::updateOutput() {
  OutputUpdate update = output;
  Value first = emit.boolean(true), last = first;
  auto require = [&](Value &condition, Value position, int64_t expected) {
    condition = builder.createOrFold<arith::AndIOp>(
        condition, emit.equal(position, emit.constant(expected)));
  };
  for (auto [index, size, origin] :
       llvm::zip_equal(layout.k, k.sizes, k.origins)) {
    require(first, origin, 0);
    if (update.epilogue || layout.buffersSums)
      require(last, emit.add(origin, size), index.extent);
  }
  for (auto [index, coordinate] : summed) {
    require(first, coordinate, 0);
    if (update.epilogue)
      require(last, coordinate, index.extent - 1);
  }
  if (layout.buffersSums) {
    update.beginsSums = first;
    update.endsSums = last;
    first = last = emit.boolean(true);
  }
  update.completes = last;
  bool isOneBlock = mlir::matchPattern(first, mlir::m_One());
  if (!isOneBlock)
    update.addUpBlocks(emit, op.getSemiring(), first);
  multiplyBlocks(emit, layout, schedule, sides[0].packed, sides[0].tables,
                 sides[1].packed, sides[1].tables, depthOfBlock(), update);
}

/// Checks that it is known where the elements of an epilogue's operands lie.
static LogicalResult checkAuxiliaries(ContractOp op) {
  for (auto [place, side] : llvm::enumerate(op.getAuxiliaries())) {
    auto type = cast<MemRefType>(side.getType());
    auto strides = type.getStridesAndOffset().first;
    if (!type.hasStaticShape() || llvm::any_of(strides, ShapedType::isDynamic))
      return op.emitOpError("extents and strides of auxiliary tensor ")
             << place << " must be known at compile time, but its type is "
             << type;
  }
  return success();
}

static LogicalResult lowerContraction(ContractOp op) {
  if (!op.hasBuffers())
    return op.emitOpError("works on tensors: bufferize it first");
  if (op.hasZeroExtent()) {
    scaleOutput(op);
    return success();
  }
  CpuScheduleAttr schedule = op.getCpuScheduleAttr();
  if (!schedule)
    return op.emitOpError("has no '") << op.getCpuScheduleAttrName().getValue()
                                      << "': run --tc-tile-cpu first";
  FailureOr<model::Contraction> contraction =
      toContraction(op, schedule.getValue());
  if (failed(contraction) || failed(checkAuxiliaries(op)))
    return failure();
  Result<CpuLayout> layout = model::layOut(*contraction, schedule.getValue());
  if (!layout)
    return op.emitOpError(layout.error());
  if (schedule.getValue().strategy == model::Strategy::TTGT)
    return op.emitOpError("has strategy ttgt: run --tc-transpose-operands "
                          "first");
  if (layout->callsLibrary)
    return op.emitOpError("has strategy library: run --tc-call-runtime first");
  if (layout->direct)
    buildDirectLoops(op, *contraction, schedule.getValue(), *layout);
  else
    LoopNest(op, *contraction, schedule.getValue(), *layout).build();
  return success();
}

namespace {
struct TCToCPUPass : public tc::impl::TCToCPUBase<TCToCPUPass> {
  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    bool anyFailed = false;
    for (ContractOp op : ops)
      anyFailed |= failed(lowerContraction(op));
    if (anyFailed)
      signalPassFailure();
  }
};
} // namespace
