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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
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

static CodeTarget findHostCodeTarget() {
  std::map<std::string, bool> present;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    present.emplace(feature.first(), feature.second);
  llvm::SubtargetFeatures features;
  for (const auto &[name, isPresent] : present)
    features.AddFeature(name, isPresent);
  return {llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(),
          features.getString()};
}

CodeTarget tc::hostCodeTarget() {
  // Hypervisors take long to tell what a CPU can do.
  static const auto *target = new CodeTarget(findHostCodeTarget());
  return *target;
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
  // Fused operations stand in the code: else the additions of C that are fused
  // would depend on how blocks are cut.
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

/// The same, kept by each thread for the next module: it takes a millisecond.
static Result<llvm::TargetMachine *> machineFor(const CodeTarget &target) {
  thread_local CodeTarget last;
  thread_local std::unique_ptr<llvm::TargetMachine> kept;
  if (!kept || target != last) {
    Result<std::unique_ptr<llvm::TargetMachine>> made = createMachine(target);
    if (!made)
      return Error{made.error()};
    kept = std::move(*made);
    last = target;
  }
  return kept.get();
}

/// Vectors are as wide as the schedule asks for, whatever the CPU prefers: else
/// some targets would split them.
static void keepVectorsWhole(llvm::Module &module) {
  for (llvm::Function &function : module) {
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
  }
}

namespace {

/// LLVM's passes from its IR to machine code, but those that find nothing to do
/// in such code, or nothing that pays.
class CodegenPasses : public llvm::legacy::PassManagerBase {
public:
  explicit CodegenPasses(bool carriesPositions)
      : carriesPositions(carriesPositions) {}

  void add(llvm::Pass *pass) override {
    if (isLeftOut(pass->getPassName()))
      delete pass;
    else
      passes.add(pass);
  }

  void run(llvm::Module &module) { passes.run(module); }

private:
  bool isLeftOut(StringRef name) const {
    // Positions grow by loops' steps already. And loop invariants are outside
    // of loops: further hoisting takes registers that accumulators need, which
    // would be spilled.
    if (name == "Loop Strength Reduction" ||
        name == "Early Machine Loop Invariant Code Motion")
      return carriesPositions;
    // There are no calls of libraries, large constants, chains of comparisons
    // or conditional moves, and vectors are what the schedule asks for.
    return llvm::is_contained(
        {"Canonicalize Freeze Instructions in Loops",
         "Merge contiguous icmps into a memcmp",
         "Expand memcmp() to load/stores", "Constant Hoisting",
         "Partially inline calls to library functions",
         "Replace intrinsics with calls to vector library",
         "Interleaved Access Pass", "X86 Partial Reduction",
         "X86 Domain Reassignment Pass", "X86 cmov Conversion",
         "Early If-Conversion"},
        name);
  }

  llvm::legacy::PassManager passes;
  bool carriesPositions;
};

} // namespace

/// Returns true if there are panels, which loops run through step by step.
/// Loops without them read many places in each step: some of these lose an
/// eighth of their rate where LLVM does not choose addresses, and are compiled
/// soon anyway.
static bool packs(ModuleOp module) {
  return module
      .walk([](mlir::memref::AllocOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

FailureOr<CompiledObject> tc::compileToObject(ModuleOp module,
                                              const CodeTarget &target) {
  Result<llvm::TargetMachine *> created = machineFor(target);
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
  bool carries = machine.getTargetTriple().isX86() && packs(module);
  if (failed(lowerToLLVM(module, machine, carries)))
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
  CodegenPasses codegen(carries);
  if (machine.addPassesToEmitFile(codegen, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return mlir::emitError(module.getLoc(),
                           "LLVM emits no object files for triple '")
           << target.triple << "'";
  codegen.run(*translated);
  compiled.object = object.str().str();
  return compiled;
}
