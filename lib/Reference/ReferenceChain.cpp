//===- ReferenceChain.cpp - What links of a chain hand over ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"

#include "tc/Reference/Parallel.h"

#include "tc/Package/PackageFormat.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tc;
using namespace tc::runtime;

ReferenceValue
Reference::linkAt(const std::vector<int64_t> &coordinates) const {
  auto [a, b] = inputsAt(coordinates);
  int64_t anywhere = c().geometry().offset;
  ReferenceValue result = scaled(sum(a, b), anywhere);
  return epilogue ? afterEpilogue(result, anywhere, coordinates) : result;
}

std::array<ReferenceValue, 2>
Reference::complexLinkAt(const std::vector<int64_t> &coordinates) const {
  auto [a, b] = inputsAt(coordinates);
  auto [total, squares] = complexSum(a, b);
  std::complex<long double> result =
      std::complex<long double>(alpha.value()) * total;
  double magnitude = std::abs(alpha.value()) * std::sqrt(squares);
  return {{{result.real(), magnitude}, {result.imag(), magnitude}}};
}

/// The sum where the link before computes an input. An error of that is one of
/// the term, however small the element is by chance.
ReferenceValue Reference::linkedSum(int64_t a, int64_t b) const {
  long double total = 0;
  double squares = 0;
  auto read = [](const Elements &elements, int64_t at) {
    return dispatch(elements.type, [&](auto zero) {
      return static_cast<long double>(elements.as<decltype(zero)>()[at]);
    });
  };
  auto factorOf = [&](size_t input, int64_t at) {
    const std::optional<model::Expression> &prologue =
        input == 0 ? prologueA : prologueB;
    long double element = read(inputs[input], at);
    return prologue && unroundedInput == input ? prologue->evaluate({element})
                                               : factor(prologue, element);
  };
  forAllPositions(a, b, [&](int64_t atA, int64_t atB) {
    long double x = factorOf(0, atA), y = factorOf(1, atB);
    total += x * y;
    double sizeX = inputs[0].magnitudes ? inputs[0].magnitudes[atA]
                                        : static_cast<double>(std::fabs(x));
    double sizeY = inputs[1].magnitudes ? inputs[1].magnitudes[atB]
                                        : static_cast<double>(std::fabs(y));
    squares += sizeX * sizeX * sizeY * sizeY;
  });
  return {total, squares};
}

Reference::Elements Reference::computeLink(const Kernel &link,
                                           std::array<Elements, 2> inputsOfLink,
                                           const TensorArgument &output) {
  Reference reference(link, problem, inputsOfLink);
  linkLength = saturatingAdd(linkLength, reference.sumLength());
  size_t partsOf = model::isComplex(output.type) ? 2 : 1;
  int64_t count = 1;
  for (int64_t extent : output.extents)
    count *= extent;
  Handover &made = between.emplace_back();
  made.elements.resize(
      static_cast<size_t>(count * model::byteWidth(output.type)));
  made.magnitudes.resize(static_cast<size_t>(count));

  int64_t grain = std::max<int64_t>(1, 200'000 / (reference.sumLength() + 50));
  parallelFor(count, /*workers=*/0, grain, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> coordinates(output.extents.size());
    for (int64_t element = begin; element < end; ++element) {
      int64_t rest = element;
      for (size_t dim = coordinates.size(); dim-- > 0;) {
        coordinates[dim] = rest % output.extents[dim];
        rest /= output.extents[dim];
      }
      std::array<ReferenceValue, 2> parts{};
      if (partsOf == 2)
        parts = reference.complexLinkAt(coordinates);
      else
        parts[0] = reference.linkAt(coordinates);
      made.magnitudes[static_cast<size_t>(element)] = std::max(
          parts[0].magnitude,
          static_cast<double>(std::hypot(parts[0].value, parts[1].value)));
      dispatch(output.type, [&](auto zero) {
        using T = decltype(zero);
        for (size_t part = 0; part < partsOf; ++part) {
          T stored = static_cast<T>(static_cast<double>(parts[part].value));
          std::memcpy(made.elements.data() +
                          (static_cast<size_t>(element) * partsOf + part) *
                              sizeof(T),
                      &stored, sizeof(T));
        }
      });
    }
  });

  if (model::fractionBits(output.type) <
      model::fractionBits(link.accumulatorType))
    linkRounding += std::ldexp(1.0, -model::fractionBits(output.type) - 1);
  return {output.type, made.elements.data(), made.magnitudes.data()};
}

