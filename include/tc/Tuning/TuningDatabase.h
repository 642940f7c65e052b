//===- TuningDatabase.h - Evaluations that outlive a process ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluations of schedules in an SQLite database, which any number of processes
// may use at once. Unlike a cache, it holds results that cannot be made again
// in no time: nothing that is in it is ever changed or removed, and whatever is
// wrong with the file is an error.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TUNING_TUNINGDATABASE_H
#define TC_TUNING_TUNINGDATABASE_H

#include "tc/Tuning/Evaluation.h"

#include <memory>
#include <optional>

struct sqlite3;

namespace tc::tuning {

/// Errors name the file.
class TuningDatabase {
public:
  enum class Access {
    Read,  ///< the file that is there
    Write, ///< the same, and the file is made if there is none
  };

  /// Fails if the file is no such database, is damaged, as far as that is seen
  /// at once, or has a newer format; then it is left as it is.
  static Result<TuningDatabase> open(const std::string &path, Access access);

  /// Adds an evaluation that `check` passes. When this returns, it is on the
  /// disk.
  Status record(const Evaluation &evaluation);

  /// Adds those that are not there, all or none. Returns how many were added.
  Result<int64_t> merge(const std::vector<Evaluation> &evaluations);

  /// The evaluation of least time of the kind that is trusted most, the first
  /// if several are as fast; nothing if there is none of that key. Where a
  /// search has evaluated a schedule again, its last evaluation counts.
  Result<std::optional<Evaluation>> best(const TuningKey &key) const;

  /// The best of each key, and all there are, in the order in which they came.
  Result<std::vector<Evaluation>> bests() const;
  Result<std::vector<Evaluation>> all() const;

private:
  struct Closer {
    void operator()(sqlite3 *handle) const;
  };

  explicit TuningDatabase(std::string path) : path(std::move(path)) {}
  Error errorOf(int code) const;
  Error describe(const std::string &what) const;
  Status prepare(Access access);
  Status makeTables();
  Result<std::vector<Evaluation>> select(const std::string &condition,
                                         const TuningKey *key) const;
  int insert(const Evaluation &evaluation);

  std::string path;
  std::unique_ptr<sqlite3, Closer> database;
};

} // namespace tc::tuning

#endif // TC_TUNING_TUNINGDATABASE_H
