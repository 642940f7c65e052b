//===- DecodeMatrix.cpp - Products of matrices ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that a whole warp executes on matrices that its lanes hold.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

namespace {
/// The form of elements in a warp's registers.
struct ElementType {
  std::string_view name;
  ScalarType registerType;
  std::uint8_t perRegister;
};

/// A product of an M by K and a K by 8 matrix, added to an M by 8 matrix.
struct Product {
  std::string_view shape;
  std::uint8_t m, k;
  Opcode opcode;
  InstructionKind kind;
  std::string_view factors;
  /// Another type that either factor may be of instead, or "".
  std::string_view otherFactors;
  std::string_view sums;
};
} // namespace

static constexpr ElementType elementTypes[] = {
    {"f64", {Interpretation::Float, 64}, 1},
    {"f32", {Interpretation::Float, 32}, 1},
    {"s32", {Interpretation::Signed, 32}, 1},
    {"tf32", b32, 1},
    {"f16", b32, 2},
    {"bf16", b32, 2},
    {"e4m3", b32, 4},
    {"e5m2", b32, 4},
    {"s8", b32, 4},
    {"u8", b32, 4},
};

#define TC_SIM_PRODUCT(NAME, KIND, M, K, ...)                                  \
  {"m" #M "n8k" #K,                                                            \
   M,                                                                          \
   K,                                                                          \
   Opcode::Mma##NAME##M##M##K##K,                                              \
   InstructionKind::Mma##KIND,                                                 \
   __VA_ARGS__}

static constexpr Product products[] = {
    TC_SIM_PRODUCT(F64, F64, 8, 4, "f64", "", "f64"),
    TC_SIM_PRODUCT(F64, F64, 16, 4, "f64", "", "f64"),
    TC_SIM_PRODUCT(F64, F64, 16, 8, "f64", "", "f64"),
    TC_SIM_PRODUCT(F64, F64, 16, 16, "f64", "", "f64"),
    TC_SIM_PRODUCT(TF32, TF32, 16, 4, "tf32", "", "f32"),
    TC_SIM_PRODUCT(TF32, TF32, 16, 8, "tf32", "", "f32"),
    TC_SIM_PRODUCT(F16, F16, 16, 8, "f16", "", "f32"),
    TC_SIM_PRODUCT(F16, F16, 16, 16, "f16", "", "f32"),
    TC_SIM_PRODUCT(F16ToF16, F16, 16, 8, "f16", "", "f16"),
    TC_SIM_PRODUCT(F16ToF16, F16, 16, 16, "f16", "", "f16"),
    TC_SIM_PRODUCT(BF16, F16, 16, 8, "bf16", "", "f32"),
    TC_SIM_PRODUCT(BF16, F16, 16, 16, "bf16", "", "f32"),
    TC_SIM_PRODUCT(F8, F8, 16, 16, "e4m3", "e5m2", "f32"),
    TC_SIM_PRODUCT(F8, F8, 16, 32, "e4m3", "e5m2", "f32"),
    TC_SIM_PRODUCT(F8ToF16, F8, 16, 16, "e4m3", "e5m2", "f16"),
    TC_SIM_PRODUCT(F8ToF16, F8, 16, 32, "e4m3", "e5m2", "f16"),
    TC_SIM_PRODUCT(I8, I8, 8, 16, "s8", "u8", "s32"),
    TC_SIM_PRODUCT(I8, I8, 16, 16, "s8", "u8", "s32"),
    TC_SIM_PRODUCT(I8, I8, 16, 32, "s8", "u8", "s32"),
};

static const ElementType &findElementType(std::string_view name) {
  const ElementType *type = elementTypes;
  while (type->name != name)
    ++type;
  return *type;
}

/// mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d, a, b, c
bool Decoder::decodeMultiplyMatrices() {
  if (!require("sync") || !require("aligned"))
    return false;
  std::string_view shape;
  if (modifier != inst->modifiers.size())
    shape = inst->modifiers[modifier++];
  if (!require("row") || !require("col"))
    return false;
  op.saturates = accept("satfinite");
  std::size_t words = inst->modifiers.size() - modifier;
  // ptxas takes it behind the types as well, where CUTLASS writes it.
  if (!op.saturates && words == 5 && inst->modifiers.back() == "satfinite") {
    op.saturates = true;
    --words;
  }
  if (words != 4)
    return fail("the types of four matrices are wanted");
  const std::string_view *types = &inst->modifiers[modifier];
  const Product *product = nullptr;
  for (const Product &candidate : products) {
    auto isFactor = [&](std::string_view type) {
      return type == candidate.factors || type == candidate.otherFactors;
    };
    if (candidate.shape == shape && isFactor(types[1]) && isFactor(types[2]) &&
        candidate.sums == types[0] && candidate.sums == types[3])
      product = &candidate;
  }
  if (product == nullptr ||
      (op.saturates && product->kind != InstructionKind::MmaI8))
    return fail("this shape with these types is not supported");

  op.combine = (types[1] == product->factors ? 0 : SecondTypeOfA) |
               (types[2] == product->factors ? 0 : SecondTypeOfB);
  const ElementType &factors = findElementType(product->factors);
  const ElementType &sums = findElementType(product->sums);
  const unsigned m = product->m, n = 8, k = product->k;
  auto registers = [](unsigned elements, const ElementType &type) {
    return elements / warpSize / type.perRegister;
  };
  op.pool = static_cast<std::uint32_t>(kernel.pool.size());
  op.poolIsWritten = true;
  op.count = static_cast<std::uint8_t>(registers(m * n, sums));
  if (!countOperands(4) ||
      !readFragment(0, sums.registerType, op.count, /*isResult=*/true) ||
      !readFragment(1, factors.registerType, registers(m * k, factors),
                    /*isResult=*/false) ||
      !readFragment(2, factors.registerType, registers(k * n, factors),
                    /*isResult=*/false) ||
      !readFragment(3, sums.registerType, op.count, /*isResult=*/false))
    return false;
  op.poolSources =
      static_cast<std::uint8_t>(kernel.pool.size() - op.pool - op.count);
  kind = product->kind;
  operationsPerThread = static_cast<std::uint8_t>(m * n * k / warpSize);
  set(product->opcode);
  return true;
}

/// Reads a vector of `count` registers and appends them to the pool.
bool Decoder::readFragment(std::size_t number, ScalarType type, unsigned count,
                           bool isResult) {
  const Operand &operand = inst->operands[number];
  if (operand.kind != Operand::Kind::Vector || operand.elements.size() != count)
    return fail("operand " + std::to_string(number + 1) +
                " must be a vector of " + std::to_string(count));
  std::size_t first = kernel.pool.size();
  for (const Operand &element : operand.elements) {
    std::uint32_t field = none;
    if (!isResult) {
      if (!sourceElement(element, type, /*mayBeWider=*/false, field))
        return false;
    } else if (element.kind != Operand::Kind::Register || element.negated) {
      return fail("a register is wanted");
    } else {
      field = element.index;
      if (!typesAgree(element, type, /*mayBeWider=*/false))
        return false;
      for (std::size_t i = first; i < kernel.pool.size(); ++i)
        if (kernel.pool[i] == field)
          return fail("a register is written twice");
    }
    kernel.pool.push_back(field);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Matrices of 8 by 8 elements of 16 bits
//===----------------------------------------------------------------------===//

/// The modifiers of ldmatrix and stmatrix.
bool Decoder::readMatrixAccess(bool &isTransposed) {
  if (!require("sync") || !require("aligned"))
    return false;
  // ptxas takes the shape behind the number and `.trans` as well, where CUTLASS
  // writes it.
  bool hasShape = accept("m8n8");
  op.count = accept("x1") ? 1 : accept("x2") ? 2 : accept("x4") ? 4 : 0;
  if (op.count == 0)
    return fail(hasShape ? "missing or unsupported number of matrices"
                         : "expected modifier '.m8n8'");
  isTransposed = accept("trans");
  if (!hasShape && !require("m8n8"))
    return false;
  if (!accept("shared") && !accept("shared::cta"))
    return fail("expected modifier '.shared'");
  op.pool = static_cast<std::uint32_t>(kernel.pool.size());
  return require("b16") && endOfModifiers() && countOperands(2);
}

/// ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r3]
bool Decoder::decodeLoadMatrix() {
  bool isTransposed = false;
  if (!readMatrixAccess(isTransposed) ||
      !readFragment(0, b32, op.count, /*isResult=*/true) ||
      !readAddress(inst->operands[1], StateSpace::Shared))
    return false;
  op.poolIsWritten = true;
  kind = InstructionKind::LoadMatrix;
  set(isTransposed ? Opcode::LoadMatrixTransposed : Opcode::LoadMatrix);
  return true;
}

/// stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2}
bool Decoder::decodeStoreMatrix() {
  bool isTransposed = false;
  if (!readMatrixAccess(isTransposed) ||
      !readAddress(inst->operands[0], StateSpace::Shared) ||
      !readFragment(1, b32, op.count, /*isResult=*/false))
    return false;
  kind = InstructionKind::StoreMatrix;
  set(isTransposed ? Opcode::StoreMatrixTransposed : Opcode::StoreMatrix);
  return true;
}

/// movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2
bool Decoder::decodeMoveMatrix() {
  for (const char *word : {"sync", "aligned", "m8n8", "trans", "b16"})
    if (!require(word))
      return false;
  return finish(Opcode::MoveMatrix, b32, 1);
}
