//===- Threads.h - Work that threads share ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_THREADS_H
#define TC_SUPPORT_THREADS_H

#include <functional>

namespace tc {

/// Calls `work` by up to `count` threads at once, the calling one among them,
/// and returns when all have. Where the system has no more threads, fewer call
/// it: each takes a part of the work that is left, and throws nothing.
void runOnThreads(unsigned count, const std::function<void()> &work);

} // namespace tc

#endif // TC_SUPPORT_THREADS_H
