//===- DynamicShape.cpp - Kernels for any extents and strides -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the arguments of kernels whose shape is known at launch only.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/DynamicShape.h"

#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

namespace tc::model {

std::string_view stringify(RunTimeQuantity quantity) {
  switch (quantity) {
  case RunTimeQuantity::Extent:
    return "extent";
  case RunTimeQuantity::Stride:
    return "stride";
  case RunTimeQuantity::Offset:
    return "offset";
  case RunTimeQuantity::Tiles:
    return "tiles";
  case RunTimeQuantity::Steps:
    return "steps";
  case RunTimeQuantity::GridM:
    return "grid_m";
  case RunTimeQuantity::Plane:
    return "plane";
  case RunTimeQuantity::GroupRows:
    return "group_rows";
  case RunTimeQuantity::GroupSize:
    return "group_size";
  case RunTimeQuantity::FullGroups:
    return "full_groups";
  case RunTimeQuantity::LastRows:
    break;
  }
  return "last_rows";
}

std::optional<RunTimeQuantity> symbolizeRunTimeQuantity(std::string_view name) {
  for (RunTimeQuantity quantity : allRunTimeQuantities)
    if (stringify(quantity) == name)
      return quantity;
  return std::nullopt;
}

int64_t widthOfAccess(const KernelLayout &layout, Tensor tensor) {
  switch (tensor) {
  case Tensor::A:
    return layout.a.width;
  case Tensor::B:
    return layout.b.width;
  case Tensor::C:
    break;
  }
  return layout.widthC;
}

bool isStrideFixed(const Contraction &contraction, const KernelLayout &layout,
                   Tensor tensor, unsigned index) {
  int64_t stride = contraction.indices[index].stride[tensor];
  if (stride == 0)
    return true;
  if (stride != 1 || widthOfAccess(layout, tensor) == 1)
    return false;
  // Accesses go along the one of the tensor's indices that the layout has
  // picked for it.
  if (tensor == Tensor::C)
    return contraction.strideOneIndex(Tensor::C) == index;
  const TiledCopy &tiledCopy = tensor == Tensor::A ? layout.a : layout.b;
  return tiledCopy.order.front().index == index;
}

std::vector<RunTimeArgument>
runTimeArguments(const Contraction &contraction, const KernelLayout &layout,
                 const std::vector<AuxiliaryShape> &auxiliaries) {
  std::vector<RunTimeArgument> arguments;
  auto add = [&](RunTimeArgument argument) { arguments.push_back(argument); };
  auto addDivisor = [&](RunTimeQuantity quantity, unsigned index = 0) {
    add({quantity, index});
    add({quantity, index, /*tensor=*/0, /*isReciprocal=*/true, 8});
  };
  // A complex number has two parts, which are neighbours.
  std::vector<unsigned> indices;
  for (unsigned index = 0; index < contraction.indices.size(); ++index)
    if (!isPart(contraction, index))
      indices.push_back(index);
  for (unsigned index : indices)
    add({RunTimeQuantity::Extent, index});
  int64_t bytes = contraction.runTime->offsetBits / 8;
  for (Tensor tensor : allTensors) {
    auto number = static_cast<unsigned>(tensor);
    for (unsigned index : indices)
      if (!isStrideFixed(contraction, layout, tensor, index))
        add({RunTimeQuantity::Stride, index, number, false, bytes});
    add({RunTimeQuantity::Offset, 0, number, false, bytes});
  }
  for (unsigned i = 0; i < auxiliaries.size(); ++i) {
    for (unsigned index : auxiliaries[i].indices)
      if (!auxiliaries[i].isStrideFixed(index))
        add({RunTimeQuantity::Stride, index, 3 + i, false, bytes});
    add({RunTimeQuantity::Offset, 0, 3 + i, false, bytes});
  }
  // Of the slowest digit that there is, no remainder has to be taken.
  auto addDigits = [&](const std::vector<TileDim> &dims) {
    for (size_t i = 1; i < dims.size(); ++i)
      if (!isPart(contraction, dims[i].index))
        addDivisor(RunTimeQuantity::Tiles, dims[i].index);
  };
  for (const auto *dims : {&layout.m, &layout.n, &layout.batch})
    addDigits(*dims);
  // A part of the sum begins anywhere along K.
  if (layout.mapping.splitK > 1)
    addDigits(layout.k);
  add({RunTimeQuantity::Steps});
  if (!layout.batch.empty())
    addDivisor(RunTimeQuantity::Plane);
  if (layout.m.empty() || layout.n.empty())
    return arguments;
  if (layout.mapping.rasterM == 0) {
    addDivisor(RunTimeQuantity::GridM);
    return arguments;
  }
  for (RunTimeQuantity quantity :
       {RunTimeQuantity::GroupRows, RunTimeQuantity::GroupSize,
        RunTimeQuantity::LastRows})
    addDivisor(quantity);
  add({RunTimeQuantity::FullGroups});
  return arguments;
}

TileLists tileListsOf(const KernelLayout &layout) {
  TileLists lists;
  for (auto [dims, list] :
       {std::pair(&layout.batch, &lists.batch), std::pair(&layout.m, &lists.m),
        std::pair(&layout.n, &lists.n), std::pair(&layout.k, &lists.k)})
    for (const TileDim &dim : *dims)
      list->push_back({dim.index, dim.tile});
  lists.rasterM = layout.mapping.rasterM;
  return lists;
}

ShapeNumbers<int64_t>
representativeShape(const Contraction &contraction,
                    const std::vector<AuxiliaryShape> &auxiliaries) {
  ShapeNumbers<int64_t> shape;
  for (const Index &index : contraction.indices)
    shape.extents.push_back(index.extent);
  for (Tensor tensor : allTensors) {
    std::vector<int64_t> &strides = shape.strides.emplace_back();
    for (const Index &index : contraction.indices)
      strides.push_back(index.stride[tensor]);
    shape.offsets.push_back(contraction.offset[tensor]);
  }
  for (const AuxiliaryShape &auxiliary : auxiliaries) {
    shape.strides.push_back(auxiliary.strides);
    shape.offsets.push_back(auxiliary.offset);
  }
  return shape;
}

int64_t ShapeArithmetic::multiply(int64_t a, int64_t b) const {
  return saturatingMultiply(a, b);
}

uint64_t reciprocalOf(int64_t divisor) {
  auto d = static_cast<uint64_t>(divisor);
  return ((uint64_t(1) << 63) + (d - 1)) / d;
}

} // namespace tc::model
