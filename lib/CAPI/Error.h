//===- Error.h - Errors of the C interface ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_ERROR_H
#define TC_LIB_CAPI_ERROR_H

#include "tc-c/Base.h"
#include "tc/Support/Result.h"

#include <exception>
#include <new>
#include <string>

struct TcError {
  TcErrorCode code;
  std::string message;
  /// True if nobody destroys it.
  bool isStatic = false;
};

namespace tc::capi {

/// The error that stands for a lack of memory, which takes none to make.
TcError *outOfMemory();

/// An error on the heap; that for a lack of memory if there is no room.
TcError *makeError(TcErrorCode code, std::string message) noexcept;

/// Runs what may throw: only the standard library does, and no exception may
/// leave the interface.
template <typename Body> TcError *guard(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::exception &exception) {
    return makeError(TC_ERROR_INTERNAL,
                     std::string("unexpected failure: ") + exception.what());
  }
}

inline TcError *invalid(std::string message) {
  return makeError(TC_ERROR_INVALID_ARGUMENT, std::move(message));
}

} // namespace tc::capi

#endif // TC_LIB_CAPI_ERROR_H
