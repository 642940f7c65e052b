//===- Operands.h - Registers that an instruction accesses ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visits the registers of a micro-operation: their numbers while decoding, then
// their places.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_OPERANDS_H
#define TC_LIB_SIMULATOR_OPERANDS_H

#include "Program.h"

namespace tc::sim {

template <typename F>
void forEachUse(const Kernel &kernel, const MicroOp &op, F visit) {
  for (std::uint32_t operand : {op.guard, op.a, op.b, op.c, op.d})
    if (operand != none)
      visit(operand);
  if (op.pool == none)
    return;
  for (unsigned i = op.poolIsWritten ? op.count : 0;
       i < unsigned(op.count) + op.poolSources; ++i)
    if (kernel.pool[op.pool + i] != none)
      visit(kernel.pool[op.pool + i]);
}

template <typename F>
void forEachDefinition(const Kernel &kernel, const MicroOp &op, F visit) {
  for (std::uint32_t operand : {op.dst, op.dst2})
    if (operand != none)
      visit(operand);
  if (op.pool != none && op.poolIsWritten)
    for (unsigned i = 0; i < op.count; ++i)
      if (kernel.pool[op.pool + i] != none)
        visit(kernel.pool[op.pool + i]);
}

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_OPERANDS_H
