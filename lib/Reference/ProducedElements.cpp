//===- ProducedElements.cpp - Elements between contractions ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"

#include "tc/Buffers/Parallel.h"
#include "tc/Reference/ErrorSums.h"

#include "tc/Package/PackageFormat.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

using namespace tc;
using namespace tc::runtime;

namespace {

/// The most that computing all elements of a producer may take, in products,
/// and in elements: about a second on two cores, and 400 MB.
constexpr double affordableProducts = 1e9, affordableElements = 1 << 24;

/// Elements of a softmax in the rows that are kept: 100 MB.
constexpr size_t mostKept = size_t(1) << 22;

/// An element of a producer, rounded to the type that it has in memory, and by
/// what its error is measured.
struct ProducedElement {
  std::complex<double> value;
  double magnitude;
};

std::vector<int64_t> coordinatesOf(int64_t position,
                                   const std::vector<int64_t> &extents) {
  std::vector<int64_t> coordinates(extents.size());
  for (size_t dim = extents.size(); dim-- > 0;) {
    coordinates[dim] = position % extents[dim];
    position /= extents[dim];
  }
  return coordinates;
}

int64_t productOf(const std::vector<int64_t> &extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    product = saturatingMultiply(product, extent);
  return product;
}

} // namespace

bool tc::runtime::isAffordable(const TensorArgument &output, double products) {
  auto elements = static_cast<double>(productOf(output.extents));
  // An element costs some, however short its sum.
  return elements <= affordableElements &&
         elements * (products + 50) <= affordableProducts;
}

class Reference::ProducedElements {
public:
  virtual ~ProducedElements() = default;
  /// The element at a position of the contiguous tensor.
  virtual ProducedElement at(int64_t position) const = 0;
  /// The largest of the magnitudes that are known by now.
  virtual double largest() const { return 0; }
};

class Reference::ProducedInMemory : public ProducedElements {
public:
  explicit ProducedInMemory(int64_t count)
      : elements(static_cast<size_t>(count)) {}

  ProducedElement at(int64_t position) const override {
    return elements[static_cast<size_t>(position)];
  }
  double largest() const override { return largestScore; }

  std::vector<ProducedElement> elements;
  /// Of a softmax.
  double largestScore = 0;
};

class Reference::ProducedWhenRead : public ProducedElements {
public:
  ProducedWhenRead(Reference feeding, const TensorArgument &output)
      : feeding(std::move(feeding)), type(output.type),
        extents(output.extents) {}

  ProducedElement at(int64_t position) const override {
    std::vector<int64_t> coordinates = coordinatesOf(position, extents);
    std::array<ReferenceValue, 2> parts{};
    if (model::isComplex(type))
      parts = feeding.complexProducedAt(coordinates);
    else
      parts[0] = feeding.producedAt(coordinates);
    return dispatch(type, [&](auto zero) {
      auto stored = [](const ReferenceValue &part) {
        using T = decltype(zero);
        return static_cast<double>(
            static_cast<T>(static_cast<double>(part.value)));
      };
      ProducedElement element{{stored(parts[0]), stored(parts[1])}, 0};
      // Infinities and NaNs are exact.
      long double size = std::hypot(parts[0].value, parts[1].value);
      if (std::isfinite(size))
        element.magnitude = static_cast<double>(
            std::min<long double>(std::max(parts[0].magnitude, size),
                                  std::numeric_limits<double>::max()));
      return element;
    });
  }

private:
  Reference feeding;
  model::ElementType type;
  std::vector<int64_t> extents;
};

/// With $P = \mathrm{softmax}(S)$, errors $dS$ of a row become
/// $dP_i = P_i (dS_i - \sum_j P_j dS_j)$.
class Reference::SoftmaxWhenRead : public ProducedElements {
public:
  /// `kept` are the labels that number the rows.
  SoftmaxWhenRead(const ProducedElements &scores, const TensorArgument &tensor,
                  const std::vector<std::string> &kept)
      : scores(scores) {
    int64_t stride = 1;
    for (size_t dim = tensor.extents.size(); dim-- > 0;) {
      bool isKept =
          std::find(kept.begin(), kept.end(), tensor.labels[dim]) != kept.end();
      (isKept ? rowDims : ownDims).push_back({tensor.extents[dim], stride});
      stride *= tensor.extents[dim];
    }
  }

  ProducedElement at(int64_t position) const override {
    int64_t row = 0, element = 0;
    for (auto [dims, number] :
         {std::pair(&rowDims, &row), std::pair(&ownDims, &element)})
      for (size_t i = dims->size(); i-- > 0;)
        *number = *number * (*dims)[i].extent +
                  position / (*dims)[i].stride % (*dims)[i].extent;
    return (*rowOf(row))[static_cast<size_t>(element)];
  }

  double largest() const override {
    std::lock_guard<std::mutex> lock(mutex);
    return largestScore;
  }

