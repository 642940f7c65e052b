//===- Comparison.cpp - A target's results against the oracle's -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"

#include "tc/Reference/ErrorSums.h"

#include <algorithm>
#include <cstring>

using namespace tc;
using namespace tc::differential;

Result<Comparison>
Comparison::make(ArrayRef<Term> terms,
                 std::vector<std::vector<std::byte>> tensors) {
  Comparison comparison;
  Result<ExpectedResult> expected = interpret(terms);
  if (!expected)
    return Error{expected.error()};
  comparison.expected = std::move(*expected);
  comparison.initial = std::move(tensors);
  ContractOp op = terms.back().op;
  for (StringAttr label : op.getIndices(model::Tensor::C))
    comparison.labels.push_back(label.str());
  comparison.elementType = op.getTypeOf(model::Tensor::C).getElementType();
  comparison.sums = *getModelElementType(op.getAccumulatorType());
  comparison.stored = *getModelElementType(comparison.elementType);
  for (const Term &term : terms) {
    ContractOp of = term.op;
    runtime::ErrorBounds bounds = runtime::errorBounds(
        comparison.sums, of.getPrecision(), comparison.expected.sumLength);
    comparison.bounds.element =
        std::max(comparison.bounds.element, bounds.element);
    comparison.bounds.norm = std::max(comparison.bounds.norm, bounds.norm);
  }
  return comparison;
}

std::string Comparison::nameOf(const ExpectedElement &element) const {
  std::string text = "C[";
  for (size_t i = 0; i < labels.size(); ++i)
    text += (i ? "," : "") + labels[i] + "=" +
            std::to_string(element.coordinates[i]);
  return text + "]";
}

/// The parts of a number of which each has its own error.
static SmallVector<Real, 2> partsOf(const Number &number) {
  if (const Real *real = std::get_if<Real>(&number))
    return {*real};
  Complex pair = std::get<Complex>(number);
  return {pair.real, pair.imaginary};
}

Status Comparison::compareElements(const std::vector<std::byte> &bytes) const {
  runtime::ErrorSums sumsOfErrors;
  for (const ExpectedElement &element : expected.elements) {
    Number actual = readElement(
        elementType, bytes.data() + element.position * bytesOf(elementType));
    auto differs = [&](const std::string &bound) {
      return Error{nameOf(element) + " is " + toText(actual) + " instead of " +
                   toText(element.value) + bound};
    };
    if (std::holds_alternative<int64_t>(element.value)) {
      if (std::get<int64_t>(actual) != std::get<int64_t>(element.value))
        return differs("");
      continue;
    }
    SmallVector<Real, 2> nearest =
        partsOf(convertTo(elementType, element.value));
    for (auto [wanted, rounded, got] :
         llvm::zip_equal(partsOf(element.value), nearest, partsOf(actual))) {
      // Infinities and NaNs are due or wrong.
      if (isNaN(rounded - rounded)) {
        if (got == rounded || (isNaN(got) && isNaN(rounded)))
          continue;
        if (isNaN(wanted - wanted) || isNaN(got))
          return differs("");
      }
      auto value = static_cast<long double>(wanted);
      long double error =
          isNaN(got - got) ? runtime::errorOf(static_cast<long double>(got),
                                              value, model::realTypeOf(stored))
                           : static_cast<long double>(abs(got - wanted));
      long double rounding = runtime::outputRounding(sums, stored, value);
      long double bound = bounds.element * element.magnitude + rounding;
      // Written so that a NaN fails.
      if (!(error <= bound))
        return differs(", an error of " + toText(Real(error)) +
                       " where the bound is " + toText(Real(bound)));
      sumsOfErrors.add(error, value, element.magnitude, rounding);
    }
  }
  double error = sumsOfErrors.relativeError(),
         bound = sumsOfErrors.tolerance(bounds.norm);
  if (error <= bound)
    return {};
  return Error{"the norm of the errors of C, beside that of C, is " +
               toText(Real(error)) + " where the bound is " +
               toText(Real(bound))};
}

Status Comparison::compare(
    const std::vector<std::vector<std::byte>> &tensorsAfterwards) const {
  int64_t size = bytesOf(elementType);
  for (size_t tensor = 0; tensor < initial.size(); ++tensor) {
    if (tensor == 2)
      continue;
    if (initial[tensor] != tensorsAfterwards[tensor])
      return Error{"operand " + std::to_string(tensor) +
                   ", which is an input, was written"};
  }
  const std::vector<std::byte> &before = initial[2],
                               &after = tensorsAfterwards[2];
  std::vector<bool> isElement(before.size() / size);
  for (const ExpectedElement &element : expected.elements)
    isElement[element.position] = true;
  for (size_t position = 0; position < isElement.size(); ++position)
    if (!isElement[position] &&
        std::memcmp(before.data() + position * size,
                    after.data() + position * size, size) != 0)
      return Error{"position " + std::to_string(position) +
                   " of C, which holds no element, was written"};
  return compareElements(after);
}
