//===- TimedListing.cpp - Scheduled machine code for tests ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimedListing.h"

#include "MachineCode/TestListing.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::timing;
using namespace tc::timing::test;

Lines timing::test::times(unsigned count, const Line &line) {
  return Lines(count, line);
}

Lines timing::test::operator+(Lines first, const Lines &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

sass::Function timing::test::functionOf(const Lines &lines) {
  std::string text = "\t.target\tsm_90\n"
                     "\t.section\t.text.kernel,\"ax\",@progbits\n"
                     "kernel:\n.text.kernel:\n";
  std::uint64_t offset = 0;
  for (const Line &line : lines) {
    if (line.text.back() == ':') {
      text += line.text + "\n";
      continue;
    }
    std::uint64_t control = std::uint64_t(line.stall) << 41 |
                            std::uint64_t(line.yield ? 0 : 1) << 45 |
                            std::uint64_t(line.writeBarrier) << 46 |
                            std::uint64_t(line.readBarrier) << 49 |
                            std::uint64_t(line.waitMask) << 52;
    text += sass::test::instructionText(line.text, offset, control);
    offset += 16;
  }
  Result<sass::Listing> listing = sass::parseListing(text, "test");
  if (!listing) {
    ADD_FAILURE() << listing.error();
    return {};
  }
  return std::move(listing->functions.front());
}

Machine timing::test::machine() {
  Machine sm90 = machineOf(**model::findTarget("sm_90"));
  sm90.fetchLatency = 0;
  return sm90;
}

Launch timing::test::block(std::uint32_t threads) {
  Launch launch;
  launch.block[0] = threads;
  return launch;
}

BlockTrace timing::test::traceOf(const sass::Function &function,
                                 const Launch &launch) {
  Machine sm90 = machine();
  Result<sass::FunctionCounts> counts = sass::count(function, sm90.target);
  if (!counts) {
    ADD_FAILURE() << counts.error();
    return {};
  }
  Result<BlockTrace> trace =
      traceBlock(function, *counts, launch, sm90, launch.blocks() / 2);
  if (!trace) {
    ADD_FAILURE() << trace.error();
    return {};
  }
  return std::move(*trace);
}

Run timing::test::runOf(const Lines &lines, const Launch &launch,
                        double dramPart) {
  sass::Function function = functionOf(lines);
  BlockTrace trace = traceOf(function, launch);
  Result<Run> run = simulate(function, trace, machine(), /*blocks=*/1,
                             /*atOnce=*/1, /*multiprocessors=*/1, dramPart);
  if (!run) {
    ADD_FAILURE() << run.error();
    return {};
  }
  return *run;
}

double timing::test::cyclesOf(const Lines &lines, const Launch &launch,
                              double dramPart) {
  return runOf(lines, launch, dramPart).cycles;
}

double timing::test::spentOn(const Run &run, Spent spent) {
  return run.spent[static_cast<std::size_t>(spent)];
}

double timing::test::busyOf(const Run &run, Unit unit) {
  return run.busy[static_cast<std::size_t>(unit)];
}
