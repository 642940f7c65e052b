//===- Reference.cpp - Elements of C from the definition --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"
#include "tc/Problem/SemiringArithmetic.h"
#include "tc/Reference/Check.h"
#include "tc/Reference/ErrorSums.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::runtime;

Reference::Reference(const Kernel &kernel, const Problem &problem,
                     unsigned node)
    : Reference(kernel, contractionAt(kernel, node), problem, {}) {
  inputs = inputsOf(kernel, node);
  outputPlace = *placesOf(kernel, node)[2];
  if (node == 0) {
    alpha = problem.alpha;
    beta = problem.beta;
  }
  for (const model::GroupEdge &edge : kernel.edges)
    if (edge.to == node && model::kindOf(edge) == model::EdgeKind::Accumulate)
      addends.push_back(Reference(kernel, contractionAt(kernel, edge.from),
                                  problem, inputsOf(kernel, edge.from)));
}

Reference::Reference(const Kernel &kernel, const KernelContraction &contraction,
                     const Problem &problem, std::array<Elements, 2> inputs)
    : problem(problem), inputs(inputs), alpha(contraction.alpha.value),
      beta(contraction.beta.value), semiring(contraction.semiring),
      precision(contraction.precision), factorType(factorTypeOf(contraction)),
      sumType(contraction.accumulatorType), identity(contraction.identity),
      offsetA(contraction.tensors[0].offset),
      offsetB(contraction.tensors[1].offset) {
  if (!contraction.prologueA.empty())
    prologueA = *model::parsePrologue(contraction.prologueA);
  if (!contraction.prologueB.empty())
    prologueB = *model::parsePrologue(contraction.prologueB);
  if (semiring == model::Semiring::UserDefined) {
    product = *model::parseSemiringOperation(contraction.product);
    combine = *model::parseSemiringOperation(contraction.combine);
  }
  epilogue = epilogueOf(contraction);
  model::Contraction normal = contractionOf(contraction);
  for (size_t i = 0; i < isComplex.size(); ++i)
    isComplex[i] = model::isComplex(contraction.tensors[i].type);
  conjugates = {contraction.conjugatesA, contraction.conjugatesB};
  const std::vector<std::string> &labels = contraction.tensors[2].labels;
  for (auto label = labels.begin(); label != labels.end(); ++label) {
    // A diagonal has one coordinate.
    if (std::find(labels.begin(), label, *label) != label)
      continue;
    const auto &stride = normal.indices[*normal.find(*label)].stride;
    outputStrides.push_back(
        {stride[model::Tensor::A], stride[model::Tensor::B]});
  }
  if (epilogue)
    for (const model::Expression::Auxiliary &read : epilogue->auxiliaries()) {
      const TensorArgument *argument = findAuxiliary(kernel, read.name);
      auto place = static_cast<size_t>(argument - kernel.auxiliaries.data());
      Auxiliary &auxiliary = auxiliaries.emplace_back();
      auxiliary.place = kernel.tensors.size() + place;
      for (const std::string &label : c().geometry().labels) {
        int64_t &stride = auxiliary.strides.emplace_back();
        for (size_t i = 0; i < argument->labels.size(); ++i)
          if (argument->labels[i] == label)
            stride += argument->strides[i];
      }
    }
  for (unsigned k : normal.withRole(model::Role::K)) {
    const model::Index &index = normal.indices[k];
    summed.push_back({index.extent, index.stride[model::Tensor::A],
                      index.stride[model::Tensor::B]});
    length = saturatingMultiply(length, index.extent);
  }
  // The innermost loop is the one whose steps are shortest.
  std::sort(summed.begin(), summed.end(),
            [](const SummedIndex &x, const SummedIndex &y) {
              return magnitude(x.strideA) + magnitude(x.strideB) >
                     magnitude(y.strideA) + magnitude(y.strideB);
            });
  if (summed.empty())
    summed.push_back({1, 0, 0});
  if (isComplex[0] && isComplex[1])
    length = saturatingMultiply(length, 2);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

int64_t tc::runtime::wrap(model::ElementType type, uint64_t value) {
  int64_t unusedBits = 64 - 8 * model::byteWidth(type);
  return static_cast<int64_t>(value << unusedBits) >> unusedBits;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Calls `visit` with the factors of each term.
template <typename TA, typename TB, typename Visit>
void Reference::forAllFactors(int64_t a, int64_t b, Visit visit) const {
  const TA *dataA = inputs[0].as<TA>();
  const TB *dataB = inputs[1].as<TB>();
  forAllPositions(
      a, b, [&](int64_t atA, int64_t atB) { visit(dataA[atA], dataB[atB]); });
}

/// Reads an element as a `Wide` number.
template <typename Wide>
using Reader = Wide (*)(const std::byte *data, int64_t position);

template <typename Wide> static Reader<Wide> readerOf(model::ElementType type) {
  return dispatch(type, [](auto zero) -> Reader<Wide> {
    return [](const std::byte *data, int64_t position) {
      using T = decltype(zero);
      return static_cast<Wide>(reinterpret_cast<const T *>(data)[position]);
    };
  });
}

/// The same of factors as `Wide` numbers, whatever their types are. A function
/// for each pair of types would be compiled for a hundred.
template <typename Wide, typename Visit>
void Reference::forAllFactorsAs(int64_t a, int64_t b, Visit visit) const {
  Reader<Wide> readA = readerOf<Wide>(inputs[0].type);
  Reader<Wide> readB = readerOf<Wide>(inputs[1].type);
  forAllPositions(a, b, [&](int64_t atA, int64_t atB) {
    visit(readA(inputs[0].data, atA), readB(inputs[1].data, atB));
  });
}

bool Reference::factorsHaveOneType() const {
  return inputs[0].type == inputs[1].type;
}

/// A factor: what the prologue makes of an element, in the factors' type.
long double Reference::factor(const std::optional<model::Expression> &prologue,
                              long double element) const {
  if (!prologue)
    return element;
  auto value = static_cast<double>(prologue->evaluate({element}));
  return dispatch(factorType, [&](auto zero) {
    return static_cast<long double>(
        roundedAs<decltype(zero)>(value, problem.saturates));
  });
}

/// The sum, with the square of its magnitude.
ReferenceValue Reference::sum(int64_t a, int64_t b) const {
  if (inputs[0].produced || inputs[1].produced)
    return producedSum(a, b);

  long double total = model::zeroOf(semiring);
  // Squares of products of doubles are numbers that a long double holds.
  long double squares = 0;
  if (semiring == model::Semiring::PlusTimes && !prologueA && !prologueB) {
    auto add = [&](auto x, auto y) {
      long double term =
          static_cast<long double>(x) * static_cast<long double>(y);
      total += term;
      squares += term * term;
    };
    if (factorsHaveOneType())
      dispatch(inputs[0].type, [&](auto zero) {
        forAllFactors<decltype(zero), decltype(zero)>(a, b, add);
      });
    else
      forAllFactorsAs<long double>(a, b, add);
    return {total, squares};
  }
  forAllFactorsAs<long double>(a, b, [&](long double x, long double y) {
    x = factor(prologueA, x);
    y = factor(prologueB, y);
    long double term = model::multiply(semiring, x, y);
    total = model::combine(semiring, total, term);
    if (semiring == model::Semiring::PlusTimes) {
      squares += term * term;
      return;
    }
    auto sizeOf = [](long double number) {
      return std::isfinite(number) ? std::fabs(number) : 0;
    };
    long double size = sizeOf(x) + sizeOf(y);
    squares = std::max(squares, size * size);
  });
  return {total, squares};
}

/// The same in a user-defined semiring.
ReferenceValue Reference::userSum(int64_t a, int64_t b) const {
  long double total = identity.real(), largest = 0;
  auto meet = [&](long double number) {
    if (std::isfinite(number))
      largest = std::max(largest, std::fabs(number));
  };
  forAllFactorsAs<long double>(a, b, [&](long double x, long double y) {
    x = factor(prologueA, x);
    y = factor(prologueB, y);
    long double term = product->evaluate({x, y});
    total = combine->evaluate({total, term});
    for (long double number : {x, y, term, total})
      meet(number);
  });
  return {total, std::max(largest, leastNormal(sumType))};
}

/// A part of an element of C, whose real part is at `position`, with the
/// factors of its first term at `a` and `b`, in complex numbers of a complex
/// tensor.
ReferenceValue Reference::complexAt(int64_t a, int64_t b, int64_t position,
                                    bool isImaginary) const {
  using Complex = std::complex<long double>;
  auto [total, squares] = complexSum(a, b);
  Complex result = Complex(alpha.value()) * total;
  long double least = leastNormal(sumType),
              factor = sizeOfFactor(alpha.value());
  long double size = factor * factor * squares + least * least;
  if (beta != 0.0) {
    Complex addend = Complex(beta.value()) *
                     Complex(initialC(position), initialC(position + 1));
    result += addend;
    size += std::norm(addend);
  }
  return {isImaginary ? result.imag() : result.real(), std::sqrt(size)};
}

int64_t Reference::integerSum(int64_t a, int64_t b) const {
  int64_t total = model::integerZeroOf(semiring, sumType);
  auto add = [&](int64_t x, int64_t y) {
    int64_t term = wrap(sumType, model::multiply(semiring, x, y));
    total = wrap(sumType, model::combine(semiring, total, term));
  };
  model::ElementType type = inputs[0].type;
  if (factorsHaveOneType() && model::isInteger(type))
    dispatch(type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>)
        forAllFactors<T, T>(a, b, add);
    });
  else
    forAllFactorsAs<int64_t>(a, b, add);
  return total;
}

