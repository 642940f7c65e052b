//===- Target.h - The machine that code is made for -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is data: capacities, rates and granularities, each with its source
// beside it in lib/Machine/Targets.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_TARGET_H
#define TC_MACHINE_TARGET_H

#include "tc/Machine/Features.h"
#include "tc/Machine/GpuCosts.h"
#include "tc/Problem/Contraction.h"

#include <string>
#include <string_view>
#include <vector>

namespace tc::model {

/// The limits of one streaming multiprocessor and of the blocks on it.
struct MultiprocessorLimits {
  int64_t registers = 0;          ///< 32-bit registers
  int64_t registersPerThread = 0; ///< most that one thread can have
  int64_t registerGranule = 0;    ///< registers are given to a warp in these
  int64_t partitions = 0;  ///< processing blocks; registers are split evenly
  int64_t sharedBytes = 0; ///< shared memory
  int64_t sharedBytesPerBlock = 0;         ///< most that a block can opt in to
  int64_t staticSharedBytesPerBlock = 0;   ///< most that needs no opting in
  int64_t reservedSharedBytesPerBlock = 0; ///< taken by the system, per block
  int64_t sharedGranule = 0; ///< shared memory is given to a block in these
  int64_t threads = 0;
  int64_t threadsPerBlock = 0;
  int64_t blocks = 0;
};

/// Multiply-adds a cycle and multiprocessor of the tensor cores, dense, by the
/// type of the factors; zero where the chip has none for that type. Sums are
/// kept in f32 (f64 for f64, i32 for i8). It is the peak rate of the fastest
/// instruction; `AttainableParts` has the part of it that mma.sync attains.
struct TensorCoreRates {
  int64_t f64 = 0;
  int64_t tf32 = 0;
  int64_t bf16 = 0;
  int64_t f16 = 0;
  int64_t f8 = 0;
  int64_t i8 = 0;
};

/// The attainable rates, as parts of peak rates.
struct AttainableParts {
  /// Of the bandwidth of DRAM: by reads alone, and by as many reads as writes.
  double memoryReads = 1, memoryCopies = 1;
  /// Of the capacity of the L2 cache: data that is used again is loaded at the
  /// full rate up to here, and slower and slower beyond.
  double l2FullRate = 1;
  /// Of the rate of the tensor cores for types below f64: by mma.sync, whose
  /// operands come from registers.
  double mmaSync = 1;
  /// Of multiply-adds in f32, and in f64 with tensor cores: by the best library
  /// for seconds on end, as the clock falls with the power that they take.
  double sustainedF32 = 1, sustainedF64 = 1;
};

/// One GPU.
struct Target {
  /// The name in schedules and options. A built-in target has the name of its
  /// chip.
  std::string name;
  /// The chip as ptxas names it ("sm_90").
  std::string chip;
  /// The product that the rates and the counts below are of.
  std::string product;
  /// Compute capability, ten times major plus minor. `has` tells the features
  /// that follow from it.
  unsigned computeCapability = 0;
  /// The least PTX ISA version for the chip, ten times major plus minor.
  unsigned ptxVersion = 0;
  MultiprocessorLimits multiprocessor;
  unsigned multiprocessors = 0;
  unsigned warpSize = 32;
  /// Granularity of global memory traffic, in bytes.
  int64_t sectorBytes = 32;
  /// Bytes of a cache line, for each of which an access looks up one tag.
  int64_t lineBytes = 128;
  /// Instructions that the schedulers issue a cycle and multiprocessor, each
  /// for a whole warp.
  int64_t warpInstructionsPerCycle = 4;
  /// Bytes that shared memory serves a cycle and multiprocessor.
  int64_t sharedBytesPerCycle = 128;
  /// Widest access of one thread, in bytes.
  int64_t widestAccessBytes = 16;
  int64_t l2Bytes = 0;
  /// The rate at which all multiprocessors together can load from the L2 cache.
  double l2BytesPerSecond = 0;
  double clockHertz = 0; ///< boost clock
  double memoryBytesPerSecond = 0;
  /// Cycles from a load of global memory to its data, nothing else in the way.
  double memoryLatencyCycles = 0;
  /// The same from a load that the L2 cache serves, its nearer half if it has
  /// two.
  double l2LatencyCycles = 0;
  /// The same of a load of shared memory.
  double sharedLatencyCycles = 0;
  /// Bytes that one multiprocessor takes from the L2 cache a cycle.
  int64_t l2PortBytesPerCycle = 0;
  /// Bytes of code that are fetched ahead of a warp that runs through code for
  /// the first time.
  int64_t fetchAheadBytes = 0;
  /// Cycles that a block loses from one barrier of its K loop to the first
  /// multiply-add after it: the barrier and a load of shared memory.
  double barrierCycles = 0;
  /// Fused multiply-adds a cycle and multiprocessor outside tensor cores.
  int64_t fmaPerCycleF32 = 0;
  int64_t fmaPerCycleF64 = 0;
  TensorCoreRates tensorFmaPerCycle;
  AttainableParts attainable;
  /// The time of a kernel that does nothing.
  double launchSeconds = 0;
  GpuCosts costs;

  int64_t fmaPerCycle(ElementType type) const {
    return type == ElementType::F64 ? fmaPerCycleF64 : fmaPerCycleF32;
  }

  /// Multiply-adds of such factors a cycle and multiprocessor at best, tensor
  /// cores included where the precision allows them; of complex numbers those
  /// of their parts.
  double peakFmaPerCycle(ElementType type, Precision precision) const;

  /// Returns true if the chip has a feature of the table in Features.h.
  bool has(Feature feature) const;
};

/// The target of that name, or an error that lists the known names.
Result<const Target *> findTarget(std::string_view name);

/// The target whose code is made for a compute capability, or for the newest
/// one below it; none if all are above.
const Target *findTargetFor(int64_t capability);

/// All built-in targets, oldest first.
const std::vector<Target> &builtinTargets();

} // namespace tc::model

#endif // TC_MACHINE_TARGET_H
