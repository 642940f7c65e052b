//===- Targets.cpp - The machines that are known --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The built-in targets as data. Sources, by the tag that stands at a figure:
//
// [CC]   CUDA C++ Programming Guide, appendix Compute Capabilities, tables of
//        features and technical specifications.
// [IT]   CUDA C++ Programming Guide, table Throughput of Native Arithmetic
//        Instructions (results per cycle and multiprocessor).
// [CCCL] CUDA Core Compute Libraries, cuda/__device/arch_traits.h: limits of
// one
//        multiprocessor by architecture, as in [CC].
// [OCC]  cuda_occupancy.h of CUDA 13.0: granules of allocation, partitions.
// [Ernst] D. Ernst, github.com/te42kyfo/gpu-benches, results of gpu-l2-cache:
//        effective bandwidth of loads by the size of what is loaded again and
//        again; where that fits the L2 cache it is the rate that kernels see
//        ([GA100] gives 5120 bytes a cycle for the A100, 7.2 TB/s, of which
//        they see 5.4), where it does not, what they see of DRAM. Results of
//        gpu-stream: loads and copies. Results of gpu-latency: the nearer part
//        of the L2 cache, and DRAM.
// [Forum] forums.developer.nvidia.com/t/233645: empty kernels take about 3
//        microseconds.
// [Huerta] Huerta et al., Analyzing Modern NVIDIA GPU Cores, arXiv 2503.20481:
//        four lines of 128 bytes are fetched ahead.
// [Jia]  Jia et al., Dissecting the NVidia Turing T4 GPU via Microbenchmarking,
//        arXiv 1903.07486, bandwidths of the memory hierarchy.
// [Luo]  Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU
//        Architecture, arXiv 2402.13499, latencies of the memory hierarchy.
// [Luo25] Luo et al., Dissecting the NVIDIA Hopper Architecture through
//        Microbenchmarking and Multiple Level Analysis, arXiv 2501.12084,
//        section 6.2: mma.sync attains 62.9% of the peak on average, wgmma 95%.
// [Uchino] github.com/UCHINO-Yuki/GEMMul8_numerical_results, cuBLAS in its best
//        size: 61.7 TFLOP/s in f64 and 54.1 in f32 on GH200 480GB, 18.2 in f64
//        on A100 SXM 80GB, 36.0 in f64 on B200.
// [PTX]  PTX ISA, release notes: the version that introduced the target.
// [name] The product's datasheet or its architecture's whitepaper, named at
//        the target.
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/Target.h"

