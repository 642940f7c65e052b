//===- Objects.cpp - Executors, statuses and tensors of TAPP --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operand.h"

#include "tc-c/TappErrors.h"

#include <algorithm>

using namespace tc::tapp;

/// All executors are alike.
static constexpr TAPP_executor onlyExecutor = 1;

TAPP_error TAPP_create_executor(TAPP_executor *exec TC_TAPP_HANDLE) {
  if (!exec)
    return refuse(TC_TAPP_ERROR_NO_RESULT);
  *exec = onlyExecutor;
  return success;
}

TAPP_error TAPP_destroy_executor(TAPP_executor TC_TAPP_HANDLE) {
  return success;
}

TAPP_error TAPP_destroy_status(TAPP_status TC_TAPP_HANDLE) { return success; }

#if TC_TAPP_HAS_PAIRS
TAPP_error TAPP_executor_get_status(TAPP_executor, TAPP_status *status) {
  if (!status)
    return refuse(TC_TAPP_ERROR_NO_RESULT);
  *status = doneStatus;
  return success;
}

TAPP_error TAPP_executor_wait(TAPP_executor) { return success; }

TAPP_error TAPP_status_check_completion(TAPP_status,
                                        TAPP_completion *completion,
                                        TAPP_error *error) {
  if (completion)
    *completion = TAPP_COMPLETE;
  if (error)
    *error = success;
  return success;
}

TAPP_error TAPP_status_get_error(TAPP_status) { return success; }
#endif

/// No contraction has more indices.
static constexpr int maxIndices = 64;

static TAPP_error checkCount(int count) {
  if (count < 0)
    return failWith(TAPP_ERR_NMODE_NEGATIVE);
  return count > maxIndices ? refuse(TC_TAPP_ERROR_TOO_MANY_INDICES) : success;
}

static TAPP_error checkExtents(int count, const int64_t *extents) {
  if (count > 0 && !extents)
    return refuse(TC_TAPP_ERROR_NO_EXTENTS);
  if (std::any_of(extents, extents + count, [](int64_t n) { return n < 0; }))
    return failWith(TAPP_ERR_EXTENTS_NEGATIVE);
  return success;
}

/// Returns true if the arguments of TAPP_create_tensor_info come from a program
/// that was compiled with TAPP's headers of another commit. Between those with
/// a handle and those without, arguments move by one place: a number of indices
/// comes as the address of extents, or half an address as the number.
static bool areMoved([[maybe_unused]] int count,
                     [[maybe_unused]] const int64_t *extents) {
#if TC_TAPP_INTERFACE == 0x408bcab
  auto address = reinterpret_cast<uintptr_t>(extents);
  return address > 0 && address < 4096;
#else
  constexpr int most = 1 << 16;
  return count < -most || count > most;
#endif
}

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info,
#if TC_TAPP_INTERFACE != 0x408bcab
                                   TAPP_handle,
#endif
                                   TAPP_datatype type, int nmode,
                                   const int64_t *extents,
                                   const int64_t *strides) {
  return guard([&] {
    if (areMoved(nmode, extents))
      return refuse(TC_TAPP_ERROR_HEADERS);
    if (!info)
      return refuse(TC_TAPP_ERROR_NO_RESULT);
    if (TAPP_error error = checkCount(nmode); !isSuccess(error))
      return error;
    if (elementTypeOf(type) == 0)
      return refuse(TC_TAPP_ERROR_DATATYPE);
    if (nmode > 0 && !strides)
      return refuse(TC_TAPP_ERROR_NO_STRIDES);
    TAPP_error error = checkExtents(nmode, extents);
    if (isSuccess(error))
      *info = toHandle(new TensorInfo{
          type, {extents, extents + nmode}, {strides, strides + nmode}});
    return error;
  });
}

TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info TC_TAPP_HANDLE) {
  delete fromHandle<TensorInfo>(info);
  return success;
}

int TAPP_get_nmodes(TAPP_tensor_info info TC_TAPP_HANDLE) {
  return info ? static_cast<int>(fromHandle<TensorInfo>(info)->extents.size())
              : 0;
}

TAPP_error TAPP_set_nmodes(TAPP_tensor_info info TC_TAPP_HANDLE, int nmodes) {
  return guard([&] {
    if (TAPP_error error = checkCount(nmodes); !isSuccess(error))
      return error;
    if (!info)
      return refuse(TC_TAPP_ERROR_NO_TENSOR_INFO);
    auto *tensor = fromHandle<TensorInfo>(info);
    tensor->extents.resize(static_cast<size_t>(nmodes), 1);
    tensor->strides.resize(static_cast<size_t>(nmodes), 0);
    return success;
  });
}

void TAPP_get_extents(TAPP_tensor_info info TC_TAPP_HANDLE, int64_t *extents) {
  if (!info || !extents)
    return;
  auto *tensor = fromHandle<TensorInfo>(info);
  std::copy(tensor->extents.begin(), tensor->extents.end(), extents);
}

TAPP_error TAPP_set_extents(TAPP_tensor_info info TC_TAPP_HANDLE,
                            const int64_t *extents) {
  if (!info)
    return refuse(TC_TAPP_ERROR_NO_TENSOR_INFO);
  auto *tensor = fromHandle<TensorInfo>(info);
  TAPP_error error =
      checkExtents(static_cast<int>(tensor->extents.size()), extents);
  if (isSuccess(error))
    std::copy_n(extents, tensor->extents.size(), tensor->extents.begin());
  return error;
}

void TAPP_get_strides(TAPP_tensor_info info TC_TAPP_HANDLE, int64_t *strides) {
  if (!info || !strides)
    return;
  auto *tensor = fromHandle<TensorInfo>(info);
  std::copy(tensor->strides.begin(), tensor->strides.end(), strides);
}

TAPP_error TAPP_set_strides(TAPP_tensor_info info TC_TAPP_HANDLE,
                            const int64_t *strides) {
  if (!info)
    return refuse(TC_TAPP_ERROR_NO_TENSOR_INFO);
  auto *tensor = fromHandle<TensorInfo>(info);
  if (!tensor->strides.empty() && !strides)
    return refuse(TC_TAPP_ERROR_NO_STRIDES);
  std::copy_n(strides, tensor->strides.size(), tensor->strides.begin());
  return success;
}
