//===- FuseChains.h - Reports on fused contractions -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --tc-fuse-chains for callers that want to know what it decides.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_FUSECHAINS_H
#define TC_DIALECT_TC_TRANSFORMS_FUSECHAINS_H

#include <functional>
#include <memory>
#include <string>

namespace mlir {
class Pass;
} // namespace mlir

namespace tc {

struct FuseChainsPassOptions;

/// Takes what --tc-fuse-chains with `explain` prints, line by line.
using TakeFusions = std::function<void(const std::string &line)>;

/// --tc-fuse-chains, which tells how it decided; it prints nothing then.
std::unique_ptr<mlir::Pass>
createFuseChainsPass(const FuseChainsPassOptions &options, TakeFusions take);

} // namespace tc

#endif // TC_DIALECT_TC_TRANSFORMS_FUSECHAINS_H
