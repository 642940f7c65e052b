//===- CpuTarget.h - A CPU that code is made for ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures of a CPU that the model needs: vector units and the levels of its
// memory. They are detected on the machine at hand or read from a file.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_CPUTARGET_H
#define TC_MACHINE_CPUTARGET_H

#include "tc/Machine/CpuCosts.h"
#include "tc/Problem/Contraction.h"

#include <string>
#include <vector>

namespace tc::model {

/// One level of cache for data.
struct CpuCache {
  std::string name;
  int64_t bytes = 0;
  int64_t ways = 0; ///< associativity
  int64_t lineBytes = 0;
  /// Cores that share one of these caches.
  int64_t sharedByCores = 0;
  /// The rate at which one core, by itself, can load from here into the next
  /// inner level, which for the first cache is the registers.
  double bytesPerSecond = 0;
};

/// One CPU. Rates are those of one core.
struct CpuTarget {
  std::string name;
  std::string product;
  int64_t cores = 0; ///< physical cores
  double clockHertz = 0;
  int64_t vectorBytes = 0;     ///< of one vector register
  int64_t vectorRegisters = 0; ///< that an instruction can name
  /// Fused multiply-adds of elements a cycle.
  int64_t fmaPerCycleF32 = 0;
  int64_t fmaPerCycleF64 = 0;
  /// The innermost first.
  std::vector<CpuCache> caches;
  /// The rate at which one core, by itself, can load from memory into the last
  /// cache.
  double memoryBytesPerSecond = 0;
  CpuCosts costs;
  /// The part of this machine's memory that this process may use; no figure of
  /// files, which describe other machines. Zero if it is unknown.
  int64_t memoryBytes = 0;
  /// The file that clock, rates and costs were measured for; no figure of files
  /// either. Empty if they are assumed or described.
  std::string calibration;

  /// Products that are combined with sums a cycle, at best.
  double productsPerCycle(const Contraction &contraction) const;
};

} // namespace tc::model

#endif // TC_MACHINE_CPUTARGET_H
