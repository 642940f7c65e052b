//===- TestSections.h - Explanations made by hand ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explanations with figures that are simple to recognise and no prediction of
// the model's: the tests are of reporting them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EXPLAIN_TESTSECTIONS_H
#define TC_TEST_UNIT_EXPLAIN_TESTSECTIONS_H

#include "tc/Explain/Explain.h"

namespace tc::explain::test {

/// A schedule with a block tile of M and of N along the last index of either
/// role, whole K extents of at most `blockK`, and tiles of one else. Its layout
/// is that of the target; the cost is `seconds` at DRAM, a half of that at
/// every other level, and `execution` for the blocks.
model::ExplainedCandidate candidate(const model::Contraction &contraction,
                                    const model::Target &target, int64_t blockM,
                                    int64_t blockN, int64_t blockK,
                                    double seconds, double execution);

/// C[i,j] = A[i,k] * B[k,j] of 384 x 200 x 96 with three candidates, of which
/// the first and the last are bound by DRAM, the second by its blocks.
Section product();

/// A contraction without one of the roles, of letters as labels, with one
/// candidate. All indices have the same extent.
Section letters(const std::string &a, const std::string &b,
                const std::string &c, int64_t extent = 24);

} // namespace tc::explain::test

#endif // TC_TEST_UNIT_EXPLAIN_TESTSECTIONS_H
