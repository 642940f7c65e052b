//===- FuzzMachineCode.cpp - Fuzzing the reader of machine code -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the input as a listing of nvdisasm's, and counts the instructions of
// one that is accepted. Nothing may crash or hang; every jump must lead into
// its function, every instruction of a loop must exist, and categories must add
// up to instructions. Then two blocks of each function are timed: the uses of
// their issue slots must add up to the cycles.
//
//===----------------------------------------------------------------------===//

#include "Require.h"

#include "tc/MachineCode/Report.h"
#include "tc/Timing/Report.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <numeric>

using namespace tc::sass;
using tc::fuzz::require;

static void requireSound(const CodeCounts &counts) {
  require(std::accumulate(counts.byCategory.begin(), counts.byCategory.end(),
                          std::int64_t(0)) == counts.instructions,
          "categories add up");
}

static void requireTimed(const Function &function,
                         const tc::model::Target &target) {
  tc::timing::Launch launch;
  launch.grid[0] = 2;
  launch.block[0] = 160;
  launch.parameters.resize(64);
  launch.instructionLimit = 1 << 13;
  tc::timing::Machine machine = tc::timing::machineOf(target);
  tc::Result<tc::timing::Prediction> prediction =
      tc::timing::predict(function, launch, machine);
  if (!prediction) {
    require(!prediction.error().empty(), "errors say something");
    return;
  }
  const tc::timing::Run &run = prediction->run;
  require(std::isfinite(run.cycles) && run.cycles > 0, "time passes");
  // Extrapolated runs have their differences rounded up to nothing.
  if (!prediction->loop)
    require(std::abs(std::accumulate(run.spent.begin(), run.spent.end(), 0.0) -
                     run.cycles) <= 1e-6 * run.cycles,
            "issue slots add up");
  tc::timing::linesOf(*prediction, function, machine);
  tc::timing::timelineText(prediction->timeline);
  tc::timing::timelineSvg(prediction->timeline);
  tc::timing::toJson(*prediction, machine).dump();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  tc::Result<Listing> listing = parseListing(
      std::string_view(reinterpret_cast<const char *>(data), size), "fuzz");
  if (!listing) {
    require(!listing.error().empty(), "errors say something");
    return 0;
  }
  for (const Function &function : listing->functions)
    for (const Instruction &instruction : function.code)
      require(!instruction.target || *instruction.target < function.code.size(),
              "jumps stay in their function");
  // No target is built in for sm_70, which is timed all the same.
  if (listing->architecture == "sm_70") {
    tc::model::Target target = **tc::model::findTarget("sm_75");
    target.computeCapability = 70;
    for (const Function &function : listing->functions)
      requireTimed(function, target);
  }
  tc::Result<ModuleCounts> counts = count(*listing);
  if (!counts) {
    require(!counts.error().empty(), "errors say something");
    return 0;
  }
  for (std::size_t i = 0; i < counts->functions.size(); ++i) {
    const FunctionCounts &function = counts->functions[i];
    requireSound(function.counts);
    for (const LoopCounts &loop : function.loops) {
      requireSound(loop.counts);
      require(loop.instructions.size() ==
                  static_cast<std::size_t>(loop.counts.instructions),
              "a loop's instructions are those that are counted");
      listingText(listing->functions[i], loop.instructions);
    }
    toJson(function, listing->functions[i]);
    requireTimed(listing->functions[i], **targetOf(*listing));
  }
  return 0;
}
