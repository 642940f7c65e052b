//===- WorkProgress.h - Progress of long work -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_WORKPROGRESS_H
#define TC_LIB_RUN_WORKPROGRESS_H

#include "Stopwatch.h"
#include "tc/Run/Run.h"

#include <cstdint>
#include <string>

namespace tc::run {

/// Tells how much of some work is done and how long the rest will take, as in
/// "simulated 12 of 4096 blocks, 35 s left": first after two seconds, and then
/// every five. Work that ends before says nothing.
class WorkProgress {
public:
  /// @param advice  what the first line ends with, as in "; --blocks=..."
  WorkProgress(std::string what, std::string parts, const Progress &progress,
               std::string advice = "")
      : what(std::move(what)), parts(std::move(parts)),
        advice(std::move(advice)), progress(progress) {}

  void operator()(uint64_t done, uint64_t all) {
    tell(watch.seconds(), done, all);
  }

  /// The same, so many seconds after the beginning.
  void tell(double seconds, uint64_t done, uint64_t all);

private:
  std::string what, parts, advice;
  const Progress &progress;
  Stopwatch watch;
  double next = 2;
};

/// The same of comparing results with the reference.
inline WorkProgress checkProgress(const Progress &progress) {
  return {"checked", "elements", progress,
          "; --check=N compares so many, chosen at random"};
}

} // namespace tc::run

#endif // TC_LIB_RUN_WORKPROGRESS_H
