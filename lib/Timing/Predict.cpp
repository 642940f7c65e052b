//===- Predict.cpp - From one multiprocessor to a launch ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Long loops and many blocks are simulated in part: the time of one more round,
// and that of one more set of blocks, is the difference of two runs.
//
//===----------------------------------------------------------------------===//

#include "Kinds.h"
#include "Multiprocessor.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace tc;
using namespace tc::timing;

namespace {

/// Rounds of the long loop that stay, at its beginning, in two runs. Prologues
/// and pipelines are over by the first.
constexpr std::size_t fewRounds = 12, moreRounds = 24;
/// Rounds that stay at its end, where nothing is fetched any more.
constexpr std::size_t lastRounds = 2;
/// Warp instructions that are simulated of blocks one after the other, and at
/// most.
constexpr double usualInstructions = 3 << 16;
constexpr double maxInstructions = 1 << 25;

void accumulate(Run &run, const Run &other, double factor) {
  run.cycles += factor * other.cycles;
  run.instructions += factor * other.instructions;
  for (std::size_t i = 0; i < numSpent; ++i)
    run.spent[i] += factor * other.spent[i];
  for (std::size_t i = 0; i < numUnits; ++i)
    run.busy[i] += factor * other.busy[i];
}

/// `more`, and the difference to `few` so many times.
Run extrapolate(const Run &few, const Run &more, double times) {
  Run run = more;
  accumulate(run, more, times);
  accumulate(run, few, -times);
  // Waiting that went away between the two is not owed.
  for (double &cycles : run.spent)
    cycles = std::max(0.0, cycles);
  return run;
}

struct Occupancy {
  std::int64_t blocks;
  std::string limitedBy;
};

Occupancy occupancyOf(const Launch &launch, const model::Target &target) {
  const model::MultiprocessorLimits &limits = target.multiprocessor;
  std::int64_t warps = launch.warps();
  Occupancy occupancy = {limits.blocks, "blocks"};
  auto limit = [&](std::int64_t blocks, const char *resource) {
    if (blocks < occupancy.blocks)
      occupancy = {blocks, resource};
  };
  limit(limits.threads / (warps * target.warpSize), "threads");
  std::int64_t shared =
      roundUp(launch.sharedBytes + limits.reservedSharedBytesPerBlock,
              limits.sharedGranule);
  if (shared > 0)
    limit(limits.sharedBytes / shared, "shared memory");
  // Each sub-core gives registers to its warps.
  std::int64_t perWarp =
      roundUp(launch.registers * target.warpSize, limits.registerGranule);
  std::int64_t ofSubcore = limits.registers / limits.partitions / perWarp;
  limit(ofSubcore * limits.partitions / warps, "registers");
  return occupancy;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// For each basic block, true if it is in a loop, inner ones included.
std::vector<char> membersOf(const sass::FunctionCounts &counts,
                            std::uint32_t loop, const BlockTrace &trace) {
  std::vector<char> result(trace.blocks.size(), 0);
  auto blockAt = [&](std::uint32_t number) {
    return std::upper_bound(trace.blocks.begin(), trace.blocks.end(), number,
                            [](std::uint32_t n, const sass::BasicBlock &b) {
                              return n < b.end;
                            }) -
           trace.blocks.begin();
  };
  for (std::uint32_t i = 0; i < counts.loops.size(); ++i) {
    std::uint32_t outer = i;
    while (outer != loop && outer != sass::LoopCounts::none)
      outer = counts.loops[outer].parent;
    if (outer != loop)
      continue;
    for (std::uint32_t number : counts.loops[i].instructions)
      result[static_cast<std::size_t>(blockAt(number))] = 1;
  }
  return result;
}

/// A path without the rounds of a loop between the first `keep` and the last
/// ones, each time that the loop is entered.
struct ShortPath {
  std::vector<std::uint32_t> path;
  std::uint64_t removed = 0, rounds = 0;
};

ShortPath shorten(const std::vector<std::uint32_t> &path, std::uint32_t header,
                  const std::vector<char> &isMember, std::size_t keep) {
  ShortPath result;
  for (std::size_t i = 0; i < path.size();) {
    if (path[i] != header) {
      result.path.push_back(path[i++]);
      continue;
    }
    // One stay in the loop: where its rounds begin, and where it is left.
    std::vector<std::size_t> begins;
    std::size_t last = i;
    for (; last < path.size() && isMember[path[last]]; ++last)
      if (path[last] == header)
        begins.push_back(last);
    result.rounds += begins.size();
    std::size_t from = last, to = last;
    if (begins.size() > keep + lastRounds) {
      from = begins[keep];
      to = begins[begins.size() - lastRounds];
      result.removed += begins.size() - lastRounds - keep;
    }
    for (std::size_t k = i; k < last; ++k)
      if (k < from || k >= to)
        result.path.push_back(path[k]);
    i = last;
  }
  return result;
}

struct ShortTrace {
  BlockTrace trace;
  std::uint64_t removed = 0, rounds = 0;
};

/// Shortens the paths of all warps; none if they don't all lose as much.
std::optional<ShortTrace> shorten(const BlockTrace &trace, std::uint32_t header,
                                  const std::vector<char> &isMember,
                                  std::size_t keep) {
  ShortTrace result = {trace, 0, 0};
  for (std::size_t w = 0; w < trace.warps.size(); ++w) {
    ShortPath path = shorten(trace.warps[w].path, header, isMember, keep);
    if (w > 0 && path.removed != result.removed)
      return std::nullopt;
    result.removed = path.removed;
    result.rounds = path.rounds;
    result.trace.warps[w].path = std::move(path.path);
  }
  return result;
}

/// The long loop of a trace, cut to few and to more rounds.
struct Cut {
  std::uint32_t loop;
  ShortTrace few, more;
};

std::optional<Cut> cutLongLoop(const sass::FunctionCounts &counts,
                               const BlockTrace &trace) {
  std::optional<Cut> best;
  double least = instructionsOf(trace);
  for (std::uint32_t i = 0; i < counts.loops.size(); ++i) {
    std::uint32_t header = 0;
    while (trace.blocks[header].begin != counts.loops[i].header)
      ++header;
    std::vector<char> isMember = membersOf(counts, i, trace);
    std::optional<ShortTrace> more =
        shorten(trace, header, isMember, moreRounds);
    if (!more || more->removed == 0 || instructionsOf(more->trace) >= least)
      continue;
    std::optional<ShortTrace> few = shorten(trace, header, isMember, fewRounds);
    if (!few)
      continue;
    least = instructionsOf(more->trace);
    best = Cut{i, std::move(*few), std::move(*more)};
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Runs of one multiprocessor, extrapolated along the long loop.
class Runner {
public:
  Runner(const sass::Function &function, const BlockTrace &trace,
         std::optional<Cut> cut, const Machine &machine, unsigned atOnce,
         unsigned multiprocessors, double dramPart)
      : function(function), trace(trace), cut(std::move(cut)), machine(machine),
        atOnce(atOnce), multiprocessors(multiprocessors), dramPart(dramPart) {}

  const std::optional<Cut> &longLoop() const { return cut; }

  /// A run of so many blocks, those that come later extrapolated.
  Result<Run> runAll(std::int64_t share) {
    // Blocks begin together and drift apart: the time of another set of them is
    // an average over as many as are quickly simulated.
    constexpr double fewSets = 4, maxSets = 10;
    double ofSet = instructionsOf(cut ? cut->more.trace : trace) *
                   static_cast<double>(atOnce);
    auto sets = static_cast<std::int64_t>(
        std::clamp(usualInstructions / ofSet, fewSets, maxSets));
    std::int64_t blocks = std::min(share, sets * std::int64_t(atOnce));
    if (ofSet / static_cast<double>(atOnce) * static_cast<double>(blocks) >
        maxInstructions)
      return Error{"'" + function.name +
                   "': too long to be simulated: no loop repeats itself"};
    Result<Run> run = this->run(static_cast<unsigned>(blocks));
    if (!run || share == blocks)
      return run;
    std::int64_t half = sets / 2 * std::int64_t(atOnce);
    Result<Run> fewer = this->run(static_cast<unsigned>(half));
    if (!fewer)
      return fewer;
    return extrapolate(*fewer, *run,
                       static_cast<double>(share - blocks) /
                           static_cast<double>(blocks - half));
  }

  /// A run of so many blocks, with all rounds of the long loop.
  Result<Run> run(unsigned blocks) {
    Result<Run> more = simulate(Rounds::More, blocks);
    if (!cut || !more)
      return more;
    Result<Run> few = simulate(Rounds::Few, blocks);
    if (!few)
      return few;
    return extrapolate(
        *few, *more,
        static_cast<double>(cut->more.removed) /
            static_cast<double>(cut->few.removed - cut->more.removed));
  }

  /// Cycles that one round of the long loop takes of all blocks at once.
  Result<double> cyclesPerRound() {
    Result<Run> few = simulate(Rounds::Few, atOnce);
    Result<Run> more = simulate(Rounds::More, atOnce);
    if (!few || !more)
      return Error{few ? more.error() : few.error()};
    return (more->cycles - few->cycles) /
           static_cast<double>(cut->few.removed - cut->more.removed);
  }

  enum class Rounds { Few, More };
  Result<Run> simulate(Rounds rounds, unsigned blocks) {
    auto key = std::make_pair(rounds, blocks);
    auto found = known.find(key);
    if (found != known.end())
      return found->second;
    Result<Run> run = simulate(rounds, blocks, nullptr);
    if (run)
      known.emplace(key, *run);
    return run;
  }
  Result<Run> simulate(Rounds rounds, unsigned blocks,
                       Timeline *timeline) const {
    const BlockTrace &simulated = !cut                    ? trace
                                  : rounds == Rounds::Few ? cut->few.trace
                                                          : cut->more.trace;
    return timing::simulate(function, simulated, machine, blocks, atOnce,
                            multiprocessors, dramPart, timeline);
  }

private:
  const sass::Function &function;
  const BlockTrace &trace;
  std::optional<Cut> cut;
  const Machine &machine;
  unsigned atOnce, multiprocessors;
  double dramPart;
  std::map<std::pair<Rounds, unsigned>, Run> known;
};

/// The time in which the best library computes as many products.
double sustainedSeconds(const sass::Function &function,
                        const std::vector<BlockKind> &kinds,
                        const Launch &launch, const Machine &machine) {
  const model::Target &target = machine.target;
  double f32 = 0, f64 = 0;
  for (const BlockKind &kind : kinds) {
    const BlockTrace &trace = kind.trace;
    std::vector<double> times(trace.blocks.size(), 0);
    for (const WarpTrace &warp : trace.warps)
      for (std::uint32_t block : warp.path)
        times[block] += kind.share;
    for (std::size_t block = 0; block < times.size(); ++block)
      for (std::uint32_t i = trace.blocks[block].begin;
           i < trace.blocks[block].end; ++i) {
        const sass::Instruction &instruction = function.code[i];
        std::string_view name = instruction.baseOpcode();
        if (name == "DMMA")
          f64 += times[block] *
                 static_cast<double>(sass::matrixMultiplyAdds(instruction));
        else if (name == "FFMA")
          f32 += times[block] * target.warpSize;
      }
  }
  auto secondsAt = [&](double work, std::int64_t rate, double sustained) {
    return work == 0 ? 0
                     : work * static_cast<double>(launch.blocks()) /
                           (static_cast<double>(rate) * target.multiprocessors *
                            target.clockHertz * sustained);
  };
  return std::max(
      secondsAt(f32, target.fmaPerCycleF32, target.attainable.sustainedF32),
      secondsAt(f64,
                std::max(target.tensorFmaPerCycle.f64, target.fmaPerCycleF64),
                target.attainable.sustainedF64));
}

double dramPartOf(const sass::Function &function,
                  const std::vector<BlockKind> &kinds, const Launch &launch,
                  const Machine &machine, std::uint64_t atOnce) {
  double sectors = 0;
  for (const BlockKind &kind : kinds)
    for (const WarpTrace &warp : kind.trace.warps)
      for (std::size_t i = 0; i < warp.accesses.size(); ++i) {
        sass::Category category = sass::categoryOf(function.code[i]);
        if (category == sass::Category::GlobalLoad ||
            category == sass::Category::AsyncCopy)
          sectors += kind.share / kind.followed *
                     static_cast<double>(warp.accesses[i].sectors);
      }
  double all = sectors * 32 * static_cast<double>(launch.blocks());
  if (all == 0)
    return 0;
  double once = std::min(1.0, launch.distinctBytes / all);
  if (launch.distinctBytes > 0 &&
      launch.distinctBytes <= static_cast<double>(machine.target.l2Bytes))
    return once;
  // Of the data that blocks load at once, the L2 cache holds the part that they
  // share; nothing is left of it when others come.
  constexpr std::uint64_t maxBlocks = 256;
  std::uint64_t count = std::min({atOnce, launch.blocks(), maxBlocks});
  std::uint64_t first = (launch.blocks() - count) / 2;
  return std::max(once, distinctPart(function, launch, machine, first, count));
}

} // namespace

Result<Run> timing::simulate(const sass::Function &function,
                             const BlockTrace &trace, const Machine &machine,
                             unsigned blocks, unsigned atOnce,
                             unsigned multiprocessors, double dramPart,
                             Timeline *timeline) {
  std::vector<TimedInstruction> code = timeInstructions(function, machine);
  Multiprocessor multiprocessor(code, trace, machine, multiprocessors, dramPart,
                                timeline);
  Result<Run> run = multiprocessor.run(blocks, atOnce);
  if (!run)
    return Error{"'" + function.name + "': " + run.error()};
  return run;
}

Result<Prediction> timing::predict(const sass::Function &function,
                                   const Launch &launch,
                                   const Machine &machine) {
  if (Status status = verify(launch, machine); !status)
    return Error{"'" + function.name + "': " + status.error()};
  Result<sass::FunctionCounts> counts = sass::count(function, machine.target);
  if (!counts)
    return Error{counts.error()};
  Occupancy occupancy = occupancyOf(launch, machine.target);
  if (occupancy.blocks < 1)
    return Error{"'" + function.name + "': a multiprocessor has too few " +
                 occupancy.limitedBy + " for a block"};
  Result<std::vector<BlockKind>> kinds =
      traceKinds(function, *counts, launch, machine, occupancy.blocks);
  if (!kinds)
    return Error{kinds.error()};
  const BlockTrace &trace = kinds->front().trace;

  Prediction prediction;
  prediction.launchSeconds = machine.launchSeconds;
  prediction.undecided = trace.undecided;
  prediction.unknownAccesses = trace.unknownAccesses;
  prediction.limitedBy = occupancy.limitedBy;
  std::uint64_t multiprocessors =
      std::min<std::uint64_t>(launch.blocks(), machine.target.multiprocessors);
  // The multiprocessor that has most to do.
  auto share = static_cast<std::int64_t>(
      (launch.blocks() + multiprocessors - 1) / multiprocessors);
  std::int64_t atOnce = std::min(occupancy.blocks, share);
  prediction.residentBlocks = occupancy.blocks;
  prediction.blocksPerMultiprocessor = share;
  prediction.kinds = kinds->size();
  prediction.dramPart =
      dramPartOf(function, *kinds, launch, machine,
                 static_cast<std::uint64_t>(occupancy.blocks) *
                     machine.target.multiprocessors);
  // Blocks of one kind are simulated among their like; the grid takes as long
  // as all kinds by their shares.
  std::vector<Runner> runners;
  for (const BlockKind &kind : *kinds) {
    prediction.instructions += kind.share * instructionsOf(kind.trace) *
                               static_cast<double>(launch.blocks());
    runners.emplace_back(function, kind.trace, cutLongLoop(*counts, kind.trace),
                         machine, static_cast<unsigned>(atOnce),
                         static_cast<unsigned>(multiprocessors),
                         prediction.dramPart);
    Result<Run> run = runners.back().runAll(share);
    if (!run)
      return Error{run.error()};
    accumulate(prediction.run, *run, kind.share);
  }
  prediction.seconds = prediction.run.cycles / machine.target.clockHertz;
  double sustained = sustainedSeconds(function, *kinds, launch, machine);
  prediction.isSustainedRate = sustained > prediction.seconds;
  prediction.seconds = std::max(prediction.seconds, sustained);
  Runner &runner = runners.front();
  const std::optional<Cut> &cut = runner.longLoop();
  using Rounds = Runner::Rounds;
  // One round in the middle, or all of one set of blocks.
  Timeline &timeline = prediction.timeline;
  Result<Run> once =
      runner.simulate(Rounds::More, static_cast<unsigned>(atOnce));
  if (!once)
    return Error{once.error()};
  timeline.end = once->cycles;
  if (cut) {
    prediction.loop = counts->loops[cut->loop].header;
    prediction.trips = cut->more.rounds;
    prediction.simulatedTrips = cut->more.rounds - cut->more.removed;
    Result<double> cycles = runner.cyclesPerRound();
    if (!cycles)
      return Error{cycles.error()};
    prediction.cyclesPerTrip = *cycles;
    timeline.begin = std::floor(once->cycles / 2);
    timeline.end = std::ceil(timeline.begin + *cycles);
  }
  Result<Run> drawn =
      runner.simulate(Rounds::More, static_cast<unsigned>(atOnce), &timeline);
  if (!drawn)
    return Error{drawn.error()};
  return prediction;
}
