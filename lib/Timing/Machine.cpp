//===- Machine.cpp - Latencies and rates of machines ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants with their sources, by the tag that stands at each:
//
// [Ernst]  D. Ernst, github.com/te42kyfo/gpu-benches, results of gpu-latency
//          (H100 PCIe, A100, V100), the nearer part of the L2 cache.
// [Huerta] Huerta et al., Analyzing Modern NVIDIA GPU Cores, arXiv 2503.20481,
//          and the configurations of the simulator that comes with it.
// [Jia]    Jia et al., Dissecting the NVIDIA Volta GPU Architecture via
//          Microbenchmarking, arXiv 1804.06826.
// [Pairs]  G. Smith of NVIDIA, forums.developer.nvidia.com/t/77228.
// [NAK]    Mesa, src/nouveau/compiler/nak/sm80_instr_latencies.rs: what NVIDIA
//          gave of the latencies of sm_80.
// [GA100]  NVIDIA A100 Tensor Core GPU Architecture whitepaper.
// [Smith]  G. Smith of NVIDIA, forums.developer.nvidia.com/t/273699: the L1
//          cache resolves four sets of four sectors a cycle since GV100.
//
// Figures of the target have their sources in lib/Machine/Targets.cpp.
//
//===----------------------------------------------------------------------===//

#include "tc/Timing/Machine.h"

#include "tc/Machine/TargetFile.h"
#include "tc/MachineCode/Analysis.h"

#include <algorithm>

using namespace tc;
using namespace tc::timing;
using sass::Pipe;

namespace {

/// The places in constant bank 0 where ptxas puts the values that a kernel
/// reads.
struct BankLayout {
  model::CapabilityRange chips;
  unsigned blockOffset, gridOffset, stackOffset, parameterOffset;
};

constexpr BankLayout bankLayouts[] = {{{0, 90}, 0, 0xc, 0x28, 0x160},
                                      {{90, 100}, 0, 0xc, 0x28, 0x210},
                                      {{100}, 0x360, 0x370, 0x37c, 0x380}};

/// The measured figures of a chip, in place of its target's.
struct ChipFigures {
  model::CapabilityRange chips;
  void (*apply)(Machine &machine);
};

constexpr ChipFigures chipFigures[] = {
    {{70, 71},
     [](Machine &machine) {
       machine.sharedLatency = 19; // [Jia]
       machine.l1Latency = 30;     // [Ernst]
       machine.l2Latency = 215;
       machine.dramLatency = 436;
       machine.doubleLatency = 4; // [Ernst] 8 from DFMA to DFMA
       // [Jia] pages of 2 MiB, 32 MiB of them.
       machine.pageBytes = 2 << 20;
       machine.translationEntries = 16;
       // No source. Of 5 and 12 what fits the kernels of odd numbers better in
       // docs/timing-report.md, which says how it fits the others.
       machine.translationCycles = 12;
     }},
    {{80, 81},
     [](Machine &machine) {
       machine.dramLatency = 571; // [Ernst]
       machine.doubleLatency = 2; // [NAK] 6 from DFMA to DFMA
     }},
    {{90, 91}, [](Machine &machine) { machine.dramLatency = 650; }}, // [Ernst]
    // [Pairs] of 7.0 to 7.5
    {{0, 80}, [](Machine &machine) { machine.packsPairs = true; }},
};

} // namespace

Machine timing::machineOf(const model::Target &target) {
  Machine machine;
  machine.target = target;
  machine.sharedLatency = target.sharedLatencyCycles;
  machine.l1Latency = 34; // [Ernst] on H100; 36 on A100, 30 on V100
  machine.l2Latency = target.l2LatencyCycles;
  machine.dramLatency = target.memoryLatencyCycles;
  machine.doubleLatency = 6; // [Huerta] 8 from DFMA to DFMA on sm_90
  for (const ChipFigures &figures : chipFigures)
    if (figures.chips.contains(target.computeCapability))
      figures.apply(machine);
  // [NAK] 26 from DMMA.8x8x4 to another, which takes 16 cycles of the pipe. No
  // source for other chips and shapes: as many beyond their cycles.
  machine.matrixLatency = 10;
  machine.specialLatency = 21; // [Huerta]
  machine.operandLatency = 10; // No source.
  // The target's figure is for a barrier and a load of shared memory.
  machine.barrierLatency =
      std::max(0.0, target.barrierCycles - machine.sharedLatency);
  machine.readCycles = 3;    // [Huerta]
  machine.memoryQueue = 4;   // [Huerta]
  machine.addressCycles = 4; // [Huerta] eight units a sub-core, [GA100] 32
  machine.linesPerCycle = 4; // [Smith]
  machine.portBytes = static_cast<double>(target.l2PortBytesPerCycle);
  machine.l2Bytes = target.l2BytesPerSecond / target.clockHertz;
  machine.dramBytes = target.attainable.memoryCopies *
                      target.memoryBytesPerSecond / target.clockHertz;
  machine.launchSeconds = target.launchSeconds;
  machine.fetchLatency = machine.l2Latency; // the nearest place of code
  constexpr int64_t lineBytes = 128;
  machine.linesAhead =
      static_cast<unsigned>(target.fetchAheadBytes / lineBytes);
  for (const BankLayout &bank : bankLayouts)
    if (bank.chips.contains(target.computeCapability)) {
      machine.blockOffset = bank.blockOffset;
      machine.gridOffset = bank.gridOffset;
      machine.stackOffset = bank.stackOffset;
      machine.parameterOffset = bank.parameterOffset;
    }
  return machine;
}

double Machine::busyCyclesOf(const sass::Instruction &instruction) const {
  switch (sass::pipeOf(instruction)) {
  case Pipe::None:
    return 0;
  case Pipe::Memory:
    // The queue, addresses and wavefronts are accounted for one by one.
    return 1;
  default:
    return sass::busyCycles(instruction, target);
  }
}

double Machine::latencyOf(const sass::Instruction &instruction) const {
  double busy = busyCyclesOf(instruction);
  switch (sass::pipeOf(instruction)) {
  case Pipe::Tensor:
    return busy + matrixLatency;
  case Pipe::FP64:
    return busy + doubleLatency;
  case Pipe::Memory:
    // Of special registers, constants and values that lanes exchange. No
    // source: they take the way of shared memory.
    return sharedLatency;
  default:
    return specialLatency;
  }
}

Result<Machine> timing::machineFor(const sass::Listing &listing,
                                   const std::string &targetFile) {
  if (targetFile.empty()) {
    Result<const model::Target *> builtin = sass::targetOf(listing);
    if (!builtin)
      return Error{builtin.error()};
    return machineOf(**builtin);
  }
  Result<model::Target> loaded = model::loadTarget(targetFile);
  if (!loaded)
    return Error{loaded.error()};
  if (sass::chipOf(listing.architecture) != sass::chipOf(loaded->chip))
    return Error{targetFile + ": the listing is for " + listing.architecture};
  return machineOf(*loaded);
}
