//===- Multiprocessor.cpp - One multiprocessor, cycle by cycle ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Multiprocessor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

using namespace tc;
using namespace tc::timing;
using sass::Pipe;

static constexpr double never = std::numeric_limits<double>::infinity();

/// Instructions of a line of the instruction caches, which has 128 bytes.
static constexpr std::size_t lineInstructions = 8;

static Spent waitingFor(Pipe pipe) {
  switch (pipe) {
  case Pipe::Tensor:
    return Spent::Tensor;
  case Pipe::FMA:
    return Spent::FMA;
  case Pipe::ALU:
    return Spent::ALU;
  case Pipe::FP64:
    return Spent::FP64;
  default:
    return Spent::OtherPipe;
  }
}

static std::optional<Unit> unitOf(Pipe pipe) {
  switch (pipe) {
  case Pipe::Tensor:
    return Unit::Tensor;
  case Pipe::FMA:
    return Unit::FMA;
  case Pipe::ALU:
    return Unit::ALU;
  case Pipe::FP64:
    return Unit::FP64;
  default:
    return std::nullopt;
  }
}

Multiprocessor::Multiprocessor(const std::vector<TimedInstruction> &code,
                               const BlockTrace &trace, const Machine &machine,
                               unsigned multiprocessors, double dramPart,
                               Timeline *timeline)
    : code(code), trace(trace), machine(machine),
      l2Rate(std::min(machine.portBytes, machine.l2Bytes / multiprocessors)),
      lookupRate(machine.l2Bytes / multiprocessors),
      dramRate(
          std::min(machine.portBytes, machine.dramBytes / multiprocessors)),
      dramPart(dramPart), timeline(timeline), subcores(machine.subcores()),
      lines(code.size() / lineInstructions + 1, -1) {}

/// Remembers that a unit is busy; of those that each sub-core has, `isOwn` says
/// whether it is the first one's.
void Multiprocessor::note(Unit unit, double begin, double until, bool isOwn) {
  result.busy[static_cast<std::size_t>(unit)] += until - begin;
  if (timeline && isOwn && until > timeline->begin && begin < timeline->end)
    timeline->units[static_cast<std::size_t>(unit)].push_back({begin, until});
}

/// Fetches the line of an instruction and those behind it, if they are not
/// there: once for the multiprocessor, whose cache holds whole kernels.
void Multiprocessor::fetch(std::uint32_t at, double now) {
  std::size_t first = at / lineInstructions;
  std::size_t last =
      std::min<std::size_t>(first + machine.linesAhead, lines.size() - 1);
  for (std::size_t line = first; line <= last; ++line)
    if (lines[line] < 0)
      lines[line] = now + machine.fetchLatency;
}

/// Puts a block on the multiprocessor: its warps go to the sub-cores by turns.
void Multiprocessor::start(unsigned block, double now) {
  blocks[block].live = static_cast<unsigned>(trace.warps.size());
  for (unsigned i = 0; i < trace.warps.size(); ++i) {
    Warp warp;
    warp.block = block;
    warp.number = i;
    warp.isLive = true;
    warp.ready = now;
    warp.at = trace.blocks[trace.warps[i].path[0]].begin;
    fetch(warp.at, now);
    unsigned slot;
    if (freeSlots.empty()) {
      slot = static_cast<unsigned>(warps.size());
      warps.push_back(std::move(warp));
      subcores[slot % subcores.size()].warps.push_back(slot);
    } else {
      // Ids are those of the warps that have left.
      slot = freeSlots.front();
      freeSlots.erase(freeSlots.begin());
      warps[slot] = std::move(warp);
    }
    Subcore &subcore = subcores[slot % subcores.size()];
    subcore.next = std::min(subcore.next, now);
  }
}

/// Reads the registers of a warp's next instruction, which holds up those
/// behind it if the banks are busy; returns when it goes on.
double Multiprocessor::readRegisters(unsigned number, Subcore &subcore,
                                     double now) {
  // The reuse caches hold registers of the warp that issued last.
  const sass::BankReads &counted = code[warps[number].at].reads;
  const std::array<std::uint8_t, 2> &reads =
      static_cast<int>(number) == subcore.last ? counted.withReuse
                                               : counted.withoutReuse;
  double begin = now;
  for (std::size_t bank = 0; bank < reads.size(); ++bank)
    if (reads[bank] > 0)
      begin = std::max(begin, subcore.banksFree[bank] + reads[bank] -
                                  machine.readCycles);
  for (std::size_t bank = 0; bank < reads.size(); ++bank)
    subcore.banksFree[bank] =
        std::max(subcore.banksFree[bank], begin) + reads[bank];
  return begin;
}

