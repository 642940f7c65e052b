//===- Schedule.cpp - The decisions that turn a contraction into code -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/Schedule.h"

#include "tc/Support/Arithmetic.h"

namespace tc::model {

std::string_view stringify(Instruction instruction) {
  switch (instruction) {
  case Instruction::FMA:
    return "fma";
  case Instruction::MmaM8N8K4:
    return "mma_m8n8k4";
  case Instruction::MmaM16N8K4:
    return "mma_m16n8k4";
  case Instruction::MmaM16N8K8:
    return "mma_m16n8k8";
  case Instruction::MmaM16N8K16:
    return "mma_m16n8k16";
  case Instruction::MmaM16N8K32:
    return "mma_m16n8k32";
  }
  return "";
}

std::optional<Instruction> symbolizeInstruction(std::string_view name) {
  for (Instruction instruction : allInstructions)
    if (stringify(instruction) == name)
      return instruction;
  return std::nullopt;
}

std::string_view stringify(Stationary stationary) {
  switch (stationary) {
  case Stationary::Output:
    return "output";
  case Stationary::A:
    return "A";
  case Stationary::B:
    return "B";
  }
  return "";
}

} // namespace tc::model
