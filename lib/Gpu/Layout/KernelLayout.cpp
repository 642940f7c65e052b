//===- KernelLayout.cpp - What a schedule means for one kernel ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works out a kernel's layout in the order of its dependences: tile
// dimensions, threads, tiled copy, shared memory, registers, grid. Each step
// checks what it can, so the first constraint that a schedule breaks is the one
// that is reported.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/KernelLayout.h"

#include "WarpGroups.h"
#include "tc/Gpu/Layout/SharedTileLayout.h"

#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <tuple>

namespace tc::model {

namespace {

constexpr int64_t registerBytes = 4;
/// Most stages: as many groups of copies can be distinguished in one wait.
constexpr int64_t maxStages = 8;

Error scheduleError(std::string message) {
  return Error{"schedule: " + std::move(message)};
}

/// The least power of two that is no less than a number; saturates.
int64_t coveringPowerOfTwo(int64_t number) {
  int64_t power = 1;
  while (power < number)
    power = saturatingMultiply(power, 2);
  return power;
}

Error exceeds(std::string what, int64_t wanted, const std::string &allower,
              int64_t allowed) {
  return scheduleError(
      std::move(what) + " is " +
      (wanted == saturated ? "over 2^63" : std::to_string(wanted)) + ", but " +
      allower + " allows " + std::to_string(allowed));
}

/// Turns a schedule's list into tile dimensions, in its order.
Result<std::vector<TileDim>> tileDims(const Contraction &contraction, Role role,
                                      const std::vector<TileExtent> &tiles) {
  std::vector<TileDim> dims;
  std::string list = "the list of " + std::string(stringify(role));
  for (const TileExtent &tile : tiles) {
    std::string name = "index '" + tile.label + "'";
    std::optional<unsigned> position = contraction.find(tile.label);
    if (!position)
      return scheduleError(list + " names " + name +
                           ", which is not in the contraction");
    const Index &index = contraction.indices[*position];
    if (index.role != role)
      return scheduleError(list + " names " + name + ", whose role is " +
                           std::string(stringify(index.role)));
    for (const TileDim &dim : dims)
      if (dim.index == *position)
        return scheduleError(list + " names " + name + " twice");
    if (tile.extent < 1)
      return scheduleError("tile of " + name + " is " +
                           std::to_string(tile.extent) +
                           ", but must be at least 1");
    if (tile.extent > coveringPowerOfTwo(index.extent))
      return scheduleError(
          "tile of " + name + " is " + std::to_string(tile.extent) +
          ", but its extent is " + std::to_string(index.extent));
    dims.push_back({*position, index.extent, tile.extent, 1, 1,
                    contraction.runTimeMultiple(*position)});
  }
  for (unsigned position : contraction.withRole(role))
    if (std::none_of(dims.begin(), dims.end(),
                     [&](const TileDim &dim) { return dim.index == position; }))
      return scheduleError(list + " does not name index '" +
                           contraction.indices[position].label + "'");
  int64_t stride = 1;
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    dim->sharedTileStride = stride;
    stride = saturatingMultiply(stride, dim->tile);
  }
  return dims;
}

int64_t tileSize(const std::vector<TileDim> &dims) {
  int64_t size = 1;
  for (const TileDim &dim : dims)
    size = saturatingMultiply(size, dim.tile);
  return size;
}

/// The width of accesses of C, which go along its index of stride one.
int64_t storeWidth(const Contraction &contraction, const KernelLayout &layout,
                   const Target &target) {
  const TileDim *fastest =
      fastestInSharedTile(layout.storesAlongN ? layout.n : layout.m);
  if (!fastest || contraction.strideOneIndex(Tensor::C) != fastest->index)
    return 1;
  int64_t widest =
      target.widestAccessBytes / byteWidth(contraction.elementType[Tensor::C]);
  return accessWidth(
      contraction, Tensor::C, *fastest,
      std::min(widest, layout.storesAlongN ? layout.groupN : layout.groupM));
}

int64_t registersOfWarp(int64_t registers, const Target &target) {
  return roundUp(saturatingMultiply(registers, target.warpSize),
                 target.multiprocessor.registerGranule);
}

/// Positions of both shared tiles whose factors a lane holds for matrix
/// instructions. Of the columns, it has two accumulators for each fragment.
int64_t fragmentPositions(const KernelLayout &layout) {
  bool rowsAlongM = layout.rowsAlongM();
  return (rowsAlongM ? layout.registerM : layout.registerN) +
         (rowsAlongM ? layout.registerN : layout.registerM) / 2;
}

/// Elements of both shared tiles that a thread holds at once.
int64_t fragmentElements(const KernelLayout &layout) {
  if (!isMatrixInstruction(layout.instruction)) {
    auto side = [&](int64_t registers, const TiledCopy &tiledCopy) {
      return saturatingMultiply(registers,
                                tiledCopy.alongK ? layout.laneDepth : 1);
    };
    return saturatingAdd(side(layout.registerM, layout.a),
                         side(layout.registerN, layout.b));
  }
  return layout.stepDepthOfThread() / layout.factorsPerRegister() *
         fragmentPositions(layout);
}

/// Registers that matrix instructions on 8-bit floats take beside fragments and
/// accumulators.
int64_t registersOfFloat8(const KernelLayout &layout, const Target &target) {
  int64_t registers = 0;
  // What is not loaded along K is packed into fragments.
  if (!layout.a.alongK || !layout.b.alongK)
    registers += fragmentElements(layout);
  if (!hasWarpGroups(target))
    return registers;
  // Halves, two in a register, for one instruction, and their sums on the way
  // to the accumulators. What ptxas moves about among all of them takes some
  // more.
  const GpuRegisterCosts &costs = target.costs.registers;
  int64_t depth = shapeOf(layout.instruction).depth / matrixLaneColumns;
  return registers + depth / 2 * fragmentPositions(layout) + costs.float8Sums +
         costs.float8Moves;
}

/// Registers for what ptxas 13.0 loads ahead, while instructions multiply; what
/// it has beside that for other factors is within the estimate.
int64_t registersAhead(const Contraction &contraction,
                       const KernelLayout &layout, const Target &target) {
  // The next columns of halves and of TF32.
  if (layout.loadsMatrices() || (isMatrixInstruction(layout.instruction) &&
                                 contraction.precision == Precision::TF32))
    return layout.stepDepthOfThread() / layout.factorsPerRegister() *
           (layout.rowsAlongM() ? layout.registerN : layout.registerM) / 2;
  // All next fragments, if some of the threads load complex numbers, under a
  // condition, and turn them.
  auto someLoad = [&](const TiledCopy &tiledCopy) {
    return !tiledCopy.asynchronous && tiledCopy.threads < layout.threads;
  };
  bool areMore = layout.blockK > layout.stepDepth();
  if (!contraction.parts || !isMatrixInstruction(layout.instruction) ||
      !areMore || (!someLoad(layout.a) && !someLoad(layout.b)))
    return 0;
  return fragmentElements(layout) *
             ceilDivide(byteWidth(contraction.accumulatorType), registerBytes) +
         target.costs.registers.turned;
}

int64_t estimateRegisters(const Contraction &contraction,
                          const KernelLayout &layout, const Target &target) {
  const GpuRegisterCosts &costs = target.costs.registers;
  auto perElement = [](ElementType type) {
    return ceilDivide(byteWidth(type), registerBytes);
  };
  auto staged = [&](const TiledCopy &tiledCopy, Tensor tensor) {
    ElementType loaded = contraction.elementType[tensor];
    // The elements of each access, and where it is from and goes to: an address
    // and an offset of each, or of all if they differ by constants. What may be
    // cut off has a size or a predicate besides. If the shape is an argument,
    // each has a place of its own, and where it is along an index.
    int64_t places = contraction.runTime ? costs.runTimePlace : costs.place;
    bool uniform = stepsAreUniform(tiledCopy) && !contraction.runTime;
    int64_t elements =
        tiledCopy.asynchronous
            ? 0
            : tiledCopy.width * std::max(perElement(tiledCopy.elementType),
                                         perElement(loaded));
    // A complex number is turned beside itself.
    elements *= tiledCopy.copiesOfAccess();
    // A prologue works on the numbers of an access, and makes as many.
    int64_t made = contraction.hasPrologue[tensor] ? 2 * tiledCopy.width : 0;
    int64_t cut = std::any_of(tiledCopy.order.begin(), tiledCopy.order.end(),
                              [](const TileDim &dim) { return dim.ragged(); });
    return saturatingAdd(
        saturatingMultiply(tiledCopy.accessesPerThread,
                           elements + cut + (uniform ? 0 : places)),
        made + (uniform ? places : 0));
  };
  int64_t sums = saturatingMultiply(layout.registerM, layout.registerN);
  if (layout.threeProducts)
    sums = saturatingMultiply(sums, partsOfNumber);
  int64_t held = saturatingAdd(sums, fragmentElements(layout));
  int64_t registers =
      saturatingMultiply(held, perElement(contraction.accumulatorType));
  // The smaller parts of factors in two parts are held as well.
  if (isMatrixInstruction(layout.instruction) &&
      partProducts(contraction.precision) > 1)
    registers = saturatingAdd(registers, fragmentElements(layout));
  if (isMatrixInstruction(layout.instruction) && isFloat8(layout.a.elementType))
    registers = saturatingAdd(registers, registersOfFloat8(layout, target));
  registers =
      saturatingAdd(registers, registersAhead(contraction, layout, target));
  registers = saturatingAdd(registers, staged(layout.a, Tensor::A));
  registers = saturatingAdd(registers, staged(layout.b, Tensor::B));
  if (contraction.runTime)
    registers = saturatingAdd(registers, costs.shape);
  return saturatingAdd(registers, costs.base);
}

/// Checks that the block can be shared out among warps of matrix instructions.
Status checkShape(const KernelLayout &layout) {
  // Most candidates of a search fit, so words are only put together for those
  // that do not.
  auto divides = [&](std::string_view what, bool alongM, int64_t extent,
                     int64_t by) -> Status {
    if (extent % by == 0)
      return {};
    return scheduleError(
        "instruction '" + std::string(stringify(layout.instruction)) +
        "' needs a " + std::string(what) + " along " + (alongM ? "M" : "N") +
        " that is a multiple of " + std::to_string(by) + ", but it is " +
        std::to_string(extent));
  };
  InstructionShape shape = shapeOf(layout.instruction);
  bool rowsAlongM = layout.rowsAlongM();
  auto side = [&](bool rows) -> Status {
    bool alongM = rows == rowsAlongM;
    if (Status status = divides("number of threads", alongM,
                                alongM ? layout.threadsM : layout.threadsN,
                                rows ? matrixLaneRows : matrixLaneColumns);
        !status)
      return status;
    return divides(
        "register tile", alongM, alongM ? layout.registerM : layout.registerN,
        rows ? shape.rows / matrixLaneRows : shape.columns / matrixLaneColumns);
  };
  if (Status status = side(/*rows=*/true); !status)
    return status;
  return side(/*rows=*/false);
}

/// Whether the rows of matrix instructions may as well be along the other side.
/// The parts of a complex number are neighbouring columns, and the terms of a
/// sum have accumulators that do not depend on how shared tiles lie.
bool mayTurn(const Contraction &contraction, KernelLayout &layout) {
  if (!isMatrixInstruction(layout.instruction) || contraction.parts ||
      contraction.isTerm)
    return false;
  layout.lanesAlongN = !layout.lanesAlongN;
  bool fits = static_cast<bool>(checkShape(layout));
  layout.lanesAlongN = !layout.lanesAlongN;
  return fits;
}

/// Checks that the K loop takes the three products one after the other.
Status checkThreeProducts(const Contraction &contraction,
                          const KernelLayout &layout) {
  if (!contraction.threeProducts)
    return {};
  const TileDim &slowest = layout.k.front();
  if (slowest.index == *contraction.threeProducts && slowest.tile == 1)
    return {};
  return scheduleError("index '" +
                       contraction.indices[*contraction.threeProducts].label +
                       "', over products of parts of complex numbers, must "
                       "have a tile of 1 and be the first of K");
}

/// Checks that a thread holds both parts of each complex result, next to each
/// other, and a block those of each factor.
Status checkParts(const Contraction &contraction, const KernelLayout &layout) {
  if (!contraction.parts)
    return {};
  auto describe = [&](unsigned index) {
    return "index '" + contraction.indices[index].label +
           "', over the parts of complex numbers, must ";
  };
  const TileDim *fastest = fastestInSharedTile(layout.n);
  if (!fastest || fastest->index != contraction.parts->output)
    return scheduleError(describe(contraction.parts->output) +
                         "have a tile of 2 and be the last of N");
  for (const TileDim &dim : layout.k)
    if (dim.index == contraction.parts->summed && dim.tile != dim.extent)
      return scheduleError(describe(dim.index) +
                           "have a tile of 2, but it is " +
                           std::to_string(dim.tile));
  return {};
}

/// Checks a register tile against the block's and works out the threads.
Status splitBlock(char side, int64_t block, int64_t registerTile,
                  int64_t &threads) {
  if (registerTile >= 1 && block % registerTile == 0) {
    threads = block / registerTile;
    return {};
  }
  std::string is = std::string("register tile along ") + side + " is " +
                   std::to_string(registerTile);
  if (registerTile < 1)
    return scheduleError(is + ", but must be at least 1");
  return scheduleError(is + ", which does not divide the block tile of " +
                       std::to_string(block));
}

/// Hands the output tiles out to blocks.
Status mapGrid(KernelLayout &layout) {
  const GridMapping &mapping = layout.mapping;
  int64_t steps = tileCount(layout.k);
  if (mapping.rasterM < 0)
    return scheduleError("group of M tiles in the raster is " +
                         std::to_string(mapping.rasterM) +
                         ", but must be at least 0");
  if (mapping.tilesPerBlock < 1)
    return scheduleError("tiles_per_block is " +
                         std::to_string(mapping.tilesPerBlock) +
                         ", but must be at least 1");
  if (layout.threeProducts && mapping.splitK > 1)
    return scheduleError("K is split over " + std::to_string(mapping.splitK) +
                         " blocks, but must not be where complex numbers are "
                         "multiplied by three products");
  if (mapping.splitK < 1 || mapping.splitK > steps)
    return scheduleError("K is split over " + std::to_string(mapping.splitK) +
                         " blocks, but has " + std::to_string(steps) +
                         " tiles");
  bool isPersistent = mapping.stationary != Stationary::Output;
  if (layout.reductionBytes > 0 && (isPersistent || mapping.splitK > 1))
    return scheduleError("the output is added up, so that blocks must neither "
                         "loop over tiles nor share sums");
  if (layout.hasDynamicShape && (isPersistent || mapping.splitK > 1))
    return scheduleError("extents are arguments, so that blocks must neither "
                         "loop over tiles nor share sums");
  if (!isPersistent && mapping.tilesPerBlock != 1)
    return scheduleError("tiles_per_block is " +
                         std::to_string(mapping.tilesPerBlock) +
                         ", but must be 1 where the output is stationary");
  if (isPersistent && steps != 1)
    return scheduleError(std::string(stringify(mapping.stationary)) +
                         " is stationary, but K has " + std::to_string(steps) +
                         " tiles instead of one");
  layout.gridM = tileCount(layout.m);
  layout.gridN = tileCount(layout.n);
  if (mapping.stationary == Stationary::A)
    layout.gridN = ceilDivide(layout.gridN, mapping.tilesPerBlock);
  if (mapping.stationary == Stationary::B)
    layout.gridM = ceilDivide(layout.gridM, mapping.tilesPerBlock);
  layout.steps = ceilDivide(steps, mapping.splitK);
  layout.blocks = saturatingMultiply(
      saturatingMultiply(tileCount(layout.batch), mapping.splitK),
      saturatingMultiply(layout.gridM, layout.gridN));
  return {};
}

/// Registers that a mapping takes, of a kernel that would need so many as the
/// layout says if it were plainly mapped.
int64_t registersOfMapping(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target) {
  // Where copies go to and where C is are both in use in a loop over tiles.
  // Beside matrix instructions, ptxas 13.0 also loads elements ahead that are
  // added to.
  const GpuRegisterCosts &costs = target.costs.registers;
  if (layout.mapping.stationary != Stationary::Output)
    return layout.registers + costs.tileLoop +
           (contraction.readsC && isMatrixInstruction(layout.instruction)
                ? costs.tileLoopAhead
                : 0);
  if (layout.mapping.splitK == 1)
    return layout.registers;
  // The last block loads the sums of another beside its own, all at once if
  // there is room for that.
  int64_t sums = layout.registerM * layout.registerN *
                 ceilDivide(byteWidth(layout.a.elementType), registerBytes);
  int64_t room = target.multiprocessor.registersPerThread - costs.sharedSum;
  return std::max(layout.registers, std::min(2 * sums + costs.sharedSum, room));
}

/// Where the shared tiles of a block lie in shared memory.
void placeSharedTiles(KernelLayout &layout) {
  auto sharedTileBytes = [](const TiledCopy &tiledCopy) {
    return saturatingMultiply(
        saturatingMultiply(tiledCopy.rows, tiledCopy.rowLength),
        byteWidth(tiledCopy.elementType));
  };
  layout.tileBOffsetBytes =
      roundUp(sharedTileBytes(layout.a), sharedAccessBytes);
  layout.bufferBytes =
      roundUp(saturatingAdd(layout.tileBOffsetBytes, sharedTileBytes(layout.b)),
              sharedAccessBytes);
  layout.sharedBytes =
      std::max(saturatingMultiply(layout.buffers, layout.bufferBytes),
               layout.reductionBytes);
}

Status checkCapacities(const KernelLayout &layout, const Target &target) {
  const MultiprocessorLimits &limits = target.multiprocessor;
  if (layout.sharedBytes > limits.sharedBytesPerBlock)
    return exceeds("shared memory in bytes of a block", layout.sharedBytes,
                   target.name, limits.sharedBytesPerBlock);
  if (layout.registers > limits.registersPerThread)
    return exceeds("estimate of registers of a thread", layout.registers,
                   target.name, limits.registersPerThread);
  int64_t allocated =
      allocatedRegisters(layout.registers, layout.threads, target);
  if (allocated > limits.registers)
    return exceeds("estimate of registers of a block", allocated, target.name,
                   limits.registers);
  if (layout.blocks > maxBlocks)
    return exceeds("number of blocks", layout.blocks, "a grid", maxBlocks);
  if (layout.steps > maxSteps)
    return exceeds("number of steps of the K loop", layout.steps, "a kernel",
                   maxSteps);
  return {};
}

} // namespace

