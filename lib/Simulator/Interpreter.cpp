//===- Interpreter.cpp - Running blocks -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main loop, divergence, barriers.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Operands.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

using namespace tc::sim;

/// The bytes of memory and registers that nothing has written: NaN in every
/// floating-point type.
static constexpr int unwritten = 0xff;

/// Times that all warps may find that they have to wait for mbarriers, while
/// nothing happens to any, before they count as dead.
static constexpr unsigned maxIdleRounds = 1000;

/// The register file is aligned to the host's cache lines.
static constexpr std::size_t registerAlignment = 64;

Interpreter::Interpreter(const Kernel &kernel, const Memory &memory,
                         const LaunchConfig &config, std::size_t trafficCount,
                         BlockOrder &blocks, Releases &releases)
    : config(config), handlers(selectHandlers()) {
  threads = config.block[0] * config.block[1] * config.block[2];
  warps.resize((threads + warpSize - 1) / warpSize);
  execution.kernel = &kernel;
  execution.memory = &memory;
  execution.shared.resize(kernel.info.staticSharedBytes +
                          config.dynamicSharedBytes);
  execution.blockShape = config.block;
  const Detectors &detectors = config.detectors;
  if (detectors.uninitialized || detectors.sharedRaces ||
      detectors.globalRaces) {
    order = std::make_unique<AccessOrder>();
    execution.order = order.get();
  }
  if ((detectors.uninitialized || detectors.sharedRaces) &&
      !execution.shared.empty()) {
    shadow = std::make_unique<SharedShadow>(execution.shared.size(), kernel,
                                            detectors, *order);
    execution.sharedShadow = shadow.get();
  }
  if (detectors.globalRaces) {
    blockShadow = std::make_unique<BlockShadow>(memory, kernel, *order);
    execution.blockShadow = blockShadow.get();
  }
  if (kernel.hasAtomics) {
    atomics = std::make_unique<Atomics>(blocks);
    execution.atomics = atomics.get();
  }
  if (kernel.hasAtomics && order) {
    sync = std::make_unique<BlockSync>(releases, *order);
    execution.sync = sync.get();
  }
  copies = std::make_unique<AsyncCopies>(warps.size());
  execution.copies = copies.get();
  mbarriers = std::make_unique<Mbarriers>();
  execution.mbarriers = mbarriers.get();
  execution.issued.resize(kernel.code.size());
  execution.traffic.resize(trafficCount);
  if (config.profile)
    accesses.resize(kernel.code.size());
  registerFile.resize(warps.size() * kernel.registerBytes + registerAlignment);
  for (unsigned warp = 0; warp < warps.size(); ++warp)
    prepareRegisters(warp);
}

std::byte *Interpreter::registersOf(std::size_t warp) {
  auto start = reinterpret_cast<std::uintptr_t>(registerFile.data());
  std::size_t skip =
      (registerAlignment - start % registerAlignment) % registerAlignment;
  return registerFile.data() + skip + warp * execution.kernel->registerBytes;
}

template <typename T>
static void fill(std::byte *registers, std::uint32_t offset, T value) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    std::memcpy(registers + offset + lane * sizeof(T), &value, sizeof(T));
}

