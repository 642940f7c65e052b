//===- GpuCosts.h - Costs of a kernel's steps on a GPU ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of the GPU's cost functions that stand in no datasheet: fitted to
// machine code and measured times, or guessed. `TargetFigures.h` has the source
// of each. Numbers that follow from types and instructions are no costs but
// computed.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_GPUCOSTS_H
#define TC_MACHINE_GPUCOSTS_H

#include <cstdint>

namespace tc::model {

/// Instructions of a thread.
struct GpuInstructionCosts {
  /// For an access's address: an addition where accesses differ by constants,
  /// else digits of a mixed radix; and for one that asynchronous copies share.
  double uniformAddress = 1, address = 8, sharedAddress = 2;
  /// For the predicate of an access where a tile may be cut off.
  double predicate = 2;
  /// For an 8-bit float that becomes a half: where they are converted in
  /// pairs, and where by arithmetic on integers.
  double pairConversion = 0.5, integerConversion = 4;
  /// For each of the halves that it exchanges among its registers.
  double exchange = 0.5;
  /// For the loop, the barriers, the K indices and the shared tiles of one
  /// step.
  double step = 16;
  /// For the offset of one row, column or access, which it works out once.
  double offset = 10;
  /// For each sum that moves to another thread by way of shared memory.
  double movedSum = 3;
};

/// Rates that pipes attain, and waits of blocks.
struct GpuTimeCosts {
  /// Parts of the rate of tensor cores that the levels are given: for
  /// `mma.sync` where there are warp groups, while factors are converted, and
  /// for the small shape of f64 where there are larger ones.
  double mmaSyncPart = 0.653, convertingPart = 0.5, smallF64Part = 0.5;
  /// The part for `mma_m16n8k8` of halves, of the rate of `mma_m16n8k16`, where
  /// there are warp groups.
  double shortHalfPart = 0.72;
  /// Bytes that pass the L2 cache in the time in which one line is looked up.
  double lookupBytes = 42;
  /// Cycles in which a multiprocessor sends the request to store to a line, and
  /// each of the sectors to be stored.
  double storePortCycles = 1;
  /// Instructions on integers a cycle and multiprocessor.
  double integerPerCycle = 64;
  /// Cycles from an instruction on integers to one that needs its result.
  double dependentCycles = 4;
  /// The part of the steps in which data that goes by way of registers is
  /// waited for before warps multiply.
  double earlyStorePart = 0.5;
  /// Barriers at which sums move to other threads.
  double movedSumBarriers = 3;
  /// The cost of one more kernel in a stream, where the chip drains and fills.
  double secondsBetweenKernels = 1e-6;
};

/// 32-bit registers of a thread, as ptxas hands them out.
struct GpuRegisterCosts {
  /// Loop counters, predicates and addresses that do not depend on schedules.
  int64_t base = 32;
  /// The place of an access, and that of one whose shape is an argument.
  int64_t place = 3, runTimePlace = 8;
  /// Sums of 8-bit factors on the way to the accumulators, of eight
  /// instructions at a time, and the moves among them.
  int64_t float8Sums = 32, float8Moves = 8;
  /// Complex numbers that are turned as they are loaded ahead.
  int64_t turned = 4;
  /// Edges of tiles, and the factors of strides that are arguments.
  int64_t shape = 48;
  /// Of a persistent block: places of copies and of C at once, and what is
  /// loaded ahead of C beside matrix instructions.
  int64_t tileLoop = 32, tileLoopAhead = 24;
  /// Addresses of the last of the blocks that share a sum.
  int64_t sharedSum = 16;
  /// The registers that are left free, as the estimate may be a few short and a
  /// spill costs more than what a larger tile gains.
  int64_t spare = 24;
  /// The registers that are left free besides in kernels that add several
  /// contractions up: where all tiles of C are powers of two, and otherwise,
  /// where each sum's place in shared memory is one of its own.
  int64_t spareOfBinaryTerms = 66, spareOfTerms = 42;
};

/// Weights of the search, where it compares without times.
struct GpuSearchCosts {
  /// Accesses of one thread in flight between global and shared memory: beyond,
  /// they take too many registers. A term of a sum, whose tile of C and threads
  /// are given, may have more that are asynchronous: they take none but for
  /// addresses that do not differ by constants.
  int64_t accesses = 16, accessesOfTerm = 48;
  /// Registers of sums that a thread of a kernel for several terms has at best,
  /// as they are compared in powers of two, and the weight of the part of a
  /// warp that has no work.
  double termRegisters = 96, idleThreads = 4;
};

struct GpuCosts {
  GpuInstructionCosts instructions;
  GpuTimeCosts time;
  GpuRegisterCosts registers;
  GpuSearchCosts search;
};

} // namespace tc::model

#endif // TC_MACHINE_GPUCOSTS_H
