//===- LowerToLLVM.cpp - From loops and vectors to the LLVM dialect -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's patterns in two passes: loops become branches, and then all that
// is left is converted at once. One pass for each dialect, as upstream has
// them, takes twice the time, as each walks through all and makes casts that
// the next one removes.
//
//===----------------------------------------------------------------------===//

#include "LowerToLLVM.h"

#include "BFloat16.h"
#include "CarryPositions.h"
#include "FoldDescriptors.h"
#include "LowerLoops.h"
#include "OutlineTeams.h"
#include "VectorMath.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/OpenMPToLLVM/ConvertOpenMPToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace tc;
namespace arith = mlir::arith;
namespace cf = mlir::cf;
namespace func = mlir::func;
namespace math = mlir::math;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

namespace {

/// Contents that few modules have, so that few run the passes for them.
struct Contents {
  explicit Contents(ModuleOp module);

  bool linalg = false, complex = false, affine = false;
  /// Functions, which are called or computed by many instructions.
  bool functions = false;
  /// Views whose offsets and strides are to be computed.
  bool views = false;
  /// Operations on vectors that upstream takes apart in a pass of its own.
  bool composedVectors = false;
};

/// Converts all that is left, by the patterns of all dialects at once.
struct ConvertToLLVM
    : public mlir::PassWrapper<ConvertToLLVM, mlir::OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertToLLVM)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<mlir::LLVM::LLVMDialect>();
  }

  void runOnOperation() override;
};

} // namespace

Contents::Contents(ModuleOp module) {
  module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    linalg |= dialect == "linalg";
    complex |= dialect == "complex";
    affine |= dialect == "affine";
    functions |= dialect == "math" && !isa<math::FmaOp>(op);
    views |= isa<memref::SubViewOp, memref::ExtractStridedMetadataOp,
                 memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CopyOp,
                 memref::TransposeOp>(op);
    composedVectors |=
        dialect == "vector" &&
        !isa<vector::LoadOp, vector::StoreOp, vector::FMAOp, vector::ShuffleOp,
             vector::MaskedLoadOp, vector::MaskedStoreOp>(op) &&
        !(isa<vector::BroadcastOp>(op) &&
          !isa<mlir::VectorType>(op->getOperand(0).getType()));
  });
}

/// Says that vectors are aligned as their elements are, which upstream's
/// patterns take for granted, too, but look up anew for each.
template <typename OpT> static void alignAsElements(OpT op) {
  Type elementType = op.getVectorType().getElementType();
  if (op.getAlignment() || !elementType.isIntOrFloat())
    return;
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (bits % 8 == 0 && llvm::isPowerOf2_32(bits))
    op.setAlignment(bits / 8);
}

void ConvertToLLVM::runOnOperation() {
  mlir::MLIRContext &context = getContext();
  ModuleOp module = getOperation();
  module.walk([](Operation *op) {
    if (auto load = dyn_cast<vector::LoadOp>(op))
      alignAsElements(load);
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      alignAsElements(store);
  });
  const auto &dataLayout = getAnalysis<mlir::DataLayoutAnalysis>();
  mlir::LowerToLLVMOptions options(&context, dataLayout.getAtOrAbove(module));
  options.useBarePtrCallConv = true;
  mlir::LLVMTypeConverter converter(&context, options, &dataLayout);
  mlir::SymbolTableCollection symbols;
  mlir::RewritePatternSet patterns(&context);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  cf::populateAssertToLLVMConversionPattern(converter, patterns,
                                            /*abortOnFailure=*/true, &symbols);
  mlir::populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
  mlir::populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns,
                                                       &symbols);
  mlir::populateMathToLLVMConversionPatterns(converter, patterns);
  mlir::populateOpenMPToLLVMConversionPatterns(converter, patterns);
  mlir::populateVectorToLLVMConversionPatterns(converter, patterns);
  mlir::LLVMConversionTarget target(context);
  target.addLegalOp<ModuleOp>();
  target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                           func::FuncDialect, math::MathDialect,
                           memref::MemRefDialect, vector::VectorDialect>();
  mlir::configureOpenMPToLLVMConversionLegality(target, converter);
  mlir::ConversionConfig config;
  config.allowPatternRollback = false;
  config.foldingMode = mlir::DialectConversionFoldingMode::Never;
  if (failed(mlir::applyPartialConversion(module, target, std::move(patterns),
                                          config)))
    signalPassFailure();
}

/// The features of a machine, with a sign each.
static std::string featuresOf(const llvm::TargetMachine &machine) {
  llvm::SubtargetFeatures features;
  for (const llvm::SubtargetFeatureKV &feature :
       machine.getMCSubtargetInfo()->getEnabledProcessorFeatures())
    features.AddFeature(feature.Key);
  return features.getString();
}

LogicalResult tc::lowerToLLVM(ModuleOp module,
                              const llvm::TargetMachine &machine,
                              bool carriesPositions) {
  // Upstream's patterns alone run here. Their output is verified once, when it
  // is translated; doing so after each pass takes a third of their time.
  //
  // Callers of the functions may go, and have contents that these lack.
  mlir::PassManager unused(module.getContext());
  unused.enableVerifier(false);
  unused.addPass(mlir::createSymbolDCEPass());
  if (failed(unused.run(module)))
    return failure();
  mlir::PassManager manager(module.getContext());
  manager.enableVerifier(false);
  Contents contents(module);
  if (contents.linalg)
    manager.addNestedPass<func::FuncOp>(mlir::createConvertLinalgToLoopsPass());
  bool hasBFloat16 = usesBFloat16(module);
  if (hasBFloat16)
    addBFloat16Arithmetic(manager);
  if (contents.functions) {
    manager.addPass(
        createVectorMathPass(machine.getTargetTriple(), featuresOf(machine)));
    manager.addPass(mlir::createConvertMathToLLVMPass());
    manager.addPass(mlir::createConvertMathToLibmPass());
  }
  if (contents.complex) {
    manager.addPass(mlir::createConvertComplexToStandardPass());
    manager.addPass(mlir::createConvertComplexToLLVMPass());
  }
  if (contents.views || contents.linalg)
    manager.addPass(memref::createExpandStridedMetadataPass());
  if (contents.views || contents.linalg || contents.affine)
    manager.addPass(mlir::createLowerAffinePass());
  if (carriesPositions)
    manager.addPass(createCarryPositionsPass());
  manager.addPass(createLowerLoopsPass());
  if (contents.composedVectors || contents.functions || hasBFloat16)
    manager.addPass(mlir::createConvertVectorToLLVMPass());
  manager.addPass(std::make_unique<ConvertToLLVM>());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  manager.addPass(createFoldDescriptorsPass());
  manager.addPass(createOutlineTeamsPass());
  if (failed(manager.run(module)))
    return failure();
  if (hasBFloat16)
    replaceBFloat16ByBits(module);
  return success();
}