/// Constants and the special registers that are the same for all blocks.
void Interpreter::prepareRegisters(unsigned warp) {
  std::byte *registers = registersOf(warp);
  for (const Constant &constant : execution.kernel->constants) {
    switch (constant.bytes) {
    case 0: {
      std::uint32_t mask = constant.bits != 0 ? fullMask : 0;
      std::memcpy(registers + constant.offset, &mask, sizeof(mask));
      break;
    }
    case 2:
      fill(registers, constant.offset,
           static_cast<std::uint16_t>(constant.bits));
      break;
    case 4:
      fill(registers, constant.offset,
           static_cast<std::uint32_t>(constant.bits));
      break;
    default:
      fill(registers, constant.offset, constant.bits);
      break;
    }
  }
  for (const SpecialValue &special : execution.kernel->specials)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      std::uint32_t thread = warp * warpSize + lane, value = 0;
      switch (special.which) {
      case SpecialRegister::TidX:
        value = thread % config.block[0];
        break;
      case SpecialRegister::TidY:
        value = thread / config.block[0] % config.block[1];
        break;
      case SpecialRegister::TidZ:
        value = thread / config.block[0] / config.block[1];
        break;
      case SpecialRegister::NtidX:
      case SpecialRegister::NtidY:
      case SpecialRegister::NtidZ:
        value = config.block[static_cast<int>(special.which) -
                             static_cast<int>(SpecialRegister::NtidX)];
        break;
      case SpecialRegister::NctaidX:
      case SpecialRegister::NctaidY:
      case SpecialRegister::NctaidZ:
        value = config.grid[static_cast<int>(special.which) -
                            static_cast<int>(SpecialRegister::NctaidX)];
        break;
      case SpecialRegister::CtaidX:
      case SpecialRegister::CtaidY:
      case SpecialRegister::CtaidZ:
        break; // prepareBlock fills them in.
      case SpecialRegister::LaneId:
        value = lane;
        break;
      case SpecialRegister::WarpId:
        value = warp;
        break;
      case SpecialRegister::WarpSize:
        value = warpSize;
        break;
      }
      std::memcpy(registers + special.offset + lane * sizeof(value), &value,
                  sizeof(value));
    }
}

void Interpreter::prepareBlock(std::uint64_t number) {
  execution.block = number;
  const std::array<std::uint32_t, 3> blockIndex = {
      static_cast<std::uint32_t>(number % config.grid[0]),
      static_cast<std::uint32_t>(number / config.grid[0] % config.grid[1]),
      static_cast<std::uint32_t>(number / config.grid[0] / config.grid[1])};
  std::fill(execution.shared.begin(), execution.shared.end(),
            std::byte(unwritten));
  if (order)
    order->reset();
  if (shadow)
    shadow->reset();
  if (blockShadow)
    blockShadow->reset();
  copies->reset();
  mbarriers->reset();
  for (std::size_t w = 0; w < warps.size(); ++w) {
    std::byte *registers = registersOf(w);
    std::memset(registers, unwritten, execution.kernel->maybeUnwrittenBytes);
    for (const SpecialValue &special : execution.kernel->specials)
      if (special.which >= SpecialRegister::CtaidX &&
          special.which <= SpecialRegister::CtaidZ)
        fill(registers, special.offset,
             blockIndex[static_cast<int>(special.which) -
                        static_cast<int>(SpecialRegister::CtaidX)]);
    std::uint32_t count =
        std::min<std::uint32_t>(warpSize, threads - w * warpSize);
    Warp &warp = warps[w];
    warp.initialMask = fullMask >> (warpSize - count);
    warp.exited = 0;
    warp.issued = 0;
    warp.isWaiting = warp.hasYielded = false;
    warp.paths.assign(1, {0, none, warp.initialMask});
  }
}

bool Interpreter::fail(const Warp &warp, std::uint32_t pc, const Fault &fault) {
  auto thread =
      static_cast<std::uint32_t>(&warp - warps.data()) * warpSize + fault.lane;
  failure = describeFault(*execution.kernel, pc, config.grid, execution.block,
                          config.block, thread, fault.message);
  return false;
}

/// The processor's time that this thread has used, which unlike the time of day
/// goes on neither while others run nor while the block waits for another.
static double threadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

bool Interpreter::isOutOfTime() const {
  return threadSeconds() - blockBegin > config.secondsPerBlock;
}

