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
#include "tc/Conversion/Symbols.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Model/ComplexParts.h"
#include "tc/Model/FusedCodeKeys.h"
#include "tc/Model/Workspace.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using model::Tensor;

/// A tensor whose loads have at most `width` real numbers.
static runtime::TensorArgument describeTensor(std::string name, MemRefType type,
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
  argument.alignment =
      width * model::byteWidth(model::realTypeOf(argument.type));
  return argument;
}

static runtime::TensorArgument
describeTensor(const KernelInfo &info, Tensor tensor, IndexListAttr indices) {
  static constexpr const char *names[] = {"A", "B", "C"};
  int64_t width = tensor == Tensor::A   ? info.layout.a.width
                  : tensor == Tensor::B ? info.layout.b.width
                                        : info.layout.widthC;
  runtime::TensorArgument argument =
      describeTensor(names[static_cast<unsigned>(tensor)], info.types[tensor],
                     indices, width * info.numbersOfElement(tensor));
  argument.isRead = tensor != Tensor::C || info.contraction.readsC;
  argument.isWritten = tensor == Tensor::C;
  return argument;
}

static runtime::Scalar describeScalar(mlir::TypedAttr constant) {
  runtime::Scalar scalar;
  scalar.isArgument = !constant;
  if (constant)
    scalar.value = getNumber(constant);
  return scalar;
}

static void describeExpressions(const KernelInfo &info,
                                runtime::Kernel &kernel) {
  if (!info.expressions) {
    kernel.hasOtherCode = info.attr.getPrologueA() ||
                          info.attr.getPrologueB() || info.attr.getIdentity() ||
                          info.attr.getHasEpilogue();
    return;
  }
  for (auto [key, text] : {std::pair(model::prologueAKey, &kernel.prologueA),
                           std::pair(model::prologueBKey, &kernel.prologueB),
                           std::pair(model::productKey, &kernel.product),
                           std::pair(model::combineKey, &kernel.combine),
                           std::pair(model::epilogueKey, &kernel.epilogue)})
    if (auto attr = info.expressions.getAs<mlir::StringAttr>(key))
      *text = attr.str();
}

/// The types of factors and of sums, complex ones as such.
static void describeArithmetic(const KernelInfo &info,
                               runtime::Kernel &kernel) {
  kernel.accumulatorType = info.contraction.accumulatorType;
  if (model::isComplex(kernel.tensors[2].type)) {
    kernel.accumulatorType = kernel.tensors[2].type;
    return;
  }
  if (info.contraction.factorType != kernel.tensors[0].type)
    kernel.factorType = info.contraction.factorType;
}

/// What a term adds to the sum of a kernel, whose inputs have its number.
static runtime::Kernel describeTerm(const KernelInfo &info,
                                    const runtime::Kernel &kernel) {
  runtime::Kernel term;
  term.tensors = {describeTensor(info, Tensor::A, info.attr.getA()),
                  describeTensor(info, Tensor::B, info.attr.getB()),
                  kernel.tensors[2]};
  term.tensors[2].labels.clear();
  for (mlir::StringAttr label : info.attr.getC())
    term.tensors[2].labels.push_back(label.str());
  for (unsigned input = 0; input < 2; ++input)
    term.tensors[input].name += std::to_string(info.term);
  describeArithmetic(info, term);
  term.precision = info.contraction.precision;
  describeExpressions(info, term);
  term.alpha = describeScalar(info.attr.getAlpha());
  llvm::raw_string_ostream(term.schedule) << info.attr.getSchedule();
  return term;
}

