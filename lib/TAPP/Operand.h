//===- Operand.h - A tensor of a TAPP product and its indices ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TAPP_OPERAND_H
#define TC_LIB_TAPP_OPERAND_H

#include "TensorInfo.h"

#include "tc-c/Contraction.h"

#include <string>

namespace tc::tapp {

/// The compiler's name of a type; zero if it has none.
TcElementType elementTypeOf(TAPP_datatype type);

inline bool isComplex(TAPP_datatype type) {
  return type == TAPP_C32 || type == TAPP_C64;
}

/// The bytes of an element, and those of a real number in it, at whose
/// multiples elements lie. The type is one that the compiler has.
int64_t bytesOf(TAPP_datatype type);
int64_t alignmentOf(TAPP_datatype type);

/// A tensor and its indices, which the plan keeps: its makings may be gone when
/// the plan is executed.
struct Operand {
  TensorInfo info;
  std::vector<int64_t> indices;

  TcTensor describe() const {
    return {elementTypeOf(info.type), static_cast<int32_t>(info.extents.size()),
            info.extents.data(), info.strides.data()};
  }
  bool hasElements() const;
  /// "[i3,i5]" for indices 3 and 5; the names of negative ones have an m.
  std::string term() const;
};

/// The operand that a tensor and its indices are; neither may be missing.
Operand makeOperand(TAPP_tensor_info info, const int64_t *indices);

/// Checks the indices of D = A * B + C, in TAPP's numbers.
TAPP_error checkIndices(const Operand &a, const Operand &b, const Operand &c,
                        const Operand &d);

/// Gives each index one dimension, whose stride is the sum of those that it
/// had: elements off a diagonal are then neither read nor written.
void takeDiagonals(Operand &operand);

/// Returns true if elements of D may overlap, as TAPP's reference judges: along
/// the dimension of the larger stride, neighbours have to be at least as far
/// apart as all that lies along the smaller one takes.
bool mayOverlap(const Operand &d);

} // namespace tc::tapp

#endif // TC_LIB_TAPP_OPERAND_H
