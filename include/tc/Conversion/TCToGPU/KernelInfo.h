//===- KernelInfo.h - What the passes know of a kernel ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recomputes from a GPU function that carries #tc.kernel everything that the
// passes and the exporter need: the contraction, the target and the layout.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOGPU_KERNELINFO_H
#define TC_CONVERSION_TCTOGPU_KERNELINFO_H

#include "tc/Dialect/TC/IR/KernelFields.h"
#include "tc/Gpu/Layout/ChainLayout.h"
#include "tc/Gpu/Layout/DynamicShape.h"
#include "tc/Problem/ContractionRecord.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

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

/// What the passes know of a kernel or, if it adds several contractions up, of
/// one of its terms.
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
  /// How the kernel's contractions meet, of which this one has the number
  /// `term`.
  model::Group group;
  /// The number of the term: zero is that of `tc.kernel`.
  int64_t term = 0;
  /// The terms, one or more.
  int64_t terms = 1;
  /// The first of the function's arguments after those of tensors.
  unsigned firstScalarArgument = 3;

  /// The edge by which another term computes an input of this one, null if none
  /// does.
  const model::GroupEdge *feedingEdge() const;
  /// The input that is computed so, if one is.
  std::optional<model::Tensor> fedInput() const;
  /// Whether the term takes the softmax of that input.
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

/// The kernel that a function is, as its #tc.kernel and its arguments' types
/// say; emits an error on the function if it has none or if its schedule cannot
/// be obeyed. In a kernel with several terms, that of `tc.kernel` has the
/// shared memory that the kernel needs, and `checkTerms` holds for each two.
/// Arguments of its shape must be there, unless they are yet to come.
FailureOr<KernelInfo> getKernelInfo(mlir::gpu::GPUFuncOp function,
                                    bool hasShapeArguments = true);

/// All terms of a kernel, by their numbers.
FailureOr<SmallVector<KernelInfo, 1>>
getTermInfos(mlir::gpu::GPUFuncOp function);

/// How a link of a chain takes what the one before computes.
model::Handover handoverOf(const KernelInfo &from, const KernelInfo &to);

/// The indices of the input that two terms of a fan have in common.
model::LinkedIndices sharedIndices(const KernelInfo &first,
                                   const KernelInfo &other);

/// The type of an argument of a kernel's shape.
Type typeOfArgument(const model::RunTimeArgument &argument,
                    mlir::MLIRContext *context);

/// What getKernelInfo reports of the function that encloses an operation, or
/// the same of the term of that number.
FailureOr<KernelInfo> getEnclosingKernelInfo(mlir::Operation *op,
                                             int64_t term = 0);

/// Whether the function is a kernel made from a contraction.
bool isContractionKernel(mlir::gpu::GPUFuncOp function);

} // namespace tc

#endif // TC_CONVERSION_TCTOGPU_KERNELINFO_H
