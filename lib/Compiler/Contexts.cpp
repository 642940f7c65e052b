//===- Contexts.cpp - Contexts of MLIR for one compilation each -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contexts.h"

#include "tc/InitAll.h"
#include "tc/Target/CPU/CPUExport.h"

#include <mutex>
#include <vector>

using namespace tc;

struct CpuContext::Pool {
  Pool() {
    registerAllTC(registry);
    registerCPUExportDialects(registry);
  }

  mlir::DialectRegistry registry;
  std::mutex mutex;
  std::vector<std::unique_ptr<Kept>> waiting;
};

CpuContext::Pool &CpuContext::pool() {
  // It outlives all threads that compile while the process ends.
  static auto *pool = new Pool();
  return *pool;
}

CpuContext::CpuContext() {
  Pool &shared = pool();
  std::lock_guard<std::mutex> lock(shared.mutex);
  if (shared.waiting.empty()) {
    kept = std::make_unique<Kept>();
    kept->context = std::make_unique<mlir::MLIRContext>(
        shared.registry, mlir::MLIRContext::Threading::DISABLED);
    return;
  }
  kept = std::move(shared.waiting.back());
  shared.waiting.pop_back();
}

CpuContext::~CpuContext() {
  // A compilation leaves some ten kilobytes.
  constexpr unsigned mostUses = 256;
  constexpr size_t mostWaiting = 4;
  if (++kept->uses == mostUses)
    return;
  Pool &shared = pool();
  std::lock_guard<std::mutex> lock(shared.mutex);
  if (shared.waiting.size() < mostWaiting)
    shared.waiting.push_back(std::move(kept));
}
