//===- CpuCosts.h - Costs of a contraction's steps on a CPU -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of the CPU's cost functions that no system reports: measured, by
// `tc-calibrate` on the machine at hand, or guessed. `TargetFigures.h` has the
// source of each. Numbers that follow from types and loops are no costs but
// computed.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_CPUCOSTS_H
#define TC_MACHINE_CPUCOSTS_H

namespace tc::model {

struct CpuCosts {
  /// Of the register tile's rate at best.
  double kernelPart = 0.97;
  /// Vectors, or elements that fill one, that a core loads a cycle: from
  /// panels, which the first cache holds, and without panels, from where they
  /// lie.
  double loadsPerCycle = 2, directLoadsPerCycle = 1.26;
  /// Cycles for each register tile and block of K.
  double tileCycles = 6;
  /// The parts of the time to fetch panels, and to fetch or store C, that are
  /// not hidden behind multiplications.
  double panelPart = 0.35, outputPart = 0.3;
  /// Cycles for each vector that is copied, for each step by which a square of
  /// vectors is transposed, and for each element that is gathered.
  double copiedVectorCycles = 4.6, transposedVectorCycles = 0.75,
         gatheredElementCycles = 4;
  /// Cycles for each chunk of C that goes through a buffer, as it is less than
  /// half a vector, and for each vector whose parts are joined to pairs.
  double bufferedChunkCycles = 4, joinedVectorCycles = 6;
  /// The cost of beginning a run, in lines of it: it begins anywhere in one,
  /// and prefetchers do not know where. Runs that are stored have less to wait
  /// for.
  double runStartLines = 3, storedRunStartLines = 0.78;
  /// The cost of storing a part of a line past the caches, in stores of whole
  /// ones.
  double partialLineStores = 8;
  /// After how many cycles a sum can be added to again, in loops as compilers
  /// make them.
  double multiplyAddLatency = 4.4;
  /// Without panels: cycles for each register tile, for each element of one
  /// that is stored by itself, and for a call.
  double directTileCycles = 14, directElementCycles = 1.65,
         directCallCycles = 200;
  /// Cycles for each entry of a table of offsets, for each slice, and for each
  /// call.
  double tableEntryCycles = 11, sliceCycles = 60, callCycles = 600;
  /// Seconds that it takes to start a team of threads, and to wait for one
  /// another. Larger teams do both in trees.
  double teamSeconds = 1.2e-6, barrierSeconds = 0.4e-6;
  /// The weight of a copy that moves the index of stride one, where one that
  /// does not weighs one.
  double movedStrideOneWeight = 1.5;
};

} // namespace tc::model

#endif // TC_MACHINE_CPUCOSTS_H
