//===- CostModel.h - How long a kernel will take ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A first estimate of a kernel's time: the larger of moving its sectors at full
// bandwidth and of running its blocks, wave by wave, on the multiprocessors.
// docs/model.md derives it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MODEL_COSTMODEL_H
#define TC_MODEL_COSTMODEL_H

#include "tc/Model/Traffic.h"

namespace tc::model {

/// What one step of the K loop costs a multiprocessor, in cycles of each of the
/// units that it uses.
struct StepCycles {
  double fma = 0;    ///< of the pipe for fused multiply-adds
  double issue = 0;  ///< of the schedulers
  double shared = 0; ///< of shared memory

  /// The units work at the same time.
  double limit() const;
};

/// The predicted cost of a kernel.
struct Cost {
  Traffic traffic;
  /// Blocks that fit on one multiprocessor at once.
  int64_t residentBlocks = 0;
  StepCycles step;
  /// Moving the traffic at full bandwidth.
  double memorySeconds = 0;
  /// Looking up the tags of its lines, one a cycle and multiprocessor.
  double lookupSeconds = 0;
  /// Running the blocks, with what latency neither other blocks nor other
  /// warps hide, and with the last, partly filled wave.
  double computeSeconds = 0;
  /// All of these, schedulers and shared memory added up, as if nothing
  /// overlapped: settles ties.
  double busySeconds = 0;

  double seconds() const;
};

/// The cost of a feasible kernel whose traffic is known.
Cost estimateCost(const Contraction &contraction, const KernelLayout &layout,
                  const Traffic &traffic, const Target &target);

/// Cycles that a multiprocessor needs at the least for one value of k of a
/// block whose threads are mapped like that, other blocks beside it. Infinite
/// if a thread has too few registers for it.
double boundCyclesPerK(const Contraction &contraction,
                       const KernelLayout &threads, const Target &target);

/// A time that no kernel can beat that covers the output by `blocks` blocks of
/// that many cycles each, and moves that traffic.
double boundSeconds(double blocks, double blockCycles, const Traffic &traffic,
                    const Target &target);

/// Blocks of the kernel that fit on one multiprocessor at once.
int64_t residentBlocks(const KernelLayout &layout, const Target &target);

} // namespace tc::model

#endif // TC_MODEL_COSTMODEL_H
