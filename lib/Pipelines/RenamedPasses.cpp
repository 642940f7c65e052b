//===- RenamedPasses.cpp - Former names of passes -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The former names of passes, which pipelines may still use.
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cassert>

using namespace tc;

void tc::registerRenamedPasses() {
  struct Renamed {
    const char *former, *name, *description;
  };
  static constexpr Renamed renamed[] = {
      {"tc-add-versions", "tc-multi-version",
       "Former name of --tc-multi-version"},
      {"tc-dispatch-shapes", "tc-dispatch-versions",
       "Former name of --tc-dispatch-versions"},
      {"tc-lower-hand-over-sums", "tc-lower-convert-accumulators",
       "Former name of --tc-lower-convert-accumulators"},
      {"tc-lower-multiply-panels", "tc-lower-multiply-tiles",
       "Former name of --tc-lower-multiply-tiles"},
      {"tc-merge-sums", "tc-fuse-accumulations",
       "Former name of --tc-fuse-accumulations"},
      {"tc-run-time-shapes", "tc-dynamic-shapes",
       "Former name of --tc-dynamic-shapes"},
  };
  for (const Renamed &pass : renamed)
    mlir::registerPassPipeline(
        pass.former, pass.description,
        [name = pass.name](
            mlir::OpPassManager &manager, llvm::StringRef options,
            llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>
                error) {
          const mlir::PassInfo *info = mlir::PassInfo::lookup(name);
          assert(info && "a name that no pass has");
          return info->addToPipeline(manager, options, error);
        },
        [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}