int64_t allocatedRegisters(int64_t registers, int64_t threads,
                           const Target &target) {
  int64_t warps = roundUp(ceilDivide(threads, target.warpSize),
                          target.multiprocessor.partitions);
  return saturatingMultiply(registersOfWarp(registers, target), warps);
}

int64_t blocksByRegisters(int64_t registers, int64_t threads,
                          const Target &target) {
  const MultiprocessorLimits &limits = target.multiprocessor;
  int64_t warpsOfPartition =
      limits.registers / limits.partitions / registersOfWarp(registers, target);
  return limits.partitions * warpsOfPartition /
         ceilDivide(threads, target.warpSize);
}

Result<KernelLayout> layOut(const Contraction &contraction,
                            const Schedule &schedule, const Target &target) {
  BlockTile tile;
  for (auto [dims, role, tiles] : {std::tuple(&tile.m, Role::M, &schedule.m),
                                   std::tuple(&tile.n, Role::N, &schedule.n),
                                   std::tuple(&tile.k, Role::K, &schedule.k)}) {
    Result<std::vector<TileDim>> result = tileDims(contraction, role, *tiles);
    if (!result)
      return Error{result.error()};
    *dims = std::move(*result);
  }
  tile.registerM = schedule.registerM;
  tile.registerN = schedule.registerN;
  tile.mapping = schedule.mapping;
  tile.instruction = schedule.instruction;
  tile.stages = schedule.stages;
  return layOut(contraction, tile, target);
}