int64_t Reference::userIntegerSum(int64_t a, int64_t b) const {
  int64_t total = model::integerOf(identity, sumType);
  forAllFactorsAs<int64_t>(a, b, [&](int64_t x, int64_t y) {
    int64_t term = product->evaluateIntegers({x, y}, sumType);
    total = combine->evaluateIntegers({total, term}, sumType);
  });
  return total;
}

/// Value stored of the sum of a user-defined semiring, whose epilogue can only
/// combine it with what C held.
ReferenceValue Reference::accumulatedInteger(int64_t sum,
                                             int64_t position) const {
  int64_t result = sum;
  if (epilogue) {
    int64_t old = c().contents() == Contents::Random
                      ? static_cast<int64_t>(initialC(position))
                      : 0;
    result = epilogue->evaluateIntegers({sum, old}, sumType);
  }
  return {
      static_cast<long double>(wrap(c().type(), static_cast<uint64_t>(result))),
      0};
}

long double Reference::initialC(int64_t position) const {
  return dispatch(c().type(), [&](auto zero) {
    using T = decltype(zero);
    auto bits = c().initialBits<T>(position);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return static_cast<long double>(value);
  });
}

ReferenceValue Reference::scaled(const ReferenceValue &sum,
                                 int64_t position) const {
  // The contents of C must not count when beta is zero, even if it is no
  // number.
  bool readsC = beta.real() != model::zeroOf(semiring);
  long double addend = model::zeroOf(semiring);
  if (readsC)
    addend =
        model::multiply<long double>(semiring, beta.real(), initialC(position));
  ReferenceValue result;
  result.value = model::combine(
      semiring, model::multiply<long double>(semiring, alpha.real(), sum.value),
      addend);
  long double size = readsC && std::isfinite(addend) ? std::fabs(addend) : 0;
  long double least = leastNormal(sumType);
  if (semiring == model::Semiring::PlusTimes) {
    long double squares = std::max(
        sum.magnitude, static_cast<long double>(length) * least * least);
    long double factor = sizeOfFactor(alpha.value());
    result.magnitude =
        std::max(std::sqrt(factor * factor * squares + size * size), least);
    return result;
  }
  long double alphaSize =
      std::isinf(alpha.real()) ? 0 : std::fabs(alpha.real());
  long double sumSize = std::sqrt(sum.magnitude);
  bool multiplies = model::productOf(semiring) == model::Product::Multiply;
  result.magnitude = std::max(
      (multiplies ? alphaSize * sumSize : alphaSize + sumSize) + size, least);
  return result;
}

