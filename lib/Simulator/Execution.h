//===- Execution.h - The state of a running block ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state that handlers see: the registers of the running warp, memory,
// counters, and a place to report a fault. A worker thread owns one of these
// and runs one block after another in it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_EXECUTION_H
#define TC_LIB_SIMULATOR_EXECUTION_H

#include "Program.h"

#include <tuple>

namespace tc::sim {

class AccessOrder;
class AsyncCopies;
class Atomics;
class BlockShadow;
class BlockSync;
class GlobalShadow;
class Mbarriers;
class SharedShadow;

/// A piece of memory with simulated addresses.
struct Region {
  std::uint64_t address = 0, size = 0;
  std::byte *data = nullptr;
  bool writable = true;
  bool isConst = false; ///< only `ld.const` may read it, and nothing else may
  std::uint32_t traffic = 0; ///< the BufferTraffic of its accesses
  std::string_view name;
  /// Watches the accesses; null if nothing is to be watched for here.
  GlobalShadow *shadow = nullptr;
};

/// Memory as a launch lays it out; the same for all blocks.
struct Memory {
  std::vector<Region> regions; ///< by ascending address
  std::vector<std::byte> parameters;

  /// The region that begins last at or before `address`, or null.
  const Region *findBefore(std::uint64_t address) const;
};

/// An access to global memory: the block, the thread and the instruction, in
/// this order, in the digits of one number.
struct GlobalAccess {
  static constexpr std::uint64_t pcs = 1 << 20, threads = 1 << 10;
  static constexpr std::uint64_t blocks = std::uint64_t(1) << 34;

  GlobalAccess(std::uint64_t block, std::uint64_t thread, std::uint64_t pc)
      : bits((block * threads + thread) * pcs + pc) {}
  explicit GlobalAccess(std::uint64_t bits) : bits(bits) {}

  std::uint64_t block() const { return bits / pcs / threads; }
  std::uint32_t thread() const {
    return static_cast<std::uint32_t>(bits / pcs % threads);
  }
  std::uint32_t pc() const { return static_cast<std::uint32_t>(bits % pcs); }
  bool operator<(const GlobalAccess &other) const { return bits < other.bits; }

  std::uint64_t bits;
};

/// Something that is wrong with an access, unless it is part of a race.
struct GlobalFinding {
  const Region *region;
  std::uint64_t address;
  GlobalAccess access, earlier;

  bool operator<(const GlobalFinding &other) const {
    return std::tie(address, access) < std::tie(other.address, other.access);
  }
};

/// The reason why a block cannot go on.
struct Fault {
  std::string message;
  std::uint32_t lane = 0;
};

/// The first of some lanes, bits of which one is set at least.
inline std::uint32_t firstLane(std::uint32_t lanes) {
  return static_cast<std::uint32_t>(__builtin_ctz(lanes));
}

/// The number of times that one instruction was issued, and the sum of the
/// threads that issued it.
struct IssueCount {
  std::uint64_t warps = 0, threads = 0;
};

struct Execution {
  const Kernel *kernel = nullptr;
  const Memory *memory = nullptr;
  /// Registers of the warp that runs.
  std::byte *registers = nullptr;
  std::vector<std::byte> shared;
  /// Watches the accesses to shared memory; null if nothing is to be watched
  /// for.
  SharedShadow *sharedShadow = nullptr;
  /// Of the block that runs.
  AsyncCopies *copies = nullptr;
  Mbarriers *mbarriers = nullptr;
  /// The running warp waits: a lane, and the address of its mbarrier.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> waiting;
  Atomics *atomics = nullptr; ///< null if the kernel has none
  /// Order of the accesses of the block; null if no detector asks.
  AccessOrder *order = nullptr;
  /// Watches for races of the block on global memory; null if it is not to.
  BlockShadow *blockShadow = nullptr;
  /// The events that the block is ordered after; null if no detector asks or if
  /// the kernel has no atomic operations.
  BlockSync *sync = nullptr;
  std::array<std::uint32_t, 3> blockShape = {1, 1, 1};
  std::uint64_t block = 0; ///< linear number
  std::uint32_t warp = 0;
  const Region *lastRegion = nullptr;
  std::optional<Fault> fault;
  /// The findings of detectors of global memory so far.
  std::optional<GlobalFinding> uninitializedRead, changedSource, rewrite;

  std::vector<IssueCount> issued; ///< one for each instruction
  std::vector<BufferTraffic> traffic;
  SharedTraffic sharedTraffic;
  AsyncTraffic asyncTraffic;
  std::uint64_t barriers = 0;
  std::uint64_t blocks = 0;

