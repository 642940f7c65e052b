//===- TimedInstructions.cpp - Properties of timed instructions -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "Multiprocessor.h"

#include <algorithm>

using namespace tc;
using namespace tc::timing;
using Kind = Operand::Kind;

/// An immediate operand; none if it is another or is not there.
static std::optional<unsigned> numberAt(const Decoded &decoded,
                                        std::size_t place) {
  if (place >= decoded.operands.size() ||
      decoded.operands[place].kind != Kind::Immediate ||
      decoded.operands[place].value < 0)
    return std::nullopt;
  return static_cast<unsigned>(
      std::min<std::int64_t>(decoded.operands[place].value, 1 << 16));
}

/// BAR.SYNC 0x1, 0x80: its number, and the threads that meet there.
static void readBarrier(const Decoded &decoded, TimedInstruction &timed) {
  timed.role =
      decoded.source->hasModifier("ARV") ? Role::Arrive : Role::Barrier;
  // A number in a register is taken for one that no other barrier has.
  constexpr unsigned unknown = 1 << 16;
  timed.barrier = numberAt(decoded, 0).value_or(unknown);
  timed.count = (numberAt(decoded, 1).value_or(0) + 31) / 32;
}

/// DEPBAR.LE SB0, 0x1.
static void readDepbar(const sass::Instruction &instruction,
                       const Decoded &decoded, TimedInstruction &timed) {
  if (instruction.operands.empty())
    return;
  const std::string &name = instruction.operands[0];
  if (name.size() != 3 || name.substr(0, 2) != "SB" || name[2] < '0' ||
      name[2] > '5')
    return;
  timed.role = Role::Depbar;
  timed.scoreboard = static_cast<std::uint8_t>(name[2] - '0');
  timed.count = numberAt(decoded, 1).value_or(0);
}

std::vector<TimedInstruction>
timing::timeInstructions(const sass::Function &function,
                         const Machine &machine) {
  std::vector<TimedInstruction> result;
  const std::vector<sass::BankReads> reads = sass::bankReadsOf(function);
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const sass::Instruction &instruction = function.code[i];
    const Decoded decoded = decode(instruction);
    TimedInstruction &timed = result.emplace_back();
    std::string_view name = instruction.baseOpcode();
    const sass::Control &control = instruction.control;
    timed.pipe = sass::pipeOf(instruction);
    timed.stall = static_cast<std::uint8_t>(std::max(1u, control.stall));
    timed.yields = control.yields;
    timed.reads = reads[i];
    auto scoreboard = [](const std::optional<unsigned> &number) {
      // There are six; listings may name a seventh.
      return static_cast<std::int8_t>(
          number && *number < 6 ? static_cast<int>(*number) : -1);
    };
    timed.writeBarrier = scoreboard(control.writeBarrier);
    timed.readBarrier = scoreboard(control.readBarrier);
    timed.awaits = static_cast<std::uint8_t>(control.awaits);
    timed.busy = machine.busyCyclesOf(instruction);
    timed.latency = machine.latencyOf(instruction);
    // As a NOP, it is issued and stalls: profilers count predicated-off
    // instructions among those executed (Nsight Compute, metrics inst_executed
    // and thread_inst_executed_pred_on), and its encoding has a stall count.
    if (instruction.neverExecutes())
      continue;
    if (decoded.space != Space::None) {
      timed.role = Role::Access;
      timed.isLoad = decoded.isLoad;
      timed.isGlobal = decoded.space == Space::Global;
      timed.isCopy = decoded.space == Space::Copy;
      timed.isLocal = decoded.space == Space::Local;
    } else if (name == "LDGDEPBAR") {
      timed.role = Role::Commit;
    } else if (name == "DEPBAR") {
      readDepbar(instruction, decoded, timed);
    } else if (name == "BAR") {
      readBarrier(decoded, timed);
    } else if (name == "EXIT") {
      timed.role = Role::Exit;
    }
  }
  return result;
}
