//===- Memory.cpp - Faults and counts of memory accesses ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs of accesses, and the errors in those that cannot be made.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include <algorithm>
#include <cstdio>

using namespace tc::sim;

static constexpr unsigned sectorBytes = 32;
static constexpr unsigned bankCount = 32;
static constexpr unsigned bankBytes = 4;

const Region *Memory::findBefore(std::uint64_t address) const {
  auto behind = std::upper_bound(
      regions.begin(), regions.end(), address,
      [](std::uint64_t a, const Region &region) { return a < region.address; });
  return behind == regions.begin() ? nullptr : &*(behind - 1);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

const char *tc::sim::nameAccess(const Kernel &kernel, std::uint32_t pc) {
  if (kernel.code[pc].isAtomic)
    return "atomic operation";
  if (kernel.source[pc].kind == InstructionKind::CopyAsync)
    return "copy";
  return kernel.code[pc].poolIsWritten ? "load" : "store";
}

std::string tc::sim::describe(bool isStore, std::uint32_t bytes,
                              std::uint64_t address) {
  return std::string(isStore ? "store" : "load") + " of " +
         std::to_string(bytes) + " bytes at address " + hex(address);
}

std::string tc::sim::describe(const WarpAccess &access, std::uint64_t address) {
  return describe(access.isStore, access.bytes, address);
}

std::string tc::sim::describeElement(const std::array<std::uint32_t, 3> &shape,
                                     std::uint64_t number) {
  return "(" + std::to_string(number % shape[0]) + "," +
         std::to_string(number / shape[0] % shape[1]) + "," +
         std::to_string(number / shape[0] / shape[1]) + ")";
}

std::string
tc::sim::describeFault(const Kernel &kernel, std::uint32_t pc,
                       const std::array<std::uint32_t, 3> &gridShape,
                       std::uint64_t block,
                       const std::array<std::uint32_t, 3> &blockShape,
                       std::uint32_t thread, const std::string &message) {
  const SourceInfo &source = kernel.source[pc];
  return std::to_string(source.line) + ": " + message + " in '" +
         onOneLine(source.text) + "', block " +
         describeElement(gridShape, block) + ", thread " +
         describeElement(blockShape, thread);
}

void tc::sim::reportUnwrittenRegister(Execution &execution, std::uint32_t place,
                                      std::uint32_t lanes) {
  execution.fault =
      Fault{"register '" + execution.kernel->maybeUnwrittenNames.at(place) +
                "' is read, which nothing has written",
            static_cast<std::uint32_t>(__builtin_ctz(lanes))};
}

void tc::sim::reportMisaligned(Execution &execution, const WarpAccess &access) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (((access.mask >> lane) & 1) != 0 &&
        access.addresses[lane] % access.bytes != 0) {
      execution.fault =
          Fault{"misaligned " + describe(access, access.addresses[lane]), lane};
      return;
    }
}

void tc::sim::reportMissingLanes(Execution &execution, std::uint32_t lane) {
  execution.fault =
      Fault{"not all lanes of the member mask have come here together", lane};
}

void tc::sim::reportPartialWarp(Execution &execution, std::uint32_t mask) {
  execution.fault =
      Fault{"all 32 lanes of the warp must execute this together, but lane " +
                std::to_string(__builtin_ctz(~mask)) + " does not",
            static_cast<std::uint32_t>(__builtin_ctz(mask))};
}

void tc::sim::reportAbsentLane(Execution &execution, std::uint32_t lane,
                               std::uint32_t absent) {
  execution.fault = Fault{"lane " + std::to_string(absent) +
                              ", whose value is asked for, does not take part",
                          lane};
}

void tc::sim::reportSharedFault(Execution &execution,
                                const WarpAccess &access) {
  std::uint64_t size = execution.shared.size();
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (((access.mask >> lane) & 1) == 0)
      continue;
    // Generic addresses lie in the window, others begin at 0.
    std::uint64_t address = access.addresses[lane];
    std::uint64_t offset = access.low >= sharedWindow && address >= sharedWindow
                               ? address - sharedWindow
                               : address;
    if (access.bytes <= size && offset <= size - access.bytes)
      continue;
    execution.fault =
        Fault{describe(access, address) + " is outside the " +
                  std::to_string(size) + " bytes of shared memory of the block",
              lane};
    return;
  }
  execution.fault = Fault{
      describe(access, access.low) + " is outside global and shared memory",
      static_cast<std::uint32_t>(__builtin_ctz(access.mask))};
}

