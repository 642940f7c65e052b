//===- KernelGroup.cpp - Contractions of a kernel -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Package.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;

model::Group tc::runtime::groupOf(const Kernel &kernel) {
  return {static_cast<unsigned>(1 + kernel.others.size()), kernel.edges};
}

const KernelContraction &tc::runtime::contractionAt(const Kernel &kernel,
                                                    unsigned node) {
  return node == 0 ? kernel : kernel.others[node - 1];
}

KernelContraction &tc::runtime::contractionAt(Kernel &kernel, unsigned node) {
  return node == 0 ? kernel : kernel.others[node - 1];
}

static TensorArgument &tensorOf(Kernel &kernel,
                                const model::GroupTensor &tensor) {
  return contractionAt(kernel, tensor.node)
      .tensors[static_cast<size_t>(tensor.tensor)];
}

/// Makes a tensor what another one is, with its own indices.
static void become(TensorArgument &tensor, const TensorArgument &other) {
  std::vector<std::string> labels = std::move(tensor.labels);
  tensor = other;
  tensor.labels = std::move(labels);
}

void tc::runtime::setGroup(Kernel &kernel,
                           std::vector<KernelContraction> others,
                           std::vector<model::GroupEdge> edges) {
  kernel.others = std::move(others);
  kernel.edges = std::move(edges);
  for (unsigned node = 1; node <= kernel.others.size(); ++node)
    for (model::Tensor tensor : model::allTensors)
      tensorOf(kernel, {node, tensor}).name = model::nameOf({node, tensor});
  for (const model::GroupEdge &edge : kernel.edges) {
    TensorArgument &source = tensorOf(kernel, {edge.from, edge.source});
    TensorArgument &sink = tensorOf(kernel, {edge.to, edge.sink});
    switch (model::traitsOf(edge).memory) {
    case model::EdgeMemory::Sink:
      become(source, sink);
      source.isRead = false;
      break;
    case model::EdgeMemory::Chip:
      sink.alignment = TensorArgument().alignment;
      become(source, sink);
      source.isRead = false;
      source.isWritten = true;
      break;
    case model::EdgeMemory::Source:
      source.alignment = std::max(source.alignment, sink.alignment);
      break;
    }
  }
  // The widest access of all decides about what they share.
  for (const model::GroupEdge &edge : kernel.edges)
    if (model::traitsOf(edge).memory == model::EdgeMemory::Source)
      become(tensorOf(kernel, {edge.to, edge.sink}),
             tensorOf(kernel, {edge.from, edge.source}));
}

/// The place of an operand with that number among a kernel's tensors.
static size_t placeOf(const Kernel &kernel, size_t operand) {
  return operand < 3 ? operand : operand + kernel.auxiliaries.size();
}

std::vector<const TensorArgument *>
tc::runtime::tensorsOf(const Kernel &kernel) {
  std::vector<const TensorArgument *> tensors;
  tensors.reserve(kernel.auxiliaries.size() + 3);
  for (const TensorArgument &auxiliary : kernel.auxiliaries)
    tensors.push_back(&auxiliary);
  size_t operand = 0;
  for (const model::GroupTensor &each : groupOf(kernel).operands())
    tensors.insert(tensors.begin() +
                       static_cast<ptrdiff_t>(placeOf(kernel, operand++)),
                   &contractionAt(kernel, each.node)
                        .tensors[static_cast<size_t>(each.tensor)]);
  return tensors;
}

std::array<std::optional<size_t>, 3> tc::runtime::placesOf(const Kernel &kernel,
                                                           unsigned node) {
  model::Group group = groupOf(kernel);
  std::vector<model::GroupTensor> operands = group.operands();
  std::array<std::optional<size_t>, 3> places;
  for (model::Tensor tensor : model::allTensors)
    if (std::optional<model::GroupTensor> operand =
            group.operandOf({node, tensor}))
      places[static_cast<size_t>(tensor)] = placeOf(
          kernel, static_cast<size_t>(
                      std::find(operands.begin(), operands.end(), *operand) -
                      operands.begin()));
  return places;
}

std::vector<size_t> tc::runtime::outputsOf(const Kernel &kernel) {
  std::vector<size_t> places;
  size_t operand = 0;
  for (const model::GroupTensor &each : groupOf(kernel).operands()) {
    if (each.tensor == model::Tensor::C)
      places.push_back(placeOf(kernel, operand));
    ++operand;
  }
  return places;
}

Kernel tc::runtime::kernelStoring(const Kernel &kernel, unsigned node) {
  Kernel storing = kernel;
  if (node == 0) {
    // Those that are stored themselves have no part in it.
    if (groupOf(kernel).storedNodes().size() > 1) {
      storing.others.clear();
      storing.edges.clear();
    }
    return storing;
  }
  static_cast<KernelContraction &>(storing) = contractionAt(kernel, node);
  storing.others.clear();
  storing.edges.clear();
  storing.auxiliaries.clear();
  storing.gridDims.clear();
  // Indices with several tiles are those of the input in common.
  for (const model::GroupEdge &edge : kernel.edges) {
    if (edge.to != node)
      continue;
    const std::vector<std::string> &here =
        contractionAt(kernel, edge.from)
            .tensors[static_cast<size_t>(edge.source)]
            .labels;
    const std::vector<std::string> &there =
        storing.tensors[static_cast<size_t>(edge.sink)].labels;
    for (const GridDim &dim : kernel.gridDims) {
      auto found = std::find(here.begin(), here.end(), dim.label);
      if (dim.tiles() > 1 && found != here.end())
        storing.gridDims.push_back(
            {there[static_cast<size_t>(found - here.begin())], dim.extent,
             dim.tile});
    }
  }
  return storing;
}
