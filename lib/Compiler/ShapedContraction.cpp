//===- ShapedContraction.cpp - Contractions for any shape -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/ShapedContraction.h"
#include "HostTranslation.h"

#include "tc/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using mlir::OwningOpRef;

/// The type of a tensor of that rank of which nothing else is known.
static MemRefType openType(MemRefType type) {
  constexpr int64_t any = ShapedType::kDynamic;
  SmallVector<int64_t> each(type.getRank(), any);
  return MemRefType::get(
      each, type.getElementType(),
      mlir::StridedLayoutAttr::get(type.getContext(), any, each),
      type.getMemorySpace());
}

/// Leaves open the extents, strides and offsets of all tensors that the
/// module's functions take and contract.
static void openShapes(ModuleOp module) {
  module.walk([](ContractOp op) {
    for (Value tensor : op.getTensors()) {
      auto type = dyn_cast<MemRefType>(tensor.getType());
      if (type && type.getRank() > 0 && isa<mlir::BlockArgument>(tensor))
        tensor.setType(openType(type));
    }
  });
  for (auto function : module.getOps<mlir::func::FuncOp>())
    function.setType(mlir::FunctionType::get(
        module.getContext(), function.getBody().getArgumentTypes(),
        function.getResultTypes()));
}

Result<ShapedCode> tc::compileForAnyShape(const Source &source,
                                          const CompileOptions &options) {
  DialectRegistry registry;
  registerAllTC(registry);
  registerCPUExportDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<OwningOpRef<ModuleOp>> module = makeModule(context, source);
  if (!module)
    return Error{module.error()};
  openShapes(**module);
  ShapedCode code;
  llvm::raw_string_ostream os(code.mlir);
  (*module)->print(os);
  ErrorCollector errors(context);
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  mlir::PassManager manager(&context);
  buildTCCPUPipeline(manager, pipeline);
  if (failed(manager.run(**module)))
    return errors.get(source.name + ": cannot be compiled");
  HostProgram program;
  if (Status status = translateForHost(**module, source.name, errors, program);
      !status)
    return Error{status.error()};
  code.object = std::move(program.object.object);
  code.header = std::move(program.header);
  return code;
}
