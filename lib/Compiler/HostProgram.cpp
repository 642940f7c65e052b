//===- HostProgram.cpp - Contractions as code for a CPU -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/HostProgram.h"
#include "Contexts.h"
#include "HostTranslation.h"

#include "tc/Compiler/StrategyReport.h"
#include "tc/Compiler/TunedFile.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/WrittenIndices.h"
#include "tc/Cpu/CpuSchedule.h"
#include "tc/CpuRuntime/ThreadLimits.h"
#include "tc/Dialect/TC/Transforms/Order.h"
#include "tc/Dialect/TC/Transforms/Passes.h"
#include "tc/HostCode/TraceProgram.h"
#include "tc/InitAll.h"
#include "tc/Target/CPU/CPUTranslations.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using mlir::OwningOpRef;

void tc::setPipelineOptions(const CompileOptions &options,
                            TCCPUPipelineOptions &pipeline) {
  pipeline.setCode(options);
  pipeline.tuned = chooseTunedFile(options.tuned);
  pipeline.threads = options.threads.value_or(cpu::threadsToCompileFor());
  pipeline.threadsOfCalls = options.threads.value_or(0);
  if (options.libraryCalls == "auto")
    pipeline.libraryCalls = "always";
  pipeline.outline = pipeline.callsOutlined = true;
}

std::string tc::decisionsText(const HostKernel &kernel) {
  using runtime::reportLine;
  return reportLine("schedule", kernel.schedule) +
         reportLine("threads", std::to_string(kernel.threads)) +
         reportLine("panels", std::to_string(kernel.panelBytes) + " B") +
         strategiesText(runtime::Json::parse(kernel.strategies));
}

/// The index lists of a contraction as the input has it.
static explain::LabelledShapes shapesOf(const runtime::Kernel &definition) {
  explain::LabelledShapes shapes;
  for (size_t i = 0; i < shapes.size(); ++i)
    shapes[i] = {definition.tensors[i].labels, definition.tensors[i].extents};
  return shapes;
}

