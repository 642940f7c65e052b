//===- ValueChanges.h - Other values of fields ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values to which FieldChanges.h changes constants and expressions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_PROBLEM_VALUECHANGES_H
#define TC_TEST_UNIT_PROBLEM_VALUECHANGES_H

#include "Support/FieldChanges.h"

#include "tc/Problem/RecordValues.h"

namespace tc::model {

inline Constant changeValue(const Constant &constant) {
  return {constant.real() + 1, constant.imag()};
}

inline Expression changeValue(const Expression &) {
  return *Expression::parse("abs(x) + 1", {"x"});
}

} // namespace tc::model

#endif // TC_TEST_UNIT_PROBLEM_VALUECHANGES_H
