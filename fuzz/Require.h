//===- Require.h - Properties that fuzz targets check -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An assertion that is there in every kind of build.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FUZZ_REQUIRE_H
#define TC_FUZZ_REQUIRE_H

#include <cstdio>
#include <cstdlib>

namespace tc::fuzz {

/// Ends the program, and says why, unless `condition` holds.
inline void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

} // namespace tc::fuzz

#endif // TC_FUZZ_REQUIRE_H
