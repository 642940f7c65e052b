//===- InlineFused.cpp - Contractions of groups one by one ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/IR/PatternMatch.h"

namespace tc {
#define GEN_PASS_DEF_INLINEFUSEDPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
struct InlineFusedPass : public tc::impl::InlineFusedPassBase<InlineFusedPass> {
  void runOnOperation() override {
    SmallVector<FusedOp> groups;
    getOperation()->walk([&](FusedOp group) { groups.push_back(group); });
    mlir::IRRewriter rewriter(&getContext());
    for (FusedOp group : groups)
      group.dissolve(rewriter);
  }
};
} // namespace
