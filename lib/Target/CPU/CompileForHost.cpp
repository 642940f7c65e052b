//===- CompileForHost.cpp - From loops and vectors to an object file ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BFloat16.h"
#include "VectorMath.h"

#include "tc/Target/CPU/CPUExport.h"
#include "tc/Target/Optimize.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <map>
#include <mutex>

using namespace tc;

void tc::registerCPUExportDialects(DialectRegistry &registry) {
  mlir::registerAllToLLVMIRTranslations(registry);
}

static bool contains(ModuleOp module, StringRef dialect) {
  return module
      .walk([&](Operation *op) {
        return op->getName().getDialectNamespace() == dialect
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

static LogicalResult lowerToLLVM(ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  // Upstream's passes alone run here. What they make is verified once, when it
  // is translated; doing so after each of them takes a third of their time.
  manager.enableVerifier(false);
  // Most modules have nothing for these passes, which take milliseconds.
  if (contains(module, "linalg"))
    manager.addNestedPass<mlir::func::FuncOp>(
        mlir::createConvertLinalgToLoopsPass());
  bool hasBFloat16 = usesBFloat16(module);
  if (hasBFloat16)
    addBFloat16Arithmetic(manager);
  if (contains(module, "math")) {
    manager.addPass(
        createVectorMathPass(llvm::Triple(llvm::sys::getProcessTriple()),
                             describeHostCpu().features));
    manager.addPass(mlir::createConvertMathToLLVMPass());
    manager.addPass(mlir::createConvertMathToLibmPass());
  }
  if (contains(module, "complex")) {
    manager.addPass(mlir::createConvertComplexToStandardPass());
    manager.addPass(mlir::createConvertComplexToLLVMPass());
  }
  manager.addPass(mlir::memref::createExpandStridedMetadataPass());
  manager.addPass(mlir::createLowerAffinePass());
  manager.addPass(mlir::createSCFToControlFlowPass());
  manager.addPass(mlir::createConvertVectorToLLVMPass());
  manager.addPass(mlir::createFinalizeMemRefToLLVMConversionPass());
  mlir::ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  manager.addPass(mlir::createConvertFuncToLLVMPass(functions));
  manager.addPass(mlir::createArithToLLVMConversionPass());
  manager.addPass(mlir::createConvertControlFlowToLLVMPass());
  manager.addPass(mlir::createConvertOpenMPToLLVMPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  if (failed(manager.run(module)))
    return failure();
  if (hasBFloat16)
    replaceBFloat16ByBits(module);
  return success();
}

HostCpu tc::describeHostCpu() {
  std::map<std::string, bool> present;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    present.emplace(feature.first(), feature.second);
  llvm::SubtargetFeatures features;
  for (const auto &[name, isPresent] : present)
    features.AddFeature(name, isPresent);
  return {llvm::sys::getHostCPUName().str(), features.getString()};
}

static std::unique_ptr<llvm::TargetMachine>
createHostMachine(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  HostCpu cpu = describeHostCpu();
  llvm::TargetOptions options;
  // What is fused stands in the code: else it would depend on how blocks are
  // cut which additions of C are.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, cpu.name, cpu.features, options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Passes that take time and find nothing to do in loops over packed panels:
/// without them, the code of the TCCG benchmark's contractions is the same.
static constexpr llvm::StringRef idlePasses[] = {"BDCEPass",
                                                 "ConstraintEliminationPass",
                                                 "LoopDistributePass",
                                                 "LoopFullUnrollPass",
                                                 "LoopLoadEliminationPass",
                                                 "LoopSinkPass",
                                                 "LoopVectorizePass",
                                                 "SLPVectorizerPass",
                                                 "SimpleLoopUnswitchPass"};

/// Vectors are as wide as the schedule asks for, whatever the CPU prefers: else
/// some targets would split them.
static void keepVectorsWhole(llvm::Module &module) {
  for (llvm::Function &function : module) {
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
  }
}

FailureOr<CompiledObject> tc::compileForHost(ModuleOp module) {
  CompiledObject compiled;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function->hasAttr("tc.contraction"))
      compiled.functions.push_back(function.getName().str());
  if (failed(lowerToLLVM(module)))
    return failure();

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      mlir::translateModuleToLLVMIR(module, context);
  if (!translated)
    return failure();
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createHostMachine(error);
  if (!machine)
    return module.emitError("cannot make code for this machine: ") << error;
  translated->setTargetTriple(machine->getTargetTriple());
  translated->setDataLayout(machine->createDataLayout());
  keepVectorsWhole(*translated);
  optimizeScheduled(*translated, *machine, idlePasses);

  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return module.emitError("LLVM cannot emit object files for this machine");
  codegen.run(*translated);
  compiled.object = object.str().str();
  return compiled;
}
