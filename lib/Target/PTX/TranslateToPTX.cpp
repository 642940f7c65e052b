//===- TranslateToPTX.cpp - From GPU kernels to PTX -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers contraction kernels to NVVM, then to LLVM IR, then to PTX.
//
//===----------------------------------------------------------------------===//

#include "DescribeKernels.h"
#include "Libdevice.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Dialect/TC/IR/ParameterNames.h"
#include "tc/Dialect/TC/IR/Saturation.h"
#include "tc/Dialect/TC/Utils/Symbols.h"
#include "tc/HostCode/TraceProgram.h"
#include "tc/Target/Common/Optimize.h"
#include "tc/Target/PTX/PTXExport.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>

using namespace tc;
namespace gpu = mlir::gpu;
namespace LLVM = mlir::LLVM;

void tc::registerPTXExportDialects(DialectRegistry &registry) {
  mlir::arith::registerConvertArithToLLVMInterface(registry);
  mlir::registerConvertComplexToLLVMInterface(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::registerConvertMemRefToLLVMInterface(registry);
  mlir::registerConvertNVVMToLLVMInterface(registry);
  mlir::ub::registerConvertUBToLLVMInterface(registry);
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

/// The one module that holds contraction kernels.
static FailureOr<gpu::GPUModuleOp> findKernels(ModuleOp module) {
  gpu::GPUModuleOp found;
  for (auto candidate : module.getOps<gpu::GPUModuleOp>()) {
    if (llvm::none_of(candidate.getOps<gpu::GPUFuncOp>(), isContractionKernel))
      continue;
    if (found) {
      candidate.emitError("is a second gpu.module with contraction kernels; "
                          "one at a time can be translated");
      return failure();
    }
    found = candidate;
  }
  if (!found)
    return module.emitError("has no gpu.func with '")
           << KernelAttr::attrName << "': run --tc-tile --tc-to-gpu first";
  return found;
}

/// Replaces an operation by the one of the LLVM dialect that does the same.
template <typename Op> static void replaceBy(mlir::Operation *op) {
  mlir::OpBuilder builder(op);
  auto same = Op::create(builder, op->getLoc(), op->getResultTypes(),
                         op->getOperands());
  op->replaceAllUsesWith(same->getResults());
  op->erase();
}

/// The same by the name of an intrinsic function, where the conversion of GPU
/// modules to NVVM takes the operation for one that is not supported.
static void callIntrinsic(mlir::Operation *op, StringRef name) {
  mlir::OpBuilder builder(op);
  auto call = LLVM::CallIntrinsicOp::create(
      builder, op->getLoc(), op->getResultTypes().front(),
      builder.getStringAttr(name), op->getOperands());
  op->replaceAllUsesWith(call->getResults());
  op->erase();
}

/// Arithmetic that chips have instructions for. Left as it is, it would become
/// calls of functions in a library.
static void useInstructions(ModuleOp module) {
  module.getContext()->loadDialect<LLVM::LLVMDialect>();
  module.walk([](mlir::Operation *op) {
    llvm::TypeSwitch<mlir::Operation *>(op)
        .Case<mlir::arith::MaxNumFOp>(replaceBy<LLVM::MaxNumOp>)
        .Case<mlir::arith::MinNumFOp>(replaceBy<LLVM::MinNumOp>)
        .Case<mlir::math::FmaOp>(replaceBy<LLVM::FMAOp>)
        .Case([](mlir::math::AbsFOp abs) { callIntrinsic(abs, "llvm.fabs"); })
        .Case([](mlir::math::AbsIOp abs) {
          mlir::OpBuilder builder(abs);
          abs.replaceAllUsesWith(
              LLVM::AbsOp::create(builder, abs.getLoc(), abs.getType(),
                                  abs.getOperand(),
                                  /*is_int_min_poison=*/false)
                  .getRes());
          abs.erase();
        })
        .Case(
            [](mlir::math::SqrtOp root) { callIntrinsic(root, "llvm.sqrt"); });
  });
}

/// Lowers a gpu.module to the NVVM and LLVM dialects.
static LogicalResult lowerToNVVM(ModuleOp module, bool lineInfo) {
  useInstructions(module);
  mlir::PassManager manager(module.getContext());
  // Upstream's passes alone run here, and LLVM verifies what they make, once.
  manager.enableVerifier(false);
  auto &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(mlir::createConvertNVGPUToNVVMPass());
  kernels.addPass(mlir::createSCFToControlFlowPass());
  mlir::ConvertGpuOpsToNVVMOpsOptions options;
  options.useBarePtrCallConv = true;
  kernels.addPass(mlir::createConvertGpuOpsToNVVMOps(options));
  kernels.addPass(mlir::createReconcileUnrealizedCastsPass());
  if (lineInfo) {
    // Directives only: with line tables, too, the backend would mark the PTX
    // as one to debug, which ptxas does not optimise.
    LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
    scopes.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  }
  return manager.run(module);
}

/// Dynamic shared memory has to be an external array, else it is one of size
/// zero of the kernel's own, and what lies behind it is not its.
static void externalizeDynamicShared(gpu::GPUModuleOp kernels) {
  for (auto global : kernels.getOps<LLVM::GlobalOp>()) {
    auto array = dyn_cast<LLVM::LLVMArrayType>(global.getType());
    if (array && array.getNumElements() == 0)
      global.setLinkage(LLVM::Linkage::External);
  }
}

/// Tells ptxas that one block on a multiprocessor is enough. Otherwise it
/// guesses how many are wanted, and may spill to fit them.
static void boundLaunches(gpu::GPUModuleOp kernels) {
  mlir::OpBuilder builder(kernels.getContext());
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(mlir::NVVM::NVVMDialect::getKernelFuncAttrName()))
      function->setAttr(mlir::NVVM::NVVMDialect::getMinctasmAttrName(),
                        builder.getI32IntegerAttr(1));
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const model::Target &target, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  // LLVM leaves a chip or a version out that it does not know, and makes code
  // for others.
  std::string version = "ptx" + std::to_string(target.ptxVersion);
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      backend->createMCSubtargetInfo(triple, "", ""));
  if (known && !known->isCPUStringValid(target.chip)) {
    error = "LLVM " LLVM_VERSION_STRING " has no such chip; a target with the "
            "figures of this one and the chip of an earlier one makes PTX that "
            "ptxas assembles for both";
    return nullptr;
  }
  auto isVersion = [&](const llvm::SubtargetFeatureKV &feature) {
    return StringRef(feature.Key) == version;
  };
  if (known && llvm::none_of(known->getAllProcessorFeatures(), isVersion)) {
    error = "LLVM " LLVM_VERSION_STRING " does not write version " +
            std::to_string(target.ptxVersion / 10) + "." +
            std::to_string(target.ptxVersion % 10) + " of PTX";
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, target.chip, "+ptx" + std::to_string(target.ptxVersion), options,
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// Keeps the backend from merging accesses: it would widen three neighbours to
/// four and so read beyond a buffer's end. The lowering has made accesses as
/// wide as they may be.
static void keepAccessesAsTheyAre(llvm::Module &module) {
  for (llvm::Function &function : module)
    function.addFnAttr(llvm::Attribute::NoImplicitFloat);
}

static FailureOr<std::string> emitPTX(gpu::GPUModuleOp kernels,
                                      const model::Target &target) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      mlir::translateModuleToLLVMIR(kernels, context, kernels.getName());
  if (!module)
    return failure();
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(target, error);
  if (!machine)
    return kernels.emitError("cannot make code for ")
           << target.chip << ": " << error;
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  if (Status status = linkLibdevice(*module); !status)
    return kernels.emitError("cannot make code for ")
           << target.chip << ": " << status.error();
  keepAccessesAsTheyAre(*module);
  // Vectors of which only elements are used stay one load.
  optimizeScheduled(*module, *machine, {"VectorCombinePass"});

  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return kernels.emitError("LLVM cannot emit PTX for ") << target.chip;
  codegen.run(*module);
  return ptx.str().str();
}

/// Describes the functions that launch several kernels, or one with constants.
static void addPrograms(ModuleOp module, CompiledModule &result) {
  const std::vector<runtime::Kernel> &kernels = result.package.kernels;
  llvm::StringMap<size_t> numbers;
  for (auto [number, kernel] : llvm::enumerate(kernels))
    numbers[kernel.entry] = number;
  auto findKernel = [&](mlir::Operation *op) -> std::optional<size_t> {
    auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
    auto found = launch ? numbers.find(launch.getKernelName().getValue())
                        : numbers.end();
    if (found == numbers.end())
      return std::nullopt;
    return found->second;
  };
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    size_t launches = 0;
    function.walk([&](gpu::LaunchFuncOp) { ++launches; });
    if (launches == 0 || function->hasAttr(versionOfAttrName))
      continue;
    Result<runtime::Program> program =
        traceProgram(function, kernels, findKernel);
    bool isKernelAlone =
        launches == 1 &&
        (!program ||
         (program->steps.size() == 1 &&
          llvm::all_of(program->steps[0].tensors,
                       [](const runtime::ProgramPlace &place) {
                         return place.kind ==
                                runtime::ProgramPlace::Kind::Parameter;
                       })));
    // A function that was a program before stays one.
    bool isNamed = function.getNumArguments() > 0 &&
                   function.getArgAttr(0, parameterNameAttrName);
    if (isKernelAlone && !isNamed)
      continue;
    if (program)
      result.package.programs.push_back(std::move(*program));
    else
      result.programObstacles.push_back("function " + function.getName().str() +
                                        ": " + program.error());
  }
}

