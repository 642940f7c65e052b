//===- Stages.h - Parts of the pipelines ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages that the pipelines for GPUs and CPUs have in common by name, and
// listeners to what passes of a stage decide.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PIPELINES_STAGES_H
#define TC_PIPELINES_STAGES_H

#include "tc/Dialect/TC/Transforms/FuseChains.h"
#include "tc/Dialect/TC/Transforms/Order.h"
#include "tc/Dialect/TC/Transforms/Tile.h"
#include "tc/Dialect/TC/Transforms/TileCpu.h"
#include "tc/Support/MLIR/LLVM.h"

#include <array>

namespace tc {

/// The stages of a pipeline, in the order in which they run.
enum class Stage {
  Prepare,  ///< orders products of many tensors, shares equal contractions
  Fuse,     ///< decides which contractions are computed together
  Schedule, ///< collapses indices and chooses schedules
  Outline,  ///< moves contractions into kernels, or functions, of their own
  Lower,    ///< makes loops, copies and multiplications of contractions
};

inline constexpr std::array<Stage, 5> allStages = {
    Stage::Prepare, Stage::Fuse, Stage::Schedule, Stage::Outline, Stage::Lower};

/// As users write it: "prepare".
llvm::StringRef nameOf(Stage stage);

/// Takes what passes of a pipeline decide, in place of what they would print.
/// Those that are empty take nothing.
struct PipelineListeners {
  TakeOrders takeOrders;         ///< stage `Prepare`
  TakeFusions takeFusions;       ///< stage `Fuse` for GPUs
  ScheduleListener schedules;    ///< stage `Schedule` for GPUs
  TakeStrategies takeStrategies; ///< stage `Schedule` for CPUs
};

} // namespace tc

#endif // TC_PIPELINES_STAGES_H
