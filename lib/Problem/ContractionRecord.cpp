//===- ContractionRecord.cpp - The normal form of a record ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/ContractionRecord.h"
#include "tc/Problem/Role.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>

using namespace tc::model;

std::vector<int64_t>
tc::model::contiguousStrides(const std::vector<int64_t> &extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride = saturatingMultiply(stride, extents[i]);
  }
  return strides;
}

static Role roleOfLabel(const std::string &label,
                        const PerTensor<TensorRecord> &tensors) {
  auto holds = [&](Tensor tensor) {
    const std::vector<std::string> &labels = tensors[tensor].labels;
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  return roleOf(holds(Tensor::A), holds(Tensor::B), holds(Tensor::C));
}

/// True if elements of C follow from complete sums only.
static bool needsWholeSums(const ContractionRecord &record) {
  ElementType sums = accumulatorTypeOf(record);
  bool scales = record.alpha.isArgument ||
                record.alpha.value != oneOf(record.semiring, sums);
  return sums != record.tensors[Tensor::C].type ||
         (record.hasEpilogue && record.epilogueReadsC) ||
         (scales && !scalingDistributes(record.semiring));
}

Contraction tc::model::contractionOf(const ContractionRecord &record) {
  Contraction contraction;
  for (Tensor tensor : {Tensor::C, Tensor::A, Tensor::B}) {
    const TensorRecord &from = record.tensors[tensor];
    for (size_t i = 0; i < from.labels.size(); ++i) {
      std::optional<unsigned> known = contraction.find(from.labels[i]);
      if (!known) {
        known = contraction.indices.size();
        contraction.indices.push_back(
            {from.labels[i],
             from.extents[i],
             roleOfLabel(from.labels[i], record.tensors),
             {}});
      }
      Index &index = contraction.indices[*known];
      if (index.extent != 1 || record.runTime)
        index.stride[tensor] += from.strides[i];
    }
    contraction.elementType[tensor] = from.type;
    contraction.offset[tensor] = from.offset;
    contraction.baseAlignment[tensor] = from.baseAlignment;
  }
  contraction.factorType = record.factorType;
  contraction.hasPrologue = record.hasPrologue;
  contraction.accumulatorType = accumulatorTypeOf(record);
  contraction.precision = record.precision;
  contraction.semiring = record.semiring;
  contraction.userSemiring = record.userSemiring;
  contraction.conjugates = record.conjugates;
  contraction.readsC = record.readsC;
  contraction.hasEpilogue = record.hasEpilogue;
  contraction.needsWholeSums = needsWholeSums(record);
  contraction.isTerm = record.isTerm;
  contraction.reducesC = record.reducesC;
  contraction.runTime = record.runTime;
  return contraction;
}
