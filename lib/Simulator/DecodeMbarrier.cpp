//===- DecodeMbarrier.cpp - Barriers in shared memory ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarrier, without counts of bytes, and cp.async.mbarrier.arrive.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

/// Reads the state space and `.b64`, and the address.
bool Decoder::mbarrierAddress(std::size_t number) {
  const bool isShared = accept("shared") || accept("shared::cta");
  if (!require("b64") || !endOfModifiers())
    return false;
  if (number >= inst->operands.size())
    return countOperands(number + 1);
  op.isGeneric = !isShared;
  op.elementBytes = sizeof(std::uint64_t);
  op.count = 1;
  return readAddress(inst->operands[number],
                     isShared ? StateSpace::Shared : StateSpace::Generic);
}

/// `.release.cta` and the like, if they are there.
bool Decoder::mbarrierOrdering(std::string_view semantics) {
  if (!accept(semantics) && !accept("relaxed"))
    return true;
  return accept("cta") || require("cluster");
}

/// An arrival or a wait: it reads and changes the mbarrier together with those
/// of other threads.
void Decoder::touchMbarrier() {
  op.isAtomic = true;
  op.combine = static_cast<std::uint8_t>(AtomicFunction::Add);
  kernel.hasAtomics = true;
}

/// cp.async.mbarrier.arrive.noinc.shared.b64 [%r1]
bool Decoder::decodeCopyArrival() {
  kind = InstructionKind::Barrier;
  if (!require("arrive"))
    return false;
  op.mustNotComplete = accept("noinc");
  if (!mbarrierAddress(0) || !countOperands(1))
    return false;
  set(Opcode::CopyArrive);
  touchMbarrier();
  return true;
}

/// mbarrier.arrive.release.cta.shared.b64 %rd1, [%r1], %r2
bool Decoder::decodeMbarrierArrival(bool drops) {
  op.mustNotComplete = accept("noComplete");
  if (!mbarrierOrdering("release") || !mbarrierAddress(1))
    return false;
  const bool hasCount = inst->operands.size() == 3;
  if (!countOperands(op.mustNotComplete || hasCount ? 3 : 2) ||
      (inst->operands[0].kind != Operand::Kind::Sink && !result(0, b64)) ||
      (hasCount && !source(2, u32, op.b)))
    return false;
  set(drops ? Opcode::MbarrierDrop : Opcode::MbarrierArrive);
  touchMbarrier();
  return true;
}

/// mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2, %r3. The time for which
/// a thread may sleep is a hint: it may wake before.
bool Decoder::decodeMbarrierWait(bool mayHint) {
  const bool isParity = accept("parity");
  if (!mbarrierOrdering("acquire") || !mbarrierAddress(1))
    return false;
  const bool hasHint = mayHint && inst->operands.size() == 4;
  if (!countOperands(hasHint ? 4 : 3) || !predicateResult(0) ||
      !source(2, isParity ? u32 : b64, op.b) ||
      (hasHint && !source(3, u32, op.c)))
    return false;
  set(isParity ? Opcode::MbarrierTestParity : Opcode::MbarrierTest);
  touchMbarrier();
  return true;
}

bool Decoder::decodeMbarrier() {
  kind = InstructionKind::Barrier;
  if (accept("init")) {
    set(Opcode::MbarrierInit);
    return mbarrierAddress(0) && countOperands(2) && source(1, u32, op.b);
  }
  if (accept("inval")) {
    set(Opcode::MbarrierInvalidate);
    return mbarrierAddress(0) && countOperands(1);
  }
  if (accept("pending_count")) {
    set(Opcode::MbarrierPending);
    return require("b64") && endOfModifiers() && countOperands(2) &&
           result(0, u32) && source(1, b64, op.a);
  }
  if (accept("arrive"))
    return decodeMbarrierArrival(/*drops=*/false);
  if (accept("arrive_drop"))
    return decodeMbarrierArrival(/*drops=*/true);
  if (accept("test_wait"))
    return decodeMbarrierWait(/*mayHint=*/false);
  if (accept("try_wait"))
    return decodeMbarrierWait(/*mayHint=*/true);
  return fail("missing or unsupported operation on an mbarrier");
}