/// What a kernel that takes its shape at run time takes and requires.
static runtime::RunTimeShape describeRunTimeShape(const KernelInfo &info) {
  const model::Contraction &contraction = info.contraction;
  runtime::RunTimeShape shape;
  for (const auto *dims :
       {&info.layout.batch, &info.layout.m, &info.layout.n, &info.layout.k})
    for (const model::TileDim &dim : *dims)
      // Of tiles of one, none is cut off.
      shape.indices.push_back(
          {contraction.indices[dim.index].label, dim.tile,
           dim.tile == 1 ? 1 : contraction.multipleOfExtent(dim.index)});
  for (Tensor tensor : model::allTensors) {
    runtime::RunTimeShape::Tensor &required =
        shape.tensors[static_cast<size_t>(tensor)];
    required.multiple = model::widthOfAccess(info.layout, tensor);
    for (auto [number, index] : llvm::enumerate(contraction.indices))
      if (index.stride[tensor] == 1 &&
          model::isStrideFixed(contraction, info.layout, tensor, number))
        required.strideOne = index.label;
  }
  shape.offsetBits = contraction.runTime->offsetBits;
  for (const model::RunTimeArgument &argument : info.shapeArguments) {
    bool ofIndex = argument.quantity == model::RunTimeQuantity::Extent ||
                   argument.quantity == model::RunTimeQuantity::Stride ||
                   argument.quantity == model::RunTimeQuantity::Tiles;
    shape.arguments.push_back(
        {argument.quantity,
         ofIndex ? contraction.indices[argument.index].label : "",
         static_cast<size_t>(argument.tensor), argument.isReciprocal,
         argument.bytes});
  }
  return shape;
}

runtime::Kernel tc::describeKernel(StringRef entry,
                                   ArrayRef<KernelInfo> terms) {
  const KernelInfo &info = terms.front();
  runtime::Kernel kernel;
  kernel.entry = entry.str();
  kernel.symbol = kernelSymbol(entry);
  kernel.grid = {info.layout.blocks, 1, 1};
  kernel.block = {info.layout.threads, 1, 1};
  kernel.dynamicSharedBytes = info.layout.sharedBytes;
  kernel.tensors = {describeTensor(info, Tensor::A, info.attr.getA()),
                    describeTensor(info, Tensor::B, info.attr.getB()),
                    describeTensor(info, Tensor::C, info.attr.getC())};
  for (auto [number, side, indices] :
       llvm::enumerate(info.sides, info.attr.getSides()))
    kernel.sides.push_back(
        describeTensor(nameOfSide(number), side.type, indices, side.width));
  describeArithmetic(info, kernel);
  kernel.precision = info.contraction.precision;
  kernel.semiring = info.contraction.semiring;
  if (mlir::TypedAttr identity = info.attr.getIdentity())
    kernel.identity = getNumber(identity);
  kernel.conjugatesA = info.attr.getConjugateA();
  kernel.conjugatesB = info.attr.getConjugateB();
  describeExpressions(info, kernel);
  kernel.alpha = describeScalar(info.attr.getAlpha());
  kernel.beta = describeScalar(info.attr.getBeta());
  for (const model::TileDim &dim : model::gridOrder(info.layout)) {
    const model::Index &index = info.contraction.indices[dim.index];
    // Which covers the parts of complex numbers with one tile.
    if (model::isPart(info.contraction, dim.index))
      continue;
    // A tile may reach over the extent.
    kernel.gridDims.push_back(
        {index.label, dim.extent, std::min(dim.tile, dim.extent)});
  }
  kernel.reduces = info.contraction.reducesC;
  kernel.mapping = info.layout.mapping;
  model::WorkspaceLayout workspace =
      model::workspaceOf(info.contraction, info.layout);
  if (workspace.bytes > 0)
    kernel.workspace = {workspace.bytes, workspace.partialsOffset,
                        model::workspaceAlignment};
  if (info.contraction.runTime)
    kernel.runTimeShape = describeRunTimeShape(info);
  llvm::raw_string_ostream(kernel.schedule) << info.attr.getSchedule();
  for (const KernelInfo &term : terms.drop_front()) {
    kernel.terms.push_back(describeTerm(term, kernel));
    kernel.hasOtherCode |= kernel.terms.back().hasOtherCode;
  }
  return kernel;
}