  /// Computes all rows at once.
  std::shared_ptr<const ProducedInMemory> inMemory() const {
    int64_t ofRow = countOf(ownDims), count = countOf(rowDims);
    auto all = std::make_shared<ProducedInMemory>(count * ofRow);
    std::mutex ofLargest;
    parallelFor(
        count, /*workers=*/0, 1 + 10'000 / ofRow,
        [&](int64_t begin, int64_t end) {
          double most = 0;
          for (int64_t number = begin; number < end; ++number) {
            Row row = makeRow(number, most);
            int64_t first = placeOf(number, rowDims);
            for (int64_t i = 0; i < ofRow; ++i)
              all->elements[static_cast<size_t>(first + placeOf(i, ownDims))] =
                  row[static_cast<size_t>(i)];
          }
          std::lock_guard<std::mutex> held(ofLargest);
          all->largestScore = std::max(all->largestScore, most);
        });
    return all;
  }

private:
  struct Dim {
    int64_t extent, stride;
  };
  using Row = std::vector<ProducedElement>;

  static int64_t countOf(const std::vector<Dim> &dims) {
    int64_t count = 1;
    for (const Dim &dim : dims)
      count *= dim.extent;
    return count;
  }

  /// Place of the element with a number, the first of the dims the fastest.
  static int64_t placeOf(int64_t number, const std::vector<Dim> &dims) {
    int64_t place = 0;
    for (const Dim &dim : dims) {
      place += number % dim.extent * dim.stride;
      number /= dim.extent;
    }
    return place;
  }

  std::shared_ptr<const Row> rowOf(int64_t number) const {
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto found = rows.find(number);
      if (found != rows.end())
        return found->second;
    }
    double most = 0;
    auto made = std::make_shared<const Row>(makeRow(number, most));
    std::lock_guard<std::mutex> lock(mutex);
    largestScore = std::max(largestScore, most);
    if ((rows.size() + 1) * made->size() > mostKept)
      rows.clear();
    return rows.emplace(number, std::move(made)).first->second;
  }

  Row makeRow(int64_t number, double &most) const {
    int64_t first = placeOf(number, rowDims), count = countOf(ownDims);
    Row row(static_cast<size_t>(count));
    double maximum = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < count; ++i) {
      ProducedElement &score = row[static_cast<size_t>(i)];
      score = scores.at(first + placeOf(i, ownDims));
      maximum = std::max(maximum, score.value.real());
    }
    double sum = 0, error = 0;
    for (ProducedElement &element : row) {
      element.value = std::exp(element.value.real() - maximum);
      sum += element.value.real();
      error += element.value.real() * element.magnitude;
      most = std::max(most, element.magnitude);
    }
    for (ProducedElement &element : row) {
      element.value /= sum;
      element.magnitude =
          element.value.real() * (1 + element.magnitude + error / sum);
    }
    return row;
  }

  const ProducedElements &scores;
  std::vector<Dim> rowDims, ownDims;
  mutable std::mutex mutex;
  mutable std::map<int64_t, std::shared_ptr<const Row>> rows;
  mutable double largestScore = 0;
};

ReferenceValue
Reference::producedAt(const std::vector<int64_t> &coordinates) const {
  auto [a, b] = inputsAt(coordinates);
  int64_t anywhere = c().geometry().offset;
  ReferenceValue result = scaled(sum(a, b), anywhere);
  return epilogue ? afterEpilogue(result, anywhere, coordinates) : result;
}

std::array<ReferenceValue, 2>
Reference::complexProducedAt(const std::vector<int64_t> &coordinates) const {
  auto [a, b] = inputsAt(coordinates);
  auto [total, squares] = complexSum(a, b);
  std::complex<long double> result =
      std::complex<long double>(alpha.value()) * total;
  long double magnitude = std::max(
      sizeOfFactor(alpha.value()) * std::sqrt(squares), leastNormal(sumType));
  return {{{result.real(), magnitude}, {result.imag(), magnitude}}};
}

/// The sum where the link before computes an input. An error of that is one of
/// the term, however small the element is by chance.
ReferenceValue Reference::producedSum(int64_t a, int64_t b) const {
  long double total = 0, squares = 0;
  /// A factor and by what its error is measured.
  auto factorOf = [&](size_t input, int64_t at) {
    const Elements &elements = inputs[input];
    const std::optional<model::Expression> &prologue =
        input == 0 ? prologueA : prologueB;
    std::pair<long double, long double> found;
    if (elements.produced) {
      ProducedElement element = elements.produced->at(at);
      found = {element.value.real(), element.magnitude};
    } else {
      found.first = dispatch(elements.type, [&](auto zero) {
        return static_cast<long double>(elements.as<decltype(zero)>()[at]);
      });
    }
    found.first = prologue && unroundedInput == input
                      ? prologue->evaluate({found.first})
                      : factor(prologue, found.first);
    if (!elements.produced)
      found.second = std::isfinite(found.first) ? std::fabs(found.first) : 0;
    return found;
  };
  forAllPositions(a, b, [&](int64_t atA, int64_t atB) {
    auto [x, sizeX] = factorOf(0, atA);
    auto [y, sizeY] = factorOf(1, atB);
    total += x * y;
    squares += sizeX * sizeX * sizeY * sizeY;
  });
  return {total, squares};
}

