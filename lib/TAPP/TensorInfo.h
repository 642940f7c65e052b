//===- TensorInfo.h - The object of a TAPP_tensor_info ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TAPP_TENSORINFO_H
#define TC_LIB_TAPP_TENSORINFO_H

#include "TappApi.h"

#include "tc-c/Base.h"

#include <exception>
#include <vector>

namespace tc::tapp {

struct TensorInfo {
  TAPP_datatype type;
  std::vector<int64_t> extents, strides;
};

/// An error as this version of TAPP has it, and what it is made of.
#if TC_TAPP_HAS_PAIRS
constexpr TAPP_error makeError(int type, int code) { return {type, code}; }
constexpr int typeOf(TAPP_error error) { return error.type; }
constexpr int codeOf(TAPP_error error) { return error.code; }
#else
constexpr TAPP_error makeError(int type, int code) { return type << 8 | code; }
constexpr int typeOf(TAPP_error error) { return error >> 8; }
constexpr int codeOf(TAPP_error error) { return error & 0xff; }
#endif

inline constexpr TAPP_error success =
    makeError(TAPP_ERROR_TYPE_TAPP, TAPP_ERR_SUCCESS);
constexpr TAPP_error failWith(int code) {
  return makeError(TAPP_ERROR_TYPE_TAPP, code);
}
/// With one of the codes of tc-c/TappErrors.h.
constexpr TAPP_error refuse(int code) {
  return makeError(TAPP_ERROR_TYPE_TC, code);
}
constexpr bool isSuccess(TAPP_error error) {
  return typeOf(error) == TAPP_ERROR_TYPE_TAPP &&
         codeOf(error) == TAPP_ERR_SUCCESS;
}

/// The only status: all is done when a call returns.
inline constexpr TAPP_status doneStatus = 1;

/// TAPP's handles are numbers, which here are addresses.
template <typename T> T *fromHandle(intptr_t handle) {
  return reinterpret_cast<T *>(handle);
}
template <typename T> intptr_t toHandle(T *object) {
  return reinterpret_cast<intptr_t>(object);
}

/// The error for a lack of memory, the only thing that can be thrown.
TAPP_error outOfMemory();

/// TAPP's code of an error, or of success, whose life ends here.
TAPP_error takeOver(TcError *error);

/// Runs a function that may throw.
template <typename Body> TAPP_error guard(Body body) noexcept {
  try {
    return body();
  } catch (const std::exception &) {
    return outOfMemory();
  }
}

} // namespace tc::tapp

#endif // TC_LIB_TAPP_TENSORINFO_H
