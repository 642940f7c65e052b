//===- BugReport.h - Contents of a bug report -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with what is needed to see again what a run has shown: report.txt
// with the command, versions, the machine and how the run ended, the input, and
// all that the run printed.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_BUGREPORT_H
#define TC_LIB_RUN_BUGREPORT_H

#include "tc/Run/Run.h"

namespace tc::run {

class BugReport {
public:
  explicit BugReport(const Options &options) : options(options) {}

  /// Makes the folder, which must not be there or be empty, and writes what is
  /// known before the run: one that crashes leaves that.
  Status begin() const;
  /// Adds what the run printed on standard error.
  void note(const std::string &line) { messages += line + "\n"; }
  /// Writes how the run ended.
  Status end(const Result<Outcome> &outcome) const;

private:
  Status write(const std::string &ending) const;

  const Options &options;
  std::string messages;
};

} // namespace tc::run

#endif // TC_LIB_RUN_BUGREPORT_H
