//===- TestEvaluations.h - Evaluations for tests ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_TUNING_TESTEVALUATIONS_H
#define TC_TEST_UNIT_TUNING_TESTEVALUATIONS_H

#include "tc/Tuning/Evaluation.h"

namespace tc::tuning::test {

/// An evaluation of a contraction of that name.
inline Evaluation evaluation(const std::string &contraction, double seconds,
                             EvaluationKind kind = EvaluationKind::Measured,
                             const std::string &schedule = "#tc.schedule<>") {
  Evaluation made;
  made.key = {contraction, "machine"};
  made.schedule = schedule;
  made.seconds = seconds;
  made.kind = kind;
  made.date = "2026-11-25T19:30:08Z";
  made.version = "0.1.0";
  made.seed = 7;
  made.search = "search";
  return made;
}

} // namespace tc::tuning::test

#endif // TC_TEST_UNIT_TUNING_TESTEVALUATIONS_H
