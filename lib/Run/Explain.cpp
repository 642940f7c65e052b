//===- Explain.cpp - Reasons for the choice of a schedule -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Compile.h"
#include "Input.h"
#include "MachineCodeReport.h"

#include "tc/Analysis/ScheduleExplanation.h"
#include "tc/Compiler/ExplainModule.h"
#include "tc/InitAll.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Process.h"

using namespace tc;
using namespace tc::run;

/// Columns of a report that does not go to a terminal.
static constexpr unsigned defaultColumns = 120;

Result<std::string> run::explainInput(const Options &options) {
  Result<InputKind> kind = kindOf(options.input);
  if (!kind)
    return Error{kind.error()};
  if (*kind == InputKind::Package)
    return Error{"--explain: " + options.input + " is already compiled"};

  DialectRegistry registry;
  registerAllTC(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<InputModule> input = readModule(context, options, *kind);
  if (!input)
    return Error{input.error()};
  ModuleOp module = *input->module;
  Result<std::string> name = chooseTarget(module, options);
  if (!name)
    return Error{name.error()};
  ExplainOptions explained;
  setDeviceOptions(options, *name, explained);
  // As where kernels are made of unknown shapes.
  explained.dynamicShapes |= input->hadUnknownShapes;
  explained.runnersUp = options.runnersUp;
  std::string text;
  explained.takeOrders = [&](std::string orders) { text = std::move(orders); };
  explained.takeFusions = [&](const std::string &line) { text += line + "\n"; };
  Result<std::vector<explain::Section>> sections =
      explainModule(module, options.input, explained);
  if (!sections)
    return Error{sections.error()};

  if (options.machineCode) {
    Result<CompiledProgram> program = loadProgram(options);
    if (!program)
      return Error{program.error()};
    if (Status status = addMachineCode(*program, options, *sections); !status)
      return Error{status.error()};
  }

  if (Status status = writeExplanations(
          *sections, {options.explainHtml, options.explainJson});
      !status)
    return Error{status.error()};
  if (!options.explain)
    return std::string();
  if (options.json)
    return explain::renderJson(*sections);
  unsigned columns = llvm::sys::Process::StandardOutColumns();
  for (const explain::Section &section : *sections)
    text += (text.empty() ? "" : "\n") +
            explain::renderText(section, columns ? columns : defaultColumns);
  return text;
}
