//===- Stopwatch.h - Duration of something ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_STOPWATCH_H
#define TC_LIB_RUN_STOPWATCH_H

#include <chrono>
#include <cstdio>
#include <string>

namespace tc::run {

/// Runs from its construction on.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
};

/// A time as text, in milliseconds.
inline std::string milliseconds(double seconds) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.1f ms", seconds * 1e3);
  return buffer;
}

/// A time as text, in microseconds where milliseconds would be zero.
inline std::string shortTime(double seconds) {
  if (seconds >= 1e-3)
    return milliseconds(seconds);
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.1f us", seconds * 1e6);
  return buffer;
}

} // namespace tc::run

#endif // TC_LIB_RUN_STOPWATCH_H
