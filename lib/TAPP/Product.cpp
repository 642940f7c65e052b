//===- Product.cpp - Tensor products of TAPP: their plans -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "tc-c/TappAttributes.h"
#include "tc-c/TappElementwise.h"
#include "tc-c/TappErrors.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

using namespace tc::tapp;

/// The error that kept this thread from creating its last plan; success if none
/// did.
static thread_local TAPP_error lastFailure = success;

TAPP_error tc::tapp::errorOfNoPlan() {
  return isSuccess(lastFailure) ? refuse(TC_TAPP_ERROR_NO_PLAN) : lastFailure;
}

/// One of the tensors of a product, as the caller gives it.
struct GivenOperand {
  int name;
  TAPP_element_op operation;
  TAPP_tensor_info info;
  const int64_t *indices;
};

/// Checks that operands are described, with indices, and with operations that
/// there are.
static TAPP_error checkGiven(std::initializer_list<GivenOperand> operands) {
  for (const auto &[name, operation, info, indices] : operands) {
    if (operation != TAPP_IDENTITY && operation != TAPP_CONJUGATE)
      return refuse(TC_TAPP_ERROR_OPERATION + name);
    if (!info)
      return refuse(TC_TAPP_ERROR_NO_INFO + name);
    if (!fromHandle<TensorInfo>(info)->extents.empty() && !indices)
      return refuse(TC_TAPP_ERROR_NO_INDICES + name);
  }
  return success;
}

/// Compiles D = alpha * A * B + beta * D, with the conjugates of a plan.
static TAPP_error compile(const Handle &handle, const Operand &a,
                          const Operand &b, const Operand &d,
                          int32_t conjugates, Compiled &compiled) {
  TcOptions *made = nullptr;
  if (TcError *error = tcOptionsCreate(&made))
    return takeOver(error);
  std::unique_ptr<TcOptions, Deleter> options(made);
  // A plan may be executed once only.
  if (TcError *error = tcOptionsSet(made, "specialize", "auto"))
    return takeOver(error);
  if (TcError *error = applyAttributes(handle, made))
    return takeOver(error);
  for (const char *factor : {"alpha", "beta"})
    if (TcError *error = tcOptionsSet(made, factor, "argument"))
      return takeOver(error);
  for (auto [key, flag] : {std::pair("conjugate-a", TC_CPU_CONJUGATE_A),
                           std::pair("conjugate-b", TC_CPU_CONJUGATE_B)})
    if (conjugates & flag)
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

/// Returns true if the tensors are of one type that is known, and so is the
/// precision.
static bool isKnown(const Operand &a, const Operand &b, const Operand &c,
                    TAPP_datatype type, TAPP_prectype precision) {
  for (const Operand *operand : {&a, &b, &c})
    if (operand->info.type != type)
      return false;
  return elementTypeOf(type) != 0 &&
         (precision == TAPP_DEFAULT_PREC || precision == type);
}

/// The conjugations of a product, as the plan computes it.
struct Operations {
  TAPP_element_op a, b, c, d;
};

/// All indices of four tensors, each of which has an index once, with their
/// strides there.
static std::vector<TcCpuCombinedIndex>
indicesOf(const std::array<const Operand *, 4> &operands) {
  std::map<int64_t, TcCpuCombinedIndex> indices;
  for (size_t place = 0; place < operands.size(); ++place) {
    const auto &[info, labels] = *operands[place];
    for (size_t i = 0; i < labels.size(); ++i) {
      TcCpuCombinedIndex &index = indices[labels[i]];
      index.extent = info.extents[i];
      // Nothing lies along an extent of one.
      index.strides[place] = index.extent == 1 ? 0 : info.strides[i];
    }
  }
  std::vector<TcCpuCombinedIndex> list;
  list.reserve(indices.size());
  for (const auto &[label, index] : indices)
    list.push_back(index);
  return list;
}

/// Returns true if an index of A or B is none of D's.
static bool sumsUp(const Operand &a, const Operand &b, const Operand &d) {
  for (const Operand *operand : {&a, &b})
    for (int64_t index : operand->indices)
      if (std::find(d.indices.begin(), d.indices.end(), index) ==
          d.indices.end())
        return true;
  return false;
}

/// @param b, c  missing where they are none
static TAPP_error createPlan(const Handle &attributes, Operand a,
                             const std::optional<Operand> &givenB,
                             const std::optional<Operand> &givenC, Operand d,
                             Operations operations, TAPP_prectype precision,
                             std::unique_ptr<Plan> &plan) {
  TAPP_datatype type = d.info.type;
  Operand b = givenB.value_or(Operand{{type, {}, {}}, {}});
  Operand c = givenC.value_or(d);
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
  made->hasB = givenB.has_value();
  made->hasC = givenC.has_value();
  made->needsA = a.hasElements();
  made->needsB = made->hasB && b.hasElements();
  made->needsD = d.hasElements();
  // Real elements are their own conjugates. That of D is the sum of those of
  // its terms.
  bool ofD = isComplex(type) && operations.d == TAPP_CONJUGATE;
  for (auto [operation, flag] : {std::pair(operations.a, TC_CPU_CONJUGATE_A),
                                 std::pair(operations.b, TC_CPU_CONJUGATE_B),
                                 std::pair(operations.c, TC_CPU_CONJUGATE_C)})
    if (isComplex(type) && (operation == TAPP_CONJUGATE) != ofD)
      made->conjugates |= flag;
  made->conjugatesFactors = ofD;
  made->threads = threadsOf(attributes);
  made->indices = indicesOf({&a, &b, &c, &d});
  made->hasLayoutOfD =
      std::all_of(made->indices.begin(), made->indices.end(),
                  [](const TcCpuCombinedIndex &index) {
                    return index.strides[2] == index.strides[3];
                  });
  for (auto [name, operand] :
       {std::pair(TC_TAPP_A, &a), std::pair(TC_TAPP_B, &b),
        std::pair(TC_TAPP_C, &c)})
    made->footprints[name] = Footprint(*operand, d, bytesOf(type));
  made->isCombined =
      !asksForCode(attributes) && (!made->hasB || !sumsUp(a, b, d));
  TAPP_error error =
      compile(attributes, a, b, d, made->conjugates, made->update);
  if (isSuccess(error))
    plan = std::move(made);
  return error;
}

/// Creates a plan from arguments that may be missing.
template <typename Create>
static TAPP_error keepFailure(TAPP_tensor_product *plan, const Create &create) {
  if (plan)
    *plan = 0;
  lastFailure = guard([&]() -> TAPP_error {
    if (!plan)
      return refuse(TC_TAPP_ERROR_NO_RESULT);
    std::unique_ptr<Plan> made;
    TAPP_error error = create(made);
    *plan = toHandle(made.release());
    return error;
  });
  return lastFailure;
}

TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A,
    TAPP_tensor_info A, const int64_t *idx_A, TAPP_element_op op_B,
    TAPP_tensor_info B, const int64_t *idx_B, TAPP_element_op op_C,
    TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec) {
  return keepFailure(plan, [&](std::unique_ptr<Plan> &made) {
    if (TAPP_error error = checkGiven({{TC_TAPP_A, op_A, A, idx_A},
                                       {TC_TAPP_B, op_B, B, idx_B},
                                       {TC_TAPP_C, op_C, C, idx_C},
                                       {TC_TAPP_D, op_D, D, idx_D}});
        !isSuccess(error))
      return error;
    return createPlan(attributesOf(handle), makeOperand(A, idx_A),
                      makeOperand(B, idx_B), makeOperand(C, idx_C),
                      makeOperand(D, idx_D), {op_A, op_B, op_C, op_D}, prec,
                      made);
  });
}

