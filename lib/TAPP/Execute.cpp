//===- Execute.cpp - Tensor products of TAPP: their execution -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "tc/Reference/NarrowFloat.h"

#include <complex>

using namespace tc::tapp;
namespace runtime = tc::runtime;

/// Brings C to where D is.
static TAPP_error copyToOutput(Plan &plan, const void *c, void *d) {
  {
    std::lock_guard<std::mutex> lock(plan.mutex);
    if (!plan.copy) {
      Operand scalar = {{plan.d.info.type, {}, {}}, {}};
      if (TAPP_error error = compile(
              plan.attributesOfCopy, plan.c, scalar, plan.d,
              /*takesFactors=*/false, {plan.conjugatesC, false}, plan.copy);
          !isSuccess(error))
        return error;
    }
  }
  const std::complex<double> one = 1;
  const std::complex<float> narrowOne = 1;
  const runtime::Float16 half(1);
  const runtime::BFloat16 brainHalf(1);
  // A real number is the real part of a complex one.
  const void *factor = plan.type == TAPP_F16 ? static_cast<const void *>(&half)
                       : plan.type == TAPP_BF16 ? &brainHalf
                       : plan.isDouble() ? static_cast<const void *>(&one)
                                         : &narrowOne;
  return takeOver(
      tcContractionRun(plan.copy.get(), c, factor, d, nullptr, nullptr));
}

/// Conjugates the elements of D along its dimensions from `dimension` on; the
/// imaginary part of the first lies at `imaginary`.
template <typename T>
static void conjugate(const TensorInfo &d, size_t dimension, T *imaginary) {
  if (dimension == d.extents.size()) {
    *imaginary = -*imaginary;
    return;
  }
  for (int64_t i = 0; i < d.extents[dimension]; ++i)
    conjugate(d, dimension + 1, imaginary + 2 * i * d.strides[dimension]);
}

/// Brings op_C(C) to where D is.
static TAPP_error bringC(Plan &plan, const void *c, void *d) {
  if (c != d || !plan.sameLayout)
    return copyToOutput(plan, c, d);
  if (plan.conjugatesC && plan.isDouble())
    conjugate(plan.d.info, 0, static_cast<double *>(d) + 1);
  else if (plan.conjugatesC)
    conjugate(plan.d.info, 0, static_cast<float *>(d) + 1);
  return success;
}

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

/// Executes a plan; all is done when this returns.
static TAPP_error execute(TAPP_tensor_product plan, TAPP_status *status,
                          const void *alpha, const void *a, const void *b,
                          const void *beta, const void *c, void *d) {
  return guard([&]() -> TAPP_error {
    if (!plan)
      return errorOfNoPlan();
    if (!alpha || !beta)
      return invalid;
    auto &product = *fromHandle<Plan>(plan);
    // Bringing C to D comes first, and would leave D changed.
    if ((product.needsA && !a) || (product.needsB && !b))
      return invalid;
    Factor ofProduct(product, alpha), ofC(product, beta);
    bool readsC = ofC.isNonzero();
    if (readsC && !c)
      return failWith(TAPP_ERR_C_NULL_BETA);
    if (!d && product.d.hasElements())
      return invalid;
    if (readsC)
      if (TAPP_error error = bringC(product, c, d); !isSuccess(error))
        return error;
    TAPP_error error = takeOver(tcContractionRun(
        product.update.get(), a, b, d, ofProduct.address(), ofC.address()));
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
  if (count < 0 || (count > 0 && (!a || !b || !d)))
    return invalid;
  for (int i = 0; i < count; ++i)
    if (TAPP_error error = execute(plan, status, alpha, a[i], b[i], beta,
                                   c ? c[i] : nullptr, d[i]);
        !isSuccess(error))
      return error;
  return success;
}
