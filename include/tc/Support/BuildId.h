//===- BuildId.h - Which code this process runs -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_BUILDID_H
#define TC_SUPPORT_BUILDID_H

#include <string>

namespace tc {

/// Tells this process's code from any other: for the program and each shared
/// library that it has loaded, a line with the build id that the linker made
/// from the contents. Where a file has none, its path, size and time of
/// modification stand in for it.
std::string identifyLoadedCode();

} // namespace tc

#endif // TC_SUPPORT_BUILDID_H
