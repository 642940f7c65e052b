//===- MatrixInstructions.cpp - Machine code for mma.sync -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Source of the table: ptxas 13.0.88 and 13.5.37, which make the same of every
// line, disassembled by nvdisasm 13.5.37, for sm_75, 80, 86, 89, 90, 100, 103,
// 110, 120 and 121, and sm_107 with 13.5.37. test/Integration/
// matrix_instructions.py holds it to the output of the ptxas at hand.
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/MatrixInstructions.h"

using namespace tc;
using namespace tc::model;

namespace {

constexpr MatrixShape m8n8k4{8, 8, 4}, m8n8k16{8, 8, 16}, m16n8k4{16, 8, 4},
    m16n8k8{16, 8, 8}, m16n8k16{16, 8, 16}, m16n8k32{16, 8, 32};

/// One instruction of machine code.
MatrixLoweringRow native(MatrixFactor factor, MatrixShape shape,
                         CapabilityRange chips) {
  return {factor, shape, chips, {1, shape, 0}};
}

} // namespace

std::string_view tc::model::stringify(MatrixFactor factor) {
  switch (factor) {
  case MatrixFactor::F64:
    return "f64";
  case MatrixFactor::TF32:
    return "tf32";
  case MatrixFactor::BF16:
    return "bf16";
  case MatrixFactor::F16:
    return "f16";
  case MatrixFactor::F8:
    return "f8";
  case MatrixFactor::I8:
    return "i8";
  }
  return {};
}

const std::vector<MatrixLoweringRow> &tc::model::matrixLowerings() {
  using F = MatrixFactor;
  static const std::vector<MatrixLoweringRow> rows = {
      native(F::F64, m8n8k4, {80}),
      native(F::F64, m16n8k4, {90, 100}),
      {F::F64, m16n8k4, {100}, {2, m8n8k4, 0}},
      native(F::F64, m16n8k8, {90, 100}),
      {F::F64, m16n8k8, {100}, {4, m8n8k4, 0}},
      native(F::F64, m16n8k16, {90, 100}),
      {F::F64, m16n8k16, {100}, {8, m8n8k4, 0}},
      native(F::TF32, m16n8k4, {80}),
      native(F::TF32, m16n8k8, {80}),
      native(F::BF16, m16n8k8, {80}),
      native(F::BF16, m16n8k16, {80}),
      native(F::F16, m16n8k8, {75}),
      native(F::F16, m16n8k16, {80}),
      // On chips with wgmma or tcgen05.mma, these are products of halves: F2FP
      // of each two factors, and FADD of each sum.
      native(F::F8, m16n8k16, {89, 90}),
      {F::F8, m16n8k16, {90, 120}, {2, m16n8k8, 10}},
      native(F::F8, m16n8k16, {120}),
      native(F::F8, m16n8k32, {89, 90}),
      {F::F8, m16n8k32, {90, 120}, {2, m16n8k16, 16}},
      native(F::F8, m16n8k32, {120}),
      native(F::I8, m8n8k16, {75, 100}),
      // Half of the larger shape is filled by moves, two at the most.
      {F::I8, m8n8k16, {100}, {1, m16n8k16, 2}},
      native(F::I8, m16n8k16, {80}),
      native(F::I8, m16n8k32, {80}),
  };
  return rows;
}

std::optional<MatrixLowering> tc::model::loweringOf(MatrixFactor factor,
                                                    MatrixShape shape,
                                                    const Target &target) {
  for (const MatrixLoweringRow &row : matrixLowerings())
    if (row.factor == factor && row.shape == shape &&
        row.chips.contains(target.computeCapability))
      return row.lowering;
  return std::nullopt;
}

bool tc::model::isNative(MatrixFactor factor, MatrixShape shape,
                         const Target &target) {
  std::optional<MatrixLowering> lowering = loweringOf(factor, shape, target);
  return lowering && lowering->isNative();
}

std::optional<unsigned> tc::model::leastCapability(MatrixFactor factor,
                                                   MatrixShape shape) {
  for (const MatrixLoweringRow &row : matrixLowerings())
    if (row.factor == factor && row.shape == shape)
      return row.chips.least;
  return std::nullopt;
}
