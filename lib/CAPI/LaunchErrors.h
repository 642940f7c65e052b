//===- LaunchErrors.h - Failed launches in the C interface ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_LAUNCHERRORS_H
#define TC_LIB_CAPI_LAUNCHERRORS_H

#include "Error.h"

#include "tc/Driver/Launch.h"

namespace tc::capi {

/// The error that a function returns; null for success.
inline TcError *toError(const runtime::LaunchStatus &status) {
  if (!status)
    return nullptr;
  TcErrorCode code = TC_ERROR_DRIVER;
  switch (status->kind) {
  case runtime::LaunchError::InvalidArgument:
    code = TC_ERROR_INVALID_ARGUMENT;
    break;
  case runtime::LaunchError::Unsupported:
    code = TC_ERROR_UNSUPPORTED;
    break;
  case runtime::LaunchError::OutOfMemory:
    code = TC_ERROR_OUT_OF_MEMORY;
    break;
  case runtime::LaunchError::Driver:
    break;
  }
  return makeError(code, status->message);
}

} // namespace tc::capi

#endif // TC_LIB_CAPI_LAUNCHERRORS_H
