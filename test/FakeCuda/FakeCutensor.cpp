//===- FakeCutensor.cpp - cuTENSOR for tests --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcutensor.so.2 that contracts in the memory of the fake driver. Its GETT
// algorithm (-4) has plans of rank 0 to 2, of which that of rank 1 is the
// fastest by far; TGETT (-3) has one, which needs a workspace; TTGT (-2) has
// none. FakeContraction.h has the variables that steer it.
//
//===----------------------------------------------------------------------===//

#include "FakeContraction.h"

#include <chrono>
#include <thread>

using namespace tc::fake;

namespace {

constexpr int invalidValue = 7, notSupported = 15;

struct Descriptor {
  Tensor tensor;
  int type;
};

struct Operation {
  Tensor a, b, c;
  int type;
};

struct Preference {
  int algorithm;
  int32_t rank = 0;
};

struct Plan {
  Operation operation;
  Preference preference;
  uint64_t workspace() const { return preference.algorithm == -3 ? 4096 : 0; }
};

int handleObject;
int computeObjects[4];

Tensor withModes(const Descriptor &descriptor, const int32_t *modes) {
  Tensor tensor = descriptor.tensor;
  for (size_t i = 0; i < tensor.modes.size(); ++i)
    tensor.modes[i].name = modes[i];
  return tensor;
}

template <typename T> int destroyObject(void *object) {
  delete static_cast<T *>(object);
  return 0;
}

} // namespace

#define ENTER(name)                                                            \
  if (fails(name))                                                             \
  return notSupported

#pragma GCC visibility push(default)
extern "C" {

extern void *const CUTENSOR_COMPUTE_DESC_64F = &computeObjects[0];
extern void *const CUTENSOR_COMPUTE_DESC_32F = &computeObjects[1];
extern void *const CUTENSOR_COMPUTE_DESC_TF32 = &computeObjects[2];
extern void *const CUTENSOR_COMPUTE_DESC_3XTF32 = &computeObjects[3];

size_t cutensorGetVersion() { return 20301; }

const char *cutensorGetErrorString(int status) {
  return status == notSupported ? "CUTENSOR_STATUS_NOT_SUPPORTED"
                                : "CUTENSOR_STATUS_INVALID_VALUE";
}

int cutensorCreate(void **handle) {
  ENTER("cutensorCreate");
  *handle = &handleObject;
  return 0;
}

int cutensorDestroy(void *handle) { return handle == &handleObject ? 0 : 1; }

int cutensorCreateTensorDescriptor(void *handle, void **descriptor,
                                   uint32_t modes, const int64_t *extents,
                                   const int64_t *strides, int type,
                                   uint32_t alignment) {
  ENTER("cutensorCreateTensorDescriptor");
  if (handle != &handleObject || alignment != 128)
    return invalidValue;
  auto *result = new Descriptor{{}, type};
  for (uint32_t i = 0; i < modes; ++i)
    result->tensor.modes.push_back({0, extents[i], strides[i]});
  *descriptor = result;
  return 0;
}

int cutensorDestroyTensorDescriptor(void *descriptor) {
  return destroyObject<Descriptor>(descriptor);
}

int cutensorCreateContraction(void *handle, void **operation, void *a,
                              const int32_t *modesA, int opA, void *b,
                              const int32_t *modesB, int opB, void *c,
                              const int32_t *modesC, int opC, void *d,
                              const int32_t *modesD, void *compute) {
  ENTER("cutensorCreateContraction");
  auto *descriptor = static_cast<Descriptor *>(a);
  bool valid = opA == 1 && opB == 1 && opC == 1 && c == d &&
               compute == &computeObjects[descriptor->type == 1 ? 0 : 1];
  if (!valid)
    return invalidValue;
  *operation = new Operation{withModes(*descriptor, modesA),
                             withModes(*static_cast<Descriptor *>(b), modesB),
                             withModes(*static_cast<Descriptor *>(c), modesC),
                             descriptor->type};
  return 0;
}

int cutensorDestroyOperationDescriptor(void *operation) {
  return destroyObject<Operation>(operation);
}

int cutensorCreatePlanPreference(void *handle, void **preference, int algorithm,
                                 int jit) {
  ENTER("cutensorCreatePlanPreference");
  if (jit != 0)
    return invalidValue;
  *preference = new Preference{algorithm};
  return 0;
}

int cutensorPlanPreferenceSetAttribute(void *handle, void *preference,
                                       int attribute, const void *value,
                                       size_t bytes) {
  if (attribute != 4 || bytes != sizeof(int32_t))
    return invalidValue;
  static_cast<Preference *>(preference)->rank =
      *static_cast<const int32_t *>(value);
  return 0;
}

int cutensorDestroyPlanPreference(void *preference) {
  return destroyObject<Preference>(preference);
}

int cutensorEstimateWorkspaceSize(void *handle, void *operation,
                                  void *preference, int kind, uint64_t *bytes) {
  ENTER("cutensorEstimateWorkspaceSize");
  *bytes = 8192;
  return kind == 2 ? 0 : invalidValue;
}

int cutensorCreatePlan(void *handle, void **plan, void *operation,
                       void *preference, uint64_t workspaceLimit) {
  ENTER("cutensorCreatePlan");
  const auto &wanted = *static_cast<Preference *>(preference);
  int ranks = wanted.algorithm == -4 ? 3 : wanted.algorithm == -2 ? 0 : 1;
  if (wanted.rank >= ranks)
    return notSupported;
  auto *result = new Plan{*static_cast<Operation *>(operation), wanted};
  *plan = result;
  return result->workspace() <= workspaceLimit ? 0 : notSupported;
}

int cutensorPlanGetAttribute(void *handle, void *plan, int attribute,
                             void *value, size_t bytes) {
  if (attribute != 0 || bytes != sizeof(uint64_t))
    return invalidValue;
  *static_cast<uint64_t *>(value) = static_cast<Plan *>(plan)->workspace();
  return 0;
}

int cutensorDestroyPlan(void *plan) { return destroyObject<Plan>(plan); }

int cutensorContract(void *handle, void *planObject, const void *alpha,
                     const void *a, const void *b, const void *beta,
                     const void *c, void *d, void *workspace,
                     uint64_t workspaceBytes, void *stream) {
  ENTER("cutensorContract");
  auto *plan = static_cast<Plan *>(planObject);
  bool valid = c == d && !stream && workspaceBytes == plan->workspace() &&
               (workspaceBytes == 0 || workspace);
  if (!valid)
    return invalidValue;
  bool isFastest =
      plan->preference.algorithm == -4 && plan->preference.rank == 1;
  if (!isFastest)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Operation operation = plan->operation;
  operation.a.address = a;
  operation.b.address = b;
  operation.c.address = d;
  return contract("cutensorContract", operation.type, alpha, operation.a,
                  operation.b, beta, operation.c)
             ? 0
             : invalidValue;
}

} // extern "C"
#pragma GCC visibility pop
