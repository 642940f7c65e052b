//===- Evaluation.h - Evaluations of schedules ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings of searches for schedules, one evaluation at a time. docs/tuning.md
// explains searches and what becomes of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TUNING_EVALUATION_H
#define TC_TUNING_EVALUATION_H

#include "tc/Support/Record.h"
#include "tc/Support/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace tc::tuning {

/// The source of a time. Later ones are trusted more.
enum class EvaluationKind : unsigned {
  Simulated, ///< predicted from machine code
  Measured,  ///< on the machine itself
};
inline constexpr std::array<EvaluationKind, 2> allEvaluationKinds = {
    EvaluationKind::Simulated, EvaluationKind::Measured};
/// "simulated" or "measured".
std::string_view stringify(EvaluationKind kind);
std::optional<EvaluationKind> symbolizeEvaluationKind(std::string_view name);

/// The version of the syntax and the meaning of schedules. A change that makes
/// texts of schedules mean something else, or unreadable, increments it.
inline constexpr int64_t scheduleSyntaxVersion = 1;

/// The problem that a schedule is for: schedules of one key can stand for one
/// another.
struct TuningKey {
  /// The contraction and the machine, as TuningKey.h writes them.
  std::string contraction, machine;
  int64_t syntax = scheduleSyntaxVersion;

  bool operator==(const TuningKey &other) const {
    return contraction == other.contraction && machine == other.machine &&
           syntax == other.syntax;
  }
};

struct Evaluation {
  TuningKey key;
  /// In the compiler's syntax, with the names of indices that the key has.
  std::string schedule;
  double seconds = 0;
  EvaluationKind kind = EvaluationKind::Measured;
  /// In UTC, as "2026-11-25T19:30:08Z".
  std::string date;
  /// Of tc.
  std::string version;
  int64_t seed = 0;
  /// The text that tells searches apart.
  std::string search;
};

/// An evaluation that can be true: its texts are not empty, and its time is a
/// positive number. An error says what is wrong.
Status check(const Evaluation &evaluation);

/// An evaluation as a line of JSON, without the end of the line.
std::string writeEvaluation(const Evaluation &evaluation);

/// Reads such lines, which name the file in errors. Empty ones are skipped.
Result<std::vector<Evaluation>> readEvaluations(std::string_view text,
                                                const std::string &filename);

/// "measured 1.234 ms by tc 0.1.0, search s1, 2026-11-25T19:30:08Z".
std::string describe(const Evaluation &evaluation);

constexpr auto fieldsOf(const TuningKey *) {
  return std::make_tuple(field("contraction", &TuningKey::contraction),
                         field("machine", &TuningKey::machine),
                         field("syntax", &TuningKey::syntax));
}

constexpr auto fieldsOf(const Evaluation *) {
  return std::make_tuple(
      field("key", &Evaluation::key), field("schedule", &Evaluation::schedule),
      field("seconds", &Evaluation::seconds), field("kind", &Evaluation::kind),
      field("date", &Evaluation::date), field("version", &Evaluation::version),
      field("seed", &Evaluation::seed), field("search", &Evaluation::search));
}

} // namespace tc::tuning

#endif // TC_TUNING_EVALUATION_H
