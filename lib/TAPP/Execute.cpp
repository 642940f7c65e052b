//===- Execute.cpp - Tensor products of TAPP: their execution -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "tc/Buffers/NarrowFloat.h"

#include "tc-c/TappErrors.h"

#include <array>
#include <complex>

using namespace tc::tapp;
namespace runtime = tc::runtime;

namespace {

/// A factor as the compiler takes it: in the type of sums, which is f32 for
/// those that are given as halves, and conjugated as D is. A real number is the
/// real part of a complex one.
class Factor {
public:
  Factor(const Plan &plan, const void *given) : isDouble(plan.isDouble()) {
    switch (plan.type) {
    case TAPP_F16:
      narrow =
          static_cast<float>(*static_cast<const runtime::Float16 *>(given));
      break;
    case TAPP_BF16:
      narrow =
          static_cast<float>(*static_cast<const runtime::BFloat16 *>(given));
      break;
    case TAPP_F32:
      narrow = *static_cast<const float *>(given);
      break;
    case TAPP_C32:
      narrow = *static_cast<const std::complex<float> *>(given);
      break;
    case TAPP_F64:
      wide = *static_cast<const double *>(given);
      break;
    default:
      wide = *static_cast<const std::complex<double> *>(given);
    }
    if (plan.conjugatesFactors) {
      narrow = std::conj(narrow);
      wide = std::conj(wide);
    }
  }

  const void *address() const {
    return isDouble ? static_cast<const void *>(&wide) : &narrow;
  }
  bool isNonzero() const { return wide != 0.0 || narrow != 0.0F; }

private:
  bool isDouble;
  std::complex<float> narrow;
  std::complex<double> wide;
};

} // namespace

/// The TAPP error for the result of a function of libtc_cpu_runtime.
static TAPP_error takeOver(TcErrorCode code) {
  return code == 0 ? success : makeError(TAPP_ERROR_TYPE_TC, code);
}

/// D = op_C(C).
static TAPP_error bringC(const Plan &plan, const void *c, void *d) {
  std::vector<TcCpuCombinedIndex> indices;
  bool isThere = c == d && (plan.conjugates & TC_CPU_CONJUGATE_C) == 0;
  for (const auto &[extent, strides] : plan.indices) {
    if (strides[3] == 0 && extent != 1)
      continue;
    indices.push_back({extent, {strides[2], 0, 0, strides[3]}});
    isThere &= strides[2] == strides[3];
  }
  if (isThere)
    return success;
  return takeOver(tcCpuCombine(
      indices.data(), static_cast<int32_t>(indices.size()),
      elementTypeOf(plan.type),
      plan.conjugates & TC_CPU_CONJUGATE_C ? TC_CPU_CONJUGATE_A : 0, c, nullptr,
      nullptr, d, nullptr, nullptr, plan.threads));
}

/// A number one of the plan's type, for a B that is missing.
static const void *oneOf(TAPP_datatype type) {
  static const runtime::Float16 half(1);
  static const runtime::BFloat16 brainHalf(1);
  // A real number is the real part of a complex one.
  static const std::complex<double> wide = 1;
  static const std::complex<float> narrow = 1;
  switch (type) {
  case TAPP_F16:
    return &half;
  case TAPP_BF16:
    return &brainHalf;
  case TAPP_F64:
  case TAPP_C64:
    return &wide;
  default:
    return &narrow;
  }
}

/// Checks addresses, before D is changed; C is NULL if it is not read.
static TAPP_error checkTensors(const Plan &plan, const void *a, const void *b,
                               const void *c, const void *d) {
  const std::array<const void *, 4> tensors = {a, b, c, d};
  const bool needed[] = {plan.needsA, plan.needsB, c && plan.needsD,
                         plan.needsD};
  auto alignment = static_cast<uintptr_t>(alignmentOf(plan.type));
  for (int name = TC_TAPP_A; name <= TC_TAPP_D; ++name) {
    if (!needed[name])
      continue;
    if (!tensors[name])
      return refuse(TC_TAPP_ERROR_NULL + name);
    if (reinterpret_cast<uintptr_t>(tensors[name]) % alignment != 0)
      return refuse(TC_TAPP_ERROR_MISALIGNED + name);
  }
  for (int name = TC_TAPP_A; name < TC_TAPP_D; ++name) {
    bool mayBeD = name == TC_TAPP_C && c == d && plan.hasLayoutOfD;
    if (needed[name] && !mayBeD &&
        plan.footprints[name].overlaps(tensors[name], d))
      return refuse(TC_TAPP_ERROR_OVERLAPS_D + name);
  }
  return success;
}

/// Executes a plan; all is done when this returns.
static TAPP_error execute(TAPP_tensor_product plan, TAPP_status *status,
                          const void *alpha, const void *a, const void *b,
                          const void *beta, const void *c, void *d) {
  return guard([&]() -> TAPP_error {
    if (!plan)
      return errorOfNoPlan();
    if (!alpha)
      return refuse(TC_TAPP_ERROR_NULL + TC_TAPP_ALPHA);
    if (!beta)
      return refuse(TC_TAPP_ERROR_NULL + TC_TAPP_BETA);
    const auto &product = *fromHandle<Plan>(plan);
    Factor ofProduct(product, alpha), ofC(product, beta);
    bool readsC = ofC.isNonzero();
    if (readsC && (!c || !product.hasC))
      return failWith(TAPP_ERR_C_NULL_BETA);
    TAPP_error error = checkTensors(product, a, b, readsC ? c : nullptr, d);
    if (!isSuccess(error))
      return error;
    if (product.isCombined) {
      error = takeOver(tcCpuCombine(
          product.indices.data(), static_cast<int32_t>(product.indices.size()),
          elementTypeOf(product.type), product.conjugates, a,
          product.hasB ? b : nullptr, readsC ? c : nullptr, d,
          ofProduct.address(), ofC.address(), product.threads));
    } else {
      if (readsC)
        error = bringC(product, c, d);
      if (isSuccess(error))
        error = takeOver(tcContractionRun(
            product.update.get(), a, product.hasB ? b : oneOf(product.type), d,
            ofProduct.address(), ofC.address()));
    }
    if (status && isSuccess(error))
      *status = doneStatus;
    return error;
  });
}

TAPP_error TAPP_execute_product(TAPP_tensor_product plan TC_TAPP_HANDLE,
                                TAPP_executor, TAPP_status *status,
                                const void *alpha, const void *a, const void *b,
                                const void *beta, const void *c, void *d) {
  return execute(plan, status, alpha, a, b, beta, c, d);
}

TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan TC_TAPP_HANDLE,
                                        TAPP_executor, TAPP_status *status,
                                        int count, const void *alpha,
                                        const void **a, const void **b,
                                        const void *beta, const void **c,
                                        void **d) {
  if (!plan)
    return errorOfNoPlan();
  bool hasB = fromHandle<Plan>(plan)->hasB;
  if (count < 0)
    return refuse(TC_TAPP_ERROR_BATCH);
  const bool isMissing[] = {!a, hasB && !b, false, !d};
  for (int name = TC_TAPP_A; name <= TC_TAPP_D && count > 0; ++name)
    if (isMissing[name])
      return refuse(TC_TAPP_ERROR_NULL + name);
  for (int i = 0; i < count; ++i)
    if (TAPP_error error =
            execute(plan, status, alpha, a[i], hasB ? b[i] : nullptr, beta,
                    c ? c[i] : nullptr, d[i]);
        !isSuccess(error))
      return error;
  return success;
}
