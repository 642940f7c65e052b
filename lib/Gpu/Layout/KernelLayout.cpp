//===- KernelLayout.cpp - Layout of a kernel by its schedule --------------===//
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

#include "RegisterEstimate.h"
#include "tc/Gpu/Layout/LayoutSteps.h"
#include "tc/Gpu/Layout/SharedTileLayout.h"
#include "tc/Gpu/Layout/StoreExchange.h"

#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <tuple>

namespace tc::model {

namespace {

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
                    multipleOfDim(contraction, *position)});
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
  int64_t most = (layout.storesAlongN ? layout.groupN : layout.groupM) *
                 mostExchangingLanes(contraction, layout);
  return accessWidth(contraction, Tensor::C, *fastest, std::min(widest, most));
}

/// The numbers of which a side of the block is to be a multiple, for the lanes
/// and the accumulators of matrix instructions that have their rows (or
/// columns) there.
struct LeastSide {
  int64_t threads, registers;
};
LeastSide leastSide(Instruction instruction, bool ofRows) {
  const MultiplyAtom &atom = atomOf(instruction);
  return {ofRows ? atom.lanes.rows : atom.lanes.columns,
          ofRows ? atom.sumRows() : atom.sumColumns()};
}

/// Returns true if the block can be shared out among warps of matrix
/// instructions whose rows are along that side.
bool fitsShape(const KernelLayout &layout, bool rowsAlongM) {
  return mayShareOut(layout.instruction, rowsAlongM, layout.threadsM,
                     layout.threadsN, layout.registerM, layout.registerN);
}

/// The reason why a block cannot be shared out so, with rows along the side
/// that the layout has them on.
Error explainShape(const KernelLayout &layout) {
  struct Side {
    std::string what;
    int64_t extent, by;
  };
  std::vector<Side> sides;
  for (bool ofRows : {true, false}) {
    LeastSide least = leastSide(layout.instruction, ofRows);
    bool alongM = ofRows == layout.rowsAlongM();
    std::string along = alongM ? " along M" : " along N";
    sides.push_back({"number of threads" + along,
                     alongM ? layout.threadsM : layout.threadsN,
                     least.threads});
    sides.push_back({"register tile" + along,
                     alongM ? layout.registerM : layout.registerN,
                     least.registers});
  }
  auto wrong = std::find_if(sides.begin(), sides.end(), [](const Side &side) {
    return side.extent % side.by != 0;
  });
  return scheduleError("instruction '" +
                       std::string(stringify(layout.instruction)) +
                       "' needs a " + wrong->what + " that is a multiple of " +
                       std::to_string(wrong->by) + ", but it is " +
                       std::to_string(wrong->extent));
}