long double Reference::sizeOfFactor(const std::complex<double> &factor) const {
  return factor == 0.0
             ? 0
             : std::max<long double>(std::abs(factor), leastNormal(sumType));
}

int64_t Reference::scaledSum(int64_t sum) const {
  return wrap(sumType,
              model::multiply(semiring, model::integerOf(alpha, sumType), sum));
}

ReferenceValue Reference::scaledInteger(int64_t sum, int64_t position,
                                        int64_t others) const {
  int64_t result = scaledSum(sum);
  if (!addends.empty())
    result = wrap(sumType, model::combine(semiring, result, others));
  if (beta != model::zeroOf(semiring, sumType)) {
    auto old = static_cast<int64_t>(initialC(position));
    result = model::combine(
        semiring, result,
        wrap(sumType,
             model::multiply(semiring, model::integerOf(beta, sumType), old)));
  }
  return {
      static_cast<long double>(wrap(c().type(), static_cast<uint64_t>(result))),
      0};
}

int64_t Reference::sumLength() const {
  int64_t all = saturatingAdd(length, producedLength);
  for (const Reference &addend : addends)
    all = saturatingAdd(all, addend.length);
  return all;
}

std::pair<int64_t, int64_t>
Reference::inputsAt(const std::vector<int64_t> &coordinates) const {
  int64_t a = offsetA, b = offsetB;
  for (size_t i = 0; i < outputStrides.size(); ++i) {
    a += coordinates[i] * outputStrides[i].first;
    b += coordinates[i] * outputStrides[i].second;
  }
  return {a, b};
}

