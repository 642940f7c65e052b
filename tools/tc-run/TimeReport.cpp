//===- TimeReport.cpp - How long the machine code takes -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeReport.h"
#include "MachineCodeReport.h"

#include "tc/Model/TargetFile.h"
#include "tc/Runtime/Geometry.h"
#include "tc/Runtime/Problem.h"
#include "tc/Runtime/Report.h"
#include "tc/Target/PTX/MachineCode.h"
#include "tc/Timing/Report.h"

#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

using namespace tc;
using namespace tc::run;
using runtime::Json;
using runtime::reportLine;

Result<timing::Machine> run::machineFor(const sass::Listing &listing,
                                        const Options &options) {
  Result<const model::Target *> builtin = sass::targetOf(listing);
  if (!builtin)
    return Error{builtin.error()};
  if (options.targetFile.empty())
    return timing::machineOf(**builtin);
  Result<model::Target> target = model::loadTarget(options.targetFile);
  if (!target)
    return Error{target.error()};
  return timing::machineOf(*target);
}

/// The parameters of a kernel as they lie in constant memory: tensors at
/// addresses far from each other, then scalars, each aligned to its size.
static std::vector<std::byte> parametersOf(const runtime::Kernel &kernel,
                                           const runtime::Problem &problem) {
  std::vector<std::byte> bytes;
  auto append = [&](const std::byte *data, size_t size) {
    constexpr size_t widest = 8;
    size_t alignment = std::min(widest, size & (0 - size));
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    bytes.insert(bytes.end(), data, data + size);
  };
  uint64_t address = uint64_t(1) << 44;
  auto appendPointer = [&] {
    append(reinterpret_cast<const std::byte *>(&address), sizeof(address));
    address += uint64_t(1) << 42;
  };
  for (size_t i = 0; i < tensorsOf(kernel).size(); ++i)
    appendPointer();
  for (const std::vector<std::byte> &scalar : scalarArguments(kernel, problem))
    append(scalar.data(), scalar.size());
  if (kernel.workspace)
    appendPointer();
  return bytes;
}

/// What all blocks together load, each byte once.
static double distinctBytesOf(const runtime::Kernel &kernel,
                              const runtime::Problem &problem) {
  double sum = 0;
  for (const runtime::TensorArgument *tensor : tensorsOf(kernel)) {
    bool isC = tensor == &kernel.tensors[2];
    if (isC ? problem.beta == 0.0 && !epilogueReadsC(kernel) : !tensor->isRead)
      continue;
    Result<runtime::Geometry> geometry = geometryOf(*tensor);
    if (geometry)
      sum += static_cast<double>(geometry->elements()) *
             static_cast<double>(model::byteWidth(tensor->type));
  }
  return sum;
}

/// Registers of a thread of a cubin, which ptxas has not told here: as many as
/// its code names.
static int64_t registersNamedIn(const sass::Function &function) {
  int64_t most = 0;
  for (const sass::Instruction &instruction : function.code)
    for (const std::string &operand : instruction.operands)
      for (size_t i = 0; i + 1 < operand.size(); ++i) {
        bool isRegister = operand[i] == 'R' && llvm::isDigit(operand[i + 1]) &&
                          (i == 0 || !llvm::isAlpha(operand[i - 1]));
        if (isRegister)
          most = std::max<int64_t>(most, std::atoi(operand.c_str() + i + 1));
      }
  // Operands of 128 bits are named by the first of four.
  return std::min<int64_t>(255, most + 4);
}

static timing::Launch launchOf(const runtime::Kernel &kernel,
                               const sass::Function &function,
                               const KernelResources *resources,
                               const Options &options) {
  runtime::Problem problem;
  problem.alpha = kernel.alpha.isArgument ? options.alpha.value_or(1.0)
                                          : kernel.alpha.value;
  problem.beta =
      kernel.beta.isArgument ? options.beta.value_or(0.0) : kernel.beta.value;
  timing::Launch launch;
  for (size_t i = 0; i < 3; ++i) {
    launch.grid[i] = static_cast<uint32_t>(kernel.grid[i]);
    launch.block[i] = static_cast<uint32_t>(kernel.block[i]);
  }
  launch.sharedBytes = kernel.staticSharedBytes + kernel.dynamicSharedBytes;
  launch.registers =
      resources ? resources->registers : registersNamedIn(function);
  launch.parameters = parametersOf(kernel, problem);
  launch.distinctBytes = distinctBytesOf(kernel, problem);
  return launch;
}

Result<std::string> run::reportTime(const Program &program,
                                    const Options &options) {
  const runtime::Package &package = program.loaded.package;
  if (package.kernels.empty())
    return Error{"--time: " + options.input + " needs no kernel"};
  if (options.time == TimeForm::SVG && package.kernels.size() > 1)
    return Error{"--time=svg: draws one kernel, of which " + options.input +
                 " needs " + std::to_string(package.kernels.size())};
  Result<AssembledProgram> assembled = assembleProgram(program);
  if (!assembled)
    return Error{"--time: " + assembled.error()};
  Result<sass::Listing> listing = disassemble(assembled->cubin);
  if (!listing)
    return Error{"--time: " + listing.error()};
  Result<timing::Machine> machine = machineFor(*listing, options);
  if (!machine)
    return Error{"--time: " + machine.error()};

  std::string text;
  Json json;
  json["input"] = options.input;
  json["architecture"] = listing->architecture;
  json["product"] = machine->target.product;
  json["kernels"] = Json::array();
  for (const runtime::Kernel &kernel : package.kernels) {
    const sass::Function *function = listing->find(symbolOf(kernel));
    if (!function)
      return Error{"--time: the cubin has no function '" + symbolOf(kernel) +
                   "'"};
    Result<timing::Prediction> prediction = timing::predict(
        *function,
        launchOf(kernel, *function, assembled->find(kernel), options),
        *machine);
    if (!prediction)
      return Error{"--time: " + prediction.error()};
    if (options.time == TimeForm::SVG)
      return timing::timelineSvg(prediction->timeline);
    text += "kernel " + kernel.entry + " for " + machine->target.product +
            "\n" + reportLine("schedule", kernel.schedule);
    for (const auto &[title, line] :
         timing::linesOf(*prediction, *function, *machine))
      text += reportLine(title, line);
    text += timing::timelineText(prediction->timeline);
    Json entry;
    entry["entry"] = kernel.entry;
    entry["schedule"] = kernel.schedule;
    entry["time"] = timing::toJson(*prediction, *machine);
    json["kernels"].push_back(std::move(entry));
  }
  return options.time == TimeForm::JSON ? runtime::dump(json) : text;
}
