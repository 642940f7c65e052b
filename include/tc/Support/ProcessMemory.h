//===- ProcessMemory.h - Memory that this process may use -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_PROCESSMEMORY_H
#define TC_SUPPORT_PROCESSMEMORY_H

#include <cstdint>
#include <string>

namespace tc {

/// Bytes that this process may use: the machine's memory, or the least of the
/// limits of its control groups and of its addresses (`ulimit -v`).
///
/// @param root  the folder in which `proc` and `sys` are, for tests
int64_t memoryOfProcess(const std::string &root = "");

} // namespace tc

#endif // TC_SUPPORT_PROCESSMEMORY_H