ReferenceValue
Reference::addOthers(ReferenceValue value,
                     const std::vector<int64_t> &coordinates) const {
  for (const Reference &addend : addends) {
    auto [a, b] = addend.inputsAt(coordinates);
    // Beta is zero, so that it does not matter what C holds.
    ReferenceValue added = addend.scaled(addend.sum(a, b), /*position=*/0);
    value.value += added.value;
    value.magnitude = std::hypot(value.magnitude, added.magnitude);
  }
  return value;
}

int64_t
Reference::integerAddends(const std::vector<int64_t> &coordinates) const {
  int64_t total = 0;
  for (const Reference &addend : addends) {
    auto [a, b] = addend.inputsAt(coordinates);
    total = wrap(sumType,
                 model::combine(semiring, total,
                                addend.scaledSum(addend.integerSum(a, b))));
  }
  return total;
}

ReferenceValue Reference::at(const std::vector<int64_t> &coordinates) const {
  auto [a, b] = inputsAt(coordinates);
  const Geometry &geometry = c().geometry();
  int64_t position = geometry.offset;
  for (size_t i = 0; i < outputStrides.size(); ++i)
    position += coordinates[i] * geometry.dims[i].stride;
  if (isComplex[2])
    return complexAt(a, b, position, coordinates.back() == 1);
  bool isUserDefined = semiring == model::Semiring::UserDefined;
  if (model::isInteger(sumType) && isUserDefined)
    return accumulatedInteger(userIntegerSum(a, b), position);
  if (model::isInteger(sumType))
    return scaledInteger(integerSum(a, b), position,
                         integerAddends(coordinates));
  ReferenceValue result =
      isUserDefined ? userSum(a, b)
                    : addOthers(scaled(sum(a, b), position), coordinates);
  return epilogue ? afterEpilogue(result, position, coordinates) : result;
}

ReferenceValue
Reference::afterEpilogue(const ReferenceValue &before, int64_t position,
                         const std::vector<int64_t> &coordinates) const {
  long double old = c().contents() == Contents::Random ? initialC(position) : 0;
  std::vector<long double> variables = {before.value, old};
  for (const Auxiliary &auxiliary : auxiliaries) {
    const HostTensor &tensor = problem.tensors[auxiliary.place];
    int64_t at = tensor.geometry().offset;
    for (size_t i = 0; i < coordinates.size(); ++i)
      at += coordinates[i] * auxiliary.strides[i];
    variables.push_back(dispatch(tensor.type(), [&](auto zero) {
      return static_cast<long double>(tensor.as<decltype(zero)>()[at]);
    }));
  }
  auto stored = [&](long double value) {
    variables.front() = value;
    return epilogue->evaluate(variables);
  };
  // Rounding errors pass through the epilogue, and grow by its slope there.
  ReferenceValue after;
  after.value = stored(before.value);
  long double step = 1e-4L * before.magnitude;
  long double slope = 1;
  bool isOfOneKind = true;
  for (long double moved : {before.value - step, before.value + step}) {
    if (!(step > 0))
      break;
    long double there = stored(moved);
    isOfOneKind &= areOfOneKind(after.value, there, c().type());
    long double change = std::fabs(there - after.value) / step;
    if (std::isfinite(change))
      slope = std::max(slope, change);
  }
  after.magnitude = slope * before.magnitude + leastNormal(sumType);
  if (std::isfinite(after.value))
    after.magnitude += std::fabs(after.value);
  if (!isOfOneKind) {
    long double most = errorBounds(sumType, precision, sumLength(),
                                   model::isFloat8(factorType))
                           .element *
                       before.magnitude;
    for (long double moved : {before.value - most, before.value + most})
      if (long double there = stored(moved);
          !areOfOneKind(after.value, there, c().type()))
        after.alternatives.push_back(there);
  }
  return after;
}
