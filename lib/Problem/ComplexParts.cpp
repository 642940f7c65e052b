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
// parts of the result, and one more along K, over those of A. The same holds
// with A and B, and M and N, swapped.
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/ComplexParts.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

/// The name, with underscores if indices have it.
static std::string unusedLabel(const Contraction &contraction,
                               std::string name) {
  while (contraction.find(name))
    name += '_';
  return name;
}

/// Label before `unusedLabel` was applied.
static std::string_view stripUnderscores(std::string_view label) {
  while (!label.empty() && label.back() == '_')
    label.remove_suffix(1);
  return label;
}

bool isPartLabel(std::string_view label) {
  std::string_view name = stripUnderscores(label);
  return name == outputPartLabel || name == summedPartLabel ||
         isProductsLabel(label);
}

bool isProductsLabel(std::string_view label) {
  return stripUnderscores(label) == productsLabel;
}

bool isComplexProduct(const Contraction &contraction) {
  return contraction.parts || contraction.threeProducts;
}

bool hasThreeProducts(const Contraction &contraction) {
  return isComplex(contraction.elementType[Tensor::A]) &&
         isComplex(contraction.elementType[Tensor::B]);
}

ComplexForm formOf(const Contraction &contraction,
                   const std::vector<TileExtent> &k) {
  std::string label = unusedLabel(contraction, productsLabel);
  bool isNamed = std::any_of(k.begin(), k.end(), [&](const TileExtent &tile) {
    return tile.label == label;
  });
  return isNamed && hasThreeProducts(contraction) ? ComplexForm::ThreeProducts
                                                  : ComplexForm::FourProducts;
}

Contraction toThreeProducts(Contraction contraction) {
  contraction.factorType = realTypeOf(contraction.factorType);
  contraction.accumulatorType = realTypeOf(contraction.accumulatorType);
  contraction.indices.push_back(
      {unusedLabel(contraction, productsLabel), minProducts, Role::K, {}});
  contraction.threeProducts =
      static_cast<unsigned>(contraction.indices.size() - 1);
  return contraction;
}

Contraction toRealParts(Contraction contraction) {
  PerTensor<bool> complex;
  for (Tensor tensor : allTensors)
    complex[tensor] = isComplex(contraction.elementType[tensor]);
  if (!complex[Tensor::C])
    return contraction;

  for (Tensor tensor : allTensors) {
    if (!complex[tensor])
      continue;
    contraction.elementType[tensor] =
        realTypeOf(contraction.elementType[tensor]);
    contraction.offset[tensor] =
        saturatingMultiply(contraction.offset[tensor], partsOfNumber);
    contraction.baseAlignment[tensor] =
        saturatingMultiply(contraction.baseAlignment[tensor], partsOfNumber);
    for (Index &index : contraction.indices)
      index.stride[tensor] =
          saturatingMultiply(index.stride[tensor], partsOfNumber);
  }
  contraction.factorType = realTypeOf(contraction.factorType);
  contraction.accumulatorType = realTypeOf(contraction.accumulatorType);

  auto append = [&](const char *label, Role role, PerTensor<int64_t> stride) {
    contraction.indices.push_back(
        {unusedLabel(contraction, label), partsOfNumber, role, stride});
    return static_cast<unsigned>(contraction.indices.size() - 1);
  };
  ComplexParts parts;
  if (complex[Tensor::B]) {
    parts.output = append(outputPartLabel, Role::N, {{0, 1, 1}});
    if (complex[Tensor::A])
      parts.summed = append(summedPartLabel, Role::K, {{1, 0, 0}});
  } else {
    parts.expanded = Tensor::A;
    parts.output = append(outputPartLabel, Role::M, {{1, 0, 1}});
  }
  contraction.parts = parts;
  return contraction;
}

Contraction toForm(ComplexForm form, Contraction contraction) {
  return form == ComplexForm::ThreeProducts
             ? toThreeProducts(std::move(contraction))
             : toRealParts(std::move(contraction));
}

/// The index other than that of parts whose neighbours are neighbouring complex
/// numbers of C.
static std::optional<unsigned> findRun(const Contraction &contraction) {
  for (unsigned i = 0; i < contraction.indices.size(); ++i)
    if (contraction.indices[i].extent > 1 &&
        contraction.indices[i].stride[Tensor::C] == partsOfNumber)
      return i;
  return std::nullopt;
}

Contraction joinParts(Contraction contraction) {
  if (!contraction.parts)
    return contraction;
  ComplexParts &parts = *contraction.parts;
  std::optional<unsigned> run = findRun(contraction);
  if (!run)
    return contraction;
  Role role = contraction.indices[*run].role;
  if (parts.summed && role == Role::M) {
    parts.expanded = Tensor::A;
    Index &output = contraction.indices[parts.output];
    output.role = Role::M;
    output.stride = {{1, 0, 1}};
    contraction.indices[*parts.summed].stride = {{0, 1, 0}};
  }
  Index &along = contraction.indices[*run];
  if (role != contraction.indices[parts.output].role ||
      along.stride[parts.expanded] != partsOfNumber)
    return contraction;
  along.extent *= partsOfNumber;
  along.stride = contraction.indices[parts.output].stride;
  auto renumber = [&](unsigned index) {
    return index - (index > parts.output);
  };
  contraction.indices.erase(contraction.indices.begin() + parts.output);
  if (parts.summed)
    parts.summed = renumber(*parts.summed);
  parts.output = renumber(*run);
  return contraction;
}

bool isPart(const Contraction &contraction, unsigned index) {
  return contraction.parts && (contraction.parts->output == index ||
                               contraction.parts->summed == index);
}

} // namespace tc::model
