//===- Suites.h - The contractions of benchmark suites ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads benchmarks/suites.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_PROBLEM_SUITES_H
#define TC_TEST_UNIT_PROBLEM_SUITES_H

#include "tc/Problem/Contraction.h"

#include <string>
#include <vector>

namespace tc::model::test {

struct SuiteCase {
  std::string name;
  Contraction contraction;
};

/// The TCCG contractions at the sizes for that precision. Adjacent indices that
/// are contiguous in both tensors which hold them are collapsed, as the
/// compiler does.
std::vector<SuiteCase> tccgSuite(ElementType type);

/// The kernels of NWChem's CCSD(T) triples, which add to C.
std::vector<SuiteCase> nwchemSuite();

} // namespace tc::model::test

#endif // TC_TEST_UNIT_PROBLEM_SUITES_H
