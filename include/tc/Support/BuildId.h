//===- BuildId.h - Identity of the running compiler -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_BUILDID_H
#define TC_SUPPORT_BUILDID_H

#include <string>

namespace tc {

/// Distinguishes the compiler in this process from any other: for the program
/// or library that this function is linked into, and for each shared library of
/// LLVM and MLIR that is loaded, a line with the build id that the linker made
/// from the contents. Where a file has none, its path, size and time of
/// modification stand in for it. Other files that the process loads, and the
/// order of loading, change nothing.
std::string identifyCompiler();

} // namespace tc

#endif // TC_SUPPORT_BUILDID_H