namespace tc::model {

namespace {

constexpr int64_t KiB = 1024, MiB = 1024 * KiB;
constexpr double MHz = 1e6, GBs = 1e9;

/// The limits that all compute capabilities from 7.5 to 12.1 share.
MultiprocessorLimits commonLimits() {
  MultiprocessorLimits limits;
  limits.registers = 64 * KiB;                 // [CC]
  limits.registersPerThread = 255;             // [CC]
  limits.registerGranule = 256;                // [OCC]
  limits.partitions = 4;                       // [OCC], and the whitepapers
  limits.staticSharedBytesPerBlock = 48 * KiB; // [CC]
  limits.threadsPerBlock = 1024;               // [CC]
  return limits;
}

/// Limits that [CC] gives for one compute capability. From 8.0 on, the system
/// takes 1 KiB of shared memory from every block, so a block can have that much
/// less than the multiprocessor has [CC], and the granule is half of what it
/// was [OCC].
MultiprocessorLimits limits(int64_t sharedKiB, int64_t reservedKiB,
                            int64_t threads, int64_t blocks) {
  MultiprocessorLimits result = commonLimits();
  result.sharedBytes = sharedKiB * KiB;
  result.sharedBytesPerBlock = (sharedKiB - reservedKiB) * KiB;
  result.reservedSharedBytesPerBlock = reservedKiB * KiB;
  result.sharedGranule = reservedKiB == 0 ? 256 : 128;
  result.threads = threads;
  result.blocks = blocks;
  return result;
}

/// The figures that all these chips share.
Target makeTarget(const char *chip) {
  Target target;
  target.name = target.chip = chip;
  target.warpInstructionsPerCycle = 4; // [CC] four schedulers
  // [Luo] 466 (A100), 479 (H100) and 542 (RTX 4090) cycles; the others are
  // taken to be like them.
  target.memoryLatencyCycles = 500;
  // [Ernst] on H100: 265 of 650.
  target.l2LatencyCycles = 204;
  // [Luo] 29 to 30 cycles for shared memory; as much again for the barrier.
  target.sharedLatencyCycles = 29;
  target.barrierCycles = 60;
  target.l2PortBytesPerCycle = 64;  // [GA100]
  target.fetchAheadBytes = 4 * 128; // [Huerta]
  target.launchSeconds = 3e-6;      // [Forum]
  // No source: the parts that an H200 attains in copies and an A100 in the
  // rest, where nothing else is said.
  target.attainable.memoryReads = 0.92;
  target.attainable.memoryCopies = 4.3 / 4.8;
  target.attainable.l2FullRate = 0.6;
  return target;
}

// Turing: Tesla T4 (TU104). [T4] NVIDIA T4 datasheet; [Turing] NVIDIA Turing
// GPU Architecture whitepaper.
Target makeSM75() {
  Target target = makeTarget("sm_75");
  target.product = "NVIDIA T4";
  target.computeCapability = 75;
  target.ptxVersion = 65; // [PTX] 63 for the chip, 65 for mma.sync m16n8k8
  target.multiprocessor = limits(64, 0, 1024, 16); // [CC]
  target.multiprocessors = 40;                     // [T4] 2560 cores / 64
  target.l2Bytes = 4 * MiB;                        // [Turing]
  target.l2BytesPerSecond = 1270 * GBs;            // [Jia]
  target.clockHertz = 1590 * MHz;          // [T4] 8.1 TFLOPS / (2 * 2560)
  target.memoryBytesPerSecond = 320 * GBs; // [T4] "320+ GB/s"
  target.fmaPerCycleF32 = 64;              // [IT]
  target.fmaPerCycleF64 = 2;               // [IT], [Turing] two units per SM
  // [T4] 65 TFLOPS f16, 130 TOPS i8.
  target.tensorFmaPerCycle = {/*f64=*/0,   /*tf32=*/0, /*bf16=*/0,
                              /*f16=*/512, /*f8=*/0,   /*i8=*/1024};
  return target;
}

// Ampere: A100 SXM 80 GB (GA100). [A100] NVIDIA A100 datasheet; [GA100] NVIDIA
// A100 Tensor Core GPU Architecture whitepaper.
Target makeSM80() {
  Target target = makeTarget("sm_80");
  target.product = "NVIDIA A100 SXM 80GB";
  target.computeCapability = 80;
  target.ptxVersion = 70;                           // [PTX]
  target.multiprocessor = limits(164, 1, 2048, 32); // [CC]
  target.multiprocessors = 108;                     // [GA100]
  target.l2Bytes = 40 * MiB;                        // [GA100]
  target.l2BytesPerSecond = 5400 * GBs;             // [Ernst] A100 80 GB
  target.clockHertz = 1410 * MHz;                   // [GA100]
  target.memoryBytesPerSecond = 2039 * GBs;         // [A100]
  // [Ernst] 1.885 TB/s are read and 1.73 copied; 24.1 MB are loaded at the full
  // rate, of 33.8 MB two thirds.
  target.attainable.memoryReads = 1885.0 / 2039;
  target.attainable.memoryCopies = 1730.0 / 2039;
  target.attainable.l2FullRate = 0.6;
  target.l2LatencyCycles = 211;                 // [Ernst]
  target.attainable.sustainedF64 = 18.2 / 19.5; // [Uchino]
  target.fmaPerCycleF32 = 64;                   // [IT]
  target.fmaPerCycleF64 = 32;                   // [IT], [A100] 9.7 TFLOPS
  // [A100] 19.5, 156, 312 and 312 TFLOPS, 624 TOPS.
  target.tensorFmaPerCycle = {/*f64=*/64,   /*tf32=*/512, /*bf16=*/1024,
                              /*f16=*/1024, /*f8=*/0,     /*i8=*/2048};
  return target;
}

// Ampere: GeForce RTX 3090 (GA102). [GA102] NVIDIA Ampere GA102 GPU
// Architecture whitepaper.
Target makeSM86() {
  Target target = makeTarget("sm_86");
  target.product = "NVIDIA GeForce RTX 3090";
  target.computeCapability = 86;
  target.ptxVersion = 71;                           // [PTX]
  target.multiprocessor = limits(100, 1, 1536, 16); // [CC]
  target.multiprocessors = 82;                      // [GA102]
  target.l2Bytes = 6 * MiB;                         // [GA102] 6144 KB
  // No source: as many bytes a cycle and multiprocessor as the T4.
  target.l2BytesPerSecond = 2775 * GBs;
  target.clockHertz = 1695 * MHz;          // [GA102]
  target.memoryBytesPerSecond = 936 * GBs; // [GA102]
  target.fmaPerCycleF32 = 128;             // [IT]
  target.fmaPerCycleF64 = 2;               // [IT], [GA102] two units per SM
  // [GA102] 35.6, 71 and 71 TFLOPS, 284 TOPS.
  target.tensorFmaPerCycle = {/*f64=*/0,   /*tf32=*/128, /*bf16=*/256,
                              /*f16=*/256, /*f8=*/0,     /*i8=*/1024};
  return target;
}

// Ada: L40S (AD102). [L40S] NVIDIA L40S datasheet; [Ada] NVIDIA Ada GPU
// Architecture whitepaper, tables for AD102.
Target makeSM89() {
  Target target = makeTarget("sm_89");
  target.product = "NVIDIA L40S";
  target.computeCapability = 89;
  target.ptxVersion = 84; // [PTX] 78 for the chip, 84 for mma.sync of e4m3
  target.multiprocessor = limits(100, 1, 1536, 24); // [CC]
  target.multiprocessors = 142;                     // [L40S] 18176 cores / 128
  target.l2Bytes = 96 * MiB;                        // [Ada]
  target.l2BytesPerSecond = 5200 * GBs;             // [Ernst] L40, the same die
  target.clockHertz = 2520 * MHz;          // [L40S] 91.6 TFLOPS / (2 * 18176)
  target.memoryBytesPerSecond = 864 * GBs; // [L40S]
  // [Ernst] L40: 0.846 TB/s are read and 0.8 copied; 77 MB are loaded at the
  // full rate.
  target.attainable.memoryReads = 846.0 / 864;
  target.attainable.memoryCopies = 800.0 / 864;
  target.attainable.l2FullRate = 0.75;
  target.fmaPerCycleF32 = 128; // [IT]
  target.fmaPerCycleF64 = 2;   // [IT], [Ada] two units per SM
  // [L40S] 183, 362, 362 and 733 TFLOPS, 733 TOPS.
  target.tensorFmaPerCycle = {/*f64=*/0,   /*tf32=*/256, /*bf16=*/512,
                              /*f16=*/512, /*f8=*/1024,  /*i8=*/1024};
  return target;
}

// Hopper: H200 SXM (GH100). [H200] NVIDIA H200 datasheet; [GH100] NVIDIA H100
// Tensor Core GPU Architecture whitepaper.
Target makeSM90() {
  Target target = makeTarget("sm_90");
  target.product = "NVIDIA H200 SXM";
  target.computeCapability = 90;
  target.ptxVersion = 84; // [PTX] 78 for the chip, 84 for mma.sync of e4m3
  target.multiprocessor = limits(228, 1, 2048, 32); // [CC]
  target.multiprocessors = 132; // [GH100] H100 SXM5, the same die
  // [GH100] 60 MB with six memory stacks (H100 has five of them, and 50 MB).
  target.l2Bytes = 60 * MiB;
  target.l2BytesPerSecond = 9700 * GBs; // [Ernst]
  target.clockHertz = 1980 * MHz;       // [H200] 67 TFLOPS / (2 * 132 * 128)
  target.memoryBytesPerSecond = 4800 * GBs; // [H200]
  // [Ernst] 3.89 TB/s are read. Copies by PyTorch were measured on an H200 to
  // move 4.3 TB/s, reads and writes together.
  target.attainable.memoryReads = 3890.0 / 4800;
  target.attainable.memoryCopies = 4300.0 / 4800;
  // [Ernst] 9.1 TB/s of 45 MB, 6.5 of 54 MB, 4.5 of 65 MB.
  target.attainable.l2FullRate = 0.72;
  target.l2LatencyCycles = 265; // [Ernst] H100 PCIe
  // [Uchino] on the same die.
  target.attainable.sustainedF64 = 61.7 / 66.9;
  target.attainable.sustainedF32 = 54.1 / 66.9;
  // Measured on an H200, 2026-11: 1337 multiply-adds of f16 a cycle, and 668
  // of TF32.
  target.attainable.mmaSync = 0.653;
  target.fmaPerCycleF32 = 128; // [IT]
  target.fmaPerCycleF64 = 64;  // [IT], [H200] 34 TFLOPS
  // [H200] 67, 495, 989, 989 and 1979 TFLOPS, 1979 TOPS. All but the first are
  // stated at a boost clock of 1830 MHz [GH100].
  target.tensorFmaPerCycle = {/*f64=*/128,   /*tf32=*/1024,
                              /*bf16=*/2048, /*f16=*/2048,
                              /*f8=*/4096,   /*i8=*/4096};
  return target;
}

// Blackwell: B200 SXM. [B200] NVIDIA HGX B200 datasheet; [Tuning] NVIDIA
// Blackwell Tuning Guide; [Driver] device attributes that CUDA reports.
Target makeSM100() {
  Target target = makeTarget("sm_100");
  target.product = "NVIDIA B200 SXM";
  target.computeCapability = 100;
  target.ptxVersion = 86;                           // [PTX]
  target.multiprocessor = limits(228, 1, 2048, 32); // [CC], [Tuning]
  target.multiprocessors = 148;                     // [Driver]
  target.l2Bytes = 126 * MiB;                       // [Tuning]
  // No source: as many bytes a cycle and multiprocessor as the H200.
  target.l2BytesPerSecond = 10800 * GBs;
  target.clockHertz = 1965 * MHz;           // [Driver]
  target.memoryBytesPerSecond = 7700 * GBs; // [B200]
  // No source: as on the H200.
  target.attainable.memoryReads = 3890.0 / 4800;
  target.attainable.memoryCopies = 4300.0 / 4800;
  target.attainable.sustainedF64 = 36.0 / 37.2; // [Uchino]
  // No good source: comments in public microbenchmarks of a B200 tell of 569
  // TFLOP/s in bf16 and 288 in TF32, which is a quarter of what tcgen05.mma
  // attains.
  target.attainable.mmaSync = 0.25;
  target.fmaPerCycleF32 = 128; // [IT]
  target.fmaPerCycleF64 = 64;  // [IT], [B200] 37 TFLOPS
  // [B200] 37, 1100, 2250, 2250 and 4500 TFLOPS, 4500 TOPS. All but the first
  // are lower than the clock above gives, by what 1850 MHz would explain.
  target.tensorFmaPerCycle = {/*f64=*/64,    /*tf32=*/2048,
                              /*bf16=*/4096, /*f16=*/4096,
                              /*f8=*/8192,   /*i8=*/8192};
  return target;
}

// Blackwell Ultra: B300 SXM. [B300] NVIDIA HGX B300 datasheet, an eighth of it,
// as verda.com/blog/gb300-nvl72-architecture and
// glennklockwood.com/garden/processors/B300 quote it; [Driver] device
// attributes that CUDA reports.
Target makeSM103() {
  Target target = makeTarget("sm_103");
  target.product = "NVIDIA B300 SXM";
  target.computeCapability = 103;
  target.ptxVersion = 88;                           // [PTX]
  target.multiprocessor = limits(228, 1, 2048, 32); // [CCCL] as of sm_100
  target.multiprocessors = 148;                     // [Driver]
  // No source: as the B200.
  target.l2Bytes = 126 * MiB;
  target.l2BytesPerSecond = 10800 * GBs;
  target.clockHertz = 1980 * MHz; // [B300] 75 TFLOPS / (2 * 148 * 128)
  target.memoryBytesPerSecond = 7700 * GBs; // [B300]
  // No source: as the H200, and mma.sync as the B200.
  target.attainable.memoryReads = 3890.0 / 4800;
  target.attainable.memoryCopies = 4300.0 / 4800;
  target.attainable.mmaSync = 0.25;
  target.fmaPerCycleF32 = 128; // [B300]
  // [B300] 1.25 TFLOPS, by tensor cores and without them: "10" for eight.
  target.fmaPerCycleF64 = 2;
  // [B300] 1.25, 1100, 2250, 2250 and 4500 TFLOPS, 150 TOPS; from TF32 to 8
  // bits at the clock that explains those of the B200.
  target.tensorFmaPerCycle = {/*f64=*/2,     /*tf32=*/2048,
                              /*bf16=*/4096, /*f16=*/4096,
                              /*f8=*/8192,   /*i8=*/256};
  return target;
}

// Blackwell: Jetson T5000 (Thor). [T5000] NVIDIA Jetson Thor series modules
// datasheet; [Thor] forums.developer.nvidia.com/t/356355: what CUDA's driver
// reports of one.
Target makeSM110() {
  Target target = makeTarget("sm_110");
  target.product = "NVIDIA Jetson T5000";
  target.computeCapability = 110;
  target.ptxVersion = 90;                           // [PTX]
  target.multiprocessor = limits(228, 1, 1536, 24); // [CCCL], [Thor] 228 KiB
  target.multiprocessors = 20;                      // [Thor]
  target.l2Bytes = 32 * MiB;                        // [Thor]
  // No source: as many bytes a cycle and multiprocessor as the B200.
  target.l2BytesPerSecond = 1170 * GBs;
  target.clockHertz = 1575 * MHz;          // [T5000] 1.57 GHz
  target.memoryBytesPerSecond = 273 * GBs; // [T5000]
  // No source: as the B200, but for f64, of which other chips for graphics have
  // two units.
  target.attainable.mmaSync = 0.25;
  target.fmaPerCycleF32 = 128; // [T5000] 2560 cores
  target.fmaPerCycleF64 = 2;
  // [T5000] 2070 TFLOPS of sparse numbers of 4 bits are 1035 of dense ones, and
  // half as many of 8 bits; no source for the others: in the B200's proportion,
  // and no more in f64 than without tensor cores.
  target.tensorFmaPerCycle = {/*f64=*/0,     /*tf32=*/2048,
                              /*bf16=*/4096, /*f16=*/4096,
                              /*f8=*/8192,   /*i8=*/8192};
  return target;
}

// Blackwell: GeForce RTX 5090 (GB202). [GB202] NVIDIA RTX Blackwell GPU
// Architecture whitepaper; [Driver] device attributes that CUDA reports.
Target makeSM120() {
  Target target = makeTarget("sm_120");
  target.product = "NVIDIA GeForce RTX 5090";
  target.computeCapability = 120;
  target.ptxVersion = 87; // [PTX]
  // [CC], [Driver] 100 KiB; the Blackwell tuning guide's 128 KB are those
  // together with the L1 cache.
  target.multiprocessor = limits(100, 1, 1536, 24);
  target.multiprocessors = 170; // [GB202]
  target.l2Bytes = 96 * MiB;    // [GB202] 98304 KB
  // No source: as many bytes a cycle and multiprocessor as the L40.
  target.l2BytesPerSecond = 6000 * GBs;
  target.clockHertz = 2407 * MHz;           // [GB202]
  target.memoryBytesPerSecond = 1792 * GBs; // [GB202]
  target.fmaPerCycleF32 = 128;              // [IT]
  target.fmaPerCycleF64 = 2;                // [IT], [GB202] two units per SM
  // [GB202] 104.8, 209.5, 209.5 and 419 TFLOPS, 838 TOPS.
  target.tensorFmaPerCycle = {/*f64=*/0,   /*tf32=*/128, /*bf16=*/256,
                              /*f16=*/256, /*f8=*/512,   /*i8=*/1024};
  return target;
}

// Blackwell: DGX Spark (GB10). [GB10] NVIDIA DGX Spark datasheet;
// [TPU] techpowerup.com/gpu-specs/gb10.c4342; [Tile] NVIDIA's blog Scaling
// Autonomous AI Agents and Workloads with NVIDIA DGX Spark, table 8.
Target makeSM121() {
  Target target = makeTarget("sm_121");
  target.product = "NVIDIA GB10 (DGX Spark)";
  target.computeCapability = 121;
  target.ptxVersion = 88;                           // [PTX]
  target.multiprocessor = limits(100, 1, 1536, 24); // [CCCL] as of sm_120
  target.multiprocessors = 48;                      // [Tile]
  target.l2Bytes = 24 * MiB;                        // [TPU]
  // No source: as many bytes a cycle and multiprocessor as the RTX 5090.
  target.l2BytesPerSecond = 1700 * GBs;
  target.clockHertz = 2418 * MHz;          // [TPU] 29.71 TFLOPS / (2 * 6144)
  target.memoryBytesPerSecond = 273 * GBs; // [GB10], [Tile]
  target.fmaPerCycleF32 = 128;             // [GB10] 6144 cores
  target.fmaPerCycleF64 = 2;               // [TPU] a 64th of f32
  // [GB10] 1000 TFLOPS of sparse numbers of 4 bits are 500 of dense ones. No
  // source for the others: half as many of 8 bits, and so on, as of products
  // of this family whose sums in f32 are not slowed down.
  target.tensorFmaPerCycle = {/*f64=*/0,   /*tf32=*/256, /*bf16=*/512,
                              /*f16=*/512, /*f8=*/1024,  /*i8=*/1024};
  return target;
}

} // namespace

const std::vector<Target> &builtinTargets() {
  static const std::vector<Target> targets = {
      makeSM75(),  makeSM80(),  makeSM86(),  makeSM89(),  makeSM90(),
      makeSM100(), makeSM103(), makeSM110(), makeSM120(), makeSM121()};
  return targets;
}

const Target *findTargetFor(int64_t capability) {
  const Target *best = nullptr;
  for (const Target &target : builtinTargets())
    if (int64_t{target.computeCapability} <= capability &&
        (!best || target.computeCapability > best->computeCapability))
      best = &target;
  return best;
}

Result<const Target *> findTarget(std::string_view name) {
  std::string known;
  for (const Target &target : builtinTargets()) {
    if (target.name == name)
      return &target;
    known += (known.empty() ? "" : ", ") + target.name;
  }
  return Error{"unknown target '" + std::string(name) + "'; known are " +
               known};
}

} // namespace tc::model