Result<KernelLayout> mapThreads(const Contraction &contraction, int64_t blockM,
                                int64_t blockN, int64_t registerM,
                                int64_t registerN, Instruction instruction,
                                const Target &target) {
  KernelLayout layout;
  layout.blockM = blockM;
  layout.blockN = blockN;
  layout.registerM = registerM;
  layout.registerN = registerN;
  layout.instruction = instruction;
  layout.threeProducts = contraction.threeProducts.has_value();
  layout.hasDynamicShape = contraction.runTime.has_value();
  if (Status status = splitBlock('M', blockM, registerM, layout.threadsM);
      !status)
    return Error{status.error()};
  if (Status status = splitBlock('N', blockN, registerN, layout.threadsN);
      !status)
    return Error{status.error()};
  layout.threads = saturatingMultiply(layout.threadsM, layout.threadsN);
  if (layout.threads > target.multiprocessor.threadsPerBlock)
    return exceeds("number of threads of a block", layout.threads, target.name,
                   target.multiprocessor.threadsPerBlock);
  if (contraction.parts && contraction.parts->expanded != Tensor::B)
    return scheduleError("A is complex and B is not: swap them");
  if (contraction.parts && registerN % 2 != 0)
    return scheduleError("register tile along N is " +
                         std::to_string(registerN) +
                         ", which does not divide into complex numbers");
  std::optional<unsigned> fastest = contraction.strideOneIndex(Tensor::C);
  layout.storesAlongN =
      fastest && contraction.indices[*fastest].role == Role::N;
  layout.lanesAlongN = layout.storesAlongN;
  if (isMatrixInstruction(instruction))
    if (Status status = checkShape(layout); !status) {
      // Only one way around may divide the block. The parts of a complex number
      // are neighbouring columns.
      layout.lanesAlongN = !layout.lanesAlongN;
      if (contraction.parts || !checkShape(layout))
        return Error{status.error()};
    }
  for (auto [tensor, tiledCopy] :
       {std::pair(Tensor::A, &layout.a), std::pair(Tensor::B, &layout.b)}) {
    tiledCopy->elementType = sharedTileTypeOf(contraction, instruction);
    tiledCopy->asynchronous = target.computeCapability >= asynchronousCopies &&
                              arrivesAsIs(contraction, tensor, instruction);
    tiledCopy->fragmentWidth =
        sharedAccessBytes / byteWidth(tiledCopy->elementType);
  }
  groupPositions(contraction, layout);
  layout.registers = estimateRegisters(contraction, layout, target);
  if (mayTurn(contraction, layout)) {
    layout.lanesAlongN = !layout.lanesAlongN;
    layout.registers = std::min(layout.registers,
                                estimateRegisters(contraction, layout, target));
    layout.lanesAlongN = !layout.lanesAlongN;
  }
  return layout;
}

