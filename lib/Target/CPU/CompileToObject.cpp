//===- CompileToObject.cpp - From loops and vectors to an object file -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerToLLVM.h"
#include "OptimizeLoops.h"

#include "tc/Target/CPU/CPUExport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
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

CodeTarget tc::hostCodeTarget() {
  std::map<std::string, bool> present;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    present.emplace(feature.first(), feature.second);
  llvm::SubtargetFeatures features;
  for (const auto &[name, isPresent] : present)
    features.AddFeature(name, isPresent);
  return {llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(),
          features.getString()};
}

/// Makes LLVM know the backend of this machine, or else all of them.
static void initializeBackends(const llvm::Triple &triple) {
  if (triple.getArch() ==
      llvm::Triple(llvm::sys::getProcessTriple()).getArch()) {
    static std::once_flag once;
    std::call_once(once, [] {
      llvm::InitializeNativeTarget();
      llvm::InitializeNativeTargetAsmPrinter();
    });
    return;
  }
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
}

static Result<std::unique_ptr<llvm::TargetMachine>>
createMachine(const CodeTarget &target) {
  llvm::Triple triple(llvm::Triple::normalize(target.triple));
  initializeBackends(triple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return Error{error};
  if (!triple.isArch64Bit())
    return Error{"triple '" + target.triple +
                 "': addresses have to have 64 bits"};
  llvm::TargetOptions options;
  // What is fused stands in the code: else it would depend on how blocks are
  // cut which additions of C are.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  // The micro-kernel's loop is fetched by whole lines: where it begins in the
  // midst of one, it loses some hundredths of its rate.
  options.LoopAlignment = 64;
  auto create = [&](StringRef cpu, StringRef features) {
    return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
        triple, cpu, features, options, llvm::Reloc::PIC_, std::nullopt,
        llvm::CodeGenOptLevel::Aggressive));
  };
  // LLVM would print what it does not know and go on without it.
  auto least = create("", "");
  const llvm::MCSubtargetInfo &known = *least->getMCSubtargetInfo();
  if (!target.cpu.empty() && !known.isCPUStringValid(target.cpu))
    return Error{"LLVM knows no CPU '" + target.cpu + "' of triple '" +
                 target.triple + "'"};
  llvm::SubtargetFeatures features(target.features);
  for (const std::string &feature : features.getFeatures())
    if (!llvm::any_of(known.getAllProcessorFeatures(),
                      [&](const llvm::SubtargetFeatureKV &entry) {
                        return llvm::SubtargetFeatures::StripFlag(feature) ==
                               entry.Key;
                      }))
      return Error{"LLVM knows no feature '" + feature + "' of triple '" +
                   target.triple + "'"};
  return create(target.cpu, target.features);
}

/// Vectors are as wide as the schedule asks for, whatever the CPU prefers: else
/// some targets would split them.
static void keepVectorsWhole(llvm::Module &module) {
  for (llvm::Function &function : module) {
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
  }
}

FailureOr<CompiledObject> tc::compileToObject(ModuleOp module,
                                              const CodeTarget &target) {
  Result<std::unique_ptr<llvm::TargetMachine>> created = createMachine(target);
  if (!created)
    return mlir::emitError(module.getLoc(), created.error());
  llvm::TargetMachine &machine = **created;
  CompiledObject compiled;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function->hasAttr(outlinedAttrName))
      compiled.functions.push_back(function.getName().str());
    else if (!function->hasAttr(programAttrName) &&
             !function->hasAttr(programWorkspaceBytesAttrName))
      // Its name is one that the user chose, which may be that of a function
      // that the code calls. So it goes, as nothing needs it.
      function.setPrivate();
  }
  markIndexArithmetic(module);
  if (failed(lowerToLLVM(module, machine)))
    return failure();

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      mlir::translateModuleToLLVMIR(module, context);
  if (!translated)
    return failure();
  translated->setTargetTriple(machine.getTargetTriple());
  translated->setDataLayout(machine.createDataLayout());
  keepVectorsWhole(*translated);
  // A function that runs several contractions would have copies of all of them.
  for (const std::string &name : compiled.functions)
    translated->getFunction(name)->addFnAttr(llvm::Attribute::NoInline);
  optimizeLoops(*translated, machine);

  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return mlir::emitError(module.getLoc(),
                           "LLVM emits no object files for triple '")
           << target.triple << "'";
  codegen.run(*translated);
  compiled.object = object.str().str();
  return compiled;
}
