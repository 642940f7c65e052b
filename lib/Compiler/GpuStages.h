//===- GpuStages.h - The pipeline for GPUs, stage by stage ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_COMPILER_GPUSTAGES_H
#define TC_LIB_COMPILER_GPUSTAGES_H

#include "tc/OnDemand/Compiler.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Support/MLIR/ErrorCollector.h"
#include "tc/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc {

/// The options of the pipeline that makes kernels as those say.
void setPipelineOptions(const DeviceOptions &options,
                        TCGPUPipelineOptions &pipeline);

/// Runs those stages of the pipeline that its options say, and calls `after`
/// behind each.
LogicalResult
runGPUStages(ModuleOp module, const TCGPUPipelineOptions &pipeline,
             const PipelineListeners &listeners = {},
             llvm::function_ref<void(Stage, ModuleOp)> after = {});

/// True if a pass has told that buffers keep a group which passes formed from
/// being one kernel, and that it is one no more.
bool areGroupsDissolved(const ErrorCollector &errors);

/// Compiles a module with groups where that is faster, or without any where one
/// has been dissolved: what is compiled is said before tensors become buffers,
/// which tell.
///
/// @param compile  takes the options and whether groups were dissolved, which
///                 it says; what it returns then is dropped
template <typename T, typename Options>
Result<T> compileInGroupsThatFit(
    ModuleOp module, const Options &options,
    llvm::function_ref<Result<T>(const Options &, bool &dissolved)> compile) {
  bool dissolved = false;
  if (!options.schedule.empty() ||
      (!options.mergesSums && !options.fusesChains))
    return compile(options, dissolved);
  mlir::OwningOpRef<ModuleOp> copy = module.clone();
  Result<T> made = compile(options, dissolved);
  if (!dissolved)
    return made;
  Options apart = options;
  apart.mergesSums = apart.fusesChains = false;
  module.getBodyRegion().takeBody(copy->getBodyRegion());
  module->setAttrs((*copy)->getAttrDictionary());
  return compile(apart, dissolved);
}

} // namespace tc

#endif // TC_LIB_COMPILER_GPUSTAGES_H
