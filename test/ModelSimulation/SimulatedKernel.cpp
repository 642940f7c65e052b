//===- SimulatedKernel.cpp - Kernels whose accesses are counted -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the contraction as a function on memrefs and takes it the compiler's
// way.
//
//===----------------------------------------------------------------------===//

#include "SimulatedKernel.h"

#include "tc/Conversion/TCToGPU/KernelPlan.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/InitAll.h"
#include "tc/Package/Blocks.h"
#include "tc/Target/PTX/PTXExport.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace tc::model::test {

namespace {

constexpr PerTensor<const char *> names = {{"A", "B", "C"}};

/// The bytes from a tensor's base pointer to its last element.
size_t bytesOf(const Contraction &contraction, Tensor tensor) {
  return static_cast<size_t>(
      (contraction.offset[tensor] + contraction.span(tensor)) *
      byteWidth(contraction.elementType[tensor]));
}

bool holds(const Index &index, Tensor tensor) {
  switch (index.role) {
  case Role::Batch:
    return true;
  case Role::M:
    return tensor != Tensor::B;
  case Role::N:
    return tensor != Tensor::A;
  case Role::K:
    // The stride along an extent of one may be anything.
    return tensor != Tensor::C &&
           (index.stride[tensor] != 0 || index.extent == 1);
  }
  return false;
}

struct OperandText {
  std::string labels, type;
};

OperandText describe(const Contraction &contraction, Tensor tensor) {
  std::string labels, shape, strides;
  for (const Index &index : contraction.indices) {
    if (!holds(index, tensor))
      continue;
    const char *comma = labels.empty() ? "" : ", ";
    labels += comma + index.label;
    strides += comma + std::to_string(index.stride[tensor]);
    shape += std::to_string(index.extent) + "x";
  }
  return {"[" + labels + "]",
          "memref<" + shape +
              std::string(stringify(contraction.elementType[tensor])) +
              ", strided<[" + strides + "], offset: " +
              std::to_string(contraction.offset[tensor]) + ">>"};
}

std::string moduleText(const Contraction &contraction, double beta) {
  PerTensor<OperandText> operands;
  for (Tensor tensor : allTensors)
    operands[tensor] = describe(contraction, tensor);
  const auto &[a, b, c] = static_cast<std::array<OperandText, 3> &>(operands);
  std::string type(stringify(contraction.elementType[Tensor::C]));
  return "func.func @contract(%A: " + a.type + ", %B: " + b.type +
         ", %C: " + c.type + ") {\n  %beta = arith.constant " +
         std::to_string(beta) + " : " + type + "\n  tc.contract " + a.labels +
         ", " + b.labels + " -> " + c.labels + " ins(%A, %B : " + a.type +
         ", " + b.type + ") outs(%C : " + c.type + ") beta(%beta : " + type +
         ")\n  return\n}\n";
}

/// Errors of the compiler, one a line.
class Messages {
public:
  explicit Messages(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          text += diagnostic.str() + "\n";
          return mlir::success();
        }) {}

  std::string text;

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace

void ZeroTensors::Free::operator()(std::byte *memory) const {
  munmap(memory, bytes);
}

ZeroTensors::ZeroTensors(const Contraction &contraction) {
  for (Tensor tensor : allTensors) {
    bytes[tensor] = bytesOf(contraction, tensor);
    // Without a reserve, it may be more than the machine has.
    void *memory = mmap(nullptr, bytes[tensor], PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("mmap");
      std::abort();
    }
    data[tensor] = std::unique_ptr<std::byte[], Free>(
        static_cast<std::byte *>(memory), Free{bytes[tensor]});
  }
}

std::vector<sim::GlobalBuffer> ZeroTensors::buffers() const {
  std::vector<sim::GlobalBuffer> buffers;
  for (Tensor tensor : allTensors)
    buffers.push_back({names[tensor], data[tensor].get(), bytes[tensor],
                       /*writable=*/tensor == Tensor::C});
  return buffers;
}

std::unique_ptr<mlir::MLIRContext> makeContext() {
  DialectRegistry registry;
  registerAllTC(registry);
  registerPTXExportDialects(registry);
  return std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
}

Result<SimulatedKernel> SimulatedKernel::compile(mlir::MLIRContext &context,
                                                 const Contraction &contraction,
                                                 const Schedule &schedule,
                                                 double beta) {
  Messages messages(context);
  mlir::OwningOpRef<ModuleOp> module = mlir::parseSourceString<ModuleOp>(
      moduleText(contraction, beta), mlir::ParserConfig(&context));
  if (!module)
    return Error{messages.text};
  module->walk([&](ContractOp op) {
    op.setScheduleAttr(ScheduleAttr::get(&context, schedule));
  });
  mlir::PassManager manager(&context);
  buildTCToGPU(manager);
  if (failed(manager.run(*module)))
    return Error{messages.text};
  FailureOr<CompiledModule> compiled = translateToPTX(*module);
  if (failed(compiled))
    return Error{messages.text};

  Result<sim::Module> parsed = sim::Module::parse(compiled->ptx, "PTX");
  if (!parsed)
    return Error{parsed.error()};
  SimulatedKernel result(std::move(*parsed));
  result.kernel = compiled->package.kernels.front();
  module->walk([&](mlir::gpu::GPUFuncOp function) {
    FailureOr<KernelPlan> plan = planKernel(function);
    if (failed(plan))
      return;
    const KernelInfo &own = plan->contractions.front();
    result.theContraction = own.contraction;
    result.theLayout = own.layout;
  });
  if (!messages.text.empty())
    return Error{messages.text};
  return result;
}

Result<std::vector<int64_t>>
SimulatedKernel::blocks(const std::string &list) const {
  return runtime::parseBlocks(list, kernel);
}

Result<sim::Counters> SimulatedKernel::run(const ZeroTensors &tensors,
                                           const std::vector<int64_t> &blocks,
                                           bool profile) const {
  sim::LaunchConfig config;
  config.profile = profile;
  for (size_t i = 0; i < 3; ++i) {
    config.grid[i] = static_cast<uint32_t>(kernel.grid[i]);
    config.block[i] = static_cast<uint32_t>(kernel.block[i]);
  }
  config.dynamicSharedBytes = kernel.dynamicSharedBytes;
  config.blocks.assign(blocks.begin(), blocks.end());
  config.workers = 1;
  config.detectors = sim::Detectors::none();
  std::vector<sim::GlobalBuffer> buffers = tensors.buffers();
  std::vector<sim::KernelArgument> arguments;
  std::vector<std::byte> workspace;
  if (kernel.workspace) {
    workspace.resize(static_cast<size_t>(kernel.workspace->bytes));
    buffers.push_back({"workspace", workspace.data(), workspace.size()});
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    arguments.push_back(sim::KernelArgument::address(i));
  return sim::launch(module, symbolOf(kernel), config, buffers, arguments);
}

} // namespace tc::model::test
