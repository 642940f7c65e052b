//===- Multiprocessor.h - One multiprocessor, cycle by cycle ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four sub-cores that issue, the pipes of each, and the memory that they share.
// The units that an instruction occupies are reserved when it is issued, so
// that it is known then when its scoreboards will be clear; only barriers wait
// for what has not happened yet.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TIMING_MULTIPROCESSOR_H
#define TC_LIB_TIMING_MULTIPROCESSOR_H

#include "tc/Timing/Timing.h"

#include <deque>
#include <map>
#include <optional>

namespace tc::timing {

/// The special role of an instruction.
enum class Role : std::uint8_t {
  Plain,
  Access, ///< of memory
  Commit, ///< LDGDEPBAR: raises its scoreboard until all copies have ended
  Depbar, ///< waits for a scoreboard to count no more than `count`
  Barrier,
  Arrive, ///< at a barrier, without waiting
  Exit,
};

/// The properties of one instruction that the simulation needs.
struct TimedInstruction {
  Role role = Role::Plain;
  sass::Pipe pipe = sass::Pipe::None;
  std::uint8_t stall = 1;
  bool yields = false;
  std::int8_t writeBarrier = -1, readBarrier = -1;
  std::uint8_t awaits = 0;
  std::uint8_t scoreboard = 0; ///< of Depbar
  unsigned count = 0;          ///< of Depbar; of barriers the warps, 0 for all
  unsigned barrier = 0;        ///< its number
  double busy = 0, latency = 0;
  sass::BankReads reads;
  bool isLoad = false, isGlobal = false, isCopy = false, isLocal = false;
};

std::vector<TimedInstruction> timeInstructions(const sass::Function &function,
                                               const Machine &machine);

/// One run of blocks.
class Multiprocessor {
public:
  Multiprocessor(const std::vector<TimedInstruction> &code,
                 const BlockTrace &trace, const Machine &machine,
                 unsigned multiprocessors, double dramPart, Timeline *timeline);

  Result<Run> run(unsigned blocks, unsigned atOnce);

private:
  struct Scoreboard {
    /// The ends of the operations that raise it, and their kinds; in the order
    /// of issue.
    std::vector<std::pair<double, Spent>> pending;
  };
  /// The time at which a warp can issue, and the reason for which it waits
  /// until then.
  struct Readiness {
    double cycle;
    Spent reason;

    void wait(double until, Spent other) {
      if (until > cycle)
        *this = {until, other};
    }
  };
  struct Warp {
    unsigned block = 0, number = 0;
    bool isLive = false, isBlocked = false;
    std::size_t step = 0; ///< of its path
    std::uint32_t at = 0;
    double ready = 0;
    Spent readyReason = Spent::Idle; ///< of the wait until then
    /// The readiness as far as it depends on the warp itself, if it is known.
    std::optional<Readiness> own;
    double copiesEnd = 0;
    std::array<Scoreboard, 6> scoreboards;
  };
  struct Subcore {
    std::vector<unsigned> warps;
    int last = -1;       ///< the warp that issued last
    bool yields = false; ///< true if that prefers another next
    double lastIssue = -1;
    std::array<double, sass::numPipes> pipeFree = {};
    /// The times at which the reads of each bank of the register file end.
    std::array<double, 2> banksFree = {};
    /// The times at which the memory instructions in the queue leave it.
    std::deque<double> queue;
    double addressFree = 0;
    double next = 0;
  };
  struct Block {
    unsigned live = 0;
    struct Meeting {
      unsigned arrived = 0;
      unsigned expected = 0; ///< warps, 0 for all that live
      std::vector<unsigned> waiting;
    };
    std::map<unsigned, Meeting> meetings;
  };
  void start(unsigned block, double now);
  Readiness ownReadinessOf(const Warp &warp) const;
  Readiness readinessOf(unsigned number, const Subcore &subcore);
  double readRegisters(unsigned number, Subcore &subcore, double now);
  void issue(unsigned number, unsigned subcore, double now);
  void access(Warp &warp, Subcore &subcore, const TimedInstruction &timed,
              double now, double &operands, double &result);
  void serveArrivals(double until);
  void meet(unsigned number, const TimedInstruction &timed, double now);
  void release(Block &block, unsigned barrier, double now);
  void advance(Warp &warp, double now);
  void fetch(std::uint32_t at, double now);
  void note(Unit unit, double begin, double end, bool isOwn);

  const std::vector<TimedInstruction> &code;
  const BlockTrace &trace;
  const Machine &machine;
  double l2Rate, lookupRate, dramRate, dramPart;
  Timeline *timeline;

  std::vector<Warp> warps;
  std::vector<Block> blocks;
  std::vector<Subcore> subcores;
  std::vector<unsigned> freeSlots;
  /// The time at which each line of code is there; negative for those that
  /// nobody has fetched.
  std::vector<double> lines;
  double tagFree = 0, translationFree = 0, sharedFree = 0, l2Free = 0,
         dramFree = 0;
  /// Wavefronts of data that come from further away, by when they do.
  std::multimap<double, double> arrivals;
  double end = 0, dramOwed = 0;
  unsigned nextBlock = 0, wanted = 0;
  Run result;
};

} // namespace tc::timing

#endif // TC_LIB_TIMING_MULTIPROCESSOR_H
