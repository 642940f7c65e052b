//===- DynamicShape.cpp - Kernels on tensors of any shape -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/DynamicShape.h"

#include "VerifierSupport.h"
#include "tc/Gpu/Layout/Workspace.h"
#include "tc/Package/Geometry.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Problem/ContractionRecord.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace tc;
using namespace tc::runtime;
using model::RunTimeQuantity;

std::vector<const TensorArgument *>
tc::runtime::shapedTensorsOf(const Kernel &kernel) {
  std::vector<const TensorArgument *> tensors;
  tensors.reserve(kernel.tensors.size() + kernel.auxiliaries.size());
  for (const TensorArgument &tensor : kernel.tensors)
    tensors.push_back(&tensor);
  for (const TensorArgument &auxiliary : kernel.auxiliaries)
    tensors.push_back(&auxiliary);
  return tensors;
}

KernelShape tc::runtime::shapeOf(const Kernel &kernel) {
  KernelShape shape;
  for (const TensorArgument *tensor : shapedTensorsOf(kernel))
    shape.push_back({tensor->extents, tensor->strides, tensor->offset});
  return shape;
}

Result<KernelShape>
tc::runtime::contiguousShape(const Kernel &kernel,
                             const std::map<std::string, int64_t> &extents) {
  KernelShape shape;
  std::set<std::string> used;
  for (const TensorArgument *tensor : shapedTensorsOf(kernel)) {
    TensorShape &own = shape.emplace_back();
    const std::vector<std::string> &labels = tensor->labels;
    bool isNumber = kernel.reduces && tensor == &kernel.tensors[2];
    int64_t stride = 1;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
      auto extent = extents.find(*label);
      if (extent == extents.end())
        return Error{"extent of index '" + *label + "' is missing"};
      used.insert(*label);
      own.extents.insert(own.extents.begin(), extent->second);
      // A number has the place of all elements that are added up to it.
      own.strides.insert(own.strides.begin(), isNumber ? 0 : stride);
      stride = saturatingMultiply(stride, std::max<int64_t>(extent->second, 1));
    }
  }
  for (const auto &[label, extent] : extents)
    if (!used.count(label))
      return Error{"kernel " + kernel.entry + " has no index '" + label + "'"};
  return shape;
}

/// Real numbers of which an element of a tensor is made: those that a kernel
/// takes of a shape count them.
static int64_t numbersOfElement(const TensorArgument &tensor) {
  return model::isComplex(tensor.type) ? model::partsOfNumber : 1;
}

/// Tile lists by which a kernel cuts its indices, as `contraction` numbers
/// them.
static model::TileLists tileListsOf(const Kernel &kernel,
                                    const model::Contraction &contraction) {
  model::TileLists lists;
  for (const DynamicShape::Index &index : kernel.dynamicShape->indices) {
    unsigned position = *contraction.find(index.label);
    switch (contraction.indices[position].role) {
    case model::Role::Batch:
      lists.batch.push_back({position, index.tile});
      break;
    case model::Role::M:
      lists.m.push_back({position, index.tile});
      break;
    case model::Role::N:
      lists.n.push_back({position, index.tile});
      break;
    case model::Role::K:
      lists.k.push_back({position, index.tile});
      break;
    }
  }
  lists.rasterM = kernel.mapping.rasterM;
  return lists;
}

/// Sums that a kernel's blocks add up together, if they do.
static std::optional<model::SharedSums>
sharedSumsOf(const Kernel &kernel, const model::TileLists &tiles) {
  if (kernel.reduces)
    return model::SharedSums{
        /*parts=*/0, /*elementsPerBlock=*/1,
        model::byteWidth(model::reductionTypeOf(kernel.tensors[2].type))};
  if (kernel.mapping.splitK == 1)
    return std::nullopt;
  int64_t elements = 1;
  for (const auto *list : {&tiles.m, &tiles.n})
    for (const model::IndexTile &dim : *list)
      elements = saturatingMultiply(elements, dim.tile);
  return model::SharedSums{
      kernel.mapping.splitK, elements,
      saturatingMultiply(elements, model::byteWidth(kernel.accumulatorType))};
}