Result<KernelLayout> layOut(const Contraction &contraction,
                            const BlockTile &tile, const Target &target) {
  if (Result<double> rate =
          multiplyAddsPerCycle(contraction, tile.instruction, target);
      !rate)
    return Error{rate.error()};
  Result<KernelLayout> result =
      mapThreads(contraction, tileSize(tile.m), tileSize(tile.n),
                 tile.registerM, tile.registerN, tile.instruction, target);
  if (!result)
    return result;
  KernelLayout &layout = *result;
  layout.m = tile.m;
  layout.n = tile.n;
  layout.k = tile.k;
  for (unsigned index : contraction.withRole(Role::Batch))
    layout.batch.push_back({index, contraction.indices[index].extent, 1, 1, 1,
                            contraction.runTimeMultiple(index)});
  layout.blockK = tileSize(layout.k);
  int64_t depth = shapeOf(tile.instruction).depth;
  if (layout.blockK % depth != 0)
    return scheduleError(
        "instruction '" + std::string(stringify(tile.instruction)) +
        "' needs a block tile along K that is a multiple of " +
        std::to_string(depth) + ", but it is " + std::to_string(layout.blockK));
  for (auto *check : {checkParts, checkThreeProducts})
    if (Status status = check(contraction, layout); !status)
      return Error{status.error()};
  layOutSharedTiles(contraction, layout, mayTurn(contraction, layout), target);
  layout.widthC = storeWidth(contraction, layout, target);
  if (contraction.reducesC)
    layout.reductionBytes =
        layout.threads *
        byteWidth(reductionTypeOf(contraction.elementType[Tensor::C]));

  layout.registers = estimateRegisters(contraction, layout, target);
  if (Status status =
          setMapping(contraction, layout, tile.mapping, tile.stages, target);
      !status)
    return Error{status.error()};
  return result;
}

