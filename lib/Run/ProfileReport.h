//===- ProfileReport.h - A kernel's instructions ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops and the PTX lines of a profile, for people and as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_PROFILEREPORT_H
#define TC_LIB_RUN_PROFILEREPORT_H

#include "Listing.h"

#include "tc/Package/KernelText.h"
#include "tc/Simulator/Simulator.h"

#include <optional>

namespace tc::run {

class ProfileReport {
public:
  /// Shows the `count` lines that warps issued most often. The locations are
  /// those of `listing`, if there is one.
  ProfileReport(const sim::Profile &profile,
                const std::optional<Listing> &listing, unsigned count);

  std::string text() const;
  runtime::Json json() const;

private:
  double shareOf(uint64_t warpInstructions) const;
  std::string loopText(const sim::LoopProfile &loop) const;
  std::string originText(const sim::InstructionProfile &instruction) const;
  runtime::Json loopToJson(const sim::LoopProfile &loop) const;
  runtime::Json
  instructionToJson(const sim::InstructionProfile &instruction) const;
  const Listing::Line *lineOf(const sim::SourceLocation &location) const;

  const sim::Profile &profile;
  const std::optional<Listing> &listing;
  uint64_t total = 0;
  std::vector<const sim::InstructionProfile *> hottest;
};

} // namespace tc::run

#endif // TC_LIB_RUN_PROFILEREPORT_H
