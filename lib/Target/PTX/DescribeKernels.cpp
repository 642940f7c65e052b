//===- DescribeKernels.cpp - Launch descriptions of kernels ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes down for the runtime what follows from a kernel's layout.
//
//===----------------------------------------------------------------------===//

#include "DescribeKernels.h"

#include "tc/Analysis/FusedCodeText.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/Symbols.h"
#include "tc/Gpu/Layout/Workspace.h"
#include "tc/Package/KernelRecord.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Problem/FusedCodeKeys.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using model::Tensor;

/// A tensor that the epilogue reads, whose loads have at most `width` elements.
static runtime::TensorArgument describeAuxiliary(std::string name,
                                                 MemRefType type,
                                                 IndexListAttr indices,
                                                 int64_t width) {
  runtime::TensorArgument argument;
  argument.name = std::move(name);
  argument.type = *getModelElementType(type.getElementType());
  for (mlir::StringAttr label : indices)
    argument.labels.push_back(label.str());
  argument.extents.assign(type.getShape().begin(), type.getShape().end());
  auto [strides, offset] = type.getStridesAndOffset();
  argument.strides.assign(strides.begin(), strides.end());
  argument.offset = offset;
  argument.alignment = width * model::byteWidth(argument.type);
  return argument;
}

/// Describes the computation of a kernel, or of a term of one, and the
/// alignments of its tensors.
static runtime::Kernel describeContraction(const KernelInfo &info) {
  runtime::Kernel kernel = runtime::kernelOf(info.record);
  for (Tensor tensor : model::allTensors) {
    int64_t width = tensor == Tensor::A   ? info.layout.a.width
                    : tensor == Tensor::B ? info.layout.b.width
                                          : info.layout.widthC;
    runtime::TensorArgument &argument =
        kernel.tensors[static_cast<unsigned>(tensor)];
    argument.alignment = width * info.numbersOfElement(tensor) *
                         model::byteWidth(model::realTypeOf(argument.type));
  }
  llvm::raw_string_ostream(kernel.schedule) << info.attr->schedule;
  return kernel;
}

static void describeExpressions(const KernelInfo &info,
                                runtime::Kernel &kernel) {
  if (!info.attr->expressions) {
    kernel.hasOtherCode = info.attr->prologueA || info.attr->prologueB ||
                          info.attr->semiring.identity ||
                          info.attr->epilogue != KernelEpilogue::None;
    return;
  }
  for (auto [key, text] : {std::pair(model::prologueAKey, &kernel.prologueA),
                           std::pair(model::prologueBKey, &kernel.prologueB),
                           std::pair(model::productKey, &kernel.product),
                           std::pair(model::combineKey, &kernel.combine),
                           std::pair(model::epilogueKey, &kernel.epilogue)})
    if (auto attr = info.attr->expressions.getAs<mlir::StringAttr>(key))
      *text = attr.str();
}

/// Describes arguments and requirements of a kernel that takes its shape at run
/// time.
static runtime::DynamicShape describeDynamicShape(const KernelInfo &info) {
  const model::Contraction &contraction = info.contraction;
  runtime::DynamicShape shape;
  for (const auto *dims :
       {&info.layout.batch, &info.layout.m, &info.layout.n, &info.layout.k})
    for (const model::TileDim &dim : *dims)
      // Of tiles of one, none is cut off.
      if (!model::isPart(contraction, dim.index))
        shape.indices.push_back(
            {contraction.indices[dim.index].label, dim.tile,
             dim.tile == 1 ? 1 : contraction.multipleOfExtent(dim.index)});
  for (Tensor tensor : model::allTensors) {
    runtime::DynamicShape::Tensor &required = shape.tensors.emplace_back();
    // Strides are of elements, accesses of real numbers.
    int64_t numbers = model::isComplex(info.record.tensors[tensor].type)
                          ? model::partsOfNumber
                          : 1;
    required.multiple = std::max<int64_t>(
        1, model::widthOfAccess(info.layout, tensor) / numbers);
    for (auto [number, index] : llvm::enumerate(contraction.indices))
      if (index.stride[tensor] == 1 && !model::isPart(contraction, number) &&
          model::isStrideFixed(contraction, info.layout, tensor, number))
        required.strideOne = index.label;
  }
  for (const AuxiliaryTensor &auxiliary : info.auxiliaries) {
    runtime::DynamicShape::Tensor &required = shape.tensors.emplace_back();
    required.multiple = auxiliary.width;
    if (auxiliary.strideOne)
      required.strideOne = contraction.indices[*auxiliary.strideOne].label;
  }
  shape.offsetBits = contraction.runTime->offsetBits;
  for (const model::RunTimeArgument &argument : info.shapeArguments) {
    bool ofIndex = argument.quantity == model::RunTimeQuantity::Extent ||
                   argument.quantity == model::RunTimeQuantity::Stride ||
                   argument.quantity == model::RunTimeQuantity::Tiles;
    shape.arguments.push_back(
        {argument.quantity,
         ofIndex ? contraction.indices[argument.index].label : "",
         argument.tensor, argument.isReciprocal, argument.bytes});
  }
  return shape;
}

runtime::Kernel tc::describeKernel(StringRef entry,
                                   ArrayRef<KernelInfo> terms) {
  const KernelInfo &info = terms.front();
  runtime::Kernel kernel = describeContraction(info);
  kernel.entry = entry.str();
  kernel.symbol = kernelSymbol(entry);
  kernel.grid = {info.layout.blocks, 1, 1};
  kernel.block = {info.layout.threads, 1, 1};
  kernel.dynamicSharedBytes = info.layout.sharedBytes;
  for (auto [number, auxiliary, indices] :
       llvm::enumerate(info.auxiliaries, info.attr->auxiliaries))
    kernel.auxiliaries.push_back(describeAuxiliary(
        nameOfAuxiliary(number), auxiliary.type, indices, auxiliary.width));
  describeExpressions(info, kernel);
  for (const model::TileDim &dim : model::gridOrder(info.layout)) {
    const model::Index &index = info.contraction.indices[dim.index];
    // The block covers the parts of complex numbers with one tile.
    if (model::isPart(info.contraction, dim.index))
      continue;
    // A tile may reach over the extent.
    kernel.gridDims.push_back(
        {index.label, dim.extent, std::min(dim.tile, dim.extent)});
  }
  kernel.mapping = info.layout.mapping;
  model::WorkspaceLayout workspace =
      model::workspaceOf(info.contraction, info.layout);
  if (workspace.bytes > 0)
    kernel.workspace = {workspace.bytes, workspace.partialsOffset,
                        model::workspaceAlignment};
  if (info.contraction.runTime)
    kernel.dynamicShape = describeDynamicShape(info);
  std::vector<runtime::KernelContraction> others;
  for (const KernelInfo &other : terms.drop_front()) {
    runtime::Kernel described = describeContraction(other);
    describeExpressions(other, described);
    kernel.hasOtherCode |= described.hasOtherCode;
    others.push_back(std::move(described));
  }
  runtime::setGroup(kernel, std::move(others), info.attr.getGroup().edges);
  return kernel;
}
