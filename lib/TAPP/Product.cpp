//===- Product.cpp - Tensor products of TAPP ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = alpha * A * B + beta * C, where C may be another tensor than D: what is
// compiled updates D in place, after a second contraction, of C with a scalar,
// has brought C there.
//
//===----------------------------------------------------------------------===//

#include "Handle.h"
#include "TensorInfo.h"

#include "tc-c/Contraction.h"
#include "tc-c/TappAttributes.h"
#include "tc/Reference/NarrowFloat.h"

#include <algorithm>
#include <complex>
#include <map>
#include <memory>
#include <mutex>
#include <string>

using namespace tc::tapp;
namespace runtime = tc::runtime;

namespace {

struct Deleter {
  void operator()(TcContraction *object) const { tcContractionDestroy(object); }
  void operator()(TcOptions *object) const { tcOptionsDestroy(object); }
};
using Compiled = std::unique_ptr<TcContraction, Deleter>;

/// The compiler's name of a type; zero if it has none.
TcElementType elementTypeOf(TAPP_datatype type) {
  switch (type) {
  case TAPP_F32:
    return TC_ELEMENT_F32;
  case TAPP_F64:
    return TC_ELEMENT_F64;
  case TAPP_C32:
    return TC_ELEMENT_C32;
  case TAPP_C64:
    return TC_ELEMENT_C64;
  case TAPP_F16:
    return TC_ELEMENT_F16;
  case TAPP_BF16:
    return TC_ELEMENT_BF16;
  default:
    return 0;
  }
}

/// A tensor and its indices, which the plan keeps: its makings may be gone when
/// the plan is executed.
struct Operand {
  TensorInfo info;
  std::vector<int64_t> indices;

  TcTensor describe() const {
    return {elementTypeOf(info.type), static_cast<int32_t>(info.extents.size()),
            info.extents.data(), info.strides.data()};
  }
};

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
  /// D = C, once it is needed, as the handle asks for; it may be gone by then.
  Handle attributesOfCopy;
  std::mutex mutex;
  Compiled copy;

  bool isComplex() const { return type == TAPP_C32 || type == TAPP_C64; }
  /// Whether numbers, or their parts, are in double precision.
  bool isDouble() const { return type == TAPP_F64 || type == TAPP_C64; }
};

} // namespace

/// Whether an operand is not described, or its indices are not given.
static bool isMissing(TAPP_tensor_info info, const int64_t *indices) {
  return !info || (TAPP_get_nmodes(info) > 0 && !indices);
}

static bool hasElements(const Operand &operand) {
  const std::vector<int64_t> &extents = operand.info.extents;
  return std::find(extents.begin(), extents.end(), 0) == extents.end();
}

static Operand makeOperand(TAPP_tensor_info info, const int64_t *indices) {
  auto *tensor = fromHandle<TensorInfo>(info);
  return {*tensor, {indices, indices + tensor->extents.size()}};
}

/// The extent of each index; an error if one has two.
static TAPP_error findExtents(const Operand &operand, int code,
                              std::map<int64_t, int64_t> &extents) {
  for (size_t i = 0; i < operand.indices.size(); ++i) {
    int64_t extent = operand.info.extents[i];
    if (extents.try_emplace(operand.indices[i], extent).first->second != extent)
      return failWith(code);
  }
  return success;
}

/// Whether indices that both tensors have are of equal extent.
static bool agree(const std::map<int64_t, int64_t> &a,
                  const std::map<int64_t, int64_t> &b) {
  return std::all_of(a.begin(), a.end(), [&](const auto &entry) {
    auto found = b.find(entry.first);
    return found == b.end() || found->second == entry.second;
  });
}

