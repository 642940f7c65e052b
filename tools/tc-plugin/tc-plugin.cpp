//===- tc-plugin.cpp - The project for upstream's mlir-opt ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library that gives the dialect, the passes and the pipelines to
// programs that load plugins of MLIR.
//
//===----------------------------------------------------------------------===//

#include "tc/InitAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tc", TC_VERSION,
          [](mlir::DialectRegistry *registry) {
            tc::registerTCDialects(*registry);
          }};
}

extern "C" mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "tc", TC_VERSION,
          [] { tc::registerTCPasses(); }};
}
