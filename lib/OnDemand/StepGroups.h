//===- StepGroups.h - Steps that may run at the same time -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of a chain of contractions are groups of steps of a program, each of
// which computes a part of the results, by way of temporaries that have the
// same places for all. With temporaries of its own, each group may run at any
// time.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ONDEMAND_STEPGROUPS_H
#define TC_LIB_ONDEMAND_STEPGROUPS_H

#include "tc/Package/Package.h"

#include <utility>
#include <vector>

namespace tc {

/// A part of a workspace: the first byte, and the one behind the last.
using ByteRange = std::pair<int64_t, int64_t>;

/// Steps of a program that follow one another: `count` groups of as many, of
/// which none needs what another one makes.
struct StepGroups {
  size_t first = 0, length = 0, count = 0;
  /// Of the workspace, what each group writes before it reads it, and no later
  /// step reads.
  std::vector<ByteRange> own;

  size_t end() const { return first + length * count; }
  bool isOwn(int64_t offset) const;
};

/// All groups of a program for the CPU, in its order. Parts of a result have to
/// lie in it as tiles of equal extents do.
std::vector<StepGroups>
findStepGroups(const runtime::Program &program,
               const std::vector<runtime::Kernel> &kernels);

} // namespace tc

#endif // TC_LIB_ONDEMAND_STEPGROUPS_H
