//===- ComplexParts.cpp - Complex contractions as real ones ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A complex number is a pair of real ones, and multiplying by b is to multiply
// such a pair by the matrix ((re b, im b), (-im b, re b)). So a contraction of
// complex tensors is one of real tensors with an index more along N, over the
// parts of the result, and one more along K, over those of A.
//
//===----------------------------------------------------------------------===//

#include "tc/Model/ComplexParts.h"

#include "tc/Support/Arithmetic.h"

namespace tc::model {

/// The name, with underscores if indices have it.
static std::string unusedLabel(const Contraction &contraction,
                               std::string name) {
  while (contraction.find(name))
    name += '_';
  return name;
}

Result<Contraction> toRealParts(Contraction contraction) {
  PerTensor<bool> complex;
  for (Tensor tensor : allTensors)
    complex[tensor] = isComplex(contraction.elementType[tensor]);
  if (!complex[Tensor::C])
    return contraction;
  if (!complex[Tensor::B])
    return Error{"A is complex and B is not: swap them"};

  constexpr int64_t parts = 2;
  for (Tensor tensor : allTensors) {
    if (!complex[tensor])
      continue;
    contraction.elementType[tensor] =
        realTypeOf(contraction.elementType[tensor]);
    contraction.offset[tensor] =
        saturatingMultiply(contraction.offset[tensor], parts);
    for (Index &index : contraction.indices)
      index.stride[tensor] = saturatingMultiply(index.stride[tensor], parts);
  }
  contraction.factorType = realTypeOf(contraction.factorType);
  contraction.accumulatorType = realTypeOf(contraction.accumulatorType);

  ComplexParts places;
  places.output = static_cast<unsigned>(contraction.indices.size());
  contraction.indices.push_back(
      {unusedLabel(contraction, "re_im"), parts, Role::N, {{0, 1, 1}}});
  if (complex[Tensor::A]) {
    places.summed = static_cast<unsigned>(contraction.indices.size());
    contraction.indices.push_back(
        {unusedLabel(contraction, "re_im_a"), parts, Role::K, {{1, 0, 0}}});
  }
  contraction.parts = places;
  return contraction;
}

bool isPart(const Contraction &contraction, unsigned index) {
  return contraction.parts && (contraction.parts->output == index ||
                               contraction.parts->summed == index);
}

} // namespace tc::model
