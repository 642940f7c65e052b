//===- CutensorApi.h - The part of cuTENSOR in use --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations; names, signatures and values are those of the documentation
// of cuTENSOR 2.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_BENCH_CUTENSORAPI_H
#define TC_LIB_BENCH_CUTENSORAPI_H

#include "DynamicLibrary.h"

#include <cstddef>
#include <cstdint>

namespace tc::bench {

/// Calls X(member, symbol, parameters) for every function in use.
#define TC_CUTENSOR_FUNCTIONS(X)                                               \
  X(create, cutensorCreate, (void **))                                         \
  X(destroy, cutensorDestroy, (void *))                                        \
  X(createTensor, cutensorCreateTensorDescriptor,                              \
    (void *, void **, uint32_t, const int64_t *, const int64_t *, int,         \
     uint32_t))                                                                \
  X(destroyTensor, cutensorDestroyTensorDescriptor, (void *))                  \
  X(createContraction, cutensorCreateContraction,                              \
    (void *, void **, void *, const int32_t *, int, void *, const int32_t *,   \
     int, void *, const int32_t *, int, void *, const int32_t *, void *))      \
  X(destroyOperation, cutensorDestroyOperationDescriptor, (void *))            \
  X(createPreference, cutensorCreatePlanPreference,                            \
    (void *, void **, int, int))                                               \
  X(setPreference, cutensorPlanPreferenceSetAttribute,                         \
    (void *, void *, int, const void *, size_t))                               \
  X(destroyPreference, cutensorDestroyPlanPreference, (void *))                \
  X(estimateWorkspace, cutensorEstimateWorkspaceSize,                          \
    (void *, void *, void *, int, uint64_t *))                                 \
  X(createPlan, cutensorCreatePlan,                                            \
    (void *, void **, void *, void *, uint64_t))                               \
  X(getPlanAttribute, cutensorPlanGetAttribute,                                \
    (void *, void *, int, void *, size_t))                                     \
  X(destroyPlan, cutensorDestroyPlan, (void *))                                \
  X(contract, cutensorContract,                                                \
    (void *, void *, const void *, const void *, const void *, const void *,   \
     const void *, void *, void *, uint64_t, void *))

/// cutensorAlgo_t
enum CutensorAlgorithm : int {
  AlgorithmDefaultPatient = -6,
  AlgorithmGett = -4,
  AlgorithmTgett = -3,
  AlgorithmTtgt = -2,
  AlgorithmDefault = -1,
};

inline constexpr int cutensorIdentity = 1;   ///< CUTENSOR_OP_IDENTITY
inline constexpr int cutensorNoJit = 0;      ///< CUTENSOR_JIT_MODE_NONE
inline constexpr int cutensorKernelRank = 4; ///< ..PREFERENCE_KERNEL_RANK
inline constexpr int cutensorWorkspaceDefault =
    2; ///< CUTENSOR_WORKSPACE_DEFAULT
inline constexpr int cutensorRequiredWorkspace = 0; ///< ..REQUIRED_WORKSPACE

struct CutensorApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration.
#define TC_CUTENSOR_MEMBER(member, symbol, parameters) int(*member) parameters;
  TC_CUTENSOR_FUNCTIONS(TC_CUTENSOR_MEMBER)
#undef TC_CUTENSOR_MEMBER
  size_t (*getVersion)() = nullptr;
  const char *(*getErrorString)(int) = nullptr;
  /// The compute descriptors, which are variables of the library.
  void *compute64F = nullptr, *compute32F = nullptr, *computeTF32 = nullptr,
       *compute3xTF32 = nullptr;
  std::string file;

  /// Loads the library at a path, or searches for it if there is none.
  static Result<CutensorApi> load(const std::string &path);
  /// An error that names the call, unless it succeeded.
  Status check(int status, const char *call) const;
};

} // namespace tc::bench

#endif // TC_LIB_BENCH_CUTENSORAPI_H
