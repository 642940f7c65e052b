//===- SimulatedKernel.h - Kernels whose accesses are counted ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a contraction of the model with a schedule and runs blocks of it in
// the simulator, so that the model's predictions can be compared with counts.
// The numbers that are computed are of no interest.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_MODELSIMULATION_SIMULATEDKERNEL_H
#define TC_TEST_MODELSIMULATION_SIMULATEDKERNEL_H

#include "tc/Gpu/Layout/KernelLayout.h"
#include "tc/Package/Package.h"
#include "tc/Simulator/Simulator.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <string>
#include <vector>

namespace tc::model::test {

/// The tensors of one contraction, all zero. Memory is only taken for elements
/// that are written, so these may be large.
class ZeroTensors {
public:
  explicit ZeroTensors(const Contraction &contraction);

  std::vector<sim::GlobalBuffer> buffers() const;

private:
  struct Free {
    void operator()(std::byte *data) const;
    size_t bytes;
  };
  PerTensor<std::unique_ptr<std::byte[], Free>> data;
  PerTensor<size_t> bytes = {};
};

class SimulatedKernel {
public:
  /// Compiles a contraction, whose strides must not be negative. C is scaled by
  /// beta, which must be zero unless the contraction reads C.
  static Result<SimulatedKernel> compile(mlir::MLIRContext &context,
                                         const Contraction &contraction,
                                         const Schedule &schedule, double beta);

  /// The contraction and the layout as the lowering sees them.
  const Contraction &contraction() const { return theContraction; }
  const KernelLayout &layout() const { return theLayout; }

  /// Numbers of the blocks that a list names, as `tc-run --blocks` does.
  Result<std::vector<int64_t>> blocks(const std::string &list) const;

  /// Runs these blocks, all if there are none.
  Result<sim::Counters> run(const ZeroTensors &tensors,
                            const std::vector<int64_t> &blocks,
                            bool profile = false) const;

private:
  explicit SimulatedKernel(sim::Module module) : module(std::move(module)) {}

  Contraction theContraction;
  KernelLayout theLayout;
  runtime::Kernel kernel;
  sim::Module module;
};

/// A context with all that compiling takes.
std::unique_ptr<mlir::MLIRContext> makeContext();

} // namespace tc::model::test

#endif // TC_TEST_MODELSIMULATION_SIMULATEDKERNEL_H