std::array<Reference::Elements, 2>
Reference::computeLinks(const Kernel &kernel) {
  // The arguments after the auxiliary tensors are an input of each link.
  size_t place = kernel.tensors.size() + kernel.auxiliaries.size();
  size_t chained = *kernel.chainedInput;
  // None may move when further ones come.
  between.reserve(kernel.links.size() + 1);
  Elements before = elementsOf(problem.tensors[chained]);
  for (size_t i = 0; i < kernel.links.size(); ++i) {
    const Kernel &link = kernel.links[i];
    std::array<Elements, 2> inputsOfLink{before, before};
    inputsOfLink[otherInputOf(link)] = elementsOf(problem.tensors[place + i]);
    const Kernel &next =
        i + 1 < kernel.links.size() ? kernel.links[i + 1] : kernel;
    before = computeLink(link, inputsOfLink, next.tensors[*next.chainedInput]);
  }
  std::array<Elements, 2> result = inputs;
  result[chained] = kernel.softmax ? takeSoftmax(kernel, before) : before;
  return result;
}

/// With $P = \mathrm{softmax}(S)$, errors $dS$ of a row become
/// $dP_i = P_i (dS_i - \sum_j P_j dS_j)$.
Reference::Elements Reference::takeSoftmax(const Kernel &kernel,
                                           Elements scores) {
  const TensorArgument &tensor = kernel.tensors[*kernel.chainedInput];
  const std::vector<std::string> &kept = kernel.tensors[2].labels;
  size_t rows = 1, count = 1;
  // What a step along each dimension adds to the number of the row.
  std::vector<size_t> strides(tensor.extents.size(), 0);
  for (size_t dim = tensor.extents.size(); dim-- > 0;) {
    auto extent = static_cast<size_t>(tensor.extents[dim]);
    count *= extent;
    if (std::find(kept.begin(), kept.end(), tensor.labels[dim]) == kept.end())
      continue;
    strides[dim] = rows;
    rows *= extent;
  }
  auto rowOf = [&](size_t element) {
    size_t row = 0;
    for (size_t dim = tensor.extents.size(); dim-- > 0;) {
      auto extent = static_cast<size_t>(tensor.extents[dim]);
      row += element % extent * strides[dim];
      element /= extent;
    }
    return row;
  };
  auto scoreAt = [&](size_t element) {
    return dispatch(scores.type, [&](auto zero) {
      return static_cast<double>(scores.as<decltype(zero)>()[element]);
    });
  };

  std::vector<double> maxima(rows, -std::numeric_limits<double>::infinity());
  std::vector<double> sums(rows, 0), errors(rows, 0);
  for (size_t i = 0; i < count; ++i) {
    double &most = maxima[rowOf(i)];
    most = std::max(most, scoreAt(i));
  }
  Handover &made = between.emplace_back();
  made.elements.resize(count * sizeof(double));
  made.magnitudes.resize(count);
  auto *probabilities = reinterpret_cast<double *>(made.elements.data());
  for (size_t i = 0; i < count; ++i) {
    size_t row = rowOf(i);
    probabilities[i] = std::exp(scoreAt(i) - maxima[row]);
    sums[row] += probabilities[i];
    errors[row] += probabilities[i] * scores.magnitudes[i];
  }
  double largest = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t row = rowOf(i);
    probabilities[i] /= sums[row];
    made.magnitudes[i] =
        probabilities[i] * (1 + scores.magnitudes[i] + errors[row] / sums[row]);
    largest = std::max(largest, scores.magnitudes[i]);
  }

  // Errors of scores are absolute ones of their exponents.
  linkRounding *= 1 + largest;
  unroundedInput = kernel.chainedInput;
  int64_t bits = std::min(model::fractionBits(tensor.type),
                          model::fractionBits(factorTypeOf(kernel)));
  if (bits < model::fractionBits(kernel.accumulatorType))
    linkRounding += std::ldexp(1.0, -static_cast<int>(bits));
  return {model::ElementType::F64, made.elements.data(),
          made.magnitudes.data()};
}
