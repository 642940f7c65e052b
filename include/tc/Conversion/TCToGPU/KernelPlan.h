//===- KernelPlan.h - Plans of kernels --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes from a GPU function that carries #tc.kernel everything that the passes
// and the exporter need: its contractions, the target and the layouts.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOGPU_KERNELPLAN_H
#define TC_CONVERSION_TCTOGPU_KERNELPLAN_H

#include "tc/Dialect/TC/IR/KernelFields.h"
#include "tc/Gpu/Layout/DynamicShape.h"
#include "tc/Gpu/Layout/GroupLayout.h"
#include "tc/Problem/ContractionRecord.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/AnalysisManager.h"

#include <memory>

namespace tc {

/// A tensor that the epilogue reads besides C. Strides and offset are
/// representative where the shape is an argument.
struct AuxiliaryTensor : model::AuxiliaryShape {
  MemRefType type;
  /// Elements from the base pointer to the last one, both included.
  int64_t elements = 1;
  /// The stride along the index that accesses of C go along (representative, if
  /// it is not one), and elements that one load moves along it.
  int64_t vectorStride = 0, width = 1;
};

/// The plan of one of a kernel's contractions.
struct KernelInfo {
  KernelAttr attr;
  /// The types of A, B and C, with their extents and strides.
  model::PerTensor<MemRefType> types;
  model::ContractionRecord record;
  /// Its normal form, in which complex numbers are as the schedule has them.
  model::Contraction contraction;
  model::Target target;
  model::KernelLayout layout;
  SmallVector<AuxiliaryTensor> auxiliaries;
  /// The extents, strides and what follows from them, if they are arguments.
  std::vector<model::RunTimeArgument> shapeArguments;
  /// The edges between the kernel's contractions.
  model::Group group;
  /// The number of this one: zero is that of `tc.kernel`.
  unsigned term = 0;
  /// The kernel's contractions, one or more.
  unsigned terms = 1;
  /// The first of the function's arguments after those of tensors.
  unsigned firstScalarArgument = 3;

  /// The edge by which another term computes an input of this one, null if none
  /// does.
  const model::GroupEdge *producerEdge() const;
  /// Returns true if that one computes an input of this one.
  bool isConsumerOf(const KernelInfo &other) const {
    return producerEdge() && producerEdge()->from == other.term;
  }
  /// The input that is computed so, if one is.
  std::optional<model::Tensor> producedInput() const;
  /// Returns true if the term takes the softmax of that input.
  bool takesSoftmax() const;

  /// The dimensions of a tile of A or B, in the order of the origins of
  /// tc.load_tile_from_global: batch, then M or N, then K.
  SmallVector<model::TileDim> inputDims(model::Tensor tensor) const;
  /// The dimensions of a tile of C, in the order of the origins of
  /// tc.store_tile: batch, M, N.
  SmallVector<model::TileDim> outputDims() const;
  /// The number of the function's argument that is the first one of its shape,
  /// if there are any.
  unsigned firstShapeArgument() const {
    return firstScalarArgument + !attr->alpha + !attr->beta;
  }
  /// The number of the function's argument that is the workspace, if its blocks
  /// share sums: the last one.
  unsigned workspaceArgument() const {
    return firstShapeArgument() + shapeArguments.size();
  }
  /// Real numbers of which an element is made, as the contraction counts
  /// elements.
  int64_t numbersOfElement(model::Tensor tensor) const;
  /// The type in which products are summed.
  Type sumType(mlir::MLIRContext *context) const;
};

/// The edge of a group from one of its contractions to another one, which there
/// must be.
model::IndexedEdge edgeBetween(const KernelInfo &from, const KernelInfo &to);

/// The plan of a kernel: its contractions with their layouts, and where their
/// shared tiles are.
struct KernelPlan {
  /// By the numbers of nodes. The kernel's own has the shared memory that all
  /// need.
  SmallVector<KernelInfo, 1> contractions;
  /// The same contractions in normal form, and the edges between them.
  model::ContractionGroup group;
  model::ChainPlaces places;
};

/// Plans the kernel that a function is, as its #tc.kernel and its arguments'
/// types say; emits an error on the function if it has none, if a schedule
/// cannot be obeyed or if layouts of a group do not go together (`checkEdge`).
/// Arguments of its shape must be there, unless they are yet to come.
FailureOr<KernelPlan> planKernel(mlir::gpu::GPUFuncOp function,
                                 bool hasShapeArguments = true);

/// The plans of a module's kernels, each of which is made once: an analysis
/// that stays valid from pass to pass, since a plan depends on nothing but the
/// kernel's attribute, its arguments' types and the target, by which they are
/// kept.
class KernelPlans {
public:
  explicit KernelPlans(mlir::Operation *) {}

  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) const {
    return false;
  }

  /// The plan of a kernel; null where `planKernel` fails.
  const KernelPlan *planOf(mlir::gpu::GPUFuncOp function);
  /// A contraction of the kernel that encloses an operation; null, with an
  /// error emitted, if none does, or if the kernel has no such contraction.
  const KernelInfo *enclosing(mlir::Operation *op, uint64_t term = 0);
  /// The number of plans that were made.
  size_t size() const { return plans.size(); }

private:
  /// By the kernel's attribute, its type, and the descriptions of targets on
  /// the operations around it.
  llvm::DenseMap<std::tuple<mlir::Attribute, Type, mlir::Attribute>,
                 std::unique_ptr<KernelPlan>>
      plans;
};

/// The type of an argument of a kernel's shape.
Type typeOfArgument(const model::RunTimeArgument &argument,
                    mlir::MLIRContext *context);

/// Returns true if the function is a kernel made from a contraction.
bool isContractionKernel(mlir::gpu::GPUFuncOp function);

} // namespace tc

#endif // TC_CONVERSION_TCTOGPU_KERNELPLAN_H