bool Interpreter::runBlock(std::uint64_t number, std::uint64_t position) {
  prepareBlock(number);
  blockBegin = threadSeconds();
  if (atomics)
    atomics->reset(position);
  if (sync)
    sync->reset(number, position);
  std::uint64_t lastProgress = 0;
  for (unsigned idleRounds = 0;;) {
    bool allDone = true, yielded = false;
    for (Warp &warp : warps) {
      if (warp.paths.empty() || warp.isWaiting)
        continue;
      warp.hasYielded = false;
      execution.warp = static_cast<std::uint32_t>(&warp - warps.data());
      execution.registers = registersOf(execution.warp);
      if (!runWarp(warp))
        return false;
    }
    for (const Warp &warp : warps) {
      allDone &= warp.paths.empty();
      yielded |= warp.hasYielded;
    }
    if (allDone)
      break;
    if (!releaseBarriers(yielded))
      return false;
    idleRounds = progress() == lastProgress ? idleRounds + 1 : 0;
    lastProgress = progress();
    if (yielded && idleRounds > maxIdleRounds)
      return reportDeadlock();
  }
  if (atomics && atomics->isPending() && !atomics->settle(execution)) {
    execution.fault.reset();
    return false;
  }
  execution.asyncTraffic += copies->traffic();
  ++execution.blocks;
  return true;
}

//===----------------------------------------------------------------------===//
// One warp
//===----------------------------------------------------------------------===//

static std::uint32_t firstLaneOrZero(std::uint32_t mask) {
  return mask == 0 ? 0 : static_cast<std::uint32_t>(__builtin_ctz(mask));
}

/// Instructions of a warp from one look at the clock to the next.
static constexpr std::uint64_t instructionsPerClock = 1 << 16;

bool Interpreter::runWarp(Warp &warp) {
  const MicroOp *code = execution.kernel->code.data();
  while (!warp.paths.empty() && !warp.isWaiting && !warp.hasYielded) {
    Path &path = warp.paths.back();
    if (path.pc == path.reconvergence || path.mask == 0) {
      warp.paths.pop_back();
      continue;
    }
    const std::uint32_t active = path.mask, end = path.reconvergence;
    std::uint32_t pc = path.pc;
    // Instructions up to one that may change the active lanes or the next
    // instruction.
    do {
      const MicroOp &op = code[pc];
      std::uint32_t mask =
          active & (execution.predicate(op.guard) ^ op.guardInvert);
      IssueCount &issued = execution.issued[pc];
      ++issued.warps;
      issued.threads += static_cast<unsigned>(__builtin_popcount(mask));
      if (++warp.issued > config.instructionLimit)
        return fail(warp, pc,
                    {"the warp has reached the limit of " +
                         std::to_string(config.instructionLimit) +
                         " instructions",
                     firstLaneOrZero(active)});
      // Reading the clock takes as long as many instructions.
      if (warp.issued % instructionsPerClock == 0 && isOutOfTime()) {
        char limit[32];
        std::snprintf(limit, sizeof limit, "%g", config.secondsPerBlock);
        return fail(
            warp, pc,
            {std::string("the block has reached the limit of ") + limit + " s",
             firstLaneOrZero(active)});
      }
      if (op.touchesUnwritten && !checkRegisters(warp, op, active, mask))
        return false;
      if (op.opClass == OpClass::Control) {
        path.pc = pc;
        if (!executeControl(warp, op, mask))
          return false;
        break;
      }
      if (mask != 0) {
        Handler handler = handlers[static_cast<std::size_t>(op.opcode)];
        if (mask == fullMask || op.opClass != OpClass::Lanes)
          handler(execution, op, mask);
        else
          runPartly(op, handler, mask);
        if (op.opClass == OpClass::Memory) {
          if (execution.fault) {
            Fault fault = *execution.fault;
            execution.fault.reset();
            return fail(warp, pc, fault);
          }
          if (!accesses.empty())
            attributeAccesses(pc);
        }
      }
      path.pc = ++pc;
    } while (pc != end);
  }
  return true;
}

