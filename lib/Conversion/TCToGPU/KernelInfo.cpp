//===- KernelInfo.cpp - What the passes know of a kernel ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recomputes a kernel's contraction and layout from its attribute and types.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToGPU/KernelInfo.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/IR/TCOps.h"

namespace gpu = mlir::gpu;

namespace tc {

SmallVector<model::TileDim> KernelInfo::inputDims(model::Tensor tensor) const {
  SmallVector<model::TileDim> dims(layout.batch.begin(), layout.batch.end());
  llvm::append_range(dims, tensor == model::Tensor::A ? layout.m : layout.n);
  llvm::append_range(dims, layout.k);
  return dims;
}

SmallVector<model::TileDim> KernelInfo::outputDims() const {
  SmallVector<model::TileDim> dims(layout.batch.begin(), layout.batch.end());
  llvm::append_range(dims, layout.m);
  llvm::append_range(dims, layout.n);
  return dims;
}

Type KernelInfo::sumType(mlir::MLIRContext *context) const {
  return getElementType(context, contraction.accumulatorType);
}

bool isContractionKernel(gpu::GPUFuncOp function) {
  return function->hasAttrOfType<KernelAttr>(KernelAttr::attrName);
}

FailureOr<KernelInfo> getKernelInfo(gpu::GPUFuncOp function) {
  KernelInfo info;
  info.attr = function->getAttrOfType<KernelAttr>(KernelAttr::attrName);
  if (!info.attr)
    return function.emitOpError("has no '") << KernelAttr::attrName << "'";
  // The attribute's verifier has seen to the arguments.
  for (model::Tensor tensor : model::allTensors)
    info.types[tensor] = cast<MemRefType>(
        function.getArgument(static_cast<unsigned>(tensor)).getType());

  auto emitError = [&] { return function.emitOpError(); };
  model::Semiring semiring = info.attr.getSemiring().getValue();
  mlir::TypedAttr beta = info.attr.getBeta();
  bool readsC = !beta || beta != getZero(semiring, beta.getType());
  FailureOr<model::Contraction> contraction = toContraction(
      emitError, {{info.attr.getA(), info.attr.getB(), info.attr.getC()}},
      {{info.types[0], info.types[1], info.types[2]}}, readsC,
      info.attr.getPrecision().getValue(), semiring);
  if (failed(contraction))
    return failure();
  info.contraction = std::move(*contraction);

  const model::Schedule &schedule = info.attr.getSchedule().getValue();
  Result<model::Target> target = lookUpTarget(function, schedule.target);
  if (!target)
    return function.emitOpError(target.error());
  info.target = std::move(*target);
  Result<model::KernelLayout> layout =
      model::layOut(info.contraction, schedule, info.target);
  if (!layout)
    return function.emitOpError(layout.error());
  info.layout = std::move(*layout);
  return info;
}

FailureOr<KernelInfo> getEnclosingKernelInfo(mlir::Operation *op) {
  auto function = op->getParentOfType<gpu::GPUFuncOp>();
  if (!function)
    return op->emitOpError("must be in a gpu.func");
  return getKernelInfo(function);
}

} // namespace tc