void tc::sim::reportParameterFault(Execution &execution,
                                   const WarpAccess &access) {
  std::uint64_t size = execution.memory->parameters.size();
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (((access.mask >> lane) & 1) == 0)
      continue;
    std::uint64_t address = access.addresses[lane];
    if (address >= parameterWindow && access.bytes <= size &&
        address - parameterWindow <= size - access.bytes)
      continue;
    execution.fault = Fault{describe(access, address) + " is outside the " +
                                std::to_string(size) + " bytes of parameters",
                            lane};
    return;
  }
}

void tc::sim::reportGlobalFault(Execution &execution, const WarpAccess &access,
                                bool isConst) {
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (((access.mask >> lane) & 1) == 0)
      continue;
    std::uint64_t address = access.addresses[lane];
    std::string what = describe(access, address);
    const Region *region = execution.memory->findBefore(address);
    if (region == nullptr) {
      execution.fault = Fault{what + " is outside every buffer", lane};
      return;
    }
    std::string name(region->name);
    std::uint64_t offset = address - region->address;
    if (access.bytes > region->size || offset > region->size - access.bytes) {
      execution.fault =
          Fault{what + " is outside every buffer: it is at byte " +
                    std::to_string(offset) + " of buffer '" + name +
                    "', which has " + std::to_string(region->size),
                lane};
      return;
    }
    if (region->isConst != isConst) {
      execution.fault = Fault{what + " reaches variable '" + name +
                                  "' through the wrong state space",
                              lane};
      return;
    }
    if (access.isStore && !region->writable) {
      execution.fault =
          Fault{what + " writes to byte " + std::to_string(offset) +
                    " of the read-only buffer '" + name + "'",
                lane};
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Lanes and regions
//===----------------------------------------------------------------------===//

WarpAccess tc::sim::restrictTo(const WarpAccess &access, std::uint32_t lanes) {
  WarpAccess part = access;
  const std::uint64_t some = access.addresses[__builtin_ctz(lanes)];
  part.mask = lanes;
  part.low = part.high = some;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (((lanes >> lane) & 1) == 0)
      part.addresses[lane] = some;
    part.low = std::min(part.low, part.addresses[lane]);
    part.high = std::max(part.high, part.addresses[lane]);
  }
  return part;
}

bool tc::sim::findRegions(Execution &execution, const WarpAccess &access,
                          const std::uint32_t *sizes,
                          const Region *(&regions)[warpSize]) {
  std::fill(std::begin(regions), std::end(regions), nullptr);
  const Region *region = nullptr;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    const std::uint32_t bytes = sizes == nullptr ? access.bytes : sizes[lane];
    if (bytes == 0)
      continue;
    const std::uint64_t address = access.addresses[lane];
    auto isIn = [&](const Region *region) {
      return region != nullptr && bytes <= region->size &&
             address - region->address <= region->size - bytes;
    };
    if (address % access.bytes != 0) {
      reportMisaligned(execution, restrictTo(access, 1u << lane));
      return false;
    }
    // Lanes mostly access the region that the one before them does.
    if (!isIn(region))
      region = execution.memory->findBefore(address);
    if (!isIn(region) || region->isConst ||
        (access.isStore && !region->writable)) {
      WarpAccess single = restrictTo(access, 1u << lane);
      single.bytes = bytes;
      reportGlobalFault(execution, single, /*isConst=*/false);
      return false;
    }
    regions[lane] = region;
  }
  return true;
}

