//===- TimeReport.h - Predicted times of the machine code -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_TIMEREPORT_H
#define TC_LIB_RUN_TIMEREPORT_H

#include "Compile.h"
#include "tc/Run/Options.h"

#include "tc/Timing/Machine.h"

#include <nlohmann/json_fwd.hpp>

namespace tc::run {

/// Code from which times are predicted.
struct TimedCode {
  sass::Listing listing;
  timing::Machine machine;
};

/// Disassembles a cubin. The machine is the one that a file describes, else the
/// one that is built in for the code. Errors begin with the option's name.
Result<TimedCode> disassembleToTime(const std::string &cubin,
                                    const Options &options);

/// First members of a report as JSON.
nlohmann::ordered_json describeCode(const TimedCode &code,
                                    const Options &options);

/// Assembles the kernels of a program unless they are, disassembles them, and
/// predicts how long each takes.
Result<std::string> reportTime(const CompiledProgram &program,
                               const Options &options);

} // namespace tc::run

#endif // TC_LIB_RUN_TIMEREPORT_H
