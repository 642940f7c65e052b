//===- CPUExport.h - From contractions to native code -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the result of --tc-to-cpu into an object file for this machine or
// another one, and an object file for this machine into functions that can be
// called.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_CPU_CPUEXPORT_H
#define TC_TARGET_CPU_CPUEXPORT_H

#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/CpuRuntime/Team.h"
#include "tc/OnDemand/LoadedObject.h"
#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include <string>
#include <tuple>

namespace tc {

/// Makes the translations of the dialects that code for a CPU is lowered to,
/// and their conversions to LLVM, known to a context created from the registry.
void registerCPUExportDialects(DialectRegistry &registry);

/// The target of native code, in LLVM's terms: a triple; a CPU, or none for the
/// least of the triple; and features that it has besides, or lacks, with a sign
/// each and separated by commas.
struct CodeTarget {
  std::string triple, cpu, features;

  bool operator!=(const CodeTarget &other) const {
    return std::tie(triple, cpu, features) !=
           std::tie(other.triple, other.cpu, other.features);
  }
};

/// This machine with all that it can do, its features in order.
CodeTarget hostCodeTarget();

/// Compiles a module, in which no operation of this project is left. The module
/// is lowered to the LLVM dialect in place. Its context must have been created
/// with `registerCPUExportDialects`. Emits an error and fails if something does
/// not lower, or if LLVM knows no such target, or none with addresses of 64
/// bits.
FailureOr<CompiledObject> compileToObject(ModuleOp module,
                                          const CodeTarget &target);

/// Links an object file into this process; one for several threads with the
/// OpenMP runtime that the process has, or else with LLVM's, which is loaded,
/// as is glibc's library of functions on vectors where the code calls some.
/// Fails if it is damaged or needs a symbol that is not found.
Result<LoadedObject> loadObject(const CompiledObject &compiled,
                                cpu::Ask ask = cpu::Ask::All);

} // namespace tc

#endif // TC_TARGET_CPU_CPUEXPORT_H
