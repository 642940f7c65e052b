//===- TimeReport.h - How long the machine code takes -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_TIMEREPORT_H
#define TC_TOOLS_TC_RUN_TIMEREPORT_H

#include "CommandLine.h"
#include "Compile.h"

#include "tc/Timing/Machine.h"

namespace tc::run {

/// The machine whose time is predicted: the one that a file describes, else the
/// one that is built in for the code.
Result<timing::Machine> machineFor(const sass::Listing &listing,
                                   const Options &options);

/// Assembles the kernels of a program unless they are, disassembles them, and
/// predicts how long each takes.
Result<std::string> reportTime(const Program &program, const Options &options);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_TIMEREPORT_H
