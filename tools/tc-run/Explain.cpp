//===- Explain.cpp - Why a schedule is chosen -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Compile.h"
#include "ErrorCollector.h"
#include "Input.h"

#include "tc/Analysis/ScheduleExplanation.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/InitAll.h"
#include "tc/Pipelines/Pipelines.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Process.h"

using namespace tc;
using namespace tc::run;
using mlir::OwningOpRef;

/// Columns of a report that does not go to a terminal.
static constexpr unsigned defaultColumns = 120;

/// Explains all contractions that need a schedule; emits an error on failure.
static LogicalResult explainAll(ModuleOp module, const model::Target &target,
                                const Options &options,
                                std::vector<explain::Section> &sections) {
  ScheduleAttr given;
  if (!options.schedule.empty() &&
      !(given = parseSchedule(options.schedule, module.getContext())))
    return failure();
  auto result = module.walk([&](ContractOp op) {
    if (op.hasZeroExtent())
      return mlir::WalkResult::advance();
    ScheduleAttr present = op.getScheduleAttr();
    FailureOr<explain::Section> section = explainSchedule(
        op, target, present ? present : given, options.runnersUp);
    if (failed(section))
      return mlir::WalkResult::interrupt();
    sections.push_back(std::move(*section));
    return mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}

Result<std::string> run::explainInput(const Options &options) {
  Result<InputKind> kind = kindOf(options.input);
  if (!kind)
    return Error{kind.error()};
  if (*kind == InputKind::Package)
    return Error{"--explain: " + options.input + " is already compiled"};

  DialectRegistry registry;
  registerAllTC(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<OwningOpRef<ModuleOp>> module = readModule(context, options, *kind);
  if (!module)
    return Error{module.error()};
  Result<std::string> name = chooseTarget(**module, options);
  if (!name)
    return Error{name.error()};
  Result<model::Target> target = lookUpTarget(**module, *name);
  if (!target)
    return Error{target.error()};
  ErrorCollector errors(context);
  mlir::PassManager manager(&context);
  buildTCNormalize(manager);
  std::vector<explain::Section> sections;
  if (failed(manager.run(**module)) ||
      failed(explainAll(**module, *target, options, sections)))
    return errors.get(options.input + ": cannot be explained");
  if (sections.empty())
    return Error{options.input + ": no contraction in it needs a schedule"};

  if (Status status = writeExplanations(
          sections, {options.explainHtml, options.explainJson});
      !status)
    return Error{status.error()};
  if (!options.explain)
    return std::string();
  if (options.json)
    return explain::renderJson(sections);
  unsigned columns = llvm::sys::Process::StandardOutColumns();
  std::string text;
  for (const explain::Section &section : sections)
    text += (text.empty() ? "" : "\n") +
            explain::renderText(section, columns ? columns : defaultColumns);
  return text;
}