TAPP_error tcTappCreateElementwise(TAPP_tensor_product *plan,
                                   TAPP_handle handle, TAPP_element_op opA,
                                   TAPP_tensor_info a, const int64_t *indicesA,
                                   TAPP_element_op opC, TAPP_tensor_info c,
                                   const int64_t *indicesC, TAPP_element_op opD,
                                   TAPP_tensor_info d, const int64_t *indicesD,
                                   TAPP_prectype prec) {
  return keepFailure(plan, [&](std::unique_ptr<Plan> &made) {
    GivenOperand givenA = {TC_TAPP_A, opA, a, indicesA};
    GivenOperand givenD = {TC_TAPP_D, opD, d, indicesD};
    // Nothing of a C that is missing is looked at.
    GivenOperand givenC =
        c ? GivenOperand{TC_TAPP_C, opC, c, indicesC} : givenD;
    if (TAPP_error error = checkGiven({givenA, givenC, givenD});
        !isSuccess(error))
      return error;
    return createPlan(
        attributesOf(handle), makeOperand(a, indicesA), std::nullopt,
        c ? std::optional(makeOperand(c, indicesC)) : std::nullopt,
        makeOperand(d, indicesD), {opA, TAPP_IDENTITY, opC, opD}, prec, made);
  });
}

TAPP_error
TAPP_destroy_tensor_product(TAPP_tensor_product plan TC_TAPP_HANDLE) {
  delete fromHandle<Plan>(plan);
  return success;
}