/// The time at which the warp can issue its next instruction as far as its own
/// registers and code go, which changes only when it issues or is released.
Multiprocessor::Readiness
Multiprocessor::ownReadinessOf(const Warp &warp) const {
  const TimedInstruction &timed = code[warp.at];
  Readiness readiness = {warp.ready, warp.readyReason};
  readiness.wait(std::ceil(lines[warp.at / lineInstructions]), Spent::Fetch);
  for (unsigned i = 0; i < warp.scoreboards.size(); ++i) {
    const auto &pending = warp.scoreboards[i].pending;
    if (timed.awaits >> i & 1)
      for (const auto &[until, reason] : pending)
        readiness.wait(std::ceil(until), reason);
    if (timed.role == Role::Depbar && timed.scoreboard == i &&
        pending.size() > timed.count) {
      // All but the last `count`, which end in their order.
      for (std::size_t k = 0; k + timed.count < pending.size(); ++k)
        readiness.wait(std::ceil(pending[k].first), pending[k].second);
    }
  }
  return readiness;
}

/// The time at which the warp can issue its next instruction, if none of the
/// sub-core's other warps does before it.
Multiprocessor::Readiness Multiprocessor::readinessOf(unsigned number,
                                                      const Subcore &subcore) {
  Warp &warp = warps[number];
  if (warp.isBlocked)
    return {never, Spent::Barrier};
  const TimedInstruction &timed = code[warp.at];
  if (!warp.own)
    warp.own = ownReadinessOf(warp);
  Readiness readiness = *warp.own;
  if (timed.pipe == Pipe::None)
    return readiness;
  // A pipe that becomes free within a cycle goes on within it.
  readiness.wait(
      std::floor(subcore.pipeFree[static_cast<std::size_t>(timed.pipe)]),
      waitingFor(timed.pipe));
  if (timed.pipe == Pipe::Memory && subcore.queue.size() >= machine.memoryQueue)
    readiness.wait(
        std::ceil(subcore.queue[subcore.queue.size() - machine.memoryQueue]),
        Spent::Queue);
  return readiness;
}

/// Reserves the units that an access takes; returns the times at which its
/// operands have been read and its result is there.
void Multiprocessor::access(Warp &warp, Subcore &subcore,
                            const TimedInstruction &timed, double now,
                            double &operands, double &arrival) {
  const WarpTrace &traced = trace.warps[warp.number];
  const Accesses &accesses = traced.accesses[warp.at];
  // The average over the executions of this warp.
  double perExecution = accesses.executions == 0
                            ? 0
                            : 1 / static_cast<double>(accesses.executions);
  auto average = [&](std::uint64_t sum) {
    return static_cast<double>(sum) * perExecution;
  };
  double addresses = std::max(now + 1, subcore.addressFree);
  // Nothing is there to be done where the guard holds in no lane.
  double active = average(accesses.active);
  subcore.addressFree = addresses + machine.addressCycles * active;
  bool goesOut = timed.isGlobal || timed.isCopy;
  // Tags are looked up four lines a cycle, at least one cycle an instruction.
  double begin = std::max(addresses, tagFree);
  if (goesOut)
    tagFree = begin +
              std::max(average(accesses.lines) / machine.linesPerCycle, active);
  double served = begin;
  // Data pass 128 bytes at a time: data from further away when it comes, all
  // else now.
  if (!goesOut || !timed.isLoad) {
    serveArrivals(begin);
    double wavefronts =
        std::max(active, goesOut ? average(accesses.sectors) / 4
                                 : average(accesses.wavefronts));
    served = std::max(begin, sharedFree);
    sharedFree = served + wavefronts;
    if (wavefronts > 0)
      note(Unit::Shared, served, sharedFree, true);
  }
  subcore.queue.push_back(served);
  operands = served + machine.operandLatency;
  double last = std::max(served, sharedFree - 1) - 1;
  arrival = last + (timed.isLocal ? machine.l1Latency : machine.sharedLatency);
  double bytes = average(accesses.sectors) * 32;
  if (bytes == 0 || !goesOut)
    return;
  double translated = served;
  if (accesses.translations > 0) {
    translationFree =
        std::max(served, translationFree) +
        accesses.translations * perExecution * machine.translationCycles;
    translated = translationFree;
  }
  double fromL2 = std::max(translated, l2Free);
  const model::GpuTimeCosts &costs = machine.target.costs.time;
  double throughL2 =
      bytes / l2Rate + average(accesses.lines) * costs.lookupBytes / lookupRate;
  // Each store is a request for a line, followed by its sectors.
  if (!timed.isLoad)
    throughL2 = std::max(
        throughL2, costs.storePortCycles *
                       (average(accesses.lines) + average(accesses.sectors)));
  l2Free = fromL2 + throughL2;
  note(Unit::L2, fromL2, l2Free, true);
  // Latencies are those of one sector, which is looked up.
  constexpr double sector = 32;
  arrival = l2Free - sector / l2Rate - costs.lookupBytes / lookupRate +
            machine.l2Latency;
  // Stores are written back, sooner or later: where several fill a sector, it
  // is once, for the L2 cache puts them together.
  dramOwed += timed.isLoad ? bytes * dramPart
                           : std::min(bytes, average(accesses.stored));
  if (dramOwed >= sector) {
    double fromDram = std::max(served, dramFree);
    dramFree = fromDram + dramOwed / dramRate;
    note(Unit::DRAM, fromDram, dramFree, true);
    if (timed.isLoad)
      arrival =
          std::max(arrival, dramFree - sector / dramRate + machine.dramLatency);
    dramOwed = 0;
    end = std::max(end, dramFree);
  }
  end = std::max(end, arrival);
  if (timed.isLoad)
    arrivals.emplace(arrival,
                     timed.isCopy ? average(accesses.wavefronts) : bytes / 128);
}

