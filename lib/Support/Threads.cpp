//===- Threads.cpp - Work that threads share ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Threads.h"

#include <exception>
#include <thread>
#include <vector>

using namespace tc;

void tc::runOnThreads(unsigned count, const std::function<void()> &work) {
  std::vector<std::thread> others;
  bool isPossible = count > 1;
  while (isPossible && others.size() + 1 < count)
    try {
      others.emplace_back([&] { work(); });
    } catch (const std::exception &) {
      // Those that there are do all.
      isPossible = false;
    }
  work();
  for (std::thread &thread : others)
    thread.join();
}
