//===- Compile.cpp - From the input to kernels ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Definition.h"
#include "ErrorCollector.h"
#include "Input.h"

#include "tc/Analysis/TargetLookup.h"
#include "tc/InitAll.h"
#include "tc/Model/TargetFile.h"
#include "tc/Runtime/Check.h"
#include "tc/Runtime/PackageSimulation.h"
#include "tc/Runtime/Report.h"
#include "tc/Target/PTX/PTXExport.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>

using namespace tc;
using namespace tc::run;
using mlir::OwningOpRef;

EmptyContraction run::describeEmpty(ContractOp op) {
  EmptyContraction empty;
  for (StringAttr label : op.getIndices(model::Tensor::C))
    empty.output += (empty.output.empty() ? "C[" : ",") + label.str();
  empty.output += empty.output.empty() ? "C[]" : "]";
  for (StringAttr label : op.getLabels())
    if (op.getExtent(label) == 0)
      empty.index = label.str();
  return empty;
}

/// Writes down what each contraction computes, before anything is rewritten.
static LogicalResult defineAll(ModuleOp module, Program &program) {
  auto result = module.walk([&](ContractOp op) {
    if (op.hasZeroExtent()) {
      program.empty.push_back(describeEmpty(op));
      return mlir::WalkResult::advance();
    }
    FailureOr<runtime::Kernel> definition = defineContraction(op);
    if (failed(definition))
      return mlir::WalkResult::interrupt();
    program.definitions.push_back(std::move(*definition));
    return mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}

/// Checks that the kernels are those of the contractions, one each, in order.
static Status matchKernels(const Program &program) {
  const std::vector<runtime::Kernel> &kernels = program.loaded.package.kernels;
  if (kernels.size() != program.definitions.size())
    return Error{std::to_string(program.definitions.size()) +
                 " contractions were compiled to " +
                 std::to_string(kernels.size()) + " kernels"};
  for (size_t i = 0; i < kernels.size(); ++i)
    if (Status status =
            runtime::checkSameBuffers(program.definitions[i], kernels[i]);
        !status)
      return status;
  return {};
}

Result<std::string> run::chooseTarget(ModuleOp module, const Options &options) {
  if (options.targetFile.empty()) {
    Result<model::Target> target = lookUpTarget(module, options.chip);
    if (!target)
      return Error{"--chip: " + target.error()};
    return options.chip;
  }
  Result<model::Target> target = model::loadTarget(options.targetFile);
  if (!target)
    return Error{"--target-file: " + target.error()};
  module.getContext()->loadDialect<mlir::DLTIDialect>();
  attachTarget(module, *target);
  return target->name;
}

static Status compileModule(ModuleOp module, const Options &options,
                            Program &program) {
  MLIRContext &context = *module.getContext();
  ErrorCollector errors(context);
  const std::string &input = options.input;
  Result<std::string> target = chooseTarget(module, options);
  if (!target)
    return Error{target.error()};
  if (failed(defineAll(module, program)))
    return errors.get(input + ": cannot be run");
  bool hasContractions = !program.definitions.empty() || !program.empty.empty();
  if (hasContractions && program.definitions.empty())
    return {};
  // A module without contractions may hold kernels that were made before.
  if (!hasContractions && module.getOps<mlir::gpu::GPUModuleOp>().empty())
    return Error{input + ": no contraction in it"};

  if (hasContractions) {
    TCGPUPipelineOptions pipeline;
    pipeline.target = *target;
    pipeline.schedule = options.schedule;
    mlir::PassManager manager(&context);
    buildTCGPUPipeline(manager, pipeline);
    if (failed(manager.run(module)))
      return errors.get(input + ": cannot be compiled");
  }
  if (options.profile || !options.mlir.empty())
    program.listing = makeListing(module, options.mlir.empty() ? "lowered.mlir"
                                                               : options.mlir);
  PTXExportOptions exportOptions;
  exportOptions.lineInfo = options.profile.has_value();
  FailureOr<CompiledModule> compiled = translateToPTX(module, exportOptions);
  if (failed(compiled))
    return errors.get(input + ": cannot be translated to PTX");
  program.loaded.package = std::move(compiled->package);
  program.loaded.code = std::move(compiled->ptx);
  program.loaded.codePath = "PTX";
  return hasContractions ? matchKernels(program) : Status();
}

static Result<Program> loadPackageProgram(const Options &options) {
  if (Status status = rejectNotationOptions(options); !status)
    return Error{status.error()};
  if (!options.schedule.empty())
    return Error{"--schedule: " + options.input + " is already compiled"};
  if (!options.mlir.empty())
    return Error{"--save-mlir: " + options.input + " is already compiled"};
  if (!options.targetFile.empty())
    return Error{"--target-file: " + options.input + " is already compiled"};
  Result<runtime::LoadedPackage> loaded = runtime::loadPackage(options.input);
  if (!loaded)
    return Error{loaded.error()};
  Program program;
  program.loaded = std::move(*loaded);
  if (Status status = runtime::checkAgainstCode(program.loaded); !status)
    return Error{options.input + ": " + status.error()};
  return program;
}

/// Factors that nothing takes would be ignored; say so instead.
static Status checkFactors(const Options &options, const Program &program) {
  auto anyTakes = [&](runtime::Scalar runtime::Kernel::*factor) {
    return llvm::any_of(program.loaded.package.kernels,
                        [&](const runtime::Kernel &kernel) {
                          return (kernel.*factor).isArgument;
                        });
  };
  if (options.alpha && !anyTakes(&runtime::Kernel::alpha))
    return Error{"--alpha: no kernel of " + options.input +
                 " takes it as an argument"};
  if (options.beta && !anyTakes(&runtime::Kernel::beta))
    return Error{"--beta: no kernel of " + options.input +
                 " takes it as an argument"};
  return {};
}

Result<Program> run::loadProgram(const Options &options) {
  Result<InputKind> kind = kindOf(options.input);
  if (!kind)
    return Error{kind.error()};
  if (*kind == InputKind::Package) {
    Result<Program> program = loadPackageProgram(options);
    if (!program)
      return program;
    if (Status status = checkFactors(options, *program); !status)
      return Error{status.error()};
    return program;
  }

  auto begin = std::chrono::steady_clock::now();
  DialectRegistry registry;
  registerAllTC(registry);
  registerPTXExportDialects(registry);
  // Contractions are small programs: threads would cost more than they give.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<OwningOpRef<ModuleOp>> module = readModule(context, options, *kind);
  if (!module)
    return Error{module.error()};
  Program program;
  if (Status status = compileModule(**module, options, program); !status)
    return Error{status.error()};
  program.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (*kind == InputKind::MLIR && !program.definitions.empty())
    if (Status status = checkFactors(options, program); !status)
      return Error{status.error()};
  return program;
}
