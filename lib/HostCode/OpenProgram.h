//===- OpenProgram.h - Programs that take extents ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_HOSTCODE_OPENPROGRAM_H
#define TC_LIB_HOSTCODE_OPENPROGRAM_H

#include "tc/Package/Package.h"
#include "tc/Program/MemoryPlan.h"
#include "tc/Support/Result.h"

#include <vector>

namespace tc {

/// The times at which temporaries of a program are used.
struct TemporaryUses {
  /// Of each, the first and the last step, those that begin earlier first.
  const std::vector<model::BufferLifetime> &lives;
  /// Of each step and tensor, that which a place in the workspace is of.
  const std::vector<std::vector<size_t>> &livesOfSteps;
};

/// Makes a program that was followed for certain extents, each of which stands
/// for one that runs say, and for nothing else, one that takes these. Fails,
/// with the reason, if it does what such programs cannot.
Status openProgram(runtime::Program &program,
                   const std::vector<runtime::Kernel> &kernels,
                   const TemporaryUses &uses);

} // namespace tc

#endif // TC_LIB_HOSTCODE_OPENPROGRAM_H
