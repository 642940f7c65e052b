//===- HostShape.h - The shape that a kernel is launched with ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes code of the host of tc/Gpu/Layout/DynamicShape.h: from the buffers of a
// contraction to the arguments that a kernel for any shape takes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_HOSTSHAPE_H
#define TC_LIB_CONVERSION_TCTOGPU_HOSTSHAPE_H

#include "tc/Conversion/TCToGPU/KernelPlan.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Gpu/Layout/Workspace.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tc {

/// The buffer behind one of unknown extents, strides or offset, as a kernel of
/// that representative type takes it: its base pointer.
Value viewAsRepresentative(mlir::ImplicitLocOpBuilder &builder, Value buffer,
                           MemRefType type);

/// Appends what a kernel takes of the shape of a contraction's A, B and C and
/// its auxiliary tensors, and returns the blocks of its grid, as an index: a
/// constant if they are known.
Value appendShape(mlir::ImplicitLocOpBuilder &builder, ContractOp op,
                  ArrayRef<Value> tensors, const KernelInfo &info,
                  SmallVector<Value> &arguments);

/// The size of a workspace, in bytes and, of what must be zero, in words of 32
/// bits, as indices: constants if they are known.
struct HostWorkspace {
  Value bytes, zeroedWords;
};

/// That of the workspace of a grid of so many blocks.
HostWorkspace sizeWorkspace(mlir::ImplicitLocOpBuilder &builder,
                            const model::SharedSums &sums, Value blocks);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_HOSTSHAPE_H
