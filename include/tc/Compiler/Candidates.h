//===- Candidates.h - Schedules to measure ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_CANDIDATES_H
#define TC_COMPILER_CANDIDATES_H

#include "tc/Compiler/HostProgram.h"

#include <nlohmann/json.hpp>

namespace tc {

/// The best schedules of a source with one contraction by predicted time, at
/// most so many, of which the first is the one that is chosen without a
/// database: with their keys and texts in it, and what a surrogate model of
/// their times may go by. docs/tuning.md explains the form.
///
/// @param target  "cpu", for which the options hold, or the name of a GPU
Result<nlohmann::ordered_json> listCandidates(const Source &source,
                                              const std::string &target,
                                              const CompileOptions &options,
                                              size_t most);

} // namespace tc

#endif // TC_COMPILER_CANDIDATES_H
