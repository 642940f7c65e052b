//===- Plan.h - What a TAPP_tensor_product is -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TAPP_PLAN_H
#define TC_LIB_TAPP_PLAN_H

#include "Handle.h"
#include "Operand.h"

#include "tc-c/Contraction.h"

#include <memory>
#include <mutex>

namespace tc::tapp {

struct Deleter {
  void operator()(TcContraction *object) const { tcContractionDestroy(object); }
  void operator()(TcOptions *object) const { tcOptionsDestroy(object); }
};
using Compiled = std::unique_ptr<TcContraction, Deleter>;

inline bool isComplex(TAPP_datatype type) {
  return type == TAPP_C32 || type == TAPP_C64;
}

/// Which tensors of a contraction are conjugated.
struct Conjugates {
  bool a = false, b = false;
};

/// D = op_D(alpha * op_A(A) * op_B(B) + beta * op_C(C)), where C may be another
/// tensor than D: what is compiled updates D in place, after C has been brought
/// there. A conjugated D is the result of conjugated terms.
struct Plan {
  Operand c, d;
  /// D = alpha * A * B + beta * D.
  Compiled update;
  TAPP_datatype type = TAPP_F64;
  /// Whether C and D have the same indices in the same order with the same
  /// strides, so that C at D's address needs no copy.
  bool sameLayout = false;
  /// Whether A and B have elements, which have to be given then.
  bool needsA = true, needsB = true;
  /// Whether C's elements are conjugated on the way to D, and alpha and beta.
  bool conjugatesC = false, conjugatesFactors = false;
  /// D = C, once it is needed, as the handle asks for; it may be gone by then.
  Handle attributesOfCopy;
  std::mutex mutex;
  Compiled copy;

  /// Whether numbers, or their parts, are in double precision.
  bool isDouble() const { return type == TAPP_F64 || type == TAPP_C64; }
};

/// Compiles D = alpha * A * B + beta * D, or D = A * B without factors.
TAPP_error compile(const Handle &handle, const Operand &a, const Operand &b,
                   const Operand &d, bool takesFactors, Conjugates conjugates,
                   Compiled &compiled);

/// What the plan of that number is executed with: the error that kept this
/// thread from creating its last plan, or the one for a plan that is NULL.
TAPP_error errorOfNoPlan();

} // namespace tc::tapp

#endif // TC_LIB_TAPP_PLAN_H