/// Checks that the K loop takes the three products one after the other.
Status checkThreeProducts(const Contraction &contraction,
                          const KernelLayout &layout) {
  if (!contraction.threeProducts)
    return {};
  if (contraction.runTime)
    return scheduleError("extents are arguments, so that complex numbers must "
                         "be multiplied by four products");
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

/// Distributes the output tiles among blocks.
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
  if (layout.hasDynamicShape && isPersistent)
    return scheduleError(
        "extents are arguments, so that blocks must not loop over tiles");
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

/// Places the shared tiles of a block in shared memory.
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

bool mayShareOut(Instruction instruction, bool rowsAlongM, int64_t threadsM,
                 int64_t threadsN, int64_t registerM, int64_t registerN) {
  LeastSide m = leastSide(instruction, rowsAlongM);
  LeastSide n = leastSide(instruction, !rowsAlongM);
  return isMultipleOf(threadsM, m.threads) &&
         isMultipleOf(threadsN, n.threads) &&
         isMultipleOf(registerM, m.registers) &&
         isMultipleOf(registerN, n.registers);
}

int64_t multipleOfDim(const Contraction &contraction, unsigned index) {
  return isPart(contraction, index) ? 0 : contraction.runTimeMultiple(index);
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

/// Works out the threads of a block and the side of their lanes, from its
/// extents and the register tile's.
static Status shareOut(const Contraction &contraction, KernelLayout &layout,
                       const Target &target) {
  layout.threeProducts = contraction.threeProducts.has_value();
  layout.hasDynamicShape = contraction.runTime.has_value();
  if (Status status =
          splitBlock('M', layout.blockM, layout.registerM, layout.threadsM);
      !status)
    return status;
  if (Status status =
          splitBlock('N', layout.blockN, layout.registerN, layout.threadsN);
      !status)
    return status;
  layout.threads = saturatingMultiply(layout.threadsM, layout.threadsN);
  if (layout.threads > target.multiprocessor.threadsPerBlock)
    return exceeds("number of threads of a block", layout.threads, target.name,
                   target.multiprocessor.threadsPerBlock);
  if (contraction.parts && contraction.parts->expanded != Tensor::B)
    return scheduleError("A is complex and B is not: swap them");
  if (contraction.parts && layout.registerN % 2 != 0)
    return scheduleError("register tile along N is " +
                         std::to_string(layout.registerN) +
                         ", which does not divide into complex numbers");
  std::optional<unsigned> fastest = contraction.strideOneIndex(Tensor::C);
  layout.storesAlongN =
      fastest && contraction.indices[*fastest].role == Role::N;
  layout.lanesAlongN = layout.storesAlongN;
  if (!fitsShape(layout, layout.rowsAlongM())) {
    // Only one way around may divide the block. The parts of a complex number
    // are neighbouring columns.
    if (contraction.parts || !fitsShape(layout, !layout.rowsAlongM()))
      return explainShape(layout);
    layout.lanesAlongN = !layout.lanesAlongN;
  }
  return {};
}

bool mayTurn(const Contraction &contraction, const KernelLayout &layout) {
  return layout.isCollective() && !contraction.parts && !contraction.isTerm &&
         fitsShape(layout, !layout.rowsAlongM());
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
  if (Status status = shareOut(contraction, layout, target); !status)
    return Error{status.error()};
  for (auto [tensor, tiledCopy] :
       {std::pair(Tensor::A, &layout.a), std::pair(Tensor::B, &layout.b)}) {
    tiledCopy->elementType = sharedTileTypeOf(contraction, instruction);
    tiledCopy->instruction =
        chooseCopy({target.widestAccessBytes,
                    arrivesAsIs(contraction, tensor, instruction)},
                   target);
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
  Result<KernelLayout> layout = KernelLayout();
  if (Status status = mapTile(contraction, tile, target, *layout); !status)
    return Error{status.error()};
  SharedTileCopies copiesA(contraction, *layout, /*ofN=*/false, target);
  SharedTileCopies copiesB(contraction, *layout, /*ofN=*/true, target);
  layout->a = copiesA.unpadded();
  layout->b = copiesB.unpadded();
  arrangeSharedTiles(contraction, *layout);
  layout->a = copiesA.pad(contraction, *layout, target).copy;
  layout->b = copiesB.pad(contraction, *layout, target).copy;
  if (Status status = completeLayout(contraction, *layout, tile.mapping,
                                     tile.stages, target);
      !status)
    return Error{status.error()};
  return layout;
}

/// Makes a layout anew, whose lists keep their memory.
static void clear(KernelLayout &layout) {
  KernelLayout empty;
  for (auto [list, old] :
       {std::pair(&empty.batch, &layout.batch), std::pair(&empty.m, &layout.m),
        std::pair(&empty.n, &layout.n), std::pair(&empty.k, &layout.k),
        std::pair(&empty.a.order, &layout.a.order),
        std::pair(&empty.b.order, &layout.b.order)}) {
    list->swap(*old);
    list->clear();
  }
  layout = std::move(empty);
}

Status mapTile(const Contraction &contraction, const BlockTile &tile,
               const Target &target, KernelLayout &layout) {
  clear(layout);
  layout.blockM = tileSize(tile.m);
  layout.blockN = tileSize(tile.n);
  layout.blockK = tileSize(tile.k);
  layout.registerM = tile.registerM;
  layout.registerN = tile.registerN;
  layout.instruction = tile.instruction;
  if (Status status = shareOut(contraction, layout, target); !status)
    return status;
  layout.m = tile.m;
  layout.n = tile.n;
  layout.k = tile.k;
  for (unsigned index : contraction.withRole(Role::Batch))
    layout.batch.push_back({index, contraction.indices[index].extent, 1, 1, 1,
                            contraction.runTimeMultiple(index)});
  int64_t depth = atomOf(tile.instruction).shape.depth;
  if (layout.blockK % depth != 0)
    return scheduleError(
        "instruction '" + std::string(stringify(tile.instruction)) +
        "' needs a block tile along K that is a multiple of " +
        std::to_string(depth) + ", but it is " + std::to_string(layout.blockK));
  for (auto *check : {checkParts, checkThreeProducts})
    if (Status status = check(contraction, layout); !status)
      return status;
  return {};
}

Status completeLayout(const Contraction &contraction, KernelLayout &layout,
                      const GridMapping &mapping, int64_t stages,
                      const Target &target) {
  layout.widthC = storeWidth(contraction, layout, target);
  if (contraction.reducesC)
    layout.reductionBytes =
        layout.threads *
        byteWidth(reductionTypeOf(contraction.elementType[Tensor::C]));
  layout.registers = estimateRegisters(contraction, layout, target);
  return setMapping(contraction, layout, mapping, stages, target);
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
  int64_t threads = layout.lanesAlongN ? layout.threadsN : layout.threadsM;
  const MultiplyAtom &atom = layout.atom();
  int64_t lane = thread % atom.threads, group = thread / atom.threads;
  int64_t groups = threads / atom.lanes.columns;
  int64_t fast =
      group % groups * atom.lanes.columns + lane % atom.lanes.columns;
  int64_t slow = group / groups * atom.lanes.rows + lane / atom.lanes.columns;
  return layout.lanesAlongN ? ThreadPosition{slow, fast}
                            : ThreadPosition{fast, slow};
}

int64_t fragmentPosition(const KernelLayout &layout, bool ofN, int64_t lane) {
  int64_t laneRow = lane / layout.atom().lanes.columns;
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
  return products * layout.atom().threads / layout.atom().shape.multiplyAdds();
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
