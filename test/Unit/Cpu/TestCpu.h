//===- TestCpu.h - A CPU for tests of strategies ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_CPU_TESTCPU_H
#define TC_TEST_UNIT_CPU_TESTCPU_H

#include "tc/Machine/CpuTarget.h"

namespace tc::model::test {

/// With vectors of 64 bytes, and three caches of their own for one core.
inline CpuTarget testCpu() {
  CpuTarget target;
  target.name = "test";
  target.vectorBytes = 64;
  target.vectorRegisters = 32;
  target.clockHertz = 2e9;
  target.fmaPerCycleF32 = 32;
  target.fmaPerCycleF64 = 16;
  target.memoryBytesPerSecond = 1e10;
  double rate = 5e10;
  for (int64_t kib : {32, 1024, 16384}) {
    target.caches.push_back({"cache", kib * 1024, 8, 64, 1, rate});
    rate /= 1.4;
  }
  return target;
}

} // namespace tc::model::test

#endif // TC_TEST_UNIT_CPU_TESTCPU_H
