//===- CallStatus.h - Results of calls of compiled code ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_CALLSTATUS_H
#define TC_ONDEMAND_CALLSTATUS_H

#include <cstdint>

namespace tc {

/// Result of a function of compiled code.
enum class CallStatus : int32_t {
  Success = 0,
  OutOfMemory = 1,     ///< memory could not be allocated; C is as it was
  InvalidArgument = 2, ///< an extent or a pointer cannot be; likewise
  InternalError = 3,   ///< the library that is called failed; likewise
};

/// Of workspaces of programs that run on CPUs, in bytes: a cache line, and the
/// widest vectors.
inline constexpr int64_t hostWorkspaceAlignment = 64;

/// The bytes of a workspace that are more than can be counted.
inline constexpr int64_t uncountableBytes = INT64_MAX;

} // namespace tc

#endif // TC_ONDEMAND_CALLSTATUS_H