static TAPP_error checkIndices(const Operand &a, const Operand &b,
                               const Operand &c, const Operand &d) {
  std::map<int64_t, int64_t> inA, inB, inC, inD;
  for (auto [operand, code, extents] :
       {std::tuple(&a, TAPP_ERR_A_IDX_EXTENTS, &inA),
        std::tuple(&b, TAPP_ERR_B_IDX_EXTENTS, &inB),
        std::tuple(&c, TAPP_ERR_EXTENTS_CD, &inC),
        std::tuple(&d, TAPP_ERR_D_IDX_EXTENTS, &inD)})
    if (TAPP_error error = findExtents(*operand, code, *extents);
        !TAPP_check_success(error))
      return error;
  if (!agree(inA, inB))
    return failWith(TAPP_ERR_EXTENTS_AB);
  if (!agree(inA, inD))
    return failWith(TAPP_ERR_EXTENTS_AD);
  if (!agree(inB, inD))
    return failWith(TAPP_ERR_EXTENTS_BD);
  for (const auto &[index, extent] : inD)
    if (inA.count(index) == 0 && inB.count(index) == 0)
      return failWith(TAPP_ERR_D_UNSHARED_IDX);
  if (c.indices.size() != d.indices.size())
    return failWith(TAPP_ERR_CD_NDIM);
  for (const auto &[index, extent] : inD)
    if (inC.count(index) == 0)
      return failWith(TAPP_ERR_CD_IDX);
  if (!agree(inC, inD))
    return failWith(TAPP_ERR_EXTENTS_CD);
  if (inD.size() != d.indices.size())
    return failWith(TAPP_ERR_NOT_IMPLEMENTED);
  return success;
}

/// "[i3,i5]" for indices 3 and 5; the names of negative ones have an m.
static std::string termOf(const Operand &operand) {
  std::string term;
  for (int64_t index : operand.indices) {
    std::string number = std::to_string(index);
    if (index < 0)
      number[0] = 'm';
    term += (term.empty() ? "[i" : ",i") + number;
  }
  return term.empty() ? "[]" : term + "]";
}

/// The conjugates that options ask for.
struct Conjugates {
  bool a = false, b = false;
};

/// Compiles D = alpha * A * B + beta * D, or D = A * B without factors.
static TAPP_error compile(const Handle &handle, const Operand &a,
                          const Operand &b, const Operand &d, bool takesFactors,
                          Conjugates conjugates, Compiled &compiled) {
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
  std::string spec = termOf(a) + "," + termOf(b) + "->" + termOf(d);
  TcContraction *contraction = nullptr;
  if (TcError *error =
          tcContractionCompile(spec.c_str(), tensors, made, &contraction))
    return takeOver(error);
  compiled.reset(contraction);
  return success;
}

/// Whether a stride of zero puts elements at one address. The compiler refuses
/// other overlaps.
static bool repeatsElements(const Operand &operand) {
  for (size_t i = 0; i < operand.indices.size(); ++i)
    if (operand.info.strides[i] == 0 && operand.info.extents[i] > 1)
      return true;
  return false;
}

TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A,
    TAPP_tensor_info A, const int64_t *idx_A, TAPP_element_op op_B,
    TAPP_tensor_info B, const int64_t *idx_B, TAPP_element_op op_C,
    TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec) {
  return guard([&]() -> TAPP_error {
    if (!plan || isMissing(A, idx_A) || isMissing(B, idx_B) ||
        isMissing(C, idx_C) || isMissing(D, idx_D))
      return invalid;
    Operand a = makeOperand(A, idx_A), b = makeOperand(B, idx_B);
    auto made = std::make_unique<Plan>();
    made->c = makeOperand(C, idx_C);
    made->d = makeOperand(D, idx_D);
    TAPP_datatype type = made->d.info.type;
    // Real elements are their own conjugates.
    bool isComplex = type == TAPP_C32 || type == TAPP_C64;
    Conjugates conjugates = {isComplex && op_A == TAPP_CONJUGATE,
                             isComplex && op_B == TAPP_CONJUGATE};
    bool isKnown = elementTypeOf(type) != 0;
    if (isComplex)
      isKnown &= op_C == TAPP_IDENTITY && op_D == TAPP_IDENTITY;
    for (const Operand *operand : {&a, &b, &made->c})
      isKnown &= operand->info.type == type;
    if (!isKnown || (prec != TAPP_DEFAULT_PREC && prec != type))
      return failWith(TAPP_ERR_NOT_IMPLEMENTED);
    if (TAPP_error error = checkIndices(a, b, made->c, made->d);
        !TAPP_check_success(error))
      return error;
    if (repeatsElements(made->d))
      return failWith(TAPP_ERR_D_ALIASING);
    made->type = type;
    made->needsA = hasElements(a);
    made->needsB = hasElements(b);
    made->sameLayout = made->c.indices == made->d.indices &&
                       made->c.info.strides == made->d.info.strides;
    Handle attributes = handle ? *fromHandle<Handle>(handle) : Handle();
    made->attributesOfCopy = attributes;
    // It names the product's indices.
    made->attributesOfCopy.attributes.erase(TC_TAPP_SCHEDULE);
    if (TAPP_error error =
            compile(attributes, a, b, made->d, /*takesFactors=*/true,
                    conjugates, made->update);
        !TAPP_check_success(error))
      return error;
    *plan = toHandle(made.release());
    return success;
  });
}

TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan) {
  delete fromHandle<Plan>(plan);
  return success;
}

/// Brings C to where D is.
static TAPP_error copyToOutput(Plan &plan, const void *c, void *d) {
  {
    std::lock_guard<std::mutex> lock(plan.mutex);
    if (!plan.copy) {
      Operand scalar = {{plan.d.info.type, {}, {}}, {}};
      if (TAPP_error error =
              compile(plan.attributesOfCopy, plan.c, scalar, plan.d,
                      /*takesFactors=*/false, Conjugates(), plan.copy);
          !TAPP_check_success(error))
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

namespace {

/// A factor as the compiler takes it: in the type of sums, which is f32 for
/// those that are given as halves.
class Factor {
public:
  Factor(const Plan &plan, const void *given) : plan(plan), place(given) {
    if (plan.type == TAPP_F16)
      widen(*static_cast<const runtime::Float16 *>(given));
    else if (plan.type == TAPP_BF16)
      widen(*static_cast<const runtime::BFloat16 *>(given));
  }
  Factor(const Factor &) = delete;
  Factor &operator=(const Factor &) = delete;

  const void *address() const { return place; }
  bool isNonzero() const {
    return plan.isDouble() ? isNonzero(static_cast<const double *>(place))
                           : isNonzero(static_cast<const float *>(place));
  }

private:
  void widen(float value) {
    wide = value;
    place = &wide;
  }
  template <typename T> bool isNonzero(const T *parts) const {
    return parts[0] != 0 || (plan.isComplex() && parts[1] != 0);
  }

  const Plan &plan;
  const void *place;
  float wide = 0;
};

} // namespace

TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor,
                                TAPP_status *status, const void *alpha,
                                const void *A, const void *B, const void *beta,
                                const void *C, void *D) {
  return guard([&]() -> TAPP_error {
    if (!plan || !alpha || !beta)
      return invalid;
    auto &product = *fromHandle<Plan>(plan);
    // Copying C to D comes first, and would leave D changed.
    if ((product.needsA && !A) || (product.needsB && !B))
      return invalid;
    Factor ofProduct(product, alpha), ofC(product, beta);
    bool readsC = ofC.isNonzero();
    if (readsC && !C)
      return failWith(TAPP_ERR_C_NULL_BETA);
    if (readsC && (C != D || !product.sameLayout))
      if (TAPP_error error = copyToOutput(product, C, D);
          !TAPP_check_success(error))
        return error;
    TAPP_error error = takeOver(tcContractionRun(
        product.update.get(), A, B, D, ofProduct.address(), ofC.address()));
    if (status && TAPP_check_success(error))
      return TAPP_executor_get_status(0, status);
    return error;
  });
}

TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan,
                                        TAPP_executor exec, TAPP_status *status,
                                        int num_batches, const void *alpha,
                                        const void **A, const void **B,
                                        const void *beta, const void **C,
                                        void **D) {
  if (num_batches > 0 && (!A || !B || !D))
    return invalid;
  for (int i = 0; i < num_batches; ++i)
    if (TAPP_error error =
            TAPP_execute_product(plan, exec, status, alpha, A[i], B[i], beta,
                                 C ? C[i] : nullptr, D[i]);
        !TAPP_check_success(error))
      return error;
  return success;
}
