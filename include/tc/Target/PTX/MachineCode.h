//===- MachineCode.h - Machine code of kernels ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Disassembles cubins with nvdisasm, which PyPI's package nvidia-cuda-nvdisasm
// and the CUDA Toolkit have.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_PTX_MACHINECODE_H
#define TC_TARGET_PTX_MACHINECODE_H

#include "tc/MachineCode/Analysis.h"
#include "tc/Support/MLIR/LLVM.h"

namespace tc {

/// The path of nvdisasm: the environment variable TC_NVDISASM, else the one on
/// PATH, else the one of a CUDA Toolkit in its usual place; an error says where
/// was looked.
Result<std::string> findNvdisasm();

/// Disassembles a cubin, whose contents are given.
Result<sass::Listing> disassemble(StringRef cubin);

/// A listing and its counts.
struct MachineCode {
  sass::Listing listing;
  sass::ModuleCounts counts;
};

/// Disassembles a cubin and counts the instructions of its loops.
Result<MachineCode> machineCodeOf(StringRef cubin);

} // namespace tc

#endif // TC_TARGET_PTX_MACHINECODE_H
