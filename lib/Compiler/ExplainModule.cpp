//===- ExplainModule.cpp - Reasons for a module's schedules ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/ExplainModule.h"
#include "GpuStages.h"

#include "tc/Analysis/TargetLookup.h"
#include "tc/Analysis/WrittenIndices.h"

#include "llvm/ADT/STLExtras.h"

using namespace tc;

using Sections = std::vector<explain::Section>;

/// The same as `explainModule`, once: `dissolved` becomes true where buffers
/// keep a group that passes have made from being the one kernel that is
/// explained.
static Result<Sections> explainOnce(ModuleOp module, const std::string &name,
                                    const ExplainOptions &options,
                                    bool &dissolved) {
  ErrorCollector errors(*module.getContext());
  Sections sections;
  PipelineListeners listeners;
  std::optional<std::string> orders;
  listeners.takeOrders = [&](std::string text) { orders = std::move(text); };
  std::vector<std::string> fusions;
  listeners.takeFusions = [&](const std::string &line) {
    fusions.push_back(line);
  };
  listeners.schedules.givenName = options.scheduleName;
  listeners.schedules.take = [&](Sections made) { sections = std::move(made); };
  TCGPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  pipeline.runnersUp = options.runnersUp;
  pipeline.to = Stage::Schedule;
  if (failed(runGPUStages(module, pipeline, listeners,
                          [](Stage stage, ModuleOp fused) {
                            if (stage == Stage::Fuse)
                              noteWrittenIndices(fused);
                          })))
    return errors.get(name + ": cannot be explained");
  dissolved = areGroupsDissolved(errors);
  if (!dissolved && orders && options.takeOrders)
    options.takeOrders(std::move(*orders));
  if (!dissolved && options.takeFusions)
    llvm::for_each(fusions, options.takeFusions);
  if (sections.empty())
    return Error{name + ": no contraction in it needs a schedule"};
  return sections;
}

Result<Sections> tc::explainModule(ModuleOp module, const std::string &name,
                                   const ExplainOptions &options) {
  Result<model::Target> target = lookUpTarget(module, options.target);
  if (!target)
    return Error{target.error()};
  return compileInGroupsThatFit<Sections, ExplainOptions>(
      module, options, [&](const ExplainOptions &tried, bool &dissolved) {
        return explainOnce(module, name, tried, dissolved);
      });
}
