//===- TargetFile.h - Targets as JSON ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes descriptions of machines; docs/targets.md has the format.
// Reading is strict: an unknown, repeated or missing key, a value of another
// type and a target that does not pass the check are errors.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_TARGETFILE_H
#define TC_MACHINE_TARGETFILE_H

#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/Target.h"

#include <variant>

namespace tc::model {

/// The targets that a file can describe.
using AnyTarget = std::variant<Target, CpuTarget>;

/// Reads a target of either kind. Errors start with `filename` and name the key
/// (or line and column, if the text is not JSON).
Result<AnyTarget> readAnyTarget(std::string_view text,
                                std::string_view filename);

/// Reads the file at `path`.
Result<AnyTarget> loadAnyTarget(const std::string &path);

/// The CPU that the file at `path` describes, or, if that is empty, this
/// machine's, with the figures that were measured for it (Calibration.h), if
/// any. Fails if a file describes no CPU.
Result<CpuTarget> loadCpuTarget(const std::string &path);

Result<Target> loadTarget(const std::string &path);

/// Reads a GPU; a file that describes a CPU is an error.
Result<Target> readTarget(std::string_view text, std::string_view filename);

/// Reads a CPU; a file that describes a GPU is an error.
Result<CpuTarget> readCpuTarget(std::string_view text,
                                std::string_view filename);

/// Writes a text that reading accepts, with all figures, and a line break at
/// the end.
std::string writeTarget(const Target &target);
std::string writeTarget(const CpuTarget &target,
                        const std::vector<std::string> &sources = {});

} // namespace tc::model

#endif // TC_MACHINE_TARGETFILE_H