/// Fails if a lane reads a register that it has not written, and notes which
/// registers it writes.
bool Interpreter::checkRegisters(const Warp &warp, const MicroOp &op,
                                 std::uint32_t active, std::uint32_t mask) {
  if (!config.detectors.uninitialized)
    return true;
  const Kernel &kernel = *execution.kernel;
  auto check = [&](std::uint32_t place, std::uint32_t readers) {
    if (place >= kernel.maybeUnwrittenBytes || execution.fault)
      return;
    std::uint32_t lanes =
        readers & execution.predicate(unwrittenLanesOf(place));
    if (lanes != 0)
      reportUnwrittenRegister(execution, place, lanes);
  };
  check(op.guard, active);
  // Compilers fill the elements of a vector of halves or bytes that do not
  // matter by registers that nothing writes.
  bool mayBeAnything = (op.opcode == Opcode::Pack && op.elementBytes == 2) ||
                       op.opcode == Opcode::Prmt;
  forEachUse(kernel, op, [&](std::uint32_t place) {
    if (place != op.guard &&
        !(mayBeAnything && kernel.neverWritten.count(place) > 0))
      check(place, mask);
  });
  forEachDefinition(kernel, op, [&](std::uint32_t place) {
    if (place < kernel.maybeUnwrittenBytes)
      execution.predicate(unwrittenLanesOf(place)) &= ~mask;
  });
  if (!execution.fault)
    return true;
  Fault fault = *execution.fault;
  execution.fault.reset();
  return fail(warp, static_cast<std::uint32_t>(&op - kernel.code.data()),
              fault);
}

/// Handlers of class Lanes write all lanes: puts back those that are masked.
void Interpreter::runPartly(const MicroOp &op, Handler handler,
                            std::uint32_t mask) {
  std::byte saved[warpSize * 8];
  std::byte *dst = execution.lanes<std::byte>(op.dst);
  const std::size_t bytes = op.resultBytes;
  std::memcpy(saved, dst, warpSize * bytes);
  handler(execution, op, mask);
  auto restore = [&](auto zero) {
    using T = decltype(zero);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (((mask >> lane) & 1) == 0)
        std::memcpy(dst + lane * sizeof(T), saved + lane * sizeof(T),
                    sizeof(T));
  };
  if (bytes == 8)
    restore(std::uint64_t(0));
  else if (bytes == 4)
    restore(std::uint32_t(0));
  else
    restore(std::uint16_t(0));
}

/// Leaves the pc of the path where the instruction stands if it is to be
/// reported, and moves it on otherwise.
bool Interpreter::executeControl(Warp &warp, const MicroOp &op,
                                 std::uint32_t mask) {
  Path &path = warp.paths.back();
  switch (op.opcode) {
  case Opcode::Branch:
    branch(warp, op, mask);
    return true;
  case Opcode::Exit:
    return exitLanes(warp, mask);
  case Opcode::Barrier:
    if (mask == 0) {
      ++path.pc;
      return true;
    }
    if (mask != (warp.initialMask & ~warp.exited))
      return fail(warp, path.pc,
                  {"barrier in divergent code: not all threads of the warp "
                   "have come here together",
                   firstLaneOrZero(warp.initialMask & ~warp.exited & ~mask)});
    warp.isWaiting = true;
    warp.barrierPc = path.pc++;
    return true;
  case Opcode::MbarrierTest:
  case Opcode::MbarrierTestParity: {
    if (mask != 0)
      testMbarrier(warp, op, mask);
    if (!execution.fault) {
      ++path.pc;
      return true;
    }
    Fault fault = *execution.fault;
    execution.fault.reset();
    return fail(warp, path.pc, fault);
  }
  case Opcode::Fence:
    if (mask != 0 && sync && (op.ordering & OrdersBlocks) != 0)
      sync->fence(execution.warp, mask);
    ++path.pc;
    return true;
  case Opcode::Trap:
    if (mask != 0)
      return fail(warp, path.pc, {"trap", firstLaneOrZero(mask)});
    ++path.pc;
    return true;
  default:
    ++path.pc;
    return true;
  }
}

void Interpreter::branch(Warp &warp, const MicroOp &op, std::uint32_t taken) {
  Path &path = warp.paths.back();
  const std::uint32_t rest = path.mask & ~taken, next = path.pc + 1;
  if (rest == 0) {
    path.pc = op.target;
    return;
  }
  if (taken == 0) {
    path.pc = next;
    return;
  }
  // This path goes on where the two sides meet, unless that is where it meets
  // others itself.
  const std::uint32_t meet = op.reconvergence;
  if (meet == path.reconvergence)
    warp.paths.pop_back();
  else
    path.pc = meet;
  if (next != meet)
    warp.paths.push_back({next, meet, rest});
  if (op.target != meet)
    warp.paths.push_back({op.target, meet, taken});
}

