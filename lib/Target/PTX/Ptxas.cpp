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

#include "CudaProgram.h"

#include "tc/Target/PTX/PTXExport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace tc;

Result<std::string> tc::findPtxas() {
  return findCudaProgram("ptxas", "TC_PTXAS");
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

const KernelResources *Assembly::find(StringRef entry) const {
  auto found = llvm::find_if(resources, [&](const KernelResources &known) {
    return known.entry == entry;
  });
  return found == resources.end() ? nullptr : &*found;
}

Result<Assembly> tc::assemble(StringRef ptx, StringRef chip) {
  Result<std::string> program = findPtxas();
  if (!program)
    return Error{program.error()};
  Result<TemporaryFile> input = TemporaryFile::create("ptx");
  Result<TemporaryFile> output = TemporaryFile::create("cubin");
  for (const Result<TemporaryFile> *file : {&input, &output})
    if (!*file)
      return Error{file->error()};
  if (Status status = input->write(ptx); !status)
    return Error{status.error()};
  std::string arch = ("-arch=" + chip).str();
  Result<ProgramOutput> report =
      runProgram(*program, {arch, "-v", input->path(), "-o", output->path()});
  if (!report)
    return Error{"ptxas failed for " + chip.str() + ": " + report.error()};
  Result<std::string> cubin = output->read();
  if (!cubin)
    return Error{cubin.error()};
  return Assembly{std::move(*cubin),
                  parseReport(report->standardOutput + report->standardError)};
}
