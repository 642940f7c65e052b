//===- Instruction.cpp - What multiplies, and how fast --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Model/Instruction.h"

namespace tc::model {

namespace {

/// Compute capabilities from which on f64 has the small and the large shapes.
constexpr unsigned smallShapesOfF64 = 80, largeShapesOfF64 = 90;

Error unsupported(const std::string &what, const std::string &why) {
  return Error{"schedule: instruction '" + what + "' " + why};
}

} // namespace

InstructionShape shapeOf(Instruction instruction) {
  switch (instruction) {
  case Instruction::FMA:
    return {1, 1, 1};
  case Instruction::MmaM8N8K4:
    return {8, 8, 4};
  case Instruction::MmaM16N8K4:
    return {16, 8, 4};
  case Instruction::MmaM16N8K8:
    return {16, 8, 8};
  case Instruction::MmaM16N8K16:
    return {16, 8, 16};
  }
  return {};
}

Result<int64_t> multiplyAddsPerCycle(const Contraction &contraction,
                                     Instruction instruction,
                                     const Target &target) {
  if (instruction == Instruction::FMA)
    return target.fmaPerCycle(contraction.accumulatorType);
  std::string name(stringify(instruction));
  ElementType type = contraction.elementType[Tensor::A];
  if (type != ElementType::F64 ||
      contraction.elementType[Tensor::B] != ElementType::F64)
    return unsupported(name,
                       "multiplies f64, not " + std::string(stringify(type)));
  bool large = instruction != Instruction::MmaM8N8K4;
  unsigned least = large ? largeShapesOfF64 : smallShapesOfF64;
  if (target.computeCapability < least || target.tensorFmaPerCycle.f64 == 0)
    return unsupported(name, "for f64 needs tensor cores of sm_" +
                                 std::to_string(least) + ", which " +
                                 target.name + " does not have");
  // The small shape runs at half the rate where there are larger ones.
  bool half = !large && target.computeCapability >= largeShapesOfF64;
  return target.tensorFmaPerCycle.f64 / (half ? 2 : 1);
}

std::vector<Instruction> instructionsFor(const Contraction &contraction,
                                         const Target &target) {
  std::vector<Instruction> result;
  int64_t best = 1;
  for (Instruction instruction : allInstructions) {
    Result<int64_t> rate =
        multiplyAddsPerCycle(contraction, instruction, target);
    int64_t laneBytes = shapeOf(instruction).depth / matrixLaneColumns *
                        byteWidth(contraction.elementType[Tensor::A]);
    if (!isMatrixInstruction(instruction) || !rate || *rate < best ||
        laneBytes > target.widestAccessBytes)
      continue;
    if (*rate > best)
      result.clear();
    best = *rate;
    // Shapes are listed by ascending depth.
    result.insert(result.begin(), instruction);
  }
  result.push_back(Instruction::FMA);
  return result;
}

} // namespace tc::model
