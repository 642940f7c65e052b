//===- HostTracer.h - Tracing of host code, step by step --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_HOSTCODE_HOSTTRACER_H
#define TC_LIB_HOSTCODE_HOSTTRACER_H

#include "tc/HostCode/TraceProgram.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

namespace tc {

/// Memory that host code refers to.
struct TracedBuffer {
  enum class Kind {
    Parameter, ///< memory that an argument or a result points to
    Allocated, ///< memory that the function allocates
    Constant,  ///< numbers that are all the same
  };
  Kind kind = Kind::Allocated;
  int64_t bytes = 0;
  /// The number of a parameter.
  size_t parameter = 0;
  model::Constant constant;
  /// Of a constant.
  model::ElementType type = model::ElementType::F64;
};

/// The memory that a buffer or a pointer of host code refers to: the base
/// pointer, and for a buffer, the offset of its elements from there.
struct TracedAddress {
  size_t buffer = 0;
  /// In bytes.
  int64_t base = 0;
  /// In elements.
  int64_t offset = 0;
};

/// A launch or a copy; that of a constant is a fill.
struct TracedStep {
  std::optional<size_t> kernel;
  std::vector<TracedAddress> tensors;
  std::vector<model::Constant> numbers;
  int64_t bytes = 0;
  /// Those of what a copy writes.
  std::vector<int64_t> extents;
};

/// Follows a function.
class HostTracer {
public:
  HostTracer(mlir::func::FuncOp function, FindKernel findKernel)
      : function(function), findKernel(findKernel) {}

  /// Fails with `reason()`.
  LogicalResult run();

  const std::string &reason() const { return why; }
  const std::vector<TracedStep> &listSteps() const { return steps; }
  const std::vector<TracedAddress> &listResults() const { return results; }
  std::vector<TracedBuffer> buffers;

private:
  /// A number that is known, or where something lies.
  struct Content {
    Attribute number;
    std::optional<TracedAddress> address;
  };

  LogicalResult fail(mlir::Operation *op, const llvm::Twine &what);
  LogicalResult run(mlir::Block &block);
  LogicalResult run(mlir::Operation *op);
  LogicalResult runLoop(mlir::scf::ForOp loop);
  LogicalResult runIf(mlir::scf::IfOp op);
  LogicalResult addStep(mlir::Operation *op, TracedStep step);
  LogicalResult runLaunch(mlir::Operation *op, size_t kernel);
  LogicalResult runCopy(mlir::memref::CopyOp op);
  LogicalResult runFill(mlir::linalg::FillOp op);
  LogicalResult runStore(mlir::memref::StoreOp op);
  LogicalResult addFill(mlir::Operation *op, Value value, TracedAddress to,
                        ArrayRef<int64_t> extents);
  TracedAddress addConstant(const model::Constant &number,
                            model::ElementType type);
  LogicalResult runAllocation(mlir::Operation *op, MemRefType type);
  LogicalResult runGlobal(mlir::memref::GetGlobalOp op);
  LogicalResult runSubView(mlir::memref::SubViewOp op);
  LogicalResult runMetadata(mlir::memref::ExtractStridedMetadataOp op);
  LogicalResult runFold(mlir::Operation *op);
  /// Operations whose result lies where an operand does.
  LogicalResult runAddress(mlir::Operation *op);

  std::optional<int64_t> findInteger(Value value);
  std::optional<int64_t> findInteger(mlir::OpFoldResult value);
  std::optional<TracedAddress> findAddress(Value value);
  void set(Value value, TracedAddress address) {
    contents[value] = {{}, address};
  }

  mlir::func::FuncOp function;
  FindKernel findKernel;
  llvm::DenseMap<Value, Content> contents;
  mlir::SymbolTableCollection symbols;
  std::vector<TracedStep> steps;
  size_t iterations = 0;
  std::vector<TracedAddress> results;
  std::string why;
};

} // namespace tc

#endif // TC_LIB_HOSTCODE_HOSTTRACER_H