  template <typename T> T *lanes(std::uint32_t offset) const {
    return reinterpret_cast<T *>(registers + offset);
  }
  std::uint32_t &predicate(std::uint32_t offset) const {
    return *lanes<std::uint32_t>(offset);
  }
};

/// Executes a micro-operation in the lanes of `mask`, which is not empty.
/// Those of class Lanes may write all lanes.
using Handler = void (*)(Execution &execution, const MicroOp &op,
                         std::uint32_t mask);

/// The handlers, by opcode, in the fastest variant that this CPU can run.
const Handler *selectHandlers();

/// An access of a warp: where each lane of `mask` reads or writes. Other lanes
/// have the address of some lane of the mask.
struct WarpAccess {
  std::uint64_t addresses[warpSize];
  std::uint64_t low = 0, high = 0; ///< least and greatest
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0; ///< of one lane
  bool isStore = false;
};

//===----------------------------------------------------------------------===//
// Detectors, in AccessOrder.cpp, SharedShadow.cpp and GlobalShadow.cpp
//===----------------------------------------------------------------------===//

/// Tells the shadow of an access that has been found to lie inside shared
/// memory, which begins at `origin`. False if it reports a fault.
bool watchShared(Execution &execution, const MicroOp &op,
                 const WarpAccess &access, std::uint64_t origin);
/// Tells the shadows of an access that has been found to lie inside a region.
/// False if they report a fault.
bool watchGlobal(Execution &execution, const MicroOp &op,
                 const WarpAccess &access, const Region &region);
/// Notes that the lanes of the running warp have met.
void synchronizeWarp(Execution &execution);

//===----------------------------------------------------------------------===//
// Atomic operations, in Atomics.cpp
//===----------------------------------------------------------------------===//

void operateAtomically(Execution &execution, const MicroOp &op,
                       const WarpAccess &access);
/// Has the operations on a region performed that the block has put off. False
/// if it reports a fault.
bool settleAtomics(Execution &execution, const Region &region);

//===----------------------------------------------------------------------===//
// Barriers in shared memory, in Mbarriers.cpp
//===----------------------------------------------------------------------===//

void operateMbarrier(Execution &execution, const MicroOp &op,
                     const WarpAccess &access);
/// Writes which lanes need not wait, and notes if some must.
void testMbarrier(Execution &execution, const MicroOp &op,
                  const WarpAccess &access);

//===----------------------------------------------------------------------===//
// Asynchronous copies by lanes of the running warp, in AsyncCopies.cpp
//===----------------------------------------------------------------------===//

void issueCopy(Execution &execution, const MicroOp &op, const WarpAccess &from,
               const WarpAccess &to);
void commitCopies(Execution &execution, std::uint32_t lanes);
/// Completes all groups but the `newest` of each lane.
void waitForCopies(Execution &execution, std::uint32_t lanes,
                   std::uint64_t newest);

//===----------------------------------------------------------------------===//
// Memory accesses, in Memory.cpp
//===----------------------------------------------------------------------===//

/// Finds the lane that makes the access impossible and reports it.
void reportGlobalFault(Execution &execution, const WarpAccess &access,
                       bool isConst);
void reportSharedFault(Execution &execution, const WarpAccess &access);
void reportParameterFault(Execution &execution, const WarpAccess &access);
void reportMisaligned(Execution &execution, const WarpAccess &access);
/// Reports lanes that `lane` waits for and that went another way.
void reportMissingLanes(Execution &execution, std::uint32_t lane);

/// Reports that lanes other than those of `mask` take no part in what the whole
/// warp must execute together.
void reportPartialWarp(Execution &execution, std::uint32_t mask);

/// Reports that `lane` asks for the value of one that does not take part.
void reportAbsentLane(Execution &execution, std::uint32_t lane,
                      std::uint32_t absent);
/// Reports the first lane of `lanes` that reads a register in that place, which
/// has a name in `Kernel::maybeUnwrittenNames`.
void reportUnwrittenRegister(Execution &execution, std::uint32_t place,
                             std::uint32_t lanes);

/// "load", "store", "copy" or "atomic operation", by the instruction.
const char *nameAccess(const Kernel &kernel, std::uint32_t pc);
/// "load of 4 bytes at address 0x10", for messages.
std::string describe(bool isStore, std::uint32_t bytes, std::uint64_t address);
std::string describe(const WarpAccess &access, std::uint64_t address);
/// The thread or block with that linear number, as in "(5,0,0)".
std::string describeElement(const std::array<std::uint32_t, 3> &shape,
                            std::uint64_t number);
/// The message of a fault at an instruction, without the file's name.
std::string describeFault(const Kernel &kernel, std::uint32_t pc,
                          const std::array<std::uint32_t, 3> &gridShape,
                          std::uint64_t block,
                          const std::array<std::uint32_t, 3> &blockShape,
                          std::uint32_t thread, const std::string &message);

/// Finds the region that each lane of an access to global memory reaches, with
/// as many bytes as `sizes` says, or all; lanes with none reach null. False if
/// it reports a fault.
bool findRegions(Execution &execution, const WarpAccess &access,
                 const std::uint32_t *sizes,
                 const Region *(&regions)[warpSize]);
/// Those of some lanes that reach the same region as the first of them.
std::uint32_t lanesOfRegion(const Region *const (&regions)[warpSize],
                            std::uint32_t lanes);
/// The part of an access that some of its lanes make, at least one.
WarpAccess restrictTo(const WarpAccess &access, std::uint32_t lanes);
/// Distinct 32-byte sectors of an access.
std::uint32_t countSectors(const WarpAccess &access);
/// Adds the cost of an access to shared memory to `execution.sharedTraffic`.
void countShared(Execution &execution, const WarpAccess &access);

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_EXECUTION_H
