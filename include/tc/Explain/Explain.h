//===- Explain.h - Explanations of a schedule, to be read -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates of the model for a contraction, as a table for the terminal, as
// JSON for programs and as a page with pictures. docs/explain.md says how to
// read them and documents the members of the JSON.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EXPLAIN_EXPLAIN_H
#define TC_EXPLAIN_EXPLAIN_H

#include "tc/Explain/IndexOrigins.h"
#include "tc/Gpu/Search/Explanation.h"
#include "tc/MachineCode/Analysis.h"

#include <optional>
#include <string>
#include <vector>

namespace tc::explain {

/// Results of ptxas for a kernel.
struct CompiledCode {
  /// As in "sm_90".
  std::string architecture;
  sass::Function function;
  sass::FunctionCounts counts;

  /// The instructions of the main loop, or all if there is none, by number.
  std::vector<uint32_t> mainInstructions() const;
};

/// A contraction of several that one kernel computes.
struct KernelPart {
  size_t number; ///< from one on
  size_t count;
};

/// The explanation of one contraction, with what its caller alone knows.
struct Section {
  /// Place of the contraction, as in "chain.mlir:3:8"; may be empty.
  std::string place;
  /// Answer of a tuning database for it, if one was asked: the first candidate,
  /// or nothing. Empty if none was.
  std::string origin;
  /// Origins of the indices in those that the user wrote.
  IndexOrigins indices;
  /// Its part of the kernel, if that computes others, too. The times of the
  /// explanation are those of the contraction by itself.
  std::optional<KernelPart> kernel;
  model::Explanation explanation;
  /// The candidates' schedules as they are written in `#tc.schedule<...>`, in
  /// the order of the candidates; empty where they are not known.
  std::vector<std::string> schedules;
  /// The machine code of the first candidate, if it was compiled.
  std::optional<CompiledCode> code;
};

/// Description of a part of a kernel: "contraction 2 of 3, which one kernel
/// computes".
std::string kernelPartText(const KernelPart &part);

/// A table with one column a candidate, and what is to be said around it, in
/// lines of at most `width` columns (60 if it is less). The candidates' columns
/// go below one another where they are too many for the width.
std::string renderText(const Section &section, unsigned width);

/// One JSON object; quantities are numbers in the unit that their name ends on,
/// null where they are not finite. Members always come in the same order.
std::string renderJson(const std::vector<Section> &sections);

/// One page that refers to nothing outside itself and runs no scripts. It is
/// well-formed XML too.
std::string renderHtml(const std::vector<Section> &sections);

} // namespace tc::explain

#endif // TC_EXPLAIN_EXPLAIN_H
