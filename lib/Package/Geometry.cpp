//===- Geometry.cpp - Places of a tensor's elements -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Geometry.h"
#include "tc/Package/KernelRecord.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;

int64_t Geometry::elements() const {
  int64_t product = 1;
  for (const Dimension &dim : dims)
    product = saturatingMultiply(product, dim.extent);
  return product;
}

bool Geometry::isNested() const {
  std::vector<Dimension> sorted;
  for (const Dimension &dim : dims)
    if (dim.extent > 1)
      sorted.push_back({dim.extent, magnitude(dim.stride)});
  std::sort(sorted.begin(), sorted.end(),
            [](const Dimension &a, const Dimension &b) {
              return a.stride < b.stride;
            });
  int64_t reached = 0;
  for (const Dimension &dim : sorted) {
    if (dim.stride <= reached)
      return false;
    reached += (dim.extent - 1) * dim.stride;
  }
  return true;
}

bool Geometry::isDense() const {
  return first == 0 && isNested() && elements() == bufferElements();
}

/// A complex tensor as a real one, with a dimension more for the parts of its
/// elements.
static TensorArgument inParts(TensorArgument tensor) {
  constexpr int64_t parts = model::partsOfNumber;
  tensor.type = model::realTypeOf(tensor.type);
  tensor.offset = saturatingMultiply(tensor.offset, parts);
  for (int64_t &stride : tensor.strides)
    stride = saturatingMultiply(stride, parts);
  std::string label = model::outputPartLabel;
  while (std::find(tensor.labels.begin(), tensor.labels.end(), label) !=
         tensor.labels.end())
    label += '_';
  tensor.labels.push_back(std::move(label));
  tensor.extents.push_back(parts);
  tensor.strides.push_back(1);
  return tensor;
}

Result<Geometry> tc::runtime::geometryOf(const TensorArgument &tensor) {
  if (model::isComplex(tensor.type))
    return geometryOf(inParts(tensor));
  Error tooLarge{"tensor " + tensor.name + " spans more than 2^63 - 1 bytes"};
  Geometry geometry;
  geometry.offset = tensor.offset;
  int64_t behind = 0, ahead = tensor.offset;
  for (size_t i = 0; i < tensor.labels.size(); ++i) {
    int64_t extent = tensor.extents[i], stride = tensor.strides[i];
    // The stride counts even where the extent is one, so that sums of strides
    // are safe everywhere.
    int64_t distance =
        saturatingMultiply(std::max<int64_t>(extent - 1, 1), magnitude(stride));
    int64_t &way = stride < 0 ? behind : ahead;
    way = saturatingAdd(way, distance);
    if (way == saturated)
      return tooLarge;

    auto found = std::find(geometry.labels.begin(), geometry.labels.end(),
                           tensor.labels[i]);
    if (found != geometry.labels.end()) {
      geometry.dims[found - geometry.labels.begin()].stride += stride;
      continue;
    }
    geometry.labels.push_back(tensor.labels[i]);
    geometry.dims.push_back({extent, stride});
  }
  if (saturatingMultiply(saturatingAdd(ahead, 1),
                         model::byteWidth(tensor.type)) == saturated)
    return tooLarge;

  geometry.first = geometry.last = tensor.offset;
  for (const Dimension &dim : geometry.dims)
    (dim.stride < 0 ? geometry.first : geometry.last) +=
        (dim.extent - 1) * dim.stride;
  if (geometry.first < 0)
    return Error{"tensor " + tensor.name + " reaches position " +
                 std::to_string(geometry.first) +
                 ", which is before its base pointer"};
  return geometry;
}

int64_t tc::runtime::bufferBytesOf(const TensorArgument &tensor) {
  Result<Geometry> geometry = geometryOf(tensor);
  if (!geometry)
    return saturated;
  return saturatingMultiply(geometry->bufferElements(),
                            model::byteWidth(model::realTypeOf(tensor.type)));
}

model::Contraction
tc::runtime::contractionOf(const KernelContraction &contraction) {
  return model::contractionOf(recordOf(contraction));
}

model::Contraction tc::runtime::contractionOf(const Kernel &kernel) {
  return model::contractionOf(recordOf(kernel));
}

PositionDecoder::PositionDecoder(const Geometry &geometry)
    : rank(geometry.dims.size()), first(geometry.first) {
  for (size_t i = 0; i < rank; ++i) {
    const Dimension &dim = geometry.dims[i];
    if (dim.extent > 1 && dim.stride != 0)
      steps.push_back({i, dim.extent, magnitude(dim.stride), dim.stride < 0});
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step &a, const Step &b) { return a.stride > b.stride; });
}

std::optional<std::vector<int64_t>>
PositionDecoder::coordinates(int64_t position) const {
  std::vector<int64_t> result(rank);
  bool found = decode(position, [&](const Step &step, int64_t coordinate) {
    result[step.dimension] = coordinate;
  });
  if (!found)
    return std::nullopt;
  return result;
}

Status tc::runtime::checkSameBuffers(const Kernel &definition,
                                     const Kernel &kernel) {
  std::vector<const TensorArgument *> defined = tensorsOf(definition);
  std::vector<const TensorArgument *> compiled = tensorsOf(kernel);
  if (defined.size() != compiled.size())
    return Error{"kernel " + kernel.entry +
                 " is not for the contraction: it takes " +
                 std::to_string(compiled.size()) + " tensors, not " +
                 std::to_string(defined.size())};
  for (size_t i = 0; i < defined.size(); ++i) {
    Result<Geometry> before = geometryOf(*defined[i]);
    Result<Geometry> after = geometryOf(*compiled[i]);
    for (const Result<Geometry> *geometry : {&before, &after})
      if (!*geometry)
        return Error{geometry->error()};
    if (defined[i]->type != compiled[i]->type ||
        before->first != after->first || before->last != after->last)
      return Error{"kernel " + kernel.entry +
                   " is not for the contraction: "
                   "its tensor " +
                   compiled[i]->name + " is laid out otherwise"};
  }
  return {};
}