/// True if parts of tensors are copied, which canonicalization may show to be
/// needless, or to be parts that lie side by side.
static bool hasCopies(ModuleOp module) {
  return module
      .walk([](mlir::Operation *op) {
        return isa<mlir::memref::CopyOp, mlir::memref::SubViewOp>(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Chooses schedules and lowers; notes what was decided on the way.
static LogicalResult lower(ModuleOp module, const CompileOptions &options,
                           HostProgram &program) {
  mlir::PassManager choose(module.getContext());
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  program.threads = pipeline.threads;
  llvm::DenseMap<mlir::Operation *, std::vector<model::StrategyChoice>> known;
  PipelineListeners listeners;
  listeners.takeStrategies = [&](ContractOp op,
                                 std::vector<model::StrategyChoice> choices) {
    known[op] = std::move(choices);
  };
  addCPUStage(choose, Stage::Schedule, pipeline, listeners);
  if (failed(choose.run(module)))
    return failure();
  size_t next = 0;
  auto result = module.walk([&](ContractOp op) {
    CpuScheduleAttr schedule = op.getCpuScheduleAttr();
    if (!schedule)
      return mlir::WalkResult::advance();
    FailureOr<model::Contraction> contraction =
        toContraction(op, schedule.getValue());
    if (failed(contraction))
      return mlir::WalkResult::advance();
    HostKernel &kernel = program.kernels[next++];
    llvm::raw_string_ostream(kernel.schedule) << schedule;
    kernel.threads = schedule.getValue().threads.count();
    program.callsLibrary |=
        schedule.getValue().strategy == model::Strategy::Library;
    if (Result<model::CpuLayout> layout =
            model::layOut(*contraction, schedule.getValue()))
      kernel.panelBytes = layout->panelBytes(*contraction);
    auto considered = known.find(op);
    runtime::Json report = strategiesToJson(
        op, *contraction, schedule.getValue(), pipeline,
        considered == known.end() ? nullptr : &considered->second);
    report["origins"] = explain::originsText(explain::findIndexOrigins(
        shapesOf(kernel.definition), shapesOf(op), *contraction));
    kernel.strategies = report.dump();
    return mlir::WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  mlir::PassManager lowering(module.getContext());
  // The result is verified once, when it is translated.
  lowering.enableVerifier(false);
  pipeline.canonicalize = hasCopies(module);
  buildTCToCPU(lowering, pipeline);
  return lowering.run(module);
}

/// Makes contractions of two of those of many tensors, and of tiles of those
/// that feed one another: each has its definition then.
static LogicalResult orderContractions(ModuleOp module,
                                       const CompileOptions &options,
                                       TakeOrders take = nullptr) {
  mlir::PassManager manager(module.getContext());
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  PipelineListeners listeners;
  listeners.takeOrders = std::move(take);
  addCPUStage(manager, Stage::Prepare, pipeline, listeners);
  addCPUStage(manager, Stage::Fuse, pipeline, listeners);
  return manager.run(module);
}

/// Describes what the one function of the module computes that calls kernels.
static void describeProgram(ModuleOp module, HostProgram &program) {
  llvm::StringMap<size_t> numbers;
  std::vector<runtime::Kernel> kernels;
  SmallVector<mlir::func::FuncOp> functions;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function->hasAttr(outlinedAttrName))
      numbers[function.getName()] = numbers.size();
    else if (!function.isDeclaration() && !function->hasAttr(programAttrName))
      functions.push_back(function);
  }
  for (const HostKernel &kernel : program.kernels) {
    runtime::Kernel &described = kernels.emplace_back(kernel.definition);
    // Code for CPUs asks for no more.
    for (runtime::TensorArgument &tensor : described.tensors)
      tensor.alignment = model::byteWidth(model::realTypeOf(tensor.type));
  }
  auto findKernel = [&](mlir::Operation *op) -> std::optional<size_t> {
    auto call = dyn_cast<mlir::func::CallOp>(op);
    auto found = call ? numbers.find(call.getCallee()) : numbers.end();
    if (found == numbers.end())
      return std::nullopt;
    return found->second;
  };
  if (functions.size() != 1 || numbers.size() != kernels.size()) {
    program.programObstacle =
        "there are " + std::to_string(functions.size()) + " functions";
    return;
  }
  Result<runtime::Program> traced = traceProgram(
      functions.front(), kernels, findKernel, hostWorkspaceAlignment);
  if (traced)
    program.program = std::move(*traced);
  else
    program.programObstacle = traced.error();
}

/// True if each call says extents of the module's tensors.
static bool takesExtents(ModuleOp module) {
  return module
      .walk([](mlir::func::FuncOp function) {
        return llvm::any_of(function.getArgumentTypes(),
                            [](Type type) {
                              auto shaped = dyn_cast<ShapedType>(type);
                              return shaped && !shaped.hasStaticShape();
                            })
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Describes the function of a program that takes extents.
static void describeShaped(mlir::func::FuncOp function, HostProgram &program) {
  runtime::Program &described = program.program.emplace();
  StringRef name = function.getName();
  name.consume_back("_run");
  described.name = name.str();
  described.workspaceAlignment = hostWorkspaceAlignment;
  auto extents =
      function->getAttrOfType<mlir::ArrayAttr>(programExtentsAttrName);
  for (auto extent : extents.getAsRange<StringAttr>()) {
    StringRef index = extent.getValue();
    index.consume_front("extent_");
    program.extents.push_back(index.str());
  }
  auto reads =
      function->getAttrOfType<mlir::DenseBoolArrayAttr>(programReadsAttrName);
  auto writes =
      function->getAttrOfType<mlir::DenseBoolArrayAttr>(programWritesAttrName);
  for (auto [place, names, shape] : llvm::enumerate(
           function->getAttrOfType<mlir::ArrayAttr>(programAttrName),
           function->getAttrOfType<mlir::ArrayAttr>(programShapesAttrName))) {
    runtime::ProgramParameter &parameter = described.parameters.emplace_back();
    parameter.name = cast<StringAttr>(names).str();
    auto type = cast<MemRefType>(function.getArgumentTypes()[place]);
    parameter.type = *getModelElementType(type.getElementType());
    ArrayRef<int64_t> own = cast<mlir::DenseI64ArrayAttr>(shape).asArrayRef();
    parameter.extents.assign(own.begin(), own.end());
    parameter.strides.assign(own.size(), 0);
    parameter.alignment = model::byteWidth(model::realTypeOf(parameter.type));
    parameter.isRead = reads[place];
    parameter.isWritten = writes[place];
  }
}

Status tc::translateForHost(ModuleOp module, const std::string &name,
                            ErrorCollector &errors, HostProgram &program) {
  FailureOr<std::string> header = makeCHeader(module);
  if (failed(header))
    return errors.get(name + ": cannot be declared in C");
  program.header = std::move(*header);
  FailureOr<CompiledObject> object = compileToObject(module, hostCodeTarget());
  if (failed(object))
    return errors.get(name + ": cannot be translated to native code");
  program.object = std::move(*object);
  return {};
}

/// Compiles a program that takes extents: its contractions are computed by
/// ahead-of-time kernels.
static Status compileShaped(ModuleOp module, const std::string &name,
                            const CompileOptions &options,
                            HostProgram &program) {
  ErrorCollector errors(*module.getContext());
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  program.threads = pipeline.threads;
  mlir::PassManager manager(module.getContext());
  buildTCCPUPipeline(manager, pipeline);
  if (failed(manager.run(module)))
    return errors.get(name + ": cannot be compiled");
  mlir::func::FuncOp run, size;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function->hasAttr(programExtentsAttrName))
      run = function;
    if (function->hasAttr(programWorkspaceBytesAttrName))
      size = function;
  }
  if (!run || !size) {
    auto why = llvm::find_if(errors.remarks(), [](StringRef remark) {
      return remark.starts_with(noProgramRemark);
    });
    return Error{
        name + ": a function takes extents at run time, and " +
        (why == errors.remarks().end() ? "is no program of tensors" : *why)};
  }
  if (run.getNumArguments() > LoadedObject::maxWords)
    return Error{name + ": takes more than " +
                 std::to_string(LoadedObject::maxWords) +
                 " tensors and extents"};
  describeShaped(run, program);
  std::vector<std::string> functions = {run.getName().str(),
                                        size.getName().str()};
  if (Status status = translateForHost(module, name, errors, program); !status)
    return status;
  program.object.functions = std::move(functions);
  return {};
}

static Status compile(ModuleOp module, const std::string &name,
                      const CompileOptions &options, HostProgram &program) {
  ErrorCollector errors(*module.getContext());
  if (takesExtents(module))
    return compileShaped(module, name, options, program);
  if (failed(orderContractions(module, options)))
    return errors.get(name + ": cannot be compiled");
  FailureOr<Definitions> definitions = defineAll(module);
  if (failed(definitions))
    return errors.get(name + ": cannot be run");
  program.empty = std::move(definitions->empty);
  for (auto [definition, sources] :
       llvm::zip_equal(definitions->kernels, definitions->sources))
    program.kernels.push_back(
        {std::move(definition), std::move(sources), {}, 1, 0, {}});
  if (program.kernels.empty() && program.empty.empty())
    return Error{name + ": no contraction in it"};
  if (program.kernels.empty())
    return {};
  std::string besides = describeWorkInLinalg(module);
  if (failed(lower(module, options, program)))
    return errors.get(name + ": cannot be compiled");
  describeProgram(module, program);
  if (!program.program && !besides.empty())
    program.programObstacle = std::move(besides);
  if (Status status = translateForHost(module, name, errors, program); !status)
    return status;
  if (!program.isWhole())
    return Error{std::to_string(program.kernels.size()) +
                 " contractions were compiled to " +
                 std::to_string(program.object.functions.size()) +
                 " functions"};
  return {};
}

Result<HostProgram> tc::compileForCpu(const Source &source,
                                      const CompileOptions &options) {
  CpuContext context;
  Result<OwningOpRef<ModuleOp>> module = makeModule(context.get(), source);
  if (!module)
    return Error{module.error()};
  return compileForCpu(**module, source.name, options);
}

Result<std::string> tc::explainOrdersForCpu(const Source &source,
                                            const CompileOptions &options) {
  CpuContext context;
  Result<OwningOpRef<ModuleOp>> module = makeModule(context.get(), source);
  if (!module)
    return Error{module.error()};
  ErrorCollector errors(context.get());
  std::string orders;
  if (failed(orderContractions(**module, options, [&](std::string text) {
        orders = std::move(text);
      })))
    return errors.get(source.name + ": cannot be explained");
  return orders;
}

Result<HostProgram> tc::compileForCpu(ModuleOp module, const std::string &name,
                                      const CompileOptions &options) {
  HostProgram program;
  if (Status status = compile(module, name, options, program); !status)
    return Error{status.error()};
  return program;
}

/// A call with factors of type T.
template <typename T>
static std::function<Status()>
prepareCallWith(const LoadedObject &code, size_t function,
                const HostKernel &kernel, runtime::Problem &problem) {
  std::vector<T> factors;
  for (const std::vector<std::byte> &bytes :
       scalarArguments(kernel.definition, problem))
    for (size_t part = 0; part < bytes.size(); part += sizeof(T))
      std::memcpy(&factors.emplace_back(), bytes.data() + part, sizeof(T));
  std::vector<void *> auxiliaries;
  for (size_t auxiliary = 3; auxiliary < problem.tensors.size(); ++auxiliary)
    auxiliaries.push_back(problem.tensors[auxiliary].data());
  return
      [&code, &kernel, &problem, function, factors, auxiliaries]() -> Status {
        CallStatus status = code.call(
            function, problem.tensors[0].data(), problem.tensors[1].data(),
            problem.tensors[2].data(), factors, auxiliaries);
        if (status != CallStatus::Success)
          return lackOfMemory(kernel);
        return {};
      };
}

std::function<Status()> tc::prepareCall(const LoadedObject &code,
                                        size_t function,
                                        const HostKernel &kernel,
                                        runtime::Problem &problem) {
  // Factors have the type of the sums.
  return runtime::dispatch(kernel.definition.accumulatorType, [&](auto zero) {
    return prepareCallWith<decltype(zero)>(code, function, kernel, problem);
  });
}
