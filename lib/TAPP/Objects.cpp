//===- Objects.cpp - Errors, executors, statuses and tensors of TAPP ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorInfo.h"

#include "tc-c/Base.h"

#include <algorithm>
#include <cstring>
#include <string_view>

using namespace tc::tapp;

TAPP_error tc::tapp::outOfMemory() {
  return makeError(TAPP_ERROR_TYPE_TC, TC_ERROR_OUT_OF_MEMORY);
}

TAPP_error tc::tapp::takeOver(TcError *error) {
  if (!error)
    return success;
  TAPP_error code = makeError(TAPP_ERROR_TYPE_TC, tcErrorGetCode(error));
  tcErrorDestroy(error);
  return code;
}

/// All executors are alike.
static constexpr TAPP_executor onlyExecutor = 1;

static std::string_view describeOwn(int code) {
  switch (code) {
  case TC_ERROR_INVALID_ARGUMENT:
    return "an argument is NULL or misaligned, the tensors do not fit, or an "
           "attribute has no such value";
  case TC_ERROR_UNSUPPORTED:
    return "the compiler does not support this product";
  case TC_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  default:
    return "internal error of the compiler";
  }
}

static std::string_view describe(TAPP_error error) {
  if (typeOf(error) == TAPP_ERROR_TYPE_TC)
    return describeOwn(codeOf(error));
  if (typeOf(error) != TAPP_ERROR_TYPE_TAPP)
    return "an error of another library";
  switch (codeOf(error)) {
  case TAPP_ERR_SUCCESS:
    return "success";
  case TAPP_ERR_EXTENTS_AB:
    return "an index has different extents in A and B";
  case TAPP_ERR_EXTENTS_AD:
    return "an index has different extents in A and D";
  case TAPP_ERR_EXTENTS_BD:
    return "an index has different extents in B and D";
  case TAPP_ERR_D_UNSHARED_IDX:
    return "an index of D is in neither A nor B";
  case TAPP_ERR_CD_NDIM:
    return "C and D have different numbers of indices";
  case TAPP_ERR_CD_IDX:
    return "C and D have different indices";
  case TAPP_ERR_EXTENTS_CD:
    return "an index has different extents in C and D";
  case TAPP_ERR_D_ALIASING:
    return "strides of D let its elements overlap";
  case TAPP_ERR_A_IDX_EXTENTS:
    return "an index has different extents in A";
  case TAPP_ERR_B_IDX_EXTENTS:
    return "an index has different extents in B";
  case TAPP_ERR_D_IDX_EXTENTS:
    return "an index has different extents in D";
  case TAPP_ERR_C_NULL_BETA:
    return "C is NULL, but beta is not zero";
  case TAPP_ERR_NMODE_NEGATIVE:
    return "the number of indices is negative";
  case TAPP_ERR_EXTENTS_NEGATIVE:
    return "an extent is negative";
  case TAPP_ERR_INVALID_KEY:
    return "no attribute has that key";
  case TAPP_ERR_NOT_IMPLEMENTED:
    return "unsupported: a CPU takes tensors of one type, f16, bf16, f32, "
           "f64, c32 or c64, in the precision of that type";
  default:
    return "unknown error";
  }
}

bool TAPP_check_success(TAPP_error error TC_TAPP_HANDLE) {
  return isSuccess(error);
}

size_t TAPP_explain_error(TAPP_error error TC_TAPP_HANDLE, size_t maxlen,
                          char *message) {
  std::string_view text = describe(error);
  if (maxlen == 0 || !message)
    return text.size();
  size_t length = std::min(text.size(), maxlen - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
  return length;
}

TAPP_error TAPP_create_executor(TAPP_executor *exec TC_TAPP_HANDLE) {
  if (!exec)
    return invalid;
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
    return invalid;
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
  return count > maxIndices ? invalid : success;
}

static TAPP_error checkExtents(int count, const int64_t *extents) {
  if (count > 0 && !extents)
    return invalid;
  if (std::any_of(extents, extents + count, [](int64_t n) { return n < 0; }))
    return failWith(TAPP_ERR_EXTENTS_NEGATIVE);
  return success;
}

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info,
#if TC_TAPP_INTERFACE != 0x408bcab
                                   TAPP_handle,
#endif
                                   TAPP_datatype type, int nmode,
                                   const int64_t *extents,
                                   const int64_t *strides) {
  return guard([&] {
    if (TAPP_error error = checkCount(nmode); !isSuccess(error))
      return error;
    if (!info || (nmode > 0 && !strides))
      return invalid;
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
      return invalid;
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
    return invalid;
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
    return invalid;
  auto *tensor = fromHandle<TensorInfo>(info);
  if (!tensor->strides.empty() && !strides)
    return invalid;
  std::copy_n(strides, tensor->strides.size(), tensor->strides.begin());
  return success;
}
