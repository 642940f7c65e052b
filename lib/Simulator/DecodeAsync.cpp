//===- DecodeAsync.cpp - Asynchronous copies ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async and the instructions that commit its groups and wait for them. Bulk
// copies are not in the subset.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

/// cp.async.ca.shared.global [%r1], [%rd1], 16, %r2;
bool Decoder::decodeCopy() {
  if (!require("async"))
    return false;
  if (accept("commit_group")) {
    set(Opcode::CommitGroup);
    return endOfModifiers() && countOperands(0);
  }
  if (accept("wait_all")) {
    set(Opcode::WaitAll);
    return endOfModifiers() && countOperands(0);
  }
  if (accept("wait_group")) {
    set(Opcode::WaitGroup);
    return endOfModifiers() && countOperands(1) &&
           immediateInteger(0, 0xffffffffu, op.immediate);
  }

  if (accept("mbarrier"))
    return decodeCopyArrival();

  kind = InstructionKind::CopyAsync;
  bool bypasses = accept("cg");
  if (!bypasses && !require("ca"))
    return false;
  if (!accept("shared::cta") && !require("shared"))
    return false;
  if (!require("global"))
    return false;
  bool hasPolicy = accept("L2::cache_hint");
  if (!accept("L2::64B") && !accept("L2::128B"))
    accept("L2::256B");
  if (!endOfModifiers())
    return false;
  const std::vector<Operand> &operands = inst->operands;
  std::size_t least = hasPolicy ? 4 : 3;
  if (operands.size() != least + 1 && !countOperands(least))
    return false;

  std::int64_t bytes = 0;
  if (!immediateInteger(2, 16, bytes))
    return false;
  if (bytes != 16 && (bypasses || (bytes != 4 && bytes != 8)))
    return fail(bypasses ? "a copy with '.cg' has 16 bytes"
                         : "a copy has 4, 8 or 16 bytes");
  op.elementBytes = static_cast<std::uint8_t>(bytes);
  op.count = 1;
  // It reads global memory, for whoever looks at accesses to that.
  op.poolIsWritten = true;
  if (!readAddress(operands[0], StateSpace::Shared))
    return false;
  op.b = op.a;
  op.registerBytes = op.addressBytes;
  op.target = static_cast<std::uint32_t>(op.immediate);
  op.addressBytes = sizeof(std::uint64_t);
  if (!readAddress(operands[1], StateSpace::Global))
    return false;
  if (hasPolicy && !source(operands.size() - 1, b64, op.d))
    return false;
  set(Opcode::CopyAsync);
  if (operands.size() == least)
    return true;
  const Operand &limit = operands[3];
  bool isPredicate = limit.kind == Operand::Kind::Register &&
                     entry.registers[limit.index].type.isPredicate();
  if (!isPredicate) {
    set(Opcode::CopyAsyncPart);
    if (limit.kind == Operand::Kind::Integer && limit.bits > op.elementBytes)
      return fail("a copy of " + std::to_string(bytes) +
                  " bytes cannot read more");
    return source(3, u32, op.c);
  }
  set(Opcode::CopyAsyncUnless);
  return predicateSource(3, op.c);
}