FailureOr<CompiledModule> tc::translateToPTX(ModuleOp module,
                                             const PTXExportOptions &options) {
  FailureOr<gpu::GPUModuleOp> kernels = findKernels(module);
  if (failed(kernels))
    return failure();

  CompiledModule result;
  std::optional<model::Target> target;
  for (auto function : kernels->getOps<gpu::GPUFuncOp>()) {
    if (!isContractionKernel(function))
      return function.emitOpError("is no contraction kernel: it has no '")
             << KernelAttr::attrName << "'";
    FailureOr<KernelPlan> plan = planKernel(function);
    if (failed(plan))
      return failure();
    const model::Target &own = plan->contractions.front().target;
    if (target && target->name != own.name)
      return function.emitOpError("is for ")
             << own.name << ", but others of its module are for "
             << target->name;
    target = own;
    result.package.kernels.push_back(
        describeKernel(function.getName(), plan->contractions));
    result.package.kernels.back().nonsaturating = !saturates(function);
    if (auto original = function->getAttrOfType<StringAttr>(versionOfAttrName))
      result.package.kernels.back().versionOf = original.str();
  }
  result.package.name = result.package.kernels.front().entry;
  result.package.target = target->chip;
  addPrograms(module, result);

  mlir::OwningOpRef<ModuleOp> lowered = ModuleOp::create(module.getLoc());
  mlir::Operation *copy =
      mlir::OpBuilder::atBlockEnd(lowered->getBody()).clone(**kernels);
  // The definitions of the kernels are in the package by now.
  copy->walk([](gpu::GPUFuncOp function) {
    function.setName(kernelSymbol(function.getName()));
    function->removeAttr(KernelAttr::attrName);
  });
  if (failed(lowerToNVVM(*lowered, options.lineInfo)))
    return failure();
  gpu::GPUModuleOp nvvm = *lowered->getOps<gpu::GPUModuleOp>().begin();
  externalizeDynamicShared(nvvm);
  boundLaunches(nvvm);
  FailureOr<std::string> ptx = emitPTX(nvvm, *target);
  if (failed(ptx))
    return failure();
  result.ptx = std::move(*ptx);
  return result;
}