std::uint32_t tc::sim::lanesOfRegion(const Region *const (&regions)[warpSize],
                                     std::uint32_t lanes) {
  const Region *first = regions[__builtin_ctz(lanes)];
  std::uint32_t members = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (((lanes >> lane) & 1) != 0 && regions[lane] == first)
      members |= 1u << lane;
  return members;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

std::uint32_t tc::sim::countSectors(const WarpAccess &access) {
  // An access is aligned and at most a sector long, so each lane's lies in one
  // sector. Addresses mostly ascend with the lanes.
  std::uint64_t sectors[warpSize];
  bool ascends = true;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    sectors[lane] = access.addresses[lane] / sectorBytes;
  // Lanes that are masked off repeat the first active one's address.
  for (unsigned lane = 1; lane < warpSize; ++lane)
    ascends &= sectors[lane - 1] <= sectors[lane];
  if (!ascends)
    std::sort(sectors, sectors + warpSize);
  std::uint32_t count = 1;
  for (unsigned lane = 1; lane < warpSize; ++lane)
    count += sectors[lane - 1] != sectors[lane];
  return count;
}

/// The number of groups of `lanes` neighbours that have a lane in `mask`.
static unsigned countGroups(std::uint32_t mask, unsigned lanes) {
  unsigned count = 0;
  const std::uint32_t group = fullMask >> (warpSize - lanes);
  for (unsigned first = 0; first < warpSize; first += lanes)
    count += ((mask >> first) & group) != 0;
  return count;
}

/// Returns true if all lanes of each group are in places next to each other, as
/// many as there are slots: these differ then.
static bool areNeighbours(const std::uint32_t (&keys)[warpSize],
                          unsigned lanes) {
  for (unsigned first = 0; first < warpSize; first += lanes) {
    std::uint32_t low = keys[first], high = low;
    for (unsigned lane = first + 1; lane < first + lanes; ++lane) {
      low = std::min(low, keys[lane]);
      high = std::max(high, keys[lane]);
    }
    if (high - low >= lanes)
      return false;
  }
  return true;
}

/// Wavefronts that an access takes whose groups of `lanes` are served at a
/// time. An access is aligned, so it lies in one row of the banks, and two
/// accesses of one size have all banks in common or none: a row of the banks is
/// one slot for each lane of a group. In each round the last access to come
/// takes its slot; those to the same place are served with it, the others wait.
static unsigned countWavefronts(const WarpAccess &access, unsigned lanes) {
  const auto shift =
      static_cast<unsigned>(__builtin_ctz(std::max(access.bytes, bankBytes)));
  if ((access.high >> shift) - (access.low >> shift) < lanes)
    return countGroups(access.mask, lanes);
  std::uint32_t keys[warpSize], places[warpSize], taken[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    keys[lane] = static_cast<std::uint32_t>(access.addresses[lane] >> shift);
  if (access.mask == fullMask && areNeighbours(keys, lanes))
    return warpSize / lanes;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    places[lane] = (lane & ~(lanes - 1)) | (keys[lane] & (lanes - 1));
  unsigned wavefronts = 0;
  for (std::uint32_t waiting = access.mask; waiting != 0;) {
    wavefronts += countGroups(waiting, lanes);
    for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
      auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      taken[places[lane]] = keys[lane];
    }
    for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
      auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      if (taken[places[lane]] == keys[lane])
        waiting &= ~(1u << lane);
    }
  }
  return wavefronts;
}

void tc::sim::countShared(Execution &execution, const WarpAccess &access) {
  // 128 bytes are served at a time: a warp, its halves, quarters or eighths.
  unsigned lanes = std::min(warpSize, bankCount * bankBytes / access.bytes);
  std::uint64_t wavefronts = countWavefronts(access, lanes);
  std::uint64_t ideal = countGroups(access.mask, lanes);
  std::uint64_t bytes =
      std::uint64_t(access.bytes) *
      static_cast<std::uint64_t>(__builtin_popcount(access.mask));
  SharedTraffic &traffic = execution.sharedTraffic;
  (access.isStore ? traffic.storeBytes : traffic.loadBytes) += bytes;
  (access.isStore ? traffic.storeWavefronts : traffic.loadWavefronts) +=
      wavefronts;
  (access.isStore ? traffic.idealStoreWavefronts
                  : traffic.idealLoadWavefronts) += ideal;
}
