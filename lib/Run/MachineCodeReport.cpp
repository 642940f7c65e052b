//===- MachineCodeReport.cpp - Results of ptxas for the kernels -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCodeReport.h"
#include "Resources.h"

#include "tc/MachineCode/Report.h"
#include "tc/Package/KernelText.h"
#include "tc/Target/PTX/MachineCode.h"

#include "llvm/ADT/STLExtras.h"

#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::run;
using runtime::Json;
using runtime::reportLine;

namespace {

/// Output of nvdisasm for an assembled program.
struct DisassembledProgram {
  MachineCode code;
  Assembly assembled;

  /// The number of a kernel's function.
  Result<size_t> find(const runtime::Kernel &kernel) const {
    const sass::Function *function = code.listing.find(symbolOf(kernel));
    if (!function)
      return Error{"--machine-code: the cubin has no function '" +
                   symbolOf(kernel) + "'"};
    return static_cast<size_t>(function - code.listing.functions.data());
  }
};

} // namespace

Result<Assembly> run::assembleProgram(const CompiledProgram &program) {
  const runtime::LoadedPackage &loaded = program.loaded;
  if (loaded.package.codeKind != runtime::CodeKind::PTX)
    return Assembly{loaded.code, {}};
  return assemble(loaded.code, loaded.package.target);
}

static std::string hexOf(uint64_t offset) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%04llx",
                static_cast<unsigned long long>(offset));
  return text;
}

static std::string countsText(const std::string &title, const std::string &head,
                              const sass::CodeCounts &counts,
                              const std::string &multiply) {
  return reportLine(title, head + std::to_string(counts.instructions) +
                               " instructions: " +
                               sass::categoriesText(counts, multiply)) +
         reportLine("", sass::figuresText(counts)) +
         reportLine("", "busy cycles: " + sass::pipesText(counts));
}

static std::string functionText(const sass::FunctionCounts &counts,
                                const sass::Function &function,
                                bool hasListing) {
  std::string text = countsText("all code", "", counts.counts, counts.multiply);
  for (size_t i = 0; i < counts.loops.size(); ++i) {
    const sass::LoopCounts &loop = counts.loops[i];
    bool isMain = counts.mainLoop == i;
    std::string head = "at " + hexOf(function.code[loop.header].offset);
    if (loop.parent != sass::LoopCounts::none)
      head += ", inside the one at " +
              hexOf(function.code[counts.loops[loop.parent].header].offset);
    text += countsText(isMain ? "main loop" : "loop", head + ", ", loop.counts,
                       loop.multiply);
  }
  if (!hasListing)
    return text;
  std::vector<uint32_t> shown;
  if (counts.mainLoop)
    shown = counts.loops[*counts.mainLoop].instructions;
  else
    for (uint32_t i = 0; i < function.code.size(); ++i)
      shown.push_back(i);
  return text + sass::listingText(function, shown);
}

static Result<DisassembledProgram>
disassembleProgram(const CompiledProgram &program, const Options &options) {
  if (program.loaded.package.kernels.empty())
    return Error{"--machine-code: " + options.input + " needs no kernel"};
  Result<Assembly> assembled = assembleProgram(program);
  if (!assembled)
    return Error{"--machine-code: " + assembled.error()};
  Result<MachineCode> code = machineCodeOf(assembled->cubin);
  if (!code)
    return Error{"--machine-code: " + code.error()};
  return DisassembledProgram{std::move(*code), std::move(*assembled)};
}

Status run::addMachineCode(const CompiledProgram &program,
                           const Options &options,
                           std::vector<explain::Section> &sections) {
  Result<DisassembledProgram> disassembled =
      disassembleProgram(program, options);
  if (!disassembled)
    return Error{disassembled.error()};
  const MachineCode &code = disassembled->code;
  // Kernels come in the order of the contractions; some of these are in a
  // kernel with others, and some kernels are versions of others.
  const std::vector<runtime::Kernel> &kernels = program.loaded.package.kernels;
  auto next = kernels.begin();
  for (explain::Section &section : sections) {
    auto kernel = std::find_if(next, kernels.end(), [&](const auto &kernel) {
      return !section.schedules.empty() &&
             kernel.schedule == section.schedules.front();
    });
    if (kernel == kernels.end())
      continue;
    next = kernel + 1;
    Result<size_t> function = disassembled->find(*kernel);
    if (!function)
      return Error{function.error()};
    section.code = explain::CompiledCode{code.listing.architecture,
                                         code.listing.functions[*function],
                                         code.counts.functions[*function]};
  }
  return {};
}

Result<std::string> run::reportMachineCode(const CompiledProgram &program,
                                           const Options &options) {
  const runtime::Package &package = program.loaded.package;
  Result<DisassembledProgram> disassembled =
      disassembleProgram(program, options);
  if (!disassembled)
    return Error{disassembled.error()};
  const MachineCode &code = disassembled->code;

  std::string text;
  Json json;
  json["input"] = options.input;
  json["architecture"] = code.listing.architecture;
  json["kernels"] = Json::array();
  for (const runtime::Kernel &kernel : package.kernels) {
    Result<size_t> number = disassembled->find(kernel);
    if (!number)
      return Error{number.error()};
    const sass::Function &function = code.listing.functions[*number];
    const sass::FunctionCounts &counts = code.counts.functions[*number];
    text += "kernel " + kernel.entry + " for " + code.listing.architecture +
            "\n" + reportLine("schedule", kernel.schedule);
    Json entry;
    entry["entry"] = kernel.entry;
    entry["schedule"] = kernel.schedule;
    if (const KernelResources *known =
            disassembled->assembled.find(symbolOf(kernel)))
      reportResources(*known, text, entry);
    text += functionText(counts, function,
                         options.machineCode == MachineCodeForm::Listing);
    entry["machine_code"] = sass::toJson(counts, function);
    json["kernels"].push_back(std::move(entry));
  }
  return options.machineCode == MachineCodeForm::JSON ? runtime::dump(json)
                                                      : text;
}
