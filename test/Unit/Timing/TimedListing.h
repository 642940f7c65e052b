//===- TimedListing.h - Scheduled machine code for tests ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_TIMING_TIMEDLISTING_H
#define TC_TEST_UNIT_TIMING_TIMEDLISTING_H

#include "tc/Timing/Timing.h"

#include <string>
#include <vector>

namespace tc::timing::test {

/// A line of a listing, and how it is issued. Lines that end in a colon are
/// labels.
struct Line {
  Line(const char *text, unsigned stall = 1) : text(text), stall(stall) {}
  Line(std::string text, unsigned stall = 1)
      : text(std::move(text)), stall(stall) {}

  Line &awaits(unsigned scoreboard) {
    waitMask |= 1u << scoreboard;
    return *this;
  }
  Line &writes(unsigned scoreboard) {
    writeBarrier = scoreboard;
    return *this;
  }
  Line &reads(unsigned scoreboard) {
    readBarrier = scoreboard;
    return *this;
  }
  Line &yields() {
    yield = true;
    return *this;
  }

  std::string text;
  unsigned stall;
  unsigned writeBarrier = 7, readBarrier = 7, waitMask = 0;
  bool yield = false;
};

using Lines = std::vector<Line>;

/// So many copies of a line.
Lines times(unsigned count, const Line &line);
Lines operator+(Lines first, const Lines &second);

/// The function of a listing for sm_90, which must be good.
sass::Function functionOf(const Lines &lines);

/// The machine of sm_90, with all code in its caches.
Machine machine();

/// A launch of one block of so many threads.
Launch block(std::uint32_t threads);

/// The trace of the middle block of a launch, which must be good.
BlockTrace traceOf(const sass::Function &function, const Launch &launch);

/// One block on a multiprocessor by itself, none of whose loads is from DRAM.
Run runOf(const Lines &lines, const Launch &launch = block(32),
          double dramPart = 0);

double cyclesOf(const Lines &lines, const Launch &launch = block(32),
                double dramPart = 0);

double spentOn(const Run &run, Spent spent);
double busyOf(const Run &run, Unit unit);

} // namespace tc::timing::test

#endif // TC_TEST_UNIT_TIMING_TIMEDLISTING_H
