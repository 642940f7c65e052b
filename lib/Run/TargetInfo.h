//===- TargetInfo.h - Output of --target-info -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_TARGETINFO_H
#define TC_LIB_RUN_TARGETINFO_H

#include "tc/Run/Options.h"

namespace tc::run {

/// The target that --target-info names: a built-in one, "cpu" for that of this
/// machine, or a file; the one to compile for if it names none. As a table, or
/// with --json as a target file.
Result<std::string> describeTarget(const Options &options);

} // namespace tc::run

#endif // TC_LIB_RUN_TARGETINFO_H
