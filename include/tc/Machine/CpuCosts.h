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
// computed. Code that is generated for a contraction and kernels that are
// compiled ahead of time have the same; these have no calibration.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_CPUCOSTS_H
#define TC_MACHINE_CPUCOSTS_H

#include <cstdint>

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
  /// Results of more bytes than so many of the second cache may be stored past
  /// the caches.
  double streamedCaches = 4;
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

  // The choices that kernels which are compiled ahead of time make at once,
  // where the search for schedules compares predictions.

  /// No rows are packed where one operand has at most so many columns and the
  /// other one as many rows as `manyRows`, or both have few and K is as long as
  /// `manyRows`: a matrix of 1000x1000 times a vector took 0.28 ms so, and 0.64
  /// with panels.
  int64_t fewColumnsOfManyRows = 2, fewRowsAndColumns = 4, manyRows = 64;
  /// The same where there are at most so many products; and where they have to
  /// be predicted to be faster so, in each product of a batch.
  int64_t fewProducts = 1024, fewProductsOfBatch = 8192;
  /// Elements of a matrix that is multiplied with many vectors up to which
  /// predictions decide, too.
  int64_t fewOfSmallMatrix = 100;
  /// Columns from which on it does not matter how rows are packed, as each is
  /// used so often.
  int64_t manyColumns = 1024;
  /// Values of K of a block: the least whose sums are worth storing, the most
  /// that gains, the most where rows are packed across, for longer blocks of
  /// rows, and the step.
  int64_t leastDepth = 64, mostDepth = 512, mostDepthAcross = 128,
          depthStep = 4;
  /// The most bytes of a block of columns in a last cache that is larger.
  int64_t mostColumnBytes = int64_t(8) << 20;
  /// Chunks that a vector is stored in where a tile crosses the end of a run of
  /// C.
  double chunksOfCutVector = 2;
  /// Of tiles that take as long, the one is taken that loads least: the weight
  /// of an element of rows and of one of columns that is loaded, in products.
  double loadedRowWeight = 0.1, loadedColumnWeight = 0.3;
  /// Cycles for an element that is packed, stored, or added up where it lies:
  /// these kernels look its place up in tables, whatever its type, where
  /// compiled code has loops for the strides at hand.
  double movedElementCycles = 1.2;
  /// Cycles for a product of a batch, whose panels are packed for it alone.
  double panelBatchCycles = 150;
  /// Cycles for a register tile whose operands are read where they lie, and
  /// once more for each combination of values of indices outside of its loops.
  double inPlaceTileCycles = 25;
  /// Cycles for the elements of one value of K that such a tile reads, where
  /// values of K lie a page or more apart: their lines share a set of the first
  /// cache, which may have lost them.
  double refetchedLineCycles = 4;
  /// Without panels: cycles for a tile of lines, for a line, and for the lanes
  /// of a vector that are added up.
  double skinnyTileCycles = 60, skinnyLineCycles = 2, addedLanesCycles = 20;
  /// Cycles for a number that is brought to a tile: one of squares that are
  /// transposed, one that is looked up, and one that is not far from the last.
  double transposedElementCycles = 1.0, lookedUpElementCycles = 2,
         stridedElementCycles = 1.5;
  /// Cycles for a vector of sums that is made of numbers of 16 bits as it is
  /// loaded.
  double widenedVectorCycles = 2;
  /// Cycles for a short line that lies pages behind the last one.
  double farLineCycles = 16;
  /// The weights of products of parts of complex numbers, where these are
  /// joined once for a line, and where they are exchanged for each vector.
  double joinedPartsWeight = 1.25, exchangedPartsWeight = 1.5;
  /// The part of the rate of multiplications that they attain without panels.
  double skinnyPart = 0.8;
  /// The least time of a part of a product, and the least bytes of a part of a
  /// result, for which a thread is woken. A team of several may have to be
  /// started first, of which `teamSeconds` is but the last step.
  double leastShareSeconds = 1.5e-5;
  int64_t leastShareBytes = 1 << 20;
};

} // namespace tc::model

#endif // TC_MACHINE_CPUCOSTS_H