Status setMapping(const Contraction &contraction, KernelLayout &layout,
                  const GridMapping &mapping, int64_t stages,
                  const Target &target) {
  layout.mapping = mapping;
  if (Status status = mapGrid(layout); !status)
    return status;
  layout.registers = registersOfMapping(contraction, layout, target);
  return setStages(layout, stages, target);
}

Status setStages(KernelLayout &layout, int64_t stages, const Target &target) {
  if (stages < 2 || stages > maxStages)
    return scheduleError("number of stages is " + std::to_string(stages) +
                         ", but must be from 2 to " +
                         std::to_string(maxStages));
  // Each of three sums begins with empty shared tiles.
  int64_t steps =
      layout.threeProducts ? layout.steps / minProducts : layout.steps;
  layout.buffers = layout.hasDynamicShape ? stages : std::min(stages, steps);
  placeSharedTiles(layout);
  return checkCapacities(layout, target);
}

ThreadPosition positionOf(const KernelLayout &layout, int64_t thread) {
  int64_t fast = 0, slow = 0;
  int64_t threads = layout.lanesAlongN ? layout.threadsN : layout.threadsM;
  if (isMatrixInstruction(layout.instruction)) {
    constexpr int64_t lanes = matrixLaneRows * matrixLaneColumns;
    int64_t lane = thread % lanes, warp = thread / lanes;
    int64_t warps = threads / matrixLaneColumns;
    fast = warp % warps * matrixLaneColumns + lane % matrixLaneColumns;
    slow = warp / warps * matrixLaneRows + lane / matrixLaneColumns;
  } else {
    fast = thread % threads;
    slow = thread / threads;
  }
  return layout.lanesAlongN ? ThreadPosition{slow, fast}
                            : ThreadPosition{fast, slow};
}