/// Data that has come from further away by then passes through shared memory
/// first.
void Multiprocessor::serveArrivals(double until) {
  while (!arrivals.empty() &&
         arrivals.begin()->first <= std::max(until, sharedFree)) {
    auto [when, wavefronts] = *arrivals.begin();
    arrivals.erase(arrivals.begin());
    double begin = std::max(when, sharedFree);
    sharedFree = begin + wavefronts;
    note(Unit::Shared, begin, sharedFree, true);
  }
}

void Multiprocessor::release(Block &block, unsigned barrier, double now) {
  Block::Meeting &meeting = block.meetings[barrier];
  for (unsigned number : meeting.waiting) {
    Warp &warp = warps[number];
    warp.isBlocked = false;
    warp.ready = std::max(warp.ready, now + machine.barrierLatency);
    warp.readyReason = Spent::Barrier;
    warp.own.reset();
    Subcore &subcore = subcores[number % subcores.size()];
    subcore.next = std::min(subcore.next, warp.ready);
  }
  meeting = {};
}

/// A warp arrives at a barrier, and waits there unless it only arrives.
void Multiprocessor::meet(unsigned number, const TimedInstruction &timed,
                          double now) {
  Warp &warp = warps[number];
  Block &block = blocks[warp.block];
  Block::Meeting &meeting = block.meetings[timed.barrier];
  ++meeting.arrived;
  meeting.expected = timed.count;
  if (timed.role == Role::Barrier) {
    meeting.waiting.push_back(number);
    warp.isBlocked = true;
  }
  if (meeting.arrived >= (timed.count == 0 ? block.live : timed.count))
    release(block, timed.barrier, now);
}

/// Goes on to the next instruction of the warp's path.
void Multiprocessor::advance(Warp &warp, double now) {
  const std::vector<std::uint32_t> &path = trace.warps[warp.number].path;
  ++warp.at;
  bool isInBlock = warp.at < trace.blocks[path[warp.step]].end;
  if (!isInBlock && ++warp.step < path.size()) {
    warp.at = trace.blocks[path[warp.step]].begin;
    isInBlock = true;
  }
  if (isInBlock)
    return fetch(warp.at, now);
  warp.isLive = false;
  end = std::max(end, now + 1);
  Block &block = blocks[warp.block];
  --block.live;
  // Those that have ended are not waited for.
  std::vector<unsigned> complete;
  for (const auto &[barrier, meeting] : block.meetings)
    if (meeting.arrived > 0 && meeting.expected == 0 &&
        meeting.arrived >= block.live)
      complete.push_back(barrier);
  for (unsigned barrier : complete)
    release(block, barrier, now);
  freeSlots.push_back(static_cast<unsigned>(&warp - warps.data()));
  if (block.live == 0 && nextBlock < wanted) {
    std::sort(freeSlots.begin(), freeSlots.end());
    start(nextBlock++, now + 1);
  }
}

