//===- Role.h - The role of an index of a contraction -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_ROLE_H
#define TC_PROBLEM_ROLE_H

#include "tc/Problem/Contraction.h"

namespace tc::model {

/// The role of an index by the tensors that hold it.
inline Role roleOf(bool inA, bool inB, bool inC) {
  if (!inC)
    return Role::K;
  if (!inA)
    return Role::N;
  return inB ? Role::Batch : Role::M;
}

} // namespace tc::model

#endif // TC_PROBLEM_ROLE_H
