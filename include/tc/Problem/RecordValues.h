//===- RecordValues.h - Values of fields of records -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys of the values that are no records themselves (tc/Support/Record.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_RECORDVALUES_H
#define TC_PROBLEM_RECORDVALUES_H

#include "tc/Problem/Expression.h"
#include "tc/Support/Record.h"

namespace tc::model {

/// All that two constants can differ by.
inline void appendKey(std::string &key, const Constant &constant) {
  tc::appendKey(key, constant.integer());
  if (constant.integer())
    return;
  tc::appendKey(key, constant.real());
  tc::appendKey(key, constant.imag());
}

inline void appendKey(std::string &key, const Expression &expression) {
  tc::appendKey(key, expression.text());
}

} // namespace tc::model

#endif // TC_PROBLEM_RECORDVALUES_H
