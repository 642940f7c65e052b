//===- InitAll.h - Registration of everything in the project ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialects, extensions and passes that the tools register: upstream's, and
// the project's own. Also includes the headers that a front end needs:
// operations, pipelines, and the ways to object code and PTX.
//
//===----------------------------------------------------------------------===//

#ifndef TC_INITALL_H
#define TC_INITALL_H

#include "tc/Conversion/ExpandFloat8/Passes.h"
#include "tc/Conversion/LinalgToTC/Passes.h"
#include "tc/Conversion/TCToCPU/Passes.h"
#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Conversion/TCToLinalg/Passes.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Transforms/Passes.h"
#include "tc/Judge/MachineCodeJudge.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Sharding/ContractSharding.h"
#include "tc/Target/CPU/CPUExport.h"
#include "tc/Target/PTX/PTXExport.h"
#include "tc/Target/PTX/Passes.h"
#include "tc/TransformOps/TCTransformOps.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

namespace tc {

/// Registers the project's dialects and their extensions.
inline void registerTCDialects(DialectRegistry &registry) {
  registry.insert<TCDialect>();
  registerTransformDialectExtension(registry);
  registerMachineCodeJudge(registry);
  registerContractSharding(registry);
}

/// Registers upstream's dialects and extensions along with the project's.
inline void registerAllTC(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerTCDialects(registry);
}

/// Registers the project's passes and pipelines.
inline void registerTCPasses() {
  registerTCTransformsPasses();
  registerExpandFloat8Passes();
  registerLinalgToTCPasses();
  registerTCToCPUPasses();
  registerTCToGPUPasses();
  registerTCToLinalgPasses();
  registerTCTargetPTXPasses();
  registerTCPipelines();
  registerRenamedPasses();
}

/// Registers upstream's passes along with the project's.
inline void registerAllTCPasses() {
  mlir::registerAllPasses();
  registerTCPasses();
}

} // namespace tc

#endif // TC_INITALL_H
