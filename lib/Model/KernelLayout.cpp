//===- KernelLayout.cpp - What a schedule means for one kernel ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works out a kernel's layout in the order of its dependences: tile
// dimensions, threads, staging, shared memory, registers, grid. Each step
// checks what it can, so the first constraint that a schedule breaks is the one
// that is reported.
//
//===----------------------------------------------------------------------===//

#include "tc/Model/KernelLayout.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <tuple>

namespace tc::model {

namespace {

/// Bytes of a register, and of a shared-memory access that needs no more than
/// one wavefront for a quarter of a warp.
constexpr int64_t registerBytes = 4, sharedAccessBytes = 16;

Error scheduleError(std::string message) {
  return Error{"schedule: " + std::move(message)};
}

Error exceeds(std::string what, int64_t wanted, const std::string &allower,
              int64_t allowed) {
  return scheduleError(
      std::move(what) + " is " +
      (wanted == saturated ? "over 2^63" : std::to_string(wanted)) + ", but " +
      allower + " allows " + std::to_string(allowed));
}

/// The largest power of two up to `limit` that divides all of `numbers`.
int64_t commonPowerOfTwo(int64_t limit,
                         std::initializer_list<int64_t> numbers) {
  int64_t power = 1;
  auto dividesAll = [&](int64_t p) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [&](int64_t number) { return number % p == 0; });
  };
  while (power * 2 <= limit && dividesAll(power * 2))
    power *= 2;
  return power;
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
    if (tile.extent > index.extent)
      return scheduleError(
          "tile of " + name + " is " + std::to_string(tile.extent) +
          ", but its extent is " + std::to_string(index.extent));
    dims.push_back({*position, index.extent, tile.extent, 1});
  }
  for (unsigned position : contraction.withRole(role))
    if (std::none_of(dims.begin(), dims.end(),
                     [&](const TileDim &dim) { return dim.index == position; }))
      return scheduleError(list + " does not name index '" +
                           contraction.indices[position].label + "'");
  int64_t stride = 1;
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    dim->panelStride = stride;
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

/// The last dimension with a tile above one: neighbours along it are neighbours
/// in a panel row. Null if the row has one element.
const TileDim *fastestInPanel(const std::vector<TileDim> &dims) {
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim)
    if (dim->tile > 1)
      return &*dim;
  return nullptr;
}

/// The most elements that one access of a tensor can move along a dimension:
/// every row along it must start at a multiple of that many elements, in the
/// tensor and in the tile, and end at one.
int64_t accessWidth(const Contraction &contraction, Tensor tensor,
                    const TileDim &dim, int64_t limit) {
  if (dim.tile == 1 || contraction.indices[dim.index].stride[tensor] != 1)
    return 1;
  int64_t width = commonPowerOfTwo(
      limit, {dim.tile, dim.extent, contraction.offset[tensor]});
  for (unsigned i = 0; i < contraction.indices.size(); ++i) {
    const Index &other = contraction.indices[i];
    if (i != dim.index && other.extent > 1)
      width = commonPowerOfTwo(width, {other.stride[tensor]});
  }
  return width;
}

/// `side` holds the M or N dimensions that the tensor has.
Staging makeStaging(const Contraction &contraction, const KernelLayout &layout,
                    Tensor tensor, const std::vector<TileDim> &side,
                    int64_t blockSide, int64_t group, const Target &target) {
  Staging staging;
  staging.order = side;
  staging.order.insert(staging.order.end(), layout.k.begin(), layout.k.end());
  auto key = [&](const TileDim &dim) {
    int64_t stride = magnitude(contraction.indices[dim.index].stride[tensor]);
    return std::tuple(dim.tile == 1, stride == 0, stride, dim.index);
  };
  std::sort(
      staging.order.begin(), staging.order.end(),
      [&](const TileDim &a, const TileDim &b) { return key(a) < key(b); });

  if (!staging.order.empty())
    staging.width = accessWidth(contraction, tensor, staging.order.front(),
                                target.widestAccessBytes /
                                    byteWidth(contraction.elementType[tensor]));
  staging.accesses =
      saturatingMultiply(layout.blockK, blockSide) / staging.width;
  staging.accessesPerThread = ceilDivide(staging.accesses, layout.threads);

  const TileDim *panelFastest = fastestInPanel(side);
  staging.contiguousInPanel =
      panelFastest && staging.order.front().index == panelFastest->index;
  staging.rowLength = roundUp(blockSide, group);
  // A row of one element cannot be transposed.
  if (panelFastest && !staging.contiguousInPanel)
    staging.rowLength = saturatingAdd(
        staging.rowLength,
        sharedAccessBytes / byteWidth(contraction.accumulatorType));
  return staging;
}

