//===- RepeatedPages.h - Memory that repeats a pattern ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Large buffers of which little will be written need not be filled: all their
// pages are the same ones until somebody writes to them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_REPEATEDPAGES_H
#define TC_LIB_REFERENCE_REPEATEDPAGES_H

#include <cstddef>

namespace tc::runtime {

/// Maps private memory, which begins at a page, of so many bytes that repeat
/// the `size` bytes of a pattern, a power of two of at most a page. Null where
/// the system cannot. To be returned by `munmap`.
std::byte *mapRepeated(size_t bytes, const void *pattern, size_t size);

} // namespace tc::runtime

#endif // TC_LIB_REFERENCE_REPEATEDPAGES_H
