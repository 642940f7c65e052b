//===- Optimize.cpp - Optimisation of scheduled code ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Common/Optimize.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

void tc::runPasses(llvm::Module &module, llvm::PassBuilder &builder,
                   llvm::ModulePassManager passes) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  passes.run(module, modules);
}

void tc::optimizeScheduled(llvm::Module &module, llvm::TargetMachine &machine,
                           llvm::ArrayRef<llvm::StringRef> leftOut) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](llvm::StringRef pass, const llvm::Any &) {
        return !llvm::is_contained(leftOut, pass);
      });
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  runPasses(module, builder,
            builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2));
}