/// The width of accesses of C, which go along the side of the lanes.
int64_t storeWidth(const Contraction &contraction, const KernelLayout &layout,
                   const Target &target) {
  const TileDim *fastest =
      fastestInPanel(layout.lanesAlongN ? layout.n : layout.m);
  if (!fastest || contraction.strideOneIndex(Tensor::C) != fastest->index)
    return 1;
  int64_t widest =
      target.widestAccessBytes / byteWidth(contraction.elementType[Tensor::C]);
  return accessWidth(
      contraction, Tensor::C, *fastest,
      std::min(widest, layout.lanesAlongN ? layout.groupN : layout.groupM));
}

int64_t registersOfWarp(int64_t registers, const Target &target) {
  return roundUp(saturatingMultiply(registers, target.warpSize),
                 target.multiprocessor.registerGranule);
}

int64_t estimateRegisters(const Contraction &contraction,
                          const KernelLayout &layout) {
  auto perElement = [](ElementType type) {
    return ceilDivide(byteWidth(type), registerBytes);
  };
  auto staged = [&](const Staging &staging, Tensor tensor) {
    // The elements of each access, and the access's 64-bit address. Where the
    // addresses don't differ by constants, their parts stay in registers too.
    int64_t address = stepsAreUniform(staging, layout.threads) ? 2 : 3;
    return saturatingMultiply(
        staging.accessesPerThread,
        staging.width * perElement(contraction.elementType[tensor]) + address);
  };
  int64_t held =
      saturatingAdd(saturatingMultiply(layout.registerM, layout.registerN),
                    saturatingAdd(layout.registerM, layout.registerN));
  int64_t registers =
      saturatingMultiply(held, perElement(contraction.accumulatorType));
  registers = saturatingAdd(registers, staged(layout.a, Tensor::A));
  registers = saturatingAdd(registers, staged(layout.b, Tensor::B));
  return saturatingAdd(registers, registerOverhead);
}

/// Checks a register tile against the block's and works out the threads.
Status splitBlock(char side, int64_t block, int64_t registerTile,
                  int64_t &threads) {
  std::string name = std::string("register tile along ") + side;
  if (registerTile < 1)
    return scheduleError(name + " is " + std::to_string(registerTile) +
                         ", but must be at least 1");
  if (block % registerTile != 0)
    return scheduleError(name + " is " + std::to_string(registerTile) +
                         ", which does not divide the block tile of " +
                         std::to_string(block));
  threads = block / registerTile;
  return {};
}

