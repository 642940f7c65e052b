//===- Progress.cpp - Progress of a run -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <cmath>
#include <cstdio>

using namespace tc::bench;

std::string tc::bench::formatDuration(double seconds) {
  auto whole = static_cast<long long>(std::llround(seconds));
  char text[64];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600,
                  whole / 60 % 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  return text;
}

Progress::Progress(size_t total, bool isShown)
    : total(total), isShown(isShown) {}

void Progress::begin(const std::string &name) {
  if (!isShown)
    return;
  constexpr size_t width = 20;
  size_t full = width * done / total;
  std::chrono::duration<double> passed = Clock::now() - start;
  std::string line = "[" + std::string(full, '=') +
                     std::string(width - full, ' ') + "] " +
                     std::to_string(done) + "/" + std::to_string(total) + "  " +
                     formatDuration(passed.count()) + " passed";
  if (run > 0)
    line += ", " +
            formatDuration(passed.count() / static_cast<double>(run) *
                           static_cast<double>(total - done)) +
            " left";
  // Column one, and nothing after the text.
  std::fprintf(stderr, "\r%s  %s\033[K", line.c_str(), name.c_str());
  std::fflush(stderr);
  isThere = true;
}

void Progress::clear() {
  if (!isThere)
    return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  isThere = false;
}

void Progress::finish(bool wasRun) {
  ++done;
  run += wasRun;
}