//===----------------------------------------------------------------------===//
// Requirements of a kernel
//===----------------------------------------------------------------------===//

/// "stride of A along index 'k' is 3"
static std::string describe(const std::string &what, int64_t number) {
  return what + " is " + std::to_string(number);
}

static Status checkExtents(const Kernel &kernel, const KernelShape &shape) {
  std::map<std::string, int64_t> extents;
  std::vector<const TensorArgument *> tensors = shapedTensorsOf(kernel);
  if (shape.size() != tensors.size())
    return Error{
        "kernel " + kernel.entry + " has " + std::to_string(tensors.size()) +
        " tensors, and there are shapes for " + std::to_string(shape.size())};
  for (size_t i = 0; i < shape.size(); ++i) {
    const TensorArgument &tensor = *tensors[i];
    const std::string &name = tensor.name;
    size_t rank = tensor.labels.size();
    if (shape[i].extents.size() != rank || shape[i].strides.size() != rank)
      return Error{name + " has " + std::to_string(rank) +
                   " dimensions, and the shape given for it " +
                   std::to_string(shape[i].extents.size())};
    for (size_t dim = 0; dim < rank; ++dim) {
      const std::string &label = tensor.labels[dim];
      int64_t extent = shape[i].extents[dim];
      auto [known, isNew] = extents.try_emplace(label, extent);
      if (!isNew && known->second != extent)
        return Error{
            describe("extent of " + name + " along index '" + label + "'",
                     extent) +
            ", but elsewhere " + std::to_string(known->second)};
    }
  }
  for (const DynamicShape::Index &index : kernel.dynamicShape->indices) {
    int64_t extent = extents[index.label];
    std::string text =
        describe("extent of index '" + index.label + "'", extent);
    if (extent < 1)
      return Error{text + ", but must be at least 1"};
    if (extent > model::maxRunTimeExtent(index.tile))
      return Error{text + ", but the kernel takes " +
                   std::to_string(model::maxRunTimeExtent(index.tile)) +
                   " at the most"};
    if (extent % index.multiple != 0)
      return Error{text + ", but must be a multiple of " +
                   std::to_string(index.multiple)};
  }
  return {};
}

/// Holds strides and the offset of one tensor against what the kernel requires.
static Status checkStrides(const Kernel &kernel, size_t number,
                           const TensorShape &shape) {
  const DynamicShape::Tensor &required = kernel.dynamicShape->tensors[number];
  const TensorArgument &tensor = *shapedTensorsOf(kernel)[number];
  const std::string &name = tensor.name;
  if (shape.offset % required.multiple != 0)
    return Error{describe("offset of " + name, shape.offset) +
                 ", but must be a multiple of " +
                 std::to_string(required.multiple)};
  for (size_t dim = 0; dim < tensor.labels.size(); ++dim) {
    const std::string &label = tensor.labels[dim];
    // Nothing lies along it.
    if (shape.extents[dim] == 1)
      continue;
    // Kernels know the sum of a diagonal's strides.
    int64_t stride = 0, representative = 0;
    for (size_t other = 0; other < tensor.labels.size(); ++other)
      if (tensor.labels[other] == label) {
        stride += shape.strides[other];
        representative += tensor.strides[other];
      }
    std::string text =
        describe("stride of " + name + " along index '" + label + "'", stride);
    if (representative == 0 && stride != 0)
      return Error{text + ", but must be 0"};
    if (label == required.strideOne) {
      if (stride != 1)
        return Error{text + ", but must be 1"};
    } else if (stride % required.multiple != 0) {
      return Error{text + ", but must be a multiple of " +
                   std::to_string(required.multiple)};
    }
  }
  return {};
}