void Multiprocessor::issue(unsigned number, unsigned which, double now) {
  Warp &warp = warps[number];
  Subcore &subcore = subcores[which];
  const TimedInstruction &timed = code[warp.at];
  ++result.instructions;
  if (timeline && which == 0 && now >= timeline->begin && now < timeline->end)
    timeline->issue.push_back({now, now + 1});
  for (Scoreboard &scoreboard : warp.scoreboards) {
    auto &pending = scoreboard.pending;
    pending.erase(
        std::remove_if(pending.begin(), pending.end(),
                       [&](const auto &entry) { return entry.first <= now; }),
        pending.end());
  }
  while (!subcore.queue.empty() && subcore.queue.front() <= now)
    subcore.queue.pop_front();
  warp.own.reset();
  warp.ready = now + timed.stall;
  warp.readyReason = Spent::Stall;
  if (timed.pipe != Pipe::None) {
    double &free = subcore.pipeFree[static_cast<std::size_t>(timed.pipe)];
    double begin = std::max(now, free);
    free = begin + timed.busy;
    if (std::optional<Unit> unit = unitOf(timed.pipe))
      note(*unit, begin, free, which == 0);
  }
  double operands = now + machine.operandLatency, written = now + timed.latency;
  Spent reason = Spent::Results;
  switch (timed.role) {
  case Role::Access:
    access(warp, subcore, timed, now, operands, written);
    reason = timed.isGlobal || timed.isCopy ? Spent::Global : Spent::Shared;
    if (timed.isCopy)
      warp.copiesEnd = std::max(warp.copiesEnd, written);
    break;
  case Role::Commit:
    written = std::max(now + 1, warp.copiesEnd);
    reason = Spent::Global;
    break;
  case Role::Barrier:
  case Role::Arrive:
    meet(number, timed, now);
    break;
  default:
    if (timed.pipe == Pipe::Memory) {
      double addresses = std::max(now + 1, subcore.addressFree);
      subcore.addressFree = addresses + 1;
      subcore.queue.push_back(addresses);
    }
    break;
  }
  auto raise = [&](int scoreboard, double until) {
    if (scoreboard < 0)
      return;
    auto &pending =
        warp.scoreboards[static_cast<std::size_t>(scoreboard)].pending;
    // The operations that one scoreboard counts end in its order.
    if (!pending.empty())
      until = std::max(until, pending.back().first);
    pending.emplace_back(until, reason);
  };
  raise(timed.readBarrier, operands);
  raise(timed.writeBarrier, written);
  subcore.last = static_cast<int>(number);
  subcore.yields = timed.yields;
  subcore.lastIssue = now;
  advance(warp, now);
}

Result<Run> Multiprocessor::run(unsigned count, unsigned atOnce) {
  wanted = count;
  blocks.resize(count);
  while (nextBlock < std::min(count, atOnce))
    start(nextBlock++, 0);
  auto spend = [&](Spent spent, double cycles) {
    result.spent[static_cast<std::size_t>(spent)] += cycles;
  };
  for (;;) {
    // The sub-core that can do something first.
    unsigned which = 0;
    for (unsigned i = 1; i < subcores.size(); ++i)
      if (subcores[i].next < subcores[which].next)
        which = i;
    Subcore &subcore = subcores[which];
    double now = subcore.next;
    if (now == never)
      break;
    // The warp that issued last goes first unless it yields, then the youngest
    // (Huerta et al.).
    int chosen = -1;
    auto rankOf = [&](unsigned number) {
      bool isLast = static_cast<int>(number) == subcore.last;
      int turn = !isLast ? 1 : subcore.yields ? 0 : 2;
      return std::make_tuple(turn, warps[number].block, warps[number].number);
    };
    Readiness best = {never, Spent::Idle}, others = {never, Spent::Idle};
    for (unsigned number : subcore.warps) {
      const Warp &warp = warps[number];
      if (!warp.isLive)
        continue;
      Readiness readiness = readinessOf(number, subcore);
      if (readiness.cycle > now) {
        if (readiness.cycle < others.cycle)
          others = readiness;
        continue;
      }
      if (chosen >= 0 && rankOf(number) < rankOf(static_cast<unsigned>(chosen)))
        continue;
      chosen = static_cast<int>(number);
      best = readiness;
    }
    if (chosen < 0) {
      subcore.next = others.cycle;
      continue;
    }
    // All cycles since the last issue were lost to this warp's wait.
    double lost = now - (subcore.lastIssue + 1);
    if (lost > 0)
      spend(best.reason, lost);
    auto number = static_cast<unsigned>(chosen);
    double begin = readRegisters(number, subcore, now);
    spend(Spent::Banks, begin - now);
    now = begin;
    spend(Spent::Issue, 1);
    issue(number, which, now);
    subcore.next = std::max(subcore.next, now + 1);
  }
  serveArrivals(end);
  for (const Warp &warp : warps)
    if (warp.isLive)
      return Error{"warps of a block wait for one another for ever"};
  auto quarters = static_cast<double>(subcores.size());
  for (const Subcore &subcore : subcores)
    spend(Spent::Idle, end - (subcore.lastIssue + 1));
  for (double &cycles : result.spent)
    cycles /= quarters;
  for (Unit unit : {Unit::Tensor, Unit::FMA, Unit::ALU, Unit::FP64})
    result.busy[static_cast<std::size_t>(unit)] /= quarters;
  result.cycles = end;
  return result;
}
