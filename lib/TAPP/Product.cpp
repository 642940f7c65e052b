//===- Product.cpp - Tensor products of TAPP: their plans -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "tc-c/TappAttributes.h"

#include <string>
#include <utility>

using namespace tc::tapp;

/// What kept this thread from creating its last plan; success if nothing did.
static thread_local TAPP_error lastFailure = success;

TAPP_error tc::tapp::errorOfNoPlan() {
  return isSuccess(lastFailure) ? invalid : lastFailure;
}

/// Whether an operand is not described, or its indices are not given.
static bool isMissing(TAPP_tensor_info info, const int64_t *indices) {
  return !info || (!fromHandle<TensorInfo>(info)->extents.empty() && !indices);
}

TAPP_error tc::tapp::compile(const Handle &handle, const Operand &a,
                             const Operand &b, const Operand &d,
                             bool takesFactors, Conjugates conjugates,
                             Compiled &compiled) {
  TcOptions *made = nullptr;
  if (TcError *error = tcOptionsCreate(&made))
    return takeOver(error);
  std::unique_ptr<TcOptions, Deleter> options(made);
  // A plan may be executed once only.
  if (TcError *error = tcOptionsSet(made, "specialize", "auto"))
    return takeOver(error);
  if (TcError *error = applyAttributes(handle, made))
    return takeOver(error);
  if (takesFactors)
    for (const char *factor : {"alpha", "beta"})
      if (TcError *error = tcOptionsSet(made, factor, "argument"))
        return takeOver(error);
  for (auto [key, conjugated] : {std::pair("conjugate-a", conjugates.a),
                                 std::pair("conjugate-b", conjugates.b)})
    if (conjugated)
      if (TcError *error = tcOptionsSet(made, key, "true"))
        return takeOver(error);
  const TcTensor tensors[] = {a.describe(), b.describe(), d.describe()};
  std::string spec = a.term() + "," + b.term() + "->" + d.term();
  TcContraction *contraction = nullptr;
  if (TcError *error =
          tcContractionCompile(spec.c_str(), tensors, made, &contraction))
    return takeOver(error);
  compiled.reset(contraction);
  return success;
}

/// Whether the tensors are of one type that is known, and so is the precision.
static bool isKnown(const Operand &a, const Operand &b, const Operand &c,
                    TAPP_datatype type, TAPP_prectype precision) {
  for (const Operand *operand : {&a, &b, &c})
    if (operand->info.type != type)
      return false;
  return elementTypeOf(type) != 0 &&
         (precision == TAPP_DEFAULT_PREC || precision == type);
}

/// What is conjugated, as the plan computes it.
struct Operations {
  TAPP_element_op a, b, c, d;
};

static TAPP_error createPlan(const Handle &attributes, Operand a, Operand b,
                             Operand c, Operand d, Operations operations,
                             TAPP_prectype precision,
                             std::unique_ptr<Plan> &plan) {
  TAPP_datatype type = d.info.type;
  if (!isKnown(a, b, c, type, precision))
    return failWith(TAPP_ERR_NOT_IMPLEMENTED);
  if (TAPP_error error = checkIndices(a, b, c, d); !isSuccess(error))
    return error;
  for (Operand *operand : {&a, &b, &c, &d})
    takeDiagonals(*operand);
  if (mayOverlap(d))
    return failWith(TAPP_ERR_D_ALIASING);
  auto made = std::make_unique<Plan>();
  made->type = type;
  made->needsA = a.hasElements();
  made->needsB = b.hasElements();
  made->sameLayout = c.indices == d.indices && c.info.strides == d.info.strides;
  // Real elements are their own conjugates. That of D is the sum of those of
  // its terms.
  bool ofD = isComplex(type) && operations.d == TAPP_CONJUGATE;
  auto conjugates = [&](TAPP_element_op operation) {
    return isComplex(type) && (operation == TAPP_CONJUGATE) != ofD;
  };
  made->conjugatesC = conjugates(operations.c);
  made->conjugatesFactors = ofD;
  made->attributesOfCopy = attributes;
  // It names the product's indices.
  made->attributesOfCopy.attributes.erase(TC_TAPP_SCHEDULE);
  TAPP_error error = compile(
      attributes, a, b, d, /*takesFactors=*/true,
      {conjugates(operations.a), conjugates(operations.b)}, made->update);
  made->c = std::move(c);
  made->d = std::move(d);
  if (isSuccess(error))
    plan = std::move(made);
  return error;
}

TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A,
    TAPP_tensor_info A, const int64_t *idx_A, TAPP_element_op op_B,
    TAPP_tensor_info B, const int64_t *idx_B, TAPP_element_op op_C,
    TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec) {
  if (plan)
    *plan = 0;
  lastFailure = guard([&]() -> TAPP_error {
    if (!plan || isMissing(A, idx_A) || isMissing(B, idx_B) ||
        isMissing(C, idx_C) || isMissing(D, idx_D))
      return invalid;
    std::unique_ptr<Plan> made;
    TAPP_error error =
        createPlan(attributesOf(handle), makeOperand(A, idx_A),
                   makeOperand(B, idx_B), makeOperand(C, idx_C),
                   makeOperand(D, idx_D), {op_A, op_B, op_C, op_D}, prec, made);
    *plan = toHandle(made.release());
    return error;
  });
  return lastFailure;
}

TAPP_error
TAPP_destroy_tensor_product(TAPP_tensor_product plan TC_TAPP_HANDLE) {
  delete fromHandle<Plan>(plan);
  return success;
}
