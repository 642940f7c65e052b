//===- Ptxas.cpp - From PTX to a cubin ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs NVIDIA's assembler and reads its report.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/PTXExport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace tc;

Result<std::string> tc::findPtxas() {
  if (const char *path = std::getenv("TC_PTXAS")) {
    if (llvm::sys::fs::can_execute(path))
      return std::string(path);
    return Error{std::string("TC_PTXAS is '") + path +
                 "', which is not a program"};
  }
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  if (auto found =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *found;
  return Error{"ptxas not found: neither TC_PTXAS, nor on PATH, nor in "
               "/usr/local/cuda/bin"};
}

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// Reads ptxas's report (-v), which names each function before its figures.
static std::vector<KernelResources> parseReport(StringRef report) {
  llvm::Regex entry("Compiling entry function '([^']+)'");
  llvm::Regex frame("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, "
                    "([0-9]+) bytes spill loads");
  llvm::Regex registers("Used ([0-9]+) registers");
  llvm::Regex shared("([0-9]+) bytes smem");
  std::vector<KernelResources> result;
  auto number = [](StringRef digits) {
    int64_t value = 0;
    digits.getAsInteger(10, value);
    return value;
  };
  SmallVector<StringRef> match;
  for (StringRef line : llvm::split(report, '\n')) {
    if (entry.match(line, &match))
      result.emplace_back().entry = match[1].str();
    if (result.empty())
      continue;
    KernelResources &kernel = result.back();
    if (frame.match(line, &match)) {
      kernel.stackBytes = number(match[1]);
      kernel.spillStoreBytes = number(match[2]);
      kernel.spillLoadBytes = number(match[3]);
    }
    if (registers.match(line, &match))
      kernel.registers = number(match[1]);
    if (shared.match(line, &match))
      kernel.staticSharedBytes = number(match[1]);
  }
  return result;
}

Result<Assembly> tc::assemble(StringRef ptx, StringRef chip) {
  Result<std::string> program = findPtxas();
  if (!program)
    return Error{program.error()};
  SmallString<128> input, output, log;
  for (auto [path, suffix] :
       {std::pair(&input, "ptx"), std::pair(&output, "cubin"),
        std::pair(&log, "log")})
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("tc", suffix, *path))
      return Error{"cannot create a temporary file: " + code.message()};
  llvm::FileRemover removeInput(input), removeOutput(output), removeLog(log);
  {
    std::error_code code;
    llvm::raw_fd_ostream file(input, code);
    file << ptx;
    file.close();
    if (code || file.has_error()) {
      file.clear_error();
      return Error{"cannot write " + input.str().str()};
    }
  }

  std::string arch = ("-arch=" + chip).str();
  StringRef arguments[] = {*program, arch, "-v", input, "-o", output};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
  std::string report = readFile(log);
  if (status != 0)
    return Error{"ptxas failed for " + chip.str() + ": " +
                 (message.empty() ? StringRef(report).trim().str() : message)};
  return Assembly{readFile(output), parseReport(report)};
}