/// Hands the output tiles out to blocks.
Status mapGrid(KernelLayout &layout) {
  const GridMapping &mapping = layout.mapping;
  int64_t steps = tileCount(layout.k);
  if (mapping.rasterM < 0)
    return scheduleError("group of M tiles in the raster is " +
                         std::to_string(mapping.rasterM) +
                         ", but must be at least 0");
  if (mapping.walk < 1)
    return scheduleError("walk is " + std::to_string(mapping.walk) +
                         ", but must be at least 1");
  if (mapping.splitK < 1 || mapping.splitK > steps)
    return scheduleError("K is split over " + std::to_string(mapping.splitK) +
                         " blocks, but has " + std::to_string(steps) +
                         " tiles");
  bool walks = mapping.stationary != Stationary::Output;
  if (!walks && mapping.walk != 1)
    return scheduleError("walk is " + std::to_string(mapping.walk) +
                         ", but must be 1 where the output is stationary");
  if (walks && steps != 1)
    return scheduleError(std::string(stringify(mapping.stationary)) +
                         " is stationary, but K has " + std::to_string(steps) +
                         " tiles instead of one");
  layout.gridM = tileCount(layout.m);
  layout.gridN = tileCount(layout.n);
  if (mapping.stationary == Stationary::A)
    layout.gridN = ceilDivide(layout.gridN, mapping.walk);
  if (mapping.stationary == Stationary::B)
    layout.gridM = ceilDivide(layout.gridM, mapping.walk);
  layout.steps = ceilDivide(steps, mapping.splitK);
  layout.blocks = saturatingMultiply(
      saturatingMultiply(tileCount(layout.batch), mapping.splitK),
      saturatingMultiply(layout.gridM, layout.gridN));
  return {};
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
  return layOut(contraction, tile, target);
}

Result<KernelLayout> mapThreads(const Contraction &contraction, int64_t blockM,
                                int64_t blockN, int64_t registerM,
                                int64_t registerN, const Target &target) {
  KernelLayout layout;
  layout.blockM = blockM;
  layout.blockN = blockN;
  layout.registerM = registerM;
  layout.registerN = registerN;
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

  int64_t widestGroup =
      sharedAccessBytes / byteWidth(contraction.accumulatorType);
  layout.groupM = commonPowerOfTwo(widestGroup, {registerM});
  layout.groupN = commonPowerOfTwo(widestGroup, {registerN});
  std::optional<unsigned> fastest = contraction.strideOneIndex(Tensor::C);
  layout.lanesAlongN = fastest && contraction.indices[*fastest].role == Role::N;
  layout.registers = estimateRegisters(contraction, layout);
  return layout;
}

Result<KernelLayout> layOut(const Contraction &contraction,
                            const BlockTile &tile, const Target &target) {
  Result<KernelLayout> result =
      mapThreads(contraction, tileSize(tile.m), tileSize(tile.n),
                 tile.registerM, tile.registerN, target);
  if (!result)
    return result;
  KernelLayout &layout = *result;
  layout.m = tile.m;
  layout.n = tile.n;
  layout.k = tile.k;
  for (unsigned index : contraction.withRole(Role::Batch))
    layout.batch.push_back({index, contraction.indices[index].extent, 1, 1});
  layout.blockK = tileSize(layout.k);
  layout.a = makeStaging(contraction, layout, Tensor::A, layout.m,
                         layout.blockM, layout.groupM, target);
  layout.b = makeStaging(contraction, layout, Tensor::B, layout.n,
                         layout.blockN, layout.groupN, target);
  layout.widthC = storeWidth(contraction, layout, target);

  int64_t bytes = byteWidth(contraction.accumulatorType);
  auto panelBytes = [&](const Staging &staging) {
    return saturatingMultiply(
        saturatingMultiply(layout.blockK, staging.rowLength), bytes);
  };
  layout.panelBOffsetBytes = roundUp(panelBytes(layout.a), sharedAccessBytes);
  layout.sharedBytes =
      saturatingAdd(layout.panelBOffsetBytes, panelBytes(layout.b));
  layout.registers = estimateRegisters(contraction, layout);
  layout.mapping = tile.mapping;
  if (Status status = mapGrid(layout); !status)
    return Error{status.error()};
  if (Status status = checkCapacities(layout, target); !status)
    return Error{status.error()};
  return result;
}

bool stepsAreUniform(const Staging &staging, int64_t threads) {
  if (threads >= staging.accesses)
    return true;
  int64_t lower = 1;
  for (unsigned i = 0; i < staging.order.size(); ++i) {
    int64_t radix = staging.order[i].tile / (i == 0 ? staging.width : 1);
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
