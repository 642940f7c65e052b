//===- WorkProgress.cpp - Progress of long work ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkProgress.h"

#include <cmath>

using namespace tc;

static std::string spellSeconds(double seconds) {
  constexpr double minute = 60, hour = 3600;
  auto whole = [](double number) {
    return std::to_string(static_cast<int64_t>(std::ceil(number)));
  };
  if (seconds < 2 * minute)
    return whole(seconds) + " s";
  return seconds < 2 * hour ? whole(seconds / minute) + " min"
                            : whole(seconds / hour) + " h";
}

void run::WorkProgress::tell(double seconds, uint64_t done, uint64_t all) {
  constexpr double secondsBetween = 5;
  if (done == 0 || done >= all || seconds < next)
    return;
  next = seconds + secondsBetween;
  double left =
      seconds * static_cast<double>(all - done) / static_cast<double>(done);
  progress(what + " " + std::to_string(done) + " of " + std::to_string(all) +
           " " + parts + ", " + spellSeconds(left) + " left" + advice);
  advice.clear();
}
