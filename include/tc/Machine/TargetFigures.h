//===- TargetFigures.h - The figures of a target, one by one ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of a target's figures. Checking, files, attributes and tables
// all walk over it, so a figure that is added here is in all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_TARGETFIGURES_H
#define TC_MACHINE_TARGETFIGURES_H

#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/Target.h"

namespace tc::model {

/// The description of a figure, besides its value.
struct Figure {
  /// Its name in files and, after "tc.", in attributes.
  std::string_view key;
  std::string_view unit;
  /// The part of the machine that it belongs to.
  std::string_view part;
  /// The least and the largest value of a number. Where zero is a value, the
  /// machine has none of it.
  double least = 0, largest = 0;
  /// The source of a cost: what it was fitted to and when, or a paper. Others
  /// are facts of a machine, with their source where it is described.
  std::string_view source = {};

  /// Costs have values that hold where a file or a module says nothing.
  bool isCost() const { return !source.empty(); }
};

/// The largest integer that a figure can be: products of two fit 64 bits.
inline constexpr int64_t largestFigure = (int64_t(1) << 31) - 1;
/// Limits of rates in bytes a second, and of clocks in Hz, that leave room for
/// any machine on both sides, and that no sum of predicted times exceeds.
inline constexpr double minRate = 1e6, largestRate = 1e16;
inline constexpr double minClock = 1e6, largestClock = 1e11;

/// The least part of a peak that can be said to be attained.
inline constexpr double minPart = 0.01;

/// The costs of a GPU, which `visitGpuFigures` visits, too.
template <typename CostsT, typename Visitor>
void visitGpuCosts(CostsT &costs, Visitor &&visit) {
  constexpr std::string_view fitted = "ptxas 13.0, 2026-11",
                             guessed = "guess, 2026-11",
                             measured = "H200, 2026-11";
  auto &instructions = costs.instructions;
  auto visitInstructions = [&](std::string_view key, auto &value,
                               std::string_view source) {
    visit(Figure{key, "", "costs: instructions", 0, 1000, source}, value);
  };
  visitInstructions("instructions_per_uniform_address",
                    instructions.uniformAddress, fitted);
  visitInstructions("instructions_per_address", instructions.address, fitted);
  visitInstructions("instructions_per_shared_address",
                    instructions.sharedAddress, fitted);
  visitInstructions("instructions_per_predicate", instructions.predicate,
                    fitted);
  visitInstructions("instructions_per_pair_conversion",
                    instructions.pairConversion, fitted);
  visitInstructions("instructions_per_conversion",
                    instructions.integerConversion, fitted);
  visitInstructions("instructions_per_exchange", instructions.exchange, fitted);
  visitInstructions("instructions_per_step", instructions.step, fitted);
  visitInstructions("instructions_per_offset", instructions.offset, fitted);
  visitInstructions("instructions_per_moved_sum", instructions.movedSum,
                    guessed);

  auto &time = costs.time;
  constexpr std::string_view timePart = "costs: time";
  visit(Figure{"mma_sync_level_part", "", timePart, minPart, 1, measured},
        time.mmaSyncPart);
  visit(Figure{"converting_mma_part", "", timePart, minPart, 1, guessed},
        time.convertingPart);
  visit(Figure{"small_f64_mma_part", "", timePart, minPart, 1, measured},
        time.smallF64Part);
  visit(Figure{"short_half_mma_part", "", timePart, minPart, 1, measured},
        time.shortHalfPart);
  visit(Figure{"lookup_bytes", "B", timePart, 0, 1024, measured},
        time.lookupBytes);
  visit(Figure{"store_port_cycles", "cycles", timePart, 0, 1000, measured},
        time.storePortCycles);
  visit(Figure{"integer_per_cycle", "1/cycle", timePart, 1, 1 << 20,
               "CUDA C++ Programming Guide, throughput, 7.5 to 9.0"},
        time.integerPerCycle);
  visit(Figure{"dependent_cycles", "cycles", timePart, 0, 1000,
               "Jia et al., arXiv 1804.06826, table 4.1"},
        time.dependentCycles);
  visit(Figure{"early_store_part", "", timePart, 0, 1, fitted},
        time.earlyStorePart);
  visit(Figure{"moved_sum_barriers", "", timePart, 0, 100, guessed},
        time.movedSumBarriers);
  visit(Figure{"kernel_gap_seconds", "s", timePart, 0, 1, guessed},
        time.secondsBetweenKernels);

  auto &registers = costs.registers;
  auto visitRegisters = [&](std::string_view key, auto &value,
                            std::string_view source) {
    visit(Figure{key, "of 32 bits", "costs: registers", 0, 1024, source},
          value);
  };
  visitRegisters("registers_base", registers.base, fitted);
  visitRegisters("registers_per_place", registers.place, fitted);
  visitRegisters("registers_per_run_time_place", registers.runTimePlace,
                 fitted);
  visitRegisters("registers_of_float8_sums", registers.float8Sums, fitted);
  visitRegisters("registers_of_float8_moves", registers.float8Moves, fitted);
  visitRegisters("registers_turned", registers.turned, fitted);
  visitRegisters("registers_of_shape", registers.shape, fitted);
  visitRegisters("registers_of_tile_loop", registers.tileLoop, fitted);
  visitRegisters("registers_ahead_of_tile_loop", registers.tileLoopAhead,
                 fitted);
  visitRegisters("registers_of_shared_sum", registers.sharedSum, fitted);
  visitRegisters("registers_spare", registers.spare, fitted);
  visitRegisters("registers_spare_of_binary_terms",
                 registers.spareOfBinaryTerms, fitted);
  visitRegisters("registers_spare_of_terms", registers.spareOfTerms, fitted);

  auto &search = costs.search;
  constexpr std::string_view searchPart = "costs: search";
  visit(Figure{"accesses_in_flight", "", searchPart, 1, 1024, guessed},
        search.accesses);
  visit(Figure{"accesses_in_flight_of_terms", "", searchPart, 1, 1024, guessed},
        search.accessesOfTerm);
  visit(Figure{"registers_wanted_of_terms", "of 32 bits", searchPart, 1, 1024,
               guessed},
        search.termRegisters);
  visit(Figure{"idle_threads_weight", "", searchPart, 0, 1000, guessed},
        search.idleThreads);
}

/// Calls `visit(Figure, value)` for each figure, in the order in which they are
/// written down. A value is a string, an integer or a double; `TargetT` is
/// `Target` or `const Target`.
template <typename TargetT, typename Visitor>
void visitGpuFigures(TargetT &target, Visitor &&visit) {
  auto &limits = target.multiprocessor;
  auto &tensor = target.tensorFmaPerCycle;
  auto &attainable = target.attainable;
  auto visitPart = [&](std::string_view key, std::string_view part,
                       auto &value) {
    visit(Figure{key, "", part, minPart, 1}, value);
  };
  visit(Figure{"name", "", "chip"}, target.name);
  visit(Figure{"chip", "", "chip"}, target.chip);
  visit(Figure{"product", "", "chip"}, target.product);
  visit(Figure{"compute_capability", "", "chip", 10, 9999},
        target.computeCapability);
  visit(Figure{"ptx_version", "", "chip", 10, 999}, target.ptxVersion);
  visit(Figure{"multiprocessors", "", "chip", 1, 4096}, target.multiprocessors);
  visit(Figure{"clock_hertz", "Hz", "chip", minClock, largestClock},
        target.clockHertz);
  visit(Figure{"launch_seconds", "s", "chip", 1e-9, 1}, target.launchSeconds);
  visit(Figure{"memory_bytes_per_second", "B/s", "DRAM", minRate, largestRate},
        target.memoryBytesPerSecond);
  visitPart("memory_read_part", "DRAM", attainable.memoryReads);
  visitPart("memory_copy_part", "DRAM", attainable.memoryCopies);
  visit(Figure{"memory_latency_cycles", "cycles", "DRAM", 1, 1e5},
        target.memoryLatencyCycles);
  visit(Figure{"sector_bytes", "B", "DRAM", 16, 1024}, target.sectorBytes);
  visit(Figure{"line_bytes", "B", "L2", 16, 4096}, target.lineBytes);
  visit(Figure{"l2_bytes", "B", "L2", 1024, largestFigure}, target.l2Bytes);
  visit(Figure{"l2_bytes_per_second", "B/s", "L2", minRate, largestRate},
        target.l2BytesPerSecond);
  visitPart("l2_full_rate_part", "L2", attainable.l2FullRate);
  visit(Figure{"l2_latency_cycles", "cycles", "L2", 1, 1e5},
        target.l2LatencyCycles);
  visit(Figure{"l2_port_bytes_per_cycle", "B/cycle", "L2", 16, 4096},
        target.l2PortBytesPerCycle);
  visit(Figure{"shared_bytes_per_multiprocessor", "B", "shared memory", 1024,
               1 << 24},
        limits.sharedBytes);
  visit(Figure{"shared_bytes_per_block", "B", "shared memory", 1024, 1 << 24},
        limits.sharedBytesPerBlock);
  visit(Figure{"static_shared_bytes_per_block", "B", "shared memory", 1024,
               1 << 24},
        limits.staticSharedBytesPerBlock);
  visit(Figure{"reserved_shared_bytes_per_block", "B", "shared memory", 0,
               1 << 24},
        limits.reservedSharedBytesPerBlock);
  visit(Figure{"shared_granule_bytes", "B", "shared memory", 1, 1 << 16},
        limits.sharedGranule);
  visit(Figure{"shared_bytes_per_cycle", "B/cycle", "shared memory", 16, 4096},
        target.sharedBytesPerCycle);
  visit(Figure{"shared_latency_cycles", "cycles", "shared memory", 1, 1e5},
        target.sharedLatencyCycles);
  visit(Figure{"barrier_cycles", "cycles", "shared memory", 1, 1e5},
        target.barrierCycles);
  visit(Figure{"registers_per_multiprocessor", "of 32 bits", "registers", 1024,
               1 << 24},
        limits.registers);
  visit(Figure{"registers_per_thread", "of 32 bits", "registers", 16, 4096},
        limits.registersPerThread);
  visit(Figure{"register_granule", "of 32 bits", "registers", 1, 1 << 16},
        limits.registerGranule);
  visit(Figure{"partitions_per_multiprocessor", "", "registers", 1, 64},
        limits.partitions);
  visit(Figure{"threads_per_warp", "", "multiprocessor", 1, 128},
        target.warpSize);
  visit(Figure{"threads_per_multiprocessor", "", "multiprocessor", 1, 1 << 16},
        limits.threads);
  visit(Figure{"threads_per_block", "", "multiprocessor", 1, 1 << 16},
        limits.threadsPerBlock);
  visit(Figure{"blocks_per_multiprocessor", "", "multiprocessor", 1, 1024},
        limits.blocks);
  visit(Figure{"widest_access_bytes", "B", "multiprocessor", 8, 256},
        target.widestAccessBytes);
  visit(
      Figure{"warp_instructions_per_cycle", "1/cycle", "multiprocessor", 1, 64},
      target.warpInstructionsPerCycle);
  visit(Figure{"fetch_ahead_bytes", "B", "multiprocessor", 16, 1 << 20},
        target.fetchAheadBytes);
  visit(Figure{"fma_per_cycle_f32", "1/cycle", "multiprocessor", 1, 1 << 20},
        target.fmaPerCycleF32);
  visit(Figure{"fma_per_cycle_f64", "1/cycle", "multiprocessor", 1, 1 << 20},
        target.fmaPerCycleF64);
  visitPart("sustained_part_f32", "multiprocessor", attainable.sustainedF32);
  visitPart("sustained_part_f64", "multiprocessor", attainable.sustainedF64);
  auto visitTensor = [&](std::string_view key, auto &value) {
    visit(Figure{key, "1/cycle", "tensor cores", 0, 1 << 20}, value);
  };
  visitTensor("tensor_fma_per_cycle_f64", tensor.f64);
  visitTensor("tensor_fma_per_cycle_tf32", tensor.tf32);
  visitTensor("tensor_fma_per_cycle_bf16", tensor.bf16);
  visitTensor("tensor_fma_per_cycle_f16", tensor.f16);
  visitTensor("tensor_fma_per_cycle_f8", tensor.f8);
  visitTensor("tensor_fma_per_cycle_i8", tensor.i8);
  visitPart("mma_sync_part", "tensor cores", attainable.mmaSync);
  visitGpuCosts(target.costs, visit);
}

/// The costs of a CPU, which `visitCpuFigures` visits, too.
template <typename CostsT, typename Visitor>
void visitCpuCosts(CostsT &costs, Visitor &&visit) {
  constexpr std::string_view part = "costs",
                             measured = "x86-64 core, 2026-11-21",
                             epyc = "AMD EPYC with AVX2, 2026-11-23",
                             xeon = "Intel Xeon with AVX-512, 2026-11-26",
                             epycSkinny = "AMD EPYC with AVX-512, 2026-11-30",
                             xeonSkinny = "Intel Xeon with AVX-512, 2026-11-30",
                             epycLoads =
                                 "AMD EPYC with AVX2 and AVX-512, 2026-11-29",
                             guessed = "guess, 2026-11";
  auto visitCycles = [&](std::string_view key, auto &value,
                         std::string_view source) {
    visit(Figure{key, "cycles", part, 0, 1e6, source}, value);
  };
  visit(Figure{"kernel_part", "", part, minPart, 1, epyc}, costs.kernelPart);
  visit(Figure{"loads_per_cycle", "1/cycle", part, 0.1, 64, epycLoads},
        costs.loadsPerCycle);
  visit(Figure{"direct_loads_per_cycle", "1/cycle", part, 0.1, 64, xeon},
        costs.directLoadsPerCycle);
  visitCycles("tile_cycles", costs.tileCycles, xeon);
  visit(Figure{"panel_part", "", part, 0, 1, xeon}, costs.panelPart);
  visit(Figure{"output_part", "", part, 0, 1, epyc}, costs.outputPart);
  visitCycles("copied_vector_cycles", costs.copiedVectorCycles, xeon);
  visitCycles("transposed_vector_cycles", costs.transposedVectorCycles, xeon);
  visitCycles("gathered_element_cycles", costs.gatheredElementCycles, measured);
  visitCycles("buffered_chunk_cycles", costs.bufferedChunkCycles, measured);
  visitCycles("joined_vector_cycles", costs.joinedVectorCycles, measured);
  visit(Figure{"run_start_lines", "", part, 0, 1000, epyc},
        costs.runStartLines);
  visit(Figure{"stored_run_start_lines", "", part, 0, 1000, xeon},
        costs.storedRunStartLines);
  visit(Figure{"partial_line_stores", "", part, 0, 1000, epyc},
        costs.partialLineStores);
  visit(Figure{"streamed_caches", "", part, 0, 1e6, xeon},
        costs.streamedCaches);
  visitCycles("direct_tile_cycles", costs.directTileCycles, xeon);
  visitCycles("direct_element_cycles", costs.directElementCycles, xeon);
  visitCycles("direct_call_cycles", costs.directCallCycles, guessed);
  visitCycles("multiply_add_latency", costs.multiplyAddLatency, epycLoads);
  visitCycles("table_entry_cycles", costs.tableEntryCycles, xeon);
  visitCycles("slice_cycles", costs.sliceCycles, xeon);
  visitCycles("call_cycles", costs.callCycles, xeon);
  visit(Figure{"team_seconds", "s", part, 0, 1,
               "LLVM's OpenMP, 2 threads, 2026-11-21"},
        costs.teamSeconds);
  visit(Figure{"barrier_seconds", "s", part, 0, 1,
               "LLVM's OpenMP, 2 threads, 2026-11-21"},
        costs.barrierSeconds);
  visit(Figure{"moved_stride_one_weight", "", part, 0, 1000, guessed},
        costs.movedStrideOneWeight);
  auto visitCount = [&](std::string_view key, auto &value,
                        std::string_view source) {
    visit(Figure{key, "", part, 1, 1 << 20, source}, value);
  };
  visitCount("few_columns_of_many_rows", costs.fewColumnsOfManyRows, xeon);
  visitCount("few_rows_and_columns", costs.fewRowsAndColumns, xeon);
  visitCount("many_rows", costs.manyRows, xeon);
  visitCount("few_products", costs.fewProducts, epycSkinny);
  visitCount("few_products_of_batch", costs.fewProductsOfBatch, epycSkinny);
  visitCount("few_of_small_matrix", costs.fewOfSmallMatrix, xeonSkinny);
  visitCount("many_columns", costs.manyColumns, xeon);
  visitCount("least_depth", costs.leastDepth, xeon);
  visitCount("most_depth", costs.mostDepth, xeon);
  visitCount("most_depth_across", costs.mostDepthAcross, xeon);
  visitCount("depth_step", costs.depthStep, xeon);
  visit(Figure{"most_column_bytes", "B", part, 1024, largestFigure, guessed},
        costs.mostColumnBytes);
  visit(Figure{"chunks_of_cut_vector", "", part, 1, 64, guessed},
        costs.chunksOfCutVector);
  visit(Figure{"loaded_row_weight", "", part, 0, 1000, xeon},
        costs.loadedRowWeight);
  visit(Figure{"loaded_column_weight", "", part, 0, 1000, xeon},
        costs.loadedColumnWeight);
  visitCycles("moved_element_cycles", costs.movedElementCycles, xeon);
  visitCycles("panel_batch_cycles", costs.panelBatchCycles, epycSkinny);
  visitCycles("in_place_tile_cycles", costs.inPlaceTileCycles,
              "Intel Xeon with AVX-512, 2026-11-30");
  visitCycles("refetched_line_cycles", costs.refetchedLineCycles,
              "Intel Xeon with AVX-512, 2026-11-30");
  visitCycles("skinny_tile_cycles", costs.skinnyTileCycles, epycSkinny);
  visitCycles("skinny_line_cycles", costs.skinnyLineCycles, epycSkinny);
  visitCycles("added_lanes_cycles", costs.addedLanesCycles, epycSkinny);
  visitCycles("transposed_element_cycles", costs.transposedElementCycles,
              xeonSkinny);
  visitCycles("looked_up_element_cycles", costs.lookedUpElementCycles,
              epycSkinny);
  visitCycles("strided_element_cycles", costs.stridedElementCycles, epycSkinny);
  visitCycles("widened_vector_cycles", costs.widenedVectorCycles, epycSkinny);
  visitCycles("far_line_cycles", costs.farLineCycles, epycSkinny);
  visit(Figure{"joined_parts_weight", "", part, 1, 1000, epycSkinny},
        costs.joinedPartsWeight);
  visit(Figure{"exchanged_parts_weight", "", part, 1, 1000, epycSkinny},
        costs.exchangedPartsWeight);
  visit(Figure{"skinny_part", "", part, minPart, 1, epycSkinny},
        costs.skinnyPart);
  visit(Figure{"least_share_seconds", "s", part, 0, 1,
               "Intel Xeon with AVX-512, 2 threads, 2026-11-26"},
        costs.leastShareSeconds);
  visit(Figure{"least_share_bytes", "B", part, 1, largestFigure,
               "Intel Xeon with AVX-512, 2 threads, 2026-11-26"},
        costs.leastShareBytes);
}

/// The same for the figures of a CPU besides its caches.
template <typename TargetT, typename Visitor>
void visitCpuFigures(TargetT &target, Visitor &&visit) {
  visit(Figure{"name", "", "CPU"}, target.name);
  visit(Figure{"product", "", "CPU"}, target.product);
  visit(Figure{"cores", "", "CPU", 1, 1 << 16}, target.cores);
  visit(Figure{"clock_hertz", "Hz", "CPU", minClock, largestClock},
        target.clockHertz);
  visit(Figure{"vector_bytes", "B", "core", 8, 256}, target.vectorBytes);
  visit(Figure{"vector_registers", "", "core", 8, 1024},
        target.vectorRegisters);
  visit(Figure{"fma_per_cycle_f32", "1/cycle", "core", 1, 1 << 16},
        target.fmaPerCycleF32);
  visit(Figure{"fma_per_cycle_f64", "1/cycle", "core", 1, 1 << 16},
        target.fmaPerCycleF64);
  visit(
      Figure{"memory_bytes_per_second", "B/s", "memory", minRate, largestRate},
      target.memoryBytesPerSecond);
  visitCpuCosts(target.costs, visit);
}

/// The same for one cache.
template <typename CacheT, typename Visitor>
void visitCacheFigures(CacheT &cache, Visitor &&visit) {
  std::string_view part = cache.name;
  visit(Figure{"name", "", "cache"}, cache.name);
  visit(Figure{"bytes", "B", part, 1024, largestFigure}, cache.bytes);
  visit(Figure{"ways", "", part, 1, 1 << 16}, cache.ways);
  visit(Figure{"line_bytes", "B", part, 16, 4096}, cache.lineBytes);
  visit(Figure{"shared_by_cores", "", part, 1, 1 << 16}, cache.sharedByCores);
  visit(Figure{"bytes_per_second", "B/s", part, minRate, largestRate},
        cache.bytesPerSecond);
}

} // namespace tc::model

#endif // TC_MACHINE_TARGETFIGURES_H