/// Checks that offsets into a tensor of that shape fit in as many bits as the
/// kernel has for them, those of what a tile would have beyond the extents
/// included.
static Status checkOffsets(const Kernel &kernel, const TensorArgument &tensor) {
  int64_t reach = tensor.offset;
  for (size_t dim = 0; dim < tensor.extents.size(); ++dim) {
    int64_t tile = 1;
    for (const DynamicShape::Index &index : kernel.dynamicShape->indices)
      if (index.label == tensor.labels[dim])
        tile = index.tile;
    int64_t stride = magnitude(tensor.strides[dim]);
    int64_t steps = saturatingAdd(tensor.extents[dim], 2 * tile);
    reach = saturatingAdd(reach, saturatingMultiply(steps, stride));
  }
  bool isComplex = model::isComplex(tensor.type);
  reach = saturatingMultiply(reach, numbersOfElement(tensor));
  int64_t most = kernel.dynamicShape->offsetBits == 32
                     ? std::numeric_limits<int32_t>::max()
                     : std::numeric_limits<int64_t>::max() / 16;
  if (reach <= most)
    return {};
  return Error{tensor.name + " reaches " +
               (reach == saturated ? "over 2^63" : std::to_string(reach)) +
               (isComplex ? " real numbers" : " elements") +
               " far, but the kernel has offsets of " +
               std::to_string(kernel.dynamicShape->offsetBits) + " bits"};
}

/// The kernel with that shape, of tensors that suit it.
static Kernel withTensors(const Kernel &kernel, const KernelShape &shape) {
  Kernel bound = kernel;
  auto give = [](TensorArgument &tensor, const TensorShape &of) {
    tensor.extents = of.extents;
    tensor.strides = of.strides;
    tensor.offset = of.offset;
  };
  for (size_t i = 0; i < bound.tensors.size(); ++i)
    give(bound.tensors[i], shape[i]);
  for (size_t i = 0; i < bound.auxiliaries.size(); ++i)
    give(bound.auxiliaries[i], shape[bound.tensors.size() + i]);
  return bound;
}

/// Gives a kernel that has a shape, which it takes, the grid and the workspace
/// for it.
static Result<Kernel> withGrid(const Kernel &kernel, Kernel bound) {
  model::Contraction contraction = contractionOf(bound);
  for (GridDim &dim : bound.gridDims)
    for (const DynamicShape::Index &index : kernel.dynamicShape->indices)
      if (index.label == dim.label) {
        dim.extent = contraction.indices[*contraction.find(dim.label)].extent;
        dim.tile = std::min(index.tile, dim.extent);
      }
  model::ShapeArithmetic arithmetic;
  model::ShapeNumbers<int64_t> numbers =
      model::representativeShape(contraction);
  model::TileLists tiles = tileListsOf(kernel, contraction);
  // Blocks that share a sum have one tile in common.
  int64_t blocks = saturatingMultiply(
      model::countBlocks(tiles, numbers, arithmetic), kernel.mapping.splitK);
  auto text = [](int64_t count) {
    return count == saturated ? "over 2^63" : std::to_string(count);
  };
  if (blocks > model::maxBlocks)
    return Error{"C is in " + text(blocks / kernel.mapping.splitK) + " tiles" +
                 (kernel.mapping.splitK > 1
                      ? " of " + text(kernel.mapping.splitK) + " blocks each"
                      : "") +
                 ", but a grid has " + std::to_string(model::maxBlocks) +
                 " blocks at the most"};
  if (int64_t steps = model::countTiles(tiles.k, numbers, arithmetic);
      steps > model::maxSteps)
    return Error{"K is in " + text(steps) + " tiles, but a kernel takes " +
                 std::to_string(model::maxSteps) + " steps at the most"};
  bound.grid = {blocks, 1, 1};
  if (std::optional<model::SharedSums> sums = sharedSumsOf(kernel, tiles)) {
    model::WorkspaceLayout places = model::workspaceOf(*sums, blocks);
    if (places.bytes == saturated)
      return Error{"the workspace has over 2^63 bytes"};
    bound.workspace->bytes = places.bytes;
    bound.workspace->zeroedBytes = places.partialsOffset;
  }
  return bound;
}

