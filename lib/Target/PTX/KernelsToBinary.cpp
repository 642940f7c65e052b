//===- KernelsToBinary.cpp - Compile kernels where they are launched ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the code of contraction kernels into the module that launches them, for
// upstream's gpu-to-llvm and its translation of launches to take over.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/Passes.h"

#include "tc/Conversion/TCToGPU/KernelPlan.h"
#include "tc/Dialect/TC/Utils/Symbols.h"
#include "tc/Target/PTX/PTXExport.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace tc {
#define GEN_PASS_DEF_TCKERNELSTOBINARY
#include "tc/Target/PTX/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
namespace NVVM = mlir::NVVM;

/// Optimised when it was compiled; what is reported to the driver.
static constexpr int optimizationLevel = 3;

/// Makes global memory of the GPU ordinary memory in code of the host.
static void unmarkGlobalMemory(ModuleOp module) {
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
    auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
    if (!space || space.getValue() != gpu::AddressSpace::Global)
      return std::nullopt;
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
  });
  for (Operation &op : *module.getBody()) {
    if (isa<gpu::GPUModuleOp, gpu::BinaryOp>(op))
      continue;
    replacer.recursivelyReplaceElementsIn(&op, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    op.walk([](memref::MemorySpaceCastOp cast) {
      if (cast.getSource().getType() != cast.getType())
        return;
      cast.replaceAllUsesWith(cast.getSource());
      cast.erase();
    });
  }
}

namespace {

struct KernelsToBinary
    : public tc::impl::TCKernelsToBinaryBase<KernelsToBinary> {
  using TCKernelsToBinaryBase::TCKernelsToBinaryBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect,
                    NVVM::NVVMDialect>();
    registerPTXExportDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool asCubin = format == "cubin";
    if (!asCubin && format != "ptx") {
      module.emitError("option 'format': '")
          << format << "' is neither ptx nor cubin";
      return signalPassFailure();
    }
    gpu::GPUModuleOp kernels = findKernels();
    if (!kernels)
      return;
    FailureOr<CompiledModule> compiled = translateToPTX(module);
    if (failed(compiled))
      return signalPassFailure();
    std::string code = std::move(compiled->ptx);
    const std::string &chip = compiled->package.target;
    if (asCubin) {
      Result<Assembly> assembly = assemble(code, chip);
      if (!assembly) {
        module.emitError(assembly.error());
        return signalPassFailure();
      }
      code = std::move(assembly->cubin);
    }
    OpBuilder builder(kernels);
    auto target = NVVM::NVVMTargetAttr::get(&getContext(), optimizationLevel,
                                            "nvptx64-nvidia-cuda", chip);
    auto object = gpu::ObjectAttr::get(
        target,
        asCubin ? gpu::CompilationTarget::Binary
                : gpu::CompilationTarget::Assembly,
        builder.getStringAttr(code),
        builder.getDictionaryAttr(builder.getNamedAttr(
            "O", builder.getI32IntegerAttr(optimizationLevel))));
    gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                          /*offloadingHandler=*/Attribute(),
                          ArrayRef<Attribute>{object});
    module.walk([&](gpu::LaunchFuncOp launch) {
      if (launch.getKernelModuleName() == kernels.getNameAttr())
        launch.setKernelAttr(mlir::SymbolRefAttr::get(
            kernels.getNameAttr(),
            mlir::FlatSymbolRefAttr::get(
                &getContext(), kernelSymbol(launch.getKernelName()))));
    });
    kernels.erase();
    unmarkGlobalMemory(module);
  }

  /// The first module of kernels; that it is the only one, the translation
  /// checks.
  gpu::GPUModuleOp findKernels() {
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>())
      if (llvm::any_of(kernels.getOps<gpu::GPUFuncOp>(), isContractionKernel))
        return kernels;
    return {};
  }
};

} // namespace
