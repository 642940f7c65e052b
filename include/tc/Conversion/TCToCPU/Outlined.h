//===- Outlined.h - Functions of contractions -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conventions shared by --tc-outline-contractions and the callers of its
// functions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOCPU_OUTLINED_H
#define TC_CONVERSION_TCTOCPU_OUTLINED_H

#include "tc/OnDemand/CallStatus.h"

#include <cstdint>

namespace tc {

/// The attribute of such a function that says what it computes.
inline constexpr char outlinedAttrName[] = "tc.contraction";

/// The attribute of one that takes its shape at run time, or a part of it: of
/// each tensor a text that says where its elements are.
inline constexpr char outlinedShapesAttrName[] = "tc.contraction.shapes";

/// The function of libtc_cpu_runtime that is called where the compiler does not
/// know a contraction's shape (tc-c/CpuRuntime.h).
inline constexpr char cpuRuntimeFunction[] = "tcCpuContract";

/// The attributes of a function that runs several of them: the names of the
/// tensors, which of these it writes, and the bytes of the workspace, which is
/// its last argument.
inline constexpr char programAttrName[] = "tc.program";
inline constexpr char programWritesAttrName[] = "tc.program.writes";
inline constexpr char programWorkspaceAttrName[] = "tc.program.workspace";

/// If such a function takes extents, their names and the extents of each
/// tensor, in place of the bytes: -1 - n is the n-th of those that it takes,
/// and the least number what is computed otherwise. The third attribute says of
/// which it reads what callers give. Another function, with the fourth one,
/// says how many bytes there are: `uncountableBytes` for more than that.
inline constexpr char programExtentsAttrName[] = "tc.program.extents";
inline constexpr char programShapesAttrName[] = "tc.program.shapes";
inline constexpr char programReadsAttrName[] = "tc.program.reads";
inline constexpr char programWorkspaceBytesAttrName[] =
    "tc.program.workspace_bytes";

/// The beginning of the remark about a function that takes extents and is no
/// program.
inline constexpr char noProgramRemark[] = "becomes no program: ";

/// The failure of a call, and the message of a program that is aborted for it.
struct CallFailure {
  CallStatus status;
  const char *message;
};
inline constexpr CallFailure memoryFailure = {
    CallStatus::OutOfMemory, "tc: there is no memory for a contraction"};
inline constexpr CallFailure argumentFailure = {
    CallStatus::InvalidArgument,
    "tc: a contraction is called with extents or addresses that cannot be"};
inline constexpr CallFailure internalFailure = {
    CallStatus::InternalError,
    "tc: the library of contractions failed, which is an error in it"};

} // namespace tc

#endif // TC_CONVERSION_TCTOCPU_OUTLINED_H
