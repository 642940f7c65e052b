//===- TargetFigures.h - The figures of a target, one by one ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of what a target consists of. Checking, files, attributes and
// tables all walk over it, so a figure that is added here is in all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MODEL_TARGETFIGURES_H
#define TC_MODEL_TARGETFIGURES_H

#include "tc/Model/CpuTarget.h"
#include "tc/Model/Target.h"

namespace tc::model {

/// What is said of a figure besides its value.
struct Figure {
  /// Its name in files and, after "tc.", in attributes.
  std::string_view key;
  std::string_view unit;
  /// The part of the machine that it belongs to.
  std::string_view part;
  /// Whether zero is a value, namely that the machine has none of it.
  bool mayBeZero = false;
};

/// The largest integer that a figure can be: products of two fit 64 bits.
inline constexpr int64_t largestFigure = (int64_t(1) << 31) - 1;
/// The largest rate.
inline constexpr double largestRate = 1e18;

/// Calls `visit(Figure, value)` for each figure, in the order in which they are
/// written down. A value is a string, an integer or a double; `TargetT` is
/// `Target` or `const Target`.
template <typename TargetT, typename Visitor>
void visitGpuFigures(TargetT &target, Visitor &&visit) {
  auto &limits = target.multiprocessor;
  auto &tensor = target.tensorFmaPerCycle;
  visit(Figure{"name", "", "chip"}, target.name);
  visit(Figure{"chip", "", "chip"}, target.chip);
  visit(Figure{"product", "", "chip"}, target.product);
  visit(Figure{"compute_capability", "", "chip"}, target.computeCapability);
  visit(Figure{"ptx_version", "", "chip"}, target.ptxVersion);
  visit(Figure{"multiprocessors", "", "chip"}, target.multiprocessors);
  visit(Figure{"clock_hertz", "Hz", "chip"}, target.clockHertz);
  visit(Figure{"memory_bytes_per_second", "B/s", "DRAM"},
        target.memoryBytesPerSecond);
  visit(Figure{"memory_latency_cycles", "cycles", "DRAM"},
        target.memoryLatencyCycles);
  visit(Figure{"sector_bytes", "B", "DRAM"}, target.sectorBytes);
  visit(Figure{"line_bytes", "B", "L2"}, target.lineBytes);
  visit(Figure{"l2_bytes", "B", "L2"}, target.l2Bytes);
  visit(Figure{"l2_bytes_per_second", "B/s", "L2"}, target.l2BytesPerSecond);
  visit(Figure{"shared_bytes_per_multiprocessor", "B", "shared memory"},
        limits.sharedBytes);
  visit(Figure{"shared_bytes_per_block", "B", "shared memory"},
        limits.sharedBytesPerBlock);
  visit(Figure{"static_shared_bytes_per_block", "B", "shared memory"},
        limits.staticSharedBytesPerBlock);
  visit(Figure{"reserved_shared_bytes_per_block", "B", "shared memory",
               /*mayBeZero=*/true},
        limits.reservedSharedBytesPerBlock);
  visit(Figure{"shared_granule_bytes", "B", "shared memory"},
        limits.sharedGranule);
  visit(Figure{"shared_bytes_per_cycle", "B/cycle", "shared memory"},
        target.sharedBytesPerCycle);
  visit(Figure{"barrier_cycles", "cycles", "shared memory"},
        target.barrierCycles);
  visit(Figure{"registers_per_multiprocessor", "of 32 bits", "registers"},
        limits.registers);
  visit(Figure{"registers_per_thread", "of 32 bits", "registers"},
        limits.registersPerThread);
  visit(Figure{"register_granule", "of 32 bits", "registers"},
        limits.registerGranule);
  visit(Figure{"partitions_per_multiprocessor", "", "registers"},
        limits.partitions);
  visit(Figure{"threads_per_warp", "", "multiprocessor"}, target.warpSize);
  visit(Figure{"threads_per_multiprocessor", "", "multiprocessor"},
        limits.threads);
  visit(Figure{"threads_per_block", "", "multiprocessor"},
        limits.threadsPerBlock);
  visit(Figure{"blocks_per_multiprocessor", "", "multiprocessor"},
        limits.blocks);
  visit(Figure{"widest_access_bytes", "B", "multiprocessor"},
        target.widestAccessBytes);
  visit(Figure{"warp_instructions_per_cycle", "1/cycle", "multiprocessor"},
        target.warpInstructionsPerCycle);
  visit(Figure{"fma_per_cycle_f32", "1/cycle", "multiprocessor"},
        target.fmaPerCycleF32);
  visit(Figure{"fma_per_cycle_f64", "1/cycle", "multiprocessor"},
        target.fmaPerCycleF64);
  auto visitTensor = [&](std::string_view key, auto &value) {
    visit(Figure{key, "1/cycle", "tensor cores", /*mayBeZero=*/true}, value);
  };
  visitTensor("tensor_fma_per_cycle_f64", tensor.f64);
  visitTensor("tensor_fma_per_cycle_tf32", tensor.tf32);
  visitTensor("tensor_fma_per_cycle_bf16", tensor.bf16);
  visitTensor("tensor_fma_per_cycle_f16", tensor.f16);
  visitTensor("tensor_fma_per_cycle_f8", tensor.f8);
  visitTensor("tensor_fma_per_cycle_i8", tensor.i8);
}

/// The same for what a CPU has besides its caches.
template <typename TargetT, typename Visitor>
void visitCpuFigures(TargetT &target, Visitor &&visit) {
  visit(Figure{"name", "", "CPU"}, target.name);
  visit(Figure{"product", "", "CPU"}, target.product);
  visit(Figure{"cores", "", "CPU"}, target.cores);
  visit(Figure{"clock_hertz", "Hz", "CPU"}, target.clockHertz);
  visit(Figure{"vector_bytes", "B", "core"}, target.vectorBytes);
  visit(Figure{"vector_registers", "", "core"}, target.vectorRegisters);
  visit(Figure{"fma_per_cycle_f32", "1/cycle", "core"}, target.fmaPerCycleF32);
  visit(Figure{"fma_per_cycle_f64", "1/cycle", "core"}, target.fmaPerCycleF64);
  visit(Figure{"memory_bytes_per_second", "B/s", "memory"},
        target.memoryBytesPerSecond);
}

/// The same for one cache.
template <typename CacheT, typename Visitor>
void visitCacheFigures(CacheT &cache, Visitor &&visit) {
  std::string_view part = cache.name;
  visit(Figure{"name", "", "cache"}, cache.name);
  visit(Figure{"bytes", "B", part}, cache.bytes);
  visit(Figure{"ways", "", part}, cache.ways);
  visit(Figure{"line_bytes", "B", part}, cache.lineBytes);
  visit(Figure{"shared_by_cores", "", part}, cache.sharedByCores);
  visit(Figure{"bytes_per_second", "B/s", part}, cache.bytesPerSecond);
}

} // namespace tc::model

#endif // TC_MODEL_TARGETFIGURES_H
