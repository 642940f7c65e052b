//===- MachineCodeJudge.h - Schedules by their machine code -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The judge that compiles a schedule down to machine code, with ptxas and
// nvdisasm, and predicts from that how long the kernel takes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_JUDGE_MACHINECODEJUDGE_H
#define TC_JUDGE_MACHINECODEJUDGE_H

#include "tc/Support/MLIR/LLVM.h"

namespace tc {

/// Attaches the judge to the tc dialect of contexts made from the registry.
void registerMachineCodeJudge(DialectRegistry &registry);

} // namespace tc

#endif // TC_JUDGE_MACHINECODEJUDGE_H
