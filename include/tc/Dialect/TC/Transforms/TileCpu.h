//===- TileCpu.h - Candidates for a CPU's schedules -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_TILECPU_H
#define TC_DIALECT_TC_TRANSFORMS_TILECPU_H

#include <functional>
#include <memory>
#include <vector>

namespace mlir {
class Pass;
} // namespace mlir

namespace tc {

class ContractOp;
struct TileCpuPassOptions;

namespace model {
struct StrategyChoice;
} // namespace model

/// Takes what --tc-tile-cpu considers for a contraction, so that who reports it
/// need not search again. A contraction for which nothing is considered, as its
/// schedule is given, is left out.
using TakeStrategies =
    std::function<void(ContractOp, std::vector<model::StrategyChoice>)>;

/// --tc-tile-cpu, which tells what it considers.
std::unique_ptr<mlir::Pass> createTileCpuPass(const TileCpuPassOptions &options,
                                              TakeStrategies take);

} // namespace tc

#endif // TC_DIALECT_TC_TRANSFORMS_TILECPU_H