bool Interpreter::exitLanes(Warp &warp, std::uint32_t mask) {
  std::optional<AsyncCopies::Lost> lost = copies->forget(execution.warp, mask);
  if (lost && config.detectors.sharedRaces)
    return fail(
        warp, warp.paths.back().pc,
        {"the thread ends before it has waited for the copy at line " +
             std::to_string(execution.kernel->source[lost->pc].line) + ", a " +
             describe(/*isStore=*/true, lost->bytes, lost->destination) +
             " of shared memory",
         lost->lane});
  ++warp.paths.back().pc;
  warp.exited |= mask;
  for (Path &path : warp.paths)
    path.mask &= ~mask;
  while (!warp.paths.empty() && warp.paths.back().mask == 0)
    warp.paths.pop_back();
  return true;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Interpreter::testMbarrier(Warp &warp, const MicroOp &op,
                               std::uint32_t mask) {
  handlers[static_cast<std::size_t>(op.opcode)](execution, op, mask);
  if (!execution.waiting)
    return;
  warp.hasYielded = true;
  warp.yieldPc = warp.paths.back().pc;
  std::tie(warp.yieldLane, warp.mbarrier) = *execution.waiting;
  execution.waiting.reset();
}

/// Grows with all that may end a wait.
std::uint64_t Interpreter::progress() const {
  std::uint64_t sum = mbarriers->changes() + execution.barriers;
  for (const Warp &warp : warps)
    sum += static_cast<unsigned>(__builtin_popcount(warp.exited));
  return sum;
}

/// Names those that wait, of each warp one.
bool Interpreter::reportDeadlock() {
  constexpr unsigned mostNamed = 8;
  const Warp *first = nullptr;
  std::string names;
  unsigned named = 0, exited = 0;
  for (const Warp &warp : warps) {
    exited += static_cast<unsigned>(__builtin_popcount(warp.exited));
    if (!warp.hasYielded && !warp.isWaiting)
      continue;
    if (first == nullptr && warp.hasYielded)
      first = &warp;
    if (++named > mostNamed)
      continue;
    const auto lane = warp.hasYielded
                          ? warp.yieldLane
                          : firstLaneOrZero(warp.initialMask & ~warp.exited);
    const auto number = static_cast<std::uint32_t>(&warp - warps.data());
    names += (named == 1 ? "" : ", ") +
             describeElement(config.block, number * warpSize + lane) +
             " at line " +
             std::to_string(
                 execution.kernel
                     ->source[warp.hasYielded ? warp.yieldPc : warp.barrierPc]
                     .line);
  }
  if (named > mostNamed)
    names += ", ...";
  return fail(*first, first->yieldPc,
              {"deadlock: " + mbarriers->describe(first->mbarrier) +
                   ", but all warps wait: threads " + names + "; " +
                   std::to_string(exited) + " threads have exited",
               first->yieldLane});
}

/// Lets warps go on where all threads that a barrier waits for have come. Every
/// warp either waits or has ended.
bool Interpreter::releaseBarriers(bool yielded) {
  struct Arrivals {
    const Warp *first = nullptr;
    std::uint32_t threads = 0, wanted = 0;
  } barriers[16];
  auto barrierOf = [&](const Warp &warp) -> const MicroOp & {
    return execution.kernel->code[warp.barrierPc];
  };
  for (const Warp &warp : warps) {
    if (!warp.isWaiting)
      continue;
    const MicroOp &op = barrierOf(warp);
    Arrivals &arrivals = barriers[op.immediate];
    std::uint32_t wanted = op.target == none ? threads : op.target;
    if (arrivals.first == nullptr) {
      arrivals.first = &warp;
      arrivals.wanted = wanted;
    } else if (arrivals.wanted != wanted) {
      return fail(warp, warp.barrierPc,
                  {"threads wait at one barrier with different counts",
                   firstLaneOrZero(warp.initialMask & ~warp.exited)});
    }
    arrivals.threads += static_cast<std::uint32_t>(
        __builtin_popcount(warp.initialMask & ~warp.exited));
  }
  bool released = false;
  for (const Arrivals &arrivals : barriers) {
    if (arrivals.first == nullptr || arrivals.threads != arrivals.wanted)
      continue;
    released = true;
    ++execution.barriers;
    std::int64_t number = barrierOf(*arrivals.first).immediate;
    std::uint32_t members = 0;
    for (std::size_t w = 0; w < warps.size(); ++w)
      if (warps[w].isWaiting && barrierOf(warps[w]).immediate == number) {
        warps[w].isWaiting = false;
        members |= 1u << w;
      }
    if (order)
      order->synchronize(members);
  }
  if (released || yielded)
    return true;
  const Arrivals *stuck = barriers;
  while (stuck->first == nullptr)
    ++stuck;
  std::uint32_t exited = 0;
  for (const Warp &warp : warps)
    exited += static_cast<std::uint32_t>(__builtin_popcount(warp.exited));
  return fail(
      *stuck->first, stuck->first->barrierPc,
      {"deadlock at the barrier: " + std::to_string(stuck->threads) +
           " threads wait, it takes " + std::to_string(stuck->wanted) +
           ", and " + std::to_string(exited) + " have exited",
       firstLaneOrZero(stuck->first->initialMask & ~stuck->first->exited)});
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// Takes the counts since the last time for the accesses of the instruction
/// that has just run.
void Interpreter::attributeAccesses(std::uint32_t pc) {
  const SharedTraffic &shared = execution.sharedTraffic;
  AccessCounts counted;
  for (const BufferTraffic &traffic : execution.traffic) {
    counted.globalBytes += traffic.loadBytes + traffic.storeBytes;
    counted.sectors += traffic.loadSectors + traffic.storeSectors;
  }
  counted.sharedBytes = shared.loadBytes + shared.storeBytes;
  counted.wavefronts = shared.loadWavefronts + shared.storeWavefronts;
  counted.idealWavefronts =
      shared.idealLoadWavefronts + shared.idealStoreWavefronts;
  AccessCounts own = counted;
  own -= attributed;
  accesses[pc] += own;
  attributed = counted;
}

/// The counter of the multiply-adds of a kind, or null if it has none.
static std::uint64_t *multiplyAddsOf(Counters &counters, InstructionKind kind) {
  switch (kind) {
  case InstructionKind::FmaF32:
    return &counters.fmaF32;
  case InstructionKind::FmaF64:
    return &counters.fmaF64;
  case InstructionKind::FmaF16:
    return &counters.fmaF16;
  case InstructionKind::MmaF64:
    return &counters.mmaF64;
  case InstructionKind::MmaTF32:
    return &counters.mmaTF32;
  case InstructionKind::MmaF16:
    return &counters.mmaF16;
  case InstructionKind::MmaF8:
    return &counters.mmaF8;
  case InstructionKind::MmaI8:
    return &counters.mmaI8;
  default:
    return nullptr;
  }
}

void Interpreter::addTo(Counters &counters) const {
  const Kernel &kernel = *execution.kernel;
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const IssueCount &issued = execution.issued[pc];
    const SourceInfo &source = kernel.source[pc];
    InstructionKind kind = source.kind;
    counters.warpInstructions += issued.warps;
    counters.threadInstructions += issued.threads;
    counters.warpInstructionsByKind[static_cast<std::size_t>(kind)] +=
        issued.warps;
    if (std::uint64_t *multiplyAdds = multiplyAddsOf(counters, kind))
      *multiplyAdds += issued.threads * source.operationsPerThread;
    if (counters.profile) {
      InstructionProfile &profile = counters.profile->instructions[pc];
      profile.warpInstructions += issued.warps;
      profile.threadInstructions += issued.threads;
      profile.accesses += accesses[pc];
    }
  }
  for (std::size_t i = 0; i < counters.buffers.size(); ++i)
    counters.buffers[i] += execution.traffic[i];
  counters.shared += execution.sharedTraffic;
  counters.async += execution.asyncTraffic;
  counters.barriers += execution.barriers;
  counters.blocks += execution.blocks;
}
