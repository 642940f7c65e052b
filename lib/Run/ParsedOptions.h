//===- ParsedOptions.h - The options of tc-run as LLVM has them -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_PARSEDOPTIONS_H
#define TC_LIB_RUN_PARSEDOPTIONS_H

#include "tc/Run/Options.h"
#include "tc/Support/Option.h"

#include "llvm/Support/CommandLine.h"

#include <deque>
#include <functional>
#include <memory>

namespace tc::run {

namespace cl = llvm::cl;

/// The options as LLVM parses them, made of the lists that describe them. One
/// object lives while the command line is read; nothing else refers to it.
class ParsedOptions {
public:
  ParsedOptions();

  /// Reads the values of those that are given. The error names the first that
  /// is wrong.
  Status read(Options &options) const;

  /// Fails if options are given that do not go with one another, or with the
  /// machine.
  Status checkCombination(Machine machine) const;

  bool isGiven(std::string_view name) const;
  /// True if options are given that are not this tool's own.
  bool isAnyOfLLVMGiven();

  cl::OptionCategory category{"tc-run options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("SPEC|FILE"),
                             cl::cat(category)};

private:
  struct Entry {
    OptionInfo info;
    /// LLVM keeps no copies of them.
    std::string help, formerHelp;
    std::unique_ptr<cl::Option> option, formerName;
    std::function<Status(Options &)> read;

    bool isGiven() const { return option->getNumOccurrences() > 0; }
  };

  std::deque<Entry> entries;
};

} // namespace tc::run

#endif // TC_LIB_RUN_PARSEDOPTIONS_H
