//===- Steps.cpp - The contractions that steps are --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Program/StepTimes.h"

#include "tc/Problem/Role.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

Step tc::model::stepOf(const ContractionTree &tree, unsigned node) {
  Step step;
  for (unsigned operand : tree.nodes[node].operands) {
    step.operands.push_back(tree.nodes[operand].indices);
    step.areInputs.push_back(tree.nodes[operand].isInput());
  }
  step.result = tree.nodes[node].indices;
  step.isLast = node + 1 == tree.nodes.size();
  return step;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Returns true if `inner` follows `outer` in every tensor.
static bool runTogether(const Index &outer, const Index &inner) {
  if (outer.role != inner.role)
    return false;
  for (Tensor tensor : allTensors)
    if (outer.stride[tensor] !=
        saturatingMultiply(inner.stride[tensor], inner.extent))
      return false;
  return true;
}

Contraction tc::model::joinIndices(Contraction joined) {
  std::vector<Index> &indices = joined.indices;
  // An index along which nothing runs does not keep others apart.
  indices.erase(
      std::remove_if(indices.begin(), indices.end(),
                     [](const Index &index) { return index.extent == 1; }),
      indices.end());
  for (size_t i = 0; i < indices.size();) {
    auto inner =
        std::find_if(indices.begin(), indices.end(), [&](const Index &other) {
          return &other != &indices[i] && runTogether(indices[i], other);
        });
    if (inner == indices.end()) {
      ++i;
      continue;
    }
    inner->extent *= indices[i].extent;
    inner->label = indices[i].label + inner->label;
    indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  return joined;
}

/// The tensors of a step, and for each whether it is an input or the output.
static PerTensor<const IndexList *> listsOf(const Step &step,
                                            PerTensor<bool> &areParts) {
  PerTensor<const IndexList *> lists = {};
  for (size_t i = 0; i < step.operands.size(); ++i) {
    lists[i] = &step.operands[i];
    areParts[i] = !step.areInputs.empty() && step.areInputs[i];
  }
  lists[Tensor::C] = &step.result;
  areParts[Tensor::C] = step.isLast;
  return lists;
}

ElementType tc::model::operandType(const Network &network, const Step &step,
                                   size_t operand) {
  return step.areInputs.empty() || step.areInputs[operand]
             ? network.type
             : network.temporaryType;
}

/// A step without the indices of its tensors.
static ContractionRecord frameOf(const Network &network, const Step &step) {
  ContractionRecord record;
  record.factorType = network.type;
  record.precision = network.precision;
  record.semiring = network.semiring;
  for (size_t i = 0; i < step.operands.size(); ++i)
    record.tensors[allTensors[i]].type = operandType(network, step, i);
  if (step.operands.size() == 1)
    record.tensors[Tensor::B].type = network.type;
  record.tensors[Tensor::C].type = network.resultType(step.isLast);
  const ElementType sums = accumulatorTypeOf(record);
  record.alpha.value = oneOf(network.semiring, sums);
  record.beta.value = zeroOf(network.semiring, sums);
  return record;
}

static Status checkBytes(const Network &layout, const IndexList &list,
                         ElementType type) {
  if (layout.elements(list) * static_cast<double>(byteWidth(type)) >= 0x1p63)
    return Error{"a tensor of more than 2^63 - 1 bytes"};
  return {};
}

Result<ContractionRecord> tc::model::recordOf(const Network &network,
                                              const Step &step,
                                              const Network *whole) {
  ContractionRecord record = frameOf(network, step);
  PerTensor<bool> areParts = {};
  const PerTensor<const IndexList *> lists = listsOf(step, areParts);
  for (Tensor tensor : allTensors) {
    if (!lists[tensor])
      continue;
    const Network &layout = areParts[tensor] && whole ? *whole : network;
    TensorRecord &made = record.tensors[tensor];
    if (Status status = checkBytes(layout, *lists[tensor], made.type); !status)
      return Error{status.error()};
    std::vector<int64_t> stored;
    for (unsigned index : *lists[tensor]) {
      made.labels.push_back(network.indices[index].label);
      made.extents.push_back(network.indices[index].extent);
      stored.push_back(layout.indices[index].extent);
    }
    made.strides = contiguousStrides(stored);
  }
  return record;
}

Result<Contraction> tc::model::contractionOf(const Network &network,
                                             const Step &step,
                                             const Network *whole) {
  // Searches ask for many: records of labels take several times as long.
  Contraction made = contractionOf(frameOf(network, step));
  PerTensor<bool> areParts = {};
  const PerTensor<const IndexList *> lists = listsOf(step, areParts);
  auto holds = [&](Tensor tensor, unsigned index) {
    return lists[tensor] && contains(*lists[tensor], index);
  };
  IndexList found;
  for (Tensor tensor : {Tensor::C, Tensor::A, Tensor::B}) {
    if (!lists[tensor])
      continue;
    for (unsigned index : *lists[tensor])
      if (!contains(found, index)) {
        found.push_back(index);
        made.indices.push_back(
            {network.indices[index].label,
             network.indices[index].extent,
             roleOf(holds(Tensor::A, index), holds(Tensor::B, index),
                    holds(Tensor::C, index)),
             {}});
      }
    const Network &layout = areParts[tensor] && whole ? *whole : network;
    if (Status status =
            checkBytes(layout, *lists[tensor], made.elementType[tensor]);
        !status)
      return Error{status.error()};
    int64_t stride = 1;
    for (auto at = lists[tensor]->rbegin(); at != lists[tensor]->rend(); ++at) {
      Index &index = made.indices[static_cast<size_t>(
          std::find(found.begin(), found.end(), *at) - found.begin())];
      // Along an extent of one the stride does not matter.
      if (index.extent != 1)
        index.stride[tensor] += stride;
      stride = saturatingMultiply(stride, layout.indices[*at].extent);
    }
  }
  return joinIndices(std::move(made));
}
