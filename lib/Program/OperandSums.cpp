//===- OperandSums.cpp - Sums of one operand ahead of products ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Program/OperandSums.h"

#include "tc/Problem/Semiring.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

static Tensor otherOf(Tensor operand) {
  return operand == Tensor::A ? Tensor::B : Tensor::A;
}

static bool hasLabel(const TensorRecord &tensor, const std::string &label) {
  return std::find(tensor.labels.begin(), tensor.labels.end(), label) !=
         tensor.labels.end();
}

/// True if a label of an operand is summed, and no other tensor has it.
static bool isOwnSum(const ContractionRecord &record, Tensor operand,
                     const std::string &label) {
  return !hasLabel(record.tensors[otherOf(operand)], label) &&
         !hasLabel(record.tensors[Tensor::C], label);
}

bool tc::model::hasOwnSums(const ContractionRecord &record, Tensor operand) {
  if (!productDistributes(record.semiring, accumulatorTypeOf(record)) ||
      record.runTime || record.isTerm || record.reducesC)
    return false;
  const TensorRecord &own = record.tensors[operand],
                     &other = record.tensors[otherOf(operand)];
  bool isMultiplied = false, isSummed = false;
  for (size_t i = 0; i < other.labels.size(); ++i)
    isMultiplied |= other.extents[i] > 1 && !hasLabel(own, other.labels[i]);
  for (size_t i = 0; i < own.labels.size(); ++i)
    isSummed |= own.extents[i] > 1 && isOwnSum(record, operand, own.labels[i]);
  return isMultiplied && isSummed;
}

/// The type of an operand's sums, and that of the number that is multiplied
/// with it. The operand is widened only where the other one asks for wider
/// sums.
static std::pair<ElementType, ElementType>
typesOfSums(const ContractionRecord &record, Tensor operand) {
  ElementType type = record.tensors[operand].type;
  ElementType factors = record.hasPrologue[operand] ? record.factorType : type;
  ElementType sums = accumulatorTypeOf(record);
  if (!isComplex(factors))
    sums = realTypeOf(sums);
  return {sums, accumulatorTypeOf(factors) == sums ? factors : sums};
}

/// The sums of an operand, whose place in `record` what is left takes.
static ContractionRecord takeSums(ContractionRecord &record, Tensor operand) {
  auto [type, factors] = typesOfSums(record, operand);
  TensorRecord &own = record.tensors[operand];
  TensorRecord left;
  left.type = type;
  for (size_t i = 0; i < own.labels.size(); ++i)
    if (!isOwnSum(record, operand, own.labels[i]) &&
        !hasLabel(left, own.labels[i])) {
      left.labels.push_back(own.labels[i]);
      left.extents.push_back(own.extents[i]);
    }
  left.strides = contiguousStrides(left.extents);
  ContractionRecord sums;
  sums.tensors[Tensor::A] = std::move(own);
  sums.tensors[Tensor::B].type = factors;
  sums.tensors[Tensor::C] = left;
  sums.factorType = factors;
  sums.semiring = record.semiring;
  sums.alpha.value = oneOf(record.semiring, type);
  sums.beta.value = zeroOf(record.semiring, type);
  sums.hasPrologue[Tensor::A] = record.hasPrologue[operand];
  own = std::move(left);
  record.hasPrologue[operand] = false;
  record.conjugates[operand] = record.conjugates[operand] && isComplex(type);
  return sums;
}

/// The type in which factors of two types with equal sums are multiplied.
static ElementType widerOf(ElementType a, ElementType b) {
  return byteWidth(realTypeOf(a)) < byteWidth(realTypeOf(b)) ||
                 (!isComplex(a) && isComplex(b))
             ? b
             : a;
}

OperandSums tc::model::sumFirst(const ContractionRecord &record,
                                const PerTensor<bool> &operands) {
  OperandSums made;
  made.product = record;
  for (Tensor operand : {Tensor::A, Tensor::B}) {
    if (!operands[operand])
      continue;
    made.sums[operand] = takeSums(made.product, operand);
    made.product.factorType =
        widerOf(made.product.factorType, made.product.tensors[operand].type);
  }
  return made;
}

std::vector<PerTensor<bool>>
tc::model::waysToSumFirst(const ContractionRecord &record) {
  std::vector<PerTensor<bool>> ways;
  const bool a = hasOwnSums(record, Tensor::A),
             b = hasOwnSums(record, Tensor::B);
  if (a)
    ways.push_back({{true, false, false}});
  if (b)
    ways.push_back({{false, true, false}});
  if (a && b)
    ways.push_back({{true, true, false}});
  return ways;
}