/// Checks that C's elements lie in places of their own, after its base pointer.
static Status checkPlaces(const Kernel &bound) {
  for (const TensorArgument *tensor : shapedTensorsOf(bound)) {
    Result<Geometry> geometry = geometryOf(*tensor);
    if (!geometry)
      return Error{geometry.error()};
    if (tensor != &bound.tensors[2] || bound.reduces)
      continue;
    for (const Dimension &dim : geometry->dims)
      if (dim.extent > 1 && dim.stride == 0)
        return Error{"elements of C overlap: a stride is 0"};
    if (!geometry->isNested())
      return Error{"elements of C may overlap: sorted by size, strides must "
                   "step over all that the smaller ones reach"};
  }
  return {};
}

Result<Kernel> tc::runtime::bindShape(const Kernel &kernel,
                                      const KernelShape &shape) {
  if (!kernel.dynamicShape) {
    KernelShape own = shapeOf(kernel);
    for (size_t i = 0; i < std::min(shape.size(), own.size()); ++i)
      if (shape[i].extents != own[i].extents ||
          shape[i].strides != own[i].strides ||
          shape[i].offset != own[i].offset)
        return Error{"kernel " + kernel.entry +
                     " was compiled for another shape of " +
                     shapedTensorsOf(kernel)[i]->name};
    return kernel;
  }
  if (Status s = checkExtents(kernel, shape); !s)
    return Error{s.error()};
  Kernel shaped = withTensors(kernel, shape);
  // Sums of strides are safe where tensors reach no further.
  for (const TensorArgument *tensor : tensorsOf(shaped))
    if (Status s = checkOffsets(kernel, *tensor); !s)
      return Error{s.error()};
  for (size_t i = 0; i < shape.size(); ++i)
    if (Status s = checkStrides(kernel, i, shape[i]); !s)
      return Error{s.error()};
  Result<Kernel> bound = withGrid(kernel, std::move(shaped));
  if (!bound)
    return bound;
  if (Status s = checkPlaces(*bound); !s)
    return Error{s.error()};
  return bound;
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

double tc::runtime::distanceOf(const Kernel &kernel, const KernelShape &shape) {
  std::map<std::string, double> doublings;
  for (size_t i = 0; i < std::min(shape.size(), kernel.tensors.size()); ++i) {
    const TensorArgument &tensor = kernel.tensors[i];
    size_t rank = std::min(shape[i].extents.size(), tensor.extents.size());
    for (size_t dim = 0; dim < rank; ++dim)
      doublings[tensor.labels[dim]] =
          std::abs(std::log2(static_cast<double>(shape[i].extents[dim]) /
                             static_cast<double>(tensor.extents[dim])));
  }
  double sum = 0;
  for (const auto &[label, doubling] : doublings)
    sum += doubling;
  return sum;
}

/// A number that is the greater the fewer shapes a kernel takes.
static int64_t demandsOf(const Kernel &kernel) {
  if (!kernel.dynamicShape)
    return saturated - 1;
  int64_t demands = 0;
  for (const DynamicShape::Index &index : kernel.dynamicShape->indices)
    demands = std::min(saturatingAdd(demands, index.multiple), saturated - 2);
  return demands;
}

Result<size_t> tc::runtime::chooseForShape(const Package &package,
                                           size_t number,
                                           const KernelShape &shape) {
  std::optional<size_t> best;
  double least = 0;
  std::string reason;
  int64_t demanded = saturated;
  for (size_t i = number; i < package.kernels.size(); ++i) {
    const Kernel &kernel = package.kernels[i];
    if (i != number && kernel.versionOf != package.kernels[number].entry)
      continue;
    Result<Kernel> bound = bindShape(kernel, shape);
    if (!bound) {
      if (int64_t demands = demandsOf(kernel); demands < demanded) {
        demanded = demands;
        reason = bound.error();
      }
      continue;
    }
    double distance = distanceOf(kernel, shape);
    if (!best || distance < least) {
      best = i;
      least = distance;
    }
  }
  if (!best)
    return Error{reason};
  return *best;
}

Result<ShapedKernels> tc::runtime::bindAll(
    const Package &package,
    const std::function<Result<KernelShape>(const Kernel &)> &shapeFor) {
  ShapedKernels shaped;
  for (size_t i = 0; i < package.kernels.size(); ++i) {
    const Kernel &kernel = package.kernels[i];
    Result<KernelShape> shape = shapeFor(kernel);
    if (!shape)
      return Error{shape.error()};
    Result<Kernel> bound = bindShape(kernel, *shape);
    if (bound) {
      shaped.kernels.push_back(std::move(*bound));
      shaped.numbers.push_back(i);
    } else {
      shaped.refused.emplace_back(kernel.entry, bound.error());
    }
    if (!kernel.versionOf.empty())
      continue;
    Result<size_t> choice = chooseForShape(package, i, *shape);
    if (!choice)
      return Error{"kernel " + kernel.entry + ": " + choice.error()};
    shaped.chosen.push_back(package.kernels[*choice].entry);
  }
  return shaped;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// An argument as the model has it.
static model::RunTimeArgument toModel(const ShapeArgument &argument,
                                      const model::Contraction &contraction) {
  std::optional<unsigned> index = contraction.find(argument.label);
  return {argument.quantity, index.value_or(0),
          static_cast<unsigned>(argument.tensor), argument.isReciprocal,
          argument.bytes};
}

/// Inputs of a kernel besides C, by the positions of indices.
static std::vector<model::AuxiliaryShape>
auxiliaryShapesOf(const Kernel &kernel, const model::Contraction &contraction) {
  std::vector<model::AuxiliaryShape> shapes;
  for (const TensorArgument &auxiliary : kernel.auxiliaries) {
    model::AuxiliaryShape &shape = shapes.emplace_back();
    shape.offset = auxiliary.offset;
    shape.strides.assign(contraction.indices.size(), 0);
    for (size_t dim = 0; dim < auxiliary.labels.size(); ++dim)
      shape.strides[*contraction.find(auxiliary.labels[dim])] +=
          auxiliary.strides[dim];
  }
  return shapes;
}

std::vector<std::vector<std::byte>>
tc::runtime::shapeArguments(const Kernel &kernel) {
  std::vector<std::vector<std::byte>> arguments;
  if (!kernel.dynamicShape)
    return arguments;
  model::Contraction contraction = contractionOf(kernel);
  model::TileLists tiles = tileListsOf(kernel, contraction);
  model::ShapeNumbers<int64_t> numbers = model::representativeShape(
      contraction, auxiliaryShapesOf(kernel, contraction));
  std::vector<const TensorArgument *> tensors = shapedTensorsOf(kernel);
  model::ShapeArithmetic arithmetic;
  for (const ShapeArgument &argument : kernel.dynamicShape->arguments) {
    int64_t value = model::valueOf(toModel(argument, contraction), tiles,
                                   numbers, arithmetic);
    if (argument.quantity == RunTimeQuantity::Stride ||
        argument.quantity == RunTimeQuantity::Offset)
      value *= numbersOfElement(*tensors[argument.tensor]);
    auto word = static_cast<uint64_t>(value);
    if (argument.isReciprocal)
      word = model::reciprocalOf(value);
    // The low bytes come first on every machine with such a GPU.
    std::vector<std::byte> bytes(static_cast<size_t>(argument.bytes));
    std::memcpy(bytes.data(), &word, bytes.size());
    arguments.push_back(std::move(bytes));
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

static Status verifyArgument(const std::string &path,
                             const ShapeArgument &argument,
                             const std::set<std::string> &labels,
                             size_t tensors) {
  bool ofIndex = argument.quantity == RunTimeQuantity::Extent ||
                 argument.quantity == RunTimeQuantity::Stride ||
                 argument.quantity == RunTimeQuantity::Tiles;
  bool ofTensor = argument.quantity == RunTimeQuantity::Stride ||
                  argument.quantity == RunTimeQuantity::Offset;
  if (ofIndex != !argument.label.empty() ||
      (ofIndex && !labels.count(argument.label)))
    return fault(path + ".index",
                 "\"" + argument.label + "\" is no index that a \"" +
                     std::string(model::stringify(argument.quantity)) +
                     "\" can be of");
  if (argument.tensor >= tensors || (!ofTensor && argument.tensor != 0))
    return fault(path + ".tensor",
                 "expected a tensor, and for a stride or an offset only");
  if (argument.bytes != 8 && (argument.bytes != 4 || argument.isReciprocal))
    return fault(path + ".bytes", "expected 4 or 8, and 8 for a reciprocal");
  if (argument.isReciprocal &&
      (ofTensor || argument.quantity == RunTimeQuantity::Extent))
    return fault(path + ".reciprocal", "only what is divided by has one");
  return {};
}

Status tc::runtime::verifyDynamicShape(const std::string &path,
                                       const Kernel &kernel) {
  if (!kernel.dynamicShape)
    return {};
  const DynamicShape &shape = *kernel.dynamicShape;
  std::string own = path + ".dynamic_shape";
  if (!kernel.others.empty())
    return fault(own, "the kernel has several contractions, so its shape must "
                      "be known");
  if (kernel.mapping.stationary != model::Stationary::Output)
    return fault(own, "the kernel's blocks loop over tiles, so its shape must "
                      "be known");
  std::set<std::string> labels, given;
  std::vector<const TensorArgument *> tensors = shapedTensorsOf(kernel);
  if (shape.tensors.size() != tensors.size())
    return fault(own + ".tensors", "expected " +
                                       std::to_string(tensors.size()) +
                                       ", one for each tensor");
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorArgument &tensor = *tensors[i];
    labels.insert(tensor.labels.begin(), tensor.labels.end());
    std::string ofTensor = own + ".tensors[" + std::to_string(i) + "]";
    if (shape.tensors[i].multiple < 1)
      return fault(ofTensor + ".multiple", "must be at least 1");
    const std::string &strideOne = shape.tensors[i].strideOne;
    if (!strideOne.empty() &&
        std::find(tensor.labels.begin(), tensor.labels.end(), strideOne) ==
            tensor.labels.end())
      return fault(ofTensor + ".stride_one",
                   "\"" + strideOne + "\" is no index of the tensor");
  }
  for (size_t i = 0; i < shape.indices.size(); ++i) {
    const DynamicShape::Index &index = shape.indices[i];
    std::string ofIndex = own + ".indices[" + std::to_string(i) + "]";
    if (!labels.count(index.label) || !given.insert(index.label).second)
      return fault(ofIndex + ".index", "\"" + index.label +
                                           "\" is no index of the kernel, or "
                                           "occurs twice");
    // Beyond that, no coordinate in a tile fits in 32 bits.
    constexpr int64_t maxTile = int64_t(1) << 28;
    if (index.tile < 1 || index.tile > maxTile)
      return fault(ofIndex + ".tile", "must be from 1 to 2^28");
    if (index.multiple < 1)
      return fault(ofIndex + ".multiple", "must be at least 1");
  }
  if (given != labels)
    return fault(own + ".indices", "not all indices are there");
  if (shape.offsetBits != 32 && shape.offsetBits != 64)
    return fault(own + ".offset_bits", "expected 32 or 64");
  for (const ShapeArgument &argument : shape.arguments)
    if (Status s = verifyArgument(own + ".arguments", argument, labels,
                                  tensors.size());
        !s)
      return s;
  Result<Kernel> bound = bindShape(kernel, shapeOf(kernel));
  if (!bound)
    return fault(own, "the representative shape is not one that the kernel "
                      "takes: " +
                          bound.error());
  if (bound->grid != kernel.grid)
    return fault(path + ".grid", "expected " + std::to_string(bound->grid[0]) +
                                     " blocks for the representative shape");
  if (const std::optional<Workspace> &needed = bound->workspace;
      needed && (needed->bytes != kernel.workspace->bytes ||
                 needed->zeroedBytes != kernel.workspace->zeroedBytes))
    return fault(path + ".arguments",
                 "expected a workspace of " + std::to_string(needed->bytes) +
                     " bytes, of which " + std::to_string(needed->zeroedBytes) +
                     " must be zero, for the representative shape");
  return {};
}