Reference::ComplexSum Reference::complexSum(int64_t a, int64_t b) const {
  using Complex = std::complex<long double>;
  Complex total = 0;
  long double squares = 0;
  auto addAll = [&](auto zero) {
    using T = decltype(zero);
    /// A factor and the square of that by which its error is measured.
    auto factorOf = [&](size_t input, int64_t at) {
      auto conjugated = [&](Complex number) {
        return conjugates[input] ? std::conj(number) : number;
      };
      if (const ProducedElements *produced = inputs[input].produced) {
        ProducedElement element = produced->at(at);
        auto size = static_cast<long double>(element.magnitude);
        return std::pair(conjugated(Complex(element.value)), size * size);
      }
      const T *data = inputs[input].as<T>();
      Complex number = isComplex[input]
                           ? conjugated({data[2 * at], data[2 * at + 1]})
                           : Complex(data[at]);
      return std::pair(number, std::norm(number));
    };
    forAllPositions(a, b, [&](int64_t atA, int64_t atB) {
      auto [x, squareX] = factorOf(0, atA);
      auto [y, squareY] = factorOf(1, atB);
      total += x * y;
      squares += squareX * squareY;
    });
  };
  dispatch(inputs[1].type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
      addAll(zero);
  });
  return {total, squares};
}

std::array<Reference::Elements, 2> Reference::inputsOf(const Kernel &kernel,
                                                       unsigned node) {
  model::Group group = groupOf(kernel);
  std::array<std::optional<size_t>, 3> places = placesOf(kernel, node);
  auto inputOf = [&](model::Tensor input) {
    if (auto place = places[static_cast<size_t>(input)])
      return elementsOf(problem.tensors[*place]);
    return computeProduced(kernel, *group.edgeInto(node, input));
  };
  return {inputOf(model::Tensor::A), inputOf(model::Tensor::B)};
}

Reference::Elements Reference::computeProduced(const Kernel &kernel,
                                               const model::GroupEdge &edge) {
  const KernelContraction &feeding = contractionAt(kernel, edge.from);
  const TensorArgument &output =
      contractionAt(kernel, edge.to).tensors[static_cast<size_t>(edge.sink)];
  std::array<Elements, 2> inputsOfIt = inputsOf(kernel, edge.from);
  Reference reference(kernel, feeding, problem, inputsOfIt);
  int64_t ofElement = reference.sumLength();
  producedLength = saturatingAdd(producedLength, ofElement);
  auto whenRead =
      std::make_shared<ProducedWhenRead>(std::move(reference), output);
  // Each element of a producer that is computed as it is read is a sum
  // itself.
  double products = static_cast<double>(ofElement) *
                    (1 + inputsOfIt[0].products + inputsOfIt[1].products);
  bool isWhole = isAffordable(output, products);
  if (isWhole) {
    int64_t count = productOf(output.extents);
    auto inMemory = std::make_shared<ProducedInMemory>(count);
    int64_t grain = std::max<int64_t>(1, 200'000 / (ofElement + 50));
    parallelFor(count, /*workers=*/0, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        inMemory->elements[static_cast<size_t>(i)] = whenRead->at(i);
    });
    between.push_back(std::move(inMemory));
  } else {
    between.push_back(std::move(whenRead));
  }

  if (model::fractionBits(output.type) <
      model::fractionBits(feeding.accumulatorType))
    producedRounding += std::ldexp(1.0, -model::fractionBits(output.type) - 1);
  Elements produced{output.type, nullptr, between.back().get(),
                    isWhole ? 0 : products};
  return model::takesSoftmax(edge) ? takeSoftmax(kernel, edge, produced)
                                   : produced;
}

Reference::Elements Reference::takeSoftmax(const Kernel &kernel,
                                           const model::GroupEdge &edge,
                                           Elements scores) {
  const KernelContraction &taking = contractionAt(kernel, edge.to);
  const TensorArgument &tensor = taking.tensors[static_cast<size_t>(edge.sink)];
  unroundedInput = static_cast<size_t>(edge.sink);
  int64_t bits = std::min(model::fractionBits(tensor.type),
                          model::fractionBits(factorTypeOf(taking)));
  if (bits < model::fractionBits(taking.accumulatorType))
    softmaxRounding = std::ldexp(1.0, -static_cast<int>(bits));
  auto whenRead = std::make_shared<SoftmaxWhenRead>(*scores.produced, tensor,
                                                    taking.tensors[2].labels);
  if (scores.products == 0)
    between.push_back(whenRead->inMemory());
  else
    between.push_back(std::move(whenRead));
  return {model::ElementType::F64, nullptr, between.back().get(),
          scores.products};
}

double Reference::roundingOfProduced() const {
  // Errors of scores are absolute ones of their exponents.
  double largest = between.empty() ? 0 : between.back()->largest();
  return producedRounding * (1 + largest) + softmaxRounding;
}
