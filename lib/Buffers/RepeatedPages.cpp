//===- RepeatedPages.cpp - Memory that repeats a pattern ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedPages.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace tc;

#ifdef MFD_CLOEXEC
/// The size of the file in memory of which mappings are made: so much that they
/// are few, and so little that making it takes no time.
static constexpr size_t unitBytes = size_t(1) << 21;

/// A file that repeats the pattern, or -1.
static int makeUnit(const void *pattern, size_t size) {
  int file = memfd_create("tc-pattern", MFD_CLOEXEC);
  if (file < 0)
    return -1;
  void *unit = MAP_FAILED;
  if (ftruncate(file, unitBytes) == 0)
    unit = mmap(nullptr, unitBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                /*offset=*/0);
  if (unit == MAP_FAILED) {
    close(file);
    return -1;
  }
  auto *bytes = static_cast<std::byte *>(unit);
  for (size_t at = 0; at < unitBytes; at += size)
    std::memcpy(bytes + at, pattern, size);
  munmap(unit, unitBytes);
  return file;
}

std::byte *runtime::mapRepeated(size_t bytes, const void *pattern,
                                size_t size) {
  int file = makeUnit(pattern, size);
  if (file < 0)
    return nullptr;
  void *memory = mmap(nullptr, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1,
                      /*offset=*/0);
  auto *begin = static_cast<std::byte *>(memory);
  bool isMapped = memory != MAP_FAILED;
  for (size_t at = 0; isMapped && at < bytes; at += unitBytes)
    isMapped =
        mmap(begin + at, std::min(unitBytes, bytes - at),
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
             file, /*offset=*/0) != MAP_FAILED;
  close(file);
  if (isMapped)
    return begin;
  if (memory != MAP_FAILED)
    munmap(memory, bytes);
  return nullptr;
}
#else
std::byte *runtime::mapRepeated(size_t, const void *, size_t) {
  return nullptr;
}
#endif
