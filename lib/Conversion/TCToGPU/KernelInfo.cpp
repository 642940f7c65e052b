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

int64_t KernelInfo::numbersOfElement(model::Tensor tensor) const {
  return model::isComplex(contraction.elementType[tensor])
             ? model::partsOfNumber
             : 1;
}

/// What the epilogue reads besides C, argument after argument.
static LogicalResult describeSides(gpu::GPUFuncOp function, KernelInfo &info) {
  const model::Contraction &contraction = info.contraction;
  std::optional<unsigned> along =
      info.layout.widthC > 1 ? contraction.strideOneIndex(model::Tensor::C)
                             : std::nullopt;
  for (auto [number, indices] : llvm::enumerate(info.attr.getSides())) {
    SideTensor &side = info.sides.emplace_back();
    side.type = cast<MemRefType>(function.getArgument(3 + number).getType());
    auto [strides, offset] = side.type.getStridesAndOffset();
    if (ShapedType::isDynamicShape(strides) || ShapedType::isDynamic(offset))
      return function.emitOpError("strides and offset of side tensor ")
             << number << " must be known at compile time, but its type is "
             << side.type;
    side.strides.assign(contraction.indices.size(), 0);
    side.offset = offset;
    side.elements += offset;
    for (auto [label, stride] : llvm::zip_equal(indices, strides)) {
      unsigned index = *contraction.find(label.getValue());
      if (contraction.indices[index].extent == 1)
        continue;
      side.strides[index] = stride;
      side.elements += (contraction.indices[index].extent - 1) *
                       std::max<int64_t>(stride, 0);
    }
    if (!along || side.strides[*along] != 1) {
      side.vectorStride = along ? side.strides[*along] : 0;
      continue;
    }
    side.vectorStride = 1;
    int64_t width = info.layout.widthC;
    ArrayRef<int64_t> alignments = info.attr.getAlignment();
    int64_t alignment = alignments.empty() ? 0 : alignments[3 + number];
    int64_t bytes = side.type.getElementTypeBitWidth() / 8;
    auto divides = [&](int64_t number) { return number % width == 0; };
    while (width * bytes > info.target.widestAccessBytes || !divides(offset) ||
           !divides(alignment) ||
           !llvm::all_of(llvm::enumerate(side.strides), [&](auto entry) {
             return entry.index() == *along || divides(entry.value());
           }))
      width /= 2;
    side.width = width;
  }
  return success();
}

bool isContractionKernel(gpu::GPUFuncOp function) {
  return function->hasAttrOfType<KernelAttr>(KernelAttr::attrName);
}

FailureOr<KernelInfo> getKernelInfo(gpu::GPUFuncOp function) {
  KernelInfo info;
  info.attr = function->getAttrOfType<KernelAttr>(KernelAttr::attrName);
  if (!info.attr)
    return function.emitOpError("has no '") << KernelAttr::attrName << "'";
  info.expressions =
      function->getAttrOfType<mlir::DictionaryAttr>(expressionsAttrName);
  // The attribute's verifier has seen to the arguments.
  for (model::Tensor tensor : model::allTensors)
    info.types[tensor] = cast<MemRefType>(
        function.getArgument(static_cast<unsigned>(tensor)).getType());

  auto emitError = [&] { return function.emitOpError(); };
  model::Semiring semiring = info.attr.getSemiring().getValue();
  mlir::TypedAttr beta = info.attr.getBeta();
  bool readsC =
      info.attr.getEpilogueReadsC() || !beta || !isZero(semiring, beta);
  FailureOr<model::Contraction> contraction = toContraction(
      emitError, {{info.attr.getA(), info.attr.getB(), info.attr.getC()}},
      {{info.types[0], info.types[1], info.types[2]}}, readsC,
      info.attr.getPrecision().getValue(), semiring);
  if (failed(contraction))
    return failure();
  info.contraction = std::move(*contraction);
  for (model::Tensor tensor : {model::Tensor::A, model::Tensor::B}) {
    info.contraction.conjugates[tensor] = info.attr.getConjugates(tensor);
    if (Type yielded = info.attr.getPrologue(tensor)) {
      info.contraction.hasPrologue[tensor] = true;
      info.contraction.factorType = *getModelElementType(yielded);
    }
  }
  ArrayRef<int64_t> alignment = info.attr.getAlignment();
  if (!alignment.empty())
    llvm::copy(alignment.take_front(3), info.contraction.baseAlignment.begin());
  info.contraction.accumulatorType =
      model::accumulatorTypeOf(info.contraction.factorType);
  info.contraction.userSemiring = info.attr.getUserSemiring();
  info.contraction.hasEpilogue = info.attr.getHasEpilogue();

  const model::Schedule &schedule = info.attr.getSchedule().getValue();
  model::ComplexForm form = model::formOf(info.contraction, schedule.k);
  info.contraction = model::toForm(form, std::move(info.contraction));
  Result<model::Target> target = lookUpTarget(function, schedule.target);
  if (!target)
    return function.emitOpError(target.error());
  info.target = std::move(*target);
  Result<model::KernelLayout> layout =
      model::layOut(info.contraction, schedule, info.target);
  if (!layout)
    return function.emitOpError(layout.error());
  info.layout = std::move(*layout);
  if (failed(describeSides(function, info)))
    return failure();
  return info;
}

FailureOr<KernelInfo> getEnclosingKernelInfo(mlir::Operation *op) {
  auto function = op->getParentOfType<gpu::GPUFuncOp>();
  if (!function)
    return op->emitOpError("must be in a gpu.func");
  return getKernelInfo(function);
}

} // namespace tc
