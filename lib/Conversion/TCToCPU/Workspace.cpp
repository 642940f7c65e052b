//===- Workspace.cpp - Memory of one contraction --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Panels and tables share one allocation, each part at the begin of a cache
// line.
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/Support/MathExtras.h"

using namespace tc;
using namespace tc::cpu;
namespace memref = mlir::memref;

/// Of a cache line and of the widest vectors.
static constexpr int64_t partAlignment = 64;

void Workspace::request(Value &view, Type elementType, int64_t elements) {
  auto type = MemRefType::get({elements}, elementType);
  int64_t width =
      elementType.isIndex() ? 8 : elementType.getIntOrFloatBitWidth() / 8;
  requests.push_back({&view, type, bytes});
  bytes += static_cast<int64_t>(llvm::alignTo(elements * width, partAlignment));
}

void Workspace::allocate() {
  if (requests.empty())
    return;
  auto alloc = memref::AllocOp::create(
      emit.builder, MemRefType::get({bytes}, emit.builder.getI8Type()));
  alloc.setAlignment(partAlignment);
  memory = alloc;
  for (const Request &request : requests)
    *request.view = memref::ViewOp::create(emit.builder, request.type, memory,
                                           emit.constant(request.offset),
                                           mlir::ValueRange());
}

void Workspace::free() {
  if (memory)
    memref::DeallocOp::create(emit.builder, memory);
}
