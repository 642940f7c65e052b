//===- TimeReport.cpp - Predicted times of the machine code ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeReport.h"
#include "MachineCodeReport.h"

#include "tc/Judge/KernelLaunch.h"
#include "tc/Package/KernelText.h"
#include "tc/Target/PTX/MachineCode.h"
#include "tc/Timing/Report.h"

#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::run;
using runtime::Json;
using runtime::reportLine;

Result<TimedCode> run::disassembleToTime(const std::string &cubin,
                                         const Options &options) {
  Result<sass::Listing> listing = disassemble(cubin);
  if (!listing)
    return Error{"--time: " + listing.error()};
  Result<timing::Machine> machine =
      timing::machineFor(*listing, options.targetFile);
  if (!machine)
    return Error{"--time: " + machine.error()};
  return TimedCode{std::move(*listing), std::move(*machine)};
}

Json run::describeCode(const TimedCode &code, const Options &options) {
  Json json;
  json["input"] = options.input;
  json["architecture"] = code.listing.architecture;
  json["product"] = code.machine.target.product;
  return json;
}

static runtime::Problem problemOf(const runtime::Kernel &kernel,
                                  const Options &options) {
  runtime::Problem problem;
  problem.alpha = kernel.alpha.isArgument ? options.alpha.value_or(1.0)
                                          : kernel.alpha.value;
  problem.beta =
      kernel.beta.isArgument ? options.beta.value_or(0.0) : kernel.beta.value;
  return problem;
}

Result<std::string> run::reportTime(const CompiledProgram &program,
                                    const Options &options) {
  const runtime::Package &package = program.loaded.package;
  if (package.kernels.empty())
    return Error{"--time: " + options.input + " needs no kernel"};
  if (options.time == TimeForm::SVG && package.kernels.size() > 1)
    return Error{"--time=svg: draws one kernel, of which " + options.input +
                 " needs " + std::to_string(package.kernels.size())};
  Result<Assembly> assembled = assembleProgram(program);
  if (!assembled)
    return Error{"--time: " + assembled.error()};
  Result<TimedCode> code = disassembleToTime(assembled->cubin, options);
  if (!code)
    return Error{code.error()};
  const timing::Machine &machine = code->machine;

  std::string text;
  Json json = describeCode(*code, options);
  json["kernels"] = Json::array();
  for (const runtime::Kernel &kernel : package.kernels) {
    const sass::Function *function = code->listing.find(symbolOf(kernel));
    if (!function)
      return Error{"--time: the cubin has no function '" + symbolOf(kernel) +
                   "'"};
    Result<timing::Prediction> prediction = timing::predict(
        *function,
        launchOf(kernel, *function, assembled->find(symbolOf(kernel)),
                 problemOf(kernel, options)),
        machine);
    if (!prediction)
      return Error{"--time: " + prediction.error()};
    if (options.time == TimeForm::SVG)
      return timing::timelineSvg(prediction->timeline);
    text += "kernel " + kernel.entry + " for " + machine.target.product + "\n" +
            reportLine("schedule", kernel.schedule);
    for (const auto &[title, line] :
         timing::linesOf(*prediction, *function, machine))
      text += reportLine(title, line);
    text += timing::timelineText(prediction->timeline);
    Json entry;
    entry["entry"] = kernel.entry;
    entry["schedule"] = kernel.schedule;
    entry["time"] = timing::toJson(*prediction, machine);
    json["kernels"].push_back(std::move(entry));
  }
  return options.time == TimeForm::JSON ? runtime::dump(json) : text;
}