int64_t fragmentPosition(const KernelLayout &layout, bool ofN, int64_t lane) {
  int64_t laneRow = lane / matrixLaneColumns;
  if (!layout.hasColumns(ofN))
    return laneRow * (ofN ? layout.groupN : layout.groupM);
  if (!layout.swapsPlaces(ofN))
    return laneRow;
  int64_t threads = ofN ? layout.threadsN : layout.threadsM;
  int64_t round = laneRow % 2;
  return (round * threads + placeInRound(layout, ofN, round, laneRow / 2)) *
         layout.laneColumns;
}

int64_t productInstructions(const KernelLayout &layout, int64_t depth) {
  int64_t products = layout.registerM * layout.registerN * depth;
  if (!isMatrixInstruction(layout.instruction))
    return products;
  InstructionShape shape = shapeOf(layout.instruction);
  return products * matrixLaneRows * matrixLaneColumns /
         (shape.rows * shape.columns * shape.depth);
}

bool stepsAreUniform(const TiledCopy &tiledCopy) {
  int64_t threads = tiledCopy.threads;
  if (threads >= tiledCopy.accesses)
    return true;
  int64_t lower = 1;
  for (unsigned i = 0; i < tiledCopy.order.size(); ++i) {
    int64_t radix = tiledCopy.order[i].tile / (i == 0 ? tiledCopy.width : 1);
    // Threads fill the digits below and part of this one.
    if (threads % lower == 0 && radix % (threads / lower) == 0)
      return true;
    lower *= radix;
    if (lower > threads)
      return false;
  }
  return true;
}

int64_t tileCount(const std::vector<TileDim> &dims) {
  int64_t count = 1;
  for (const TileDim &dim : dims)
    count = saturatingMultiply(count, dim.tiles());
  return count;
}

BlockGrid blockGridOf(const KernelLayout &layout) {
  return {layout.gridM, layout.gridN, tileCount(layout.batch), layout.mapping};
}

std::vector<int64_t> tilesOfBlock(const KernelLayout &layout, int64_t block) {
  return tilesOfBlock(blockGridOf(layout), tileCount(layout.m),
                      tileCount(layout.n), block);
}

std::vector<TileDim> gridOrder(const KernelLayout &layout) {
  std::vector<TileDim> order;
  for (const std::vector<TileDim> *dims : {&layout.m, &layout.n, &layout.batch})
    order.insert(order.end(), dims->rbegin(), dims->rend());
  return order;
}

} // namespace tc::model
