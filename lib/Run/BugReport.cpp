//===- BugReport.cpp - Contents of a bug report ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BugReport.h"
#include "TargetInfo.h"

#include "tc/Support/BuildId.h"
#include "tc/Support/Files.h"
#include "tc/Target/PTX/PTXExport.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <sys/utsname.h>
#include <unistd.h>

using namespace tc;
using namespace tc::run;
using llvm::StringRef;

/// As a shell takes it for one word.
static std::string quote(StringRef word) {
  constexpr const char *plain = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:";
  if (!word.empty() && word.find_first_not_of(plain) == StringRef::npos)
    return word.str();
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

static std::string commandOf(const Options &options) {
  std::string command = "tc-run";
  for (const std::string &word : options.arguments)
    command += " " + quote(word);
  return command + "\n";
}

/// Variables of the environment that tc-run looks at, or that may matter.
static std::string environmentText() {
  std::string text;
  for (char **variable = environ; *variable; ++variable) {
    StringRef entry(*variable);
    for (StringRef prefix : {"TC_", "OMP_", "CUDA_", "LD_LIBRARY_PATH="})
      if (entry.starts_with(prefix))
        text += entry.str() + "\n";
  }
  return text.empty() ? "none\n" : text;
}

static std::string systemText() {
  utsname name = {};
  if (::uname(&name) != 0)
    return "unknown\n";
  return std::string(name.sysname) + " " + name.release + " " + name.machine +
         "\n";
}

static std::string section(StringRef title, const std::string &text) {
  return "== " + title.str() + "\n" + text +
         (StringRef(text).ends_with("\n") ? "" : "\n") + "\n";
}

Status BugReport::begin() const {
  const std::string &folder = options.bugReport;
  if (std::error_code error = llvm::sys::fs::create_directory(folder))
    return Error{"--report: " + folder + ": " + error.message()};
  std::error_code error;
  llvm::sys::fs::directory_iterator entry(folder, error), end;
  if (error)
    return Error{"--report: " + folder + ": " + error.message()};
  if (entry != end)
    return Error{"--report: " + folder + ": is not empty"};
  if (Status status = write("It began, but did not end: tc-run crashed, or was "
                            "stopped.\n");
      !status)
    return status;
  // A specification is in the command; code lies beside its description.
  std::vector<std::string> files = {options.input};
  if (StringRef(options.input).ends_with(".json"))
    for (StringRef extension : {"ptx", "cubin"}) {
      llvm::SmallString<128> code(options.input);
      llvm::sys::path::replace_extension(code, extension);
      files.push_back(code.str().str());
    }
  for (const std::string &file : files) {
    if (!llvm::sys::fs::is_regular_file(file))
      continue;
    llvm::SmallString<128> copy(folder);
    llvm::sys::path::append(copy, llvm::sys::path::filename(file));
    Result<std::string> content = readFile(file);
    if (!content)
      return Error{"--report: " + content.error()};
    if (Status status = replaceFile(copy.str().str(), *content); !status)
      return Error{"--report: " + status.error()};
  }
  return {};
}

Status BugReport::end(const Result<Outcome> &outcome) const {
  std::string ending;
  if (!outcome)
    ending = "error: " + outcome.error() + "\n";
  else
    ending = (outcome->failure.empty() ? "All that was asked for held.\n"
                                       : "failed: " + outcome->failure + "\n") +
             "\n" + outcome->output;
  return write(ending);
}

Status BugReport::write(const std::string &ending) const {
  Options host;
  host.targetInfo = "cpu";
  Result<std::string> cpu = describeTarget(host);
  Result<std::string> ptxas = findPtxas();
  std::string text =
      section("command", commandOf(options)) +
      section("versions", "tc " TC_VERSION "\nLLVM " LLVM_VERSION_STRING
                          "\nptxas " +
                              (ptxas ? *ptxas : ptxas.error()) + "\n" +
                              identifyCompiler()) +
      section("system", systemText()) +
      section("environment", environmentText()) +
      section("CPU", cpu ? *cpu : cpu.error()) +
      section("messages", messages.empty() ? "none" : messages) +
      section("outcome", ending);
  llvm::SmallString<128> path(options.bugReport);
  llvm::sys::path::append(path, "report.txt");
  if (Status status = replaceFile(path.str().str(), text); !status)
    return Error{"--report: " + status.error()};
  return {};
}
