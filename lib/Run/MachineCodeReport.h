//===- MachineCodeReport.h - Results of ptxas for the kernels ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_MACHINECODEREPORT_H
#define TC_LIB_RUN_MACHINECODEREPORT_H

#include "Compile.h"
#include "tc/Run/Options.h"

#include "tc/Explain/Explain.h"
#include "tc/Target/PTX/PTXExport.h"

namespace tc::run {

/// Assembles the kernels of a program unless they are: what ptxas says of them
/// is known if it was run here.
Result<Assembly> assembleProgram(const CompiledProgram &program);

/// Assembles the kernels of a program unless they are, disassembles them, and
/// says what their loops consist of.
Result<std::string> reportMachineCode(const CompiledProgram &program,
                                      const Options &options);

/// Adds what ptxas made of them to the sections of those contractions that have
/// a kernel of their own.
Status addMachineCode(const CompiledProgram &program, const Options &options,
                      std::vector<explain::Section> &sections);

} // namespace tc::run

#endif // TC_LIB_RUN_MACHINECODEREPORT_H
