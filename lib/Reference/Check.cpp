//===- Check.cpp - Judging what a kernel wrote ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Check.h"
#include "ReductionCheck.h"
#include "tc/Buffers/Parallel.h"
#include "tc/Package/Blocks.h"
#include "tc/Reference/ErrorSums.h"
#include "tc/Reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <mutex>

using namespace tc;
using namespace tc::runtime;

/// Constants of the two tolerances, for sums and for products;
/// docs/package.md says where they are from.
static constexpr double normFactor = 4, normProductFactor = 2;
static constexpr double elementFactor = 32, elementProductFactor = 8;
/// Of what tensor cores keep of sums of products of 8-bit floats.
static constexpr double shortSumEpsilon = 0x1p-13;

namespace {

/// The boxes of the blocks that ran, as one sequence of elements.
class OwnedElements {
public:
  OwnedElements(const Kernel &kernel, const std::vector<int64_t> &blocks)
      : geometry(*geometryOf(kernel.tensors[2])) {
    if (blocks.empty())
      append(wholeBox(geometry));
    for (int64_t block : blocks)
      for (Box &box : boxesOfBlock(kernel, geometry, block))
        append(std::move(box));
  }

  int64_t size() const { return ends.empty() ? 0 : ends.back(); }

  /// Place of the element with that running number.
  int64_t position(int64_t number) const {
    size_t box =
        std::upper_bound(ends.begin(), ends.end(), number) - ends.begin();
    int64_t rest = number - (box == 0 ? 0 : ends[box - 1]);
    int64_t result = geometry.offset;
    for (size_t i = geometry.dims.size(); i-- > 0;) {
      const Range &range = boxes[box][i];
      result += (range.begin + rest % range.length()) * geometry.dims[i].stride;
      rest /= range.length();
    }
    return result;
  }

private:
  void append(Box box) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + elementsOf(box));
    boxes.push_back(std::move(box));
  }

  Geometry geometry;
  std::vector<Box> boxes;
  /// Elements up to and including each box.
  std::vector<int64_t> ends;
};

/// The first position with some fault, and how many there are.
struct FaultCount {
  int64_t count = 0;
  int64_t first = std::numeric_limits<int64_t>::max();

  void add(int64_t position) {
    ++count;
    first = std::min(first, position);
  }
  void operator+=(const FaultCount &other) {
    count += other.count;
    first = std::min(first, other.first);
  }
};

struct ScanResult {
  FaultCount unwritten, stray;
  /// Positions of elements that are infinite or NaN, the first of them.
  std::vector<int64_t> nonFinite;

  void operator+=(const ScanResult &other) {
    unwritten += other.unwritten;
    stray += other.stray;
    std::vector<int64_t> both;
    std::merge(nonFinite.begin(), nonFinite.end(), other.nonFinite.begin(),
               other.nonFinite.end(), std::back_inserter(both));
    both.resize(std::min(both.size(), mostNonFinite));
    nonFinite = std::move(both);
  }

  void addNonFinite(int64_t position) {
    if (nonFinite.size() < mostNonFinite)
      nonFinite.push_back(position);
  }

  /// As many are compared besides samples.
  static constexpr size_t mostNonFinite = 4096;
};

/// Of the elements compared.
struct Comparison {
  ErrorSums sums;
  double largestError = -1;
  /// Position of the element with the largest error.
  int64_t largestAt = 0;
  /// Elements that should be finite.
  FaultCount nonFinite;

  void operator+=(const Comparison &other) {
    sums += other.sums;
    nonFinite += other.nonFinite;
    // The lower position wins a tie, so that reports do not depend on threads.
    if (other.largestError > largestError ||
        (other.largestError == largestError && other.largestAt < largestAt)) {
      largestError = other.largestError;
      largestAt = other.largestAt;
    }
  }
};

} // namespace

static double epsilonOf(model::ElementType type) {
  if (model::isInteger(type))
    return 0;
  return std::ldexp(1, -model::fractionBits(type));
}

/// The largest relative error of one product, each factor rounded to nearest.
static double productError(model::Precision precision) {
  // TF32 has ten fraction bits, BF16 has seven.
  constexpr double rounding = 0x1p-11, roundingToBF16 = 0x1p-8;
  switch (precision) {
  case model::Precision::IEEE:
    return 0;
  case model::Precision::TF32:
    return 2 * rounding;
  case model::Precision::TF32x3:
    // The rest of either factor, and the product that is dropped.
    return 3 * rounding * rounding;
  case model::Precision::BF16x3:
    return 3 * roundingToBF16 * roundingToBF16;
  }
  return 0;
}

namespace {

/// Error that storing sums as narrower elements may change them.
class OutputRounding {
public:
  OutputRounding(model::ElementType sums, model::ElementType output,
                 bool saturates = true)
      : saturates(saturates),
        isNarrower(!model::isInteger(output) &&
                   model::fractionBits(output) < model::fractionBits(sums)),
        relative(epsilonOf(output) / 2),
        least(std::ldexp(relative, model::minExponent(output))) {}

  long double of(long double value) const {
    if (!isNarrower || !std::isfinite(value))
      return 0;
    return std::max(relative * std::fabs(value), least);
  }

  /// True if numbers beyond the range of an 8-bit float become its largest one.
  const bool saturates;

private:
  bool isNarrower;
  long double relative;
  /// That of subnormal numbers.
  long double least;
};

} // namespace

/// True if something holds for a contraction of a kernel.
template <typename Predicate>
static bool anyContraction(const Kernel &kernel, Predicate holds) {
  return holds(kernel) ||
         std::any_of(kernel.others.begin(), kernel.others.end(), holds);
}

/// The precision of the contraction whose products have the largest errors.
static model::Precision minPrecision(const Kernel &kernel) {
  model::Precision least = kernel.precision;
  for (const KernelContraction &other : kernel.others)
    if (productError(other.precision) > productError(least))
      least = other.precision;
  return least;
}

ErrorBounds tc::runtime::errorBounds(model::ElementType sums,
                                     model::Precision precision,
                                     int64_t sumLength, bool sumsAreShort) {
  double ofSums = (sumsAreShort ? shortSumEpsilon : epsilonOf(sums)) *
                  std::sqrt(static_cast<double>(sumLength));
  double ofProducts = productError(precision);
  return {normFactor * ofSums + normProductFactor * ofProducts,
          elementFactor * ofSums + elementProductFactor * ofProducts};
}

long double tc::runtime::outputRounding(model::ElementType sums,
                                        model::ElementType output,
                                        long double value) {
  return OutputRounding(sums, output).of(value);
}

/// "C[a=0,b=3]" for an element, "position 17 of C" for what is none.
static std::string describePosition(const HostTensor &c, int64_t position) {
  const Geometry &geometry = c.geometry();
  std::optional<std::vector<int64_t>> coordinates =
      PositionDecoder(geometry).coordinates(position);
  if (!coordinates)
    return "position " + std::to_string(position) + " of C";
  std::string text = "C[";
  for (size_t i = 0; i < coordinates->size(); ++i)
    text += (i ? "," : "") + geometry.labels[i] + "=" +
            std::to_string((*coordinates)[i]);
  return text + "]";
}

/// True if nothing has written an element. So short an integer is the poison by
/// chance.
template <typename T>
static bool isPoison(const HostTensor &c, int64_t position) {
  return c.contents() == Contents::Poison && !std::is_same_v<T, int8_t> &&
         c.bits<T>(position) == Pattern<T>::poison;
}

/// Looks at every position of C's buffer. `owned` has one flag per position;
/// empty means that all elements are owned.
template <typename T>
static ScanResult scan(const HostTensor &c, const std::vector<bool> &owned,
                       unsigned workers) {
  ScanResult result;
  std::mutex mutex;
  parallelFor(c.geometry().bufferElements(), workers, 1 << 16,
              [&](int64_t begin, int64_t end) {
                ScanResult part;
                for (int64_t p = begin; p < end; ++p) {
                  auto bits = c.bits<T>(p);
                  if (owned.empty() ? c.contains(p) : owned[p]) {
                    if (isPoison<T>(c, p))
                      part.unwritten.add(p);
                    else if (!std::isfinite(c.as<T>()[p]))
                      part.addNonFinite(p);
                  } else if (bits != c.initialBits<T>(p)) {
                    part.stray.add(p);
                  }
                }
                std::lock_guard<std::mutex> lock(mutex);
                result += part;
              });
  return result;
}

/// The positions of the elements to compare: the first, the last, others at
/// random, and those given.
static std::vector<int64_t> chooseSamples(int64_t samples,
                                          const OwnedElements &owned,
                                          uint64_t seed,
                                          std::vector<int64_t> given) {
  const int64_t size = owned.size();
  if (size == 0)
    return given;
  given.push_back(owned.position(0));
  given.push_back(owned.position(size - 1));
  // A stream that no tensor uses.
  Random random(seed, /*stream=*/1000);
  for (int64_t i = 2; i < samples; ++i)
    given.push_back(owned.position(
        static_cast<int64_t>(random.bits(i) % static_cast<uint64_t>(size))));
  std::sort(given.begin(), given.end());
  given.erase(std::unique(given.begin(), given.end()), given.end());
  return given;
}

long double tc::runtime::clampToRange(model::ElementType type,
                                      long double value) {
  return dispatch(type, [&](auto zero) -> long double {
    using T = decltype(zero);
    if constexpr (sizeof(T) == 1 && !std::is_integral_v<T>)
      return std::clamp<long double>(value, -T::largest(), T::largest());
    return value;
  });
}

/// True if an 8-bit float is what becomes of a number beyond its range, which
/// does not saturate.
template <typename T>
static bool isOverflow([[maybe_unused]] T found,
                       [[maybe_unused]] const ReferenceValue &expected) {
  if constexpr (sizeof(T) == 1 && !std::is_integral_v<T>) {
    // Errors move what is close to the end of the range beyond it.
    long double size = std::fabs(expected.value) +
                       1e-4L * static_cast<long double>(expected.magnitude);
    float value = found;
    bool hasSign = std::isnan(value) ||
                   std::signbit(value) == std::signbit(expected.value);
    return !std::isfinite(value) && hasSign &&
           !std::isfinite(float(T(static_cast<double>(size), false)));
  }
  return false;
}

/// True if the result or what is due is finite in both parts. If neither is,
/// which part of them is an infinity or a NaN depends on how complex numbers
/// are multiplied.
static bool isEitherFinite(const Reference &reference, const HostTensor &c,
                           std::vector<int64_t> coordinates, int64_t position) {
  bool isDue = true, isStored = true;
  int64_t real = position - coordinates.back();
  for (int64_t part : {0, 1}) {
    coordinates.back() = part;
    isDue &=
        std::isfinite(storedAs(c.type(), reference.at(coordinates).value)) != 0;
    dispatch(c.type(), [&](auto zero) {
      isStored &= std::isfinite(
          static_cast<double>(c.as<decltype(zero)>()[real + part]));
    });
  }
  return isDue || isStored;
}

template <typename T>
static Comparison compareElement(const Reference &reference,
                                 const PositionDecoder &decoder,
                                 const OutputRounding &rounding,
                                 const HostTensor &c, int64_t position) {
  Comparison one;
  one.largestAt = position;
  std::optional<std::vector<int64_t>> coordinates =
      decoder.coordinates(position);
  if (!coordinates) {
    // The blocks own what is not part of C: no number can be right there.
    one.largestError = std::numeric_limits<double>::infinity();
    return one;
  }
  auto actual = static_cast<long double>(c.as<T>()[position]);
  ReferenceValue expected = reference.at(*coordinates);
  if (rounding.saturates)
    expected.value = clampToRange(c.type(), expected.value);
  else if (isOverflow<T>(c.as<T>()[position], expected))
    return one;
  long double error = errorOf(actual, expected.value, c.type());
  for (long double other : expected.alternatives)
    if (areOfOneKind(actual, other, c.type()))
      error = 0;
  bool areFinite = std::isfinite(actual) && std::isfinite(expected.value);
  if (error != 0 && !areFinite && reference.computesParts() &&
      !isEitherFinite(reference, c, *coordinates, position))
    error = 0;
  long double rounded = rounding.of(expected.value);
  if (std::isfinite(storedAs(c.type(), expected.value)) || error != 0)
    one.sums.add(error, expected.value, expected.magnitude, rounded);
  one.largestError = relativeErrorOf(error, expected.magnitude, rounded);
  if (!std::isfinite(actual) && error != 0 && !isPoison<T>(c, position))
    one.nonFinite.add(position);
  return one;
}

template <typename T>
static Comparison
compare(const Reference &reference, const OutputRounding &rounding,
        const HostTensor &c, const OwnedElements &owned,
        const std::vector<int64_t> *samples, const CheckOptions &options) {
  Comparison result;
  uint64_t done = 0;
  std::mutex mutex;
  PositionDecoder decoder(c.geometry());
  int64_t count = samples ? samples->size() : owned.size();
  // About a millisecond's worth of terms.
  int64_t grain = std::max<int64_t>(1, 200'000 / (reference.sumLength() + 50));
  parallelFor(count, options.workers, grain, [&](int64_t begin, int64_t end) {
    Comparison part;
    for (int64_t i = begin; i < end; ++i)
      part += compareElement<T>(reference, decoder, rounding, c,
                                samples ? (*samples)[i] : owned.position(i));
    std::lock_guard<std::mutex> lock(mutex);
    result += part;
    done += end - begin;
    if (options.progress)
      options.progress(done, count);
  });
  return result;
}

ErrorBounds tc::runtime::errorBounds(const Kernel &definition,
                                     int64_t sumLength, bool ranOnDevice) {
  bool sumsAreShort =
      ranOnDevice && definition.semiring == model::Semiring::PlusTimes &&
      anyContraction(definition, [](const KernelContraction &each) {
        return model::isFloat8(factorTypeOf(each));
      });
  return errorBounds(definition.accumulatorType, minPrecision(definition),
                     sumLength, sumsAreShort);
}

/// Checks the output of a kernel's own contraction, or of a branch that stands
/// for itself.
static CheckReport checkOne(const Kernel &kernel, const Kernel &definition,
                            const Reference &reference, const HostTensor &c,
                            const Problem &problem,
                            const CheckOptions &options) {
  // Blocks own what the definition says where all run.
  OwnedElements owned(options.blocks.empty() ? definition : kernel,
                      options.blocks);
  std::vector<bool> flags;
  if (!options.blocks.empty()) {
    flags.resize(c.geometry().bufferElements());
    for (int64_t i = 0; i < owned.size(); ++i)
      flags[owned.position(i)] = true;
  }
  ScanResult scanned = dispatch(c.type(), [&](auto zero) {
    return scan<decltype(zero)>(c, flags, options.workers);
  });

  std::vector<int64_t> samples;
  bool compareAll = options.samples == 0 || options.samples >= owned.size();
  if (!compareAll)
    samples =
        chooseSamples(options.samples, owned, problem.seed, scanned.nonFinite);
  // The value compared with says if a number that does not saturate is finite.
  bool saturates = problem.saturates || !model::isFloat8(c.type());
  OutputRounding rounding(definition.accumulatorType, c.type(), saturates);
  Comparison compared = dispatch(c.type(), [&](auto zero) {
    return compare<decltype(zero)>(reference, rounding, c, owned,
                                   compareAll ? nullptr : &samples, options);
  });

  CheckReport report;
  int64_t parts = model::isComplex(definition.tensors[2].type) ? 2 : 1;
  report.owned = owned.size() / parts;
  report.compared = (compareAll ? owned.size() : samples.size()) / parts;
  auto describe = [&](const FaultCount &fault) -> Fault {
    return {fault.count,
            fault.count ? describePosition(c, fault.first) : std::string()};
  };
  // An overflow to E4M3's only NaN is no other than what nobody wrote: it is
  // right where it is expected.
  if (saturates || c.type() != model::ElementType::F8E4M3FN)
    report.unwritten = describe(scanned.unwritten);
  report.stray = describe(scanned.stray);
  report.nonFinite = describe(compared.nonFinite);

  ErrorBounds bounds =
      errorBounds(definition, reference.sumLength(), options.ranOnDevice);
  bounds.norm += reference.roundingOfProduced();
  bounds.element += elementFactor * reference.roundingOfProduced();
  report.relativeError = compared.sums.relativeError();
  report.tolerance = compared.sums.tolerance(bounds.norm);
  report.largestError = compared.largestError;
  report.largestTolerance = bounds.element;
  report.largestAt = describePosition(c, compared.largestAt);
  return report;
}

CheckReport tc::runtime::checkOutput(const Kernel &kernel,
                                     const Problem &problem,
                                     const CheckOptions &options) {
  if (kernel.reduces)
    return checkReduction(kernel, problem, options);
  const Kernel &definition = options.definition ? *options.definition : kernel;
  CheckReport report;
  for (unsigned node : groupOf(kernel).storedNodes()) {
    Kernel storing = kernelStoring(kernel, node);
    Kernel defined = kernelStoring(definition, node);
    CheckReport own =
        checkOne(storing, defined, Reference(definition, problem, node),
                 problem.tensors[*placesOf(kernel, node)[2]], problem, options);
    if (node == 0)
      report = own;
    else
      report.add(own);
  }
  return report;
}

void CheckReport::add(const CheckReport &other) {
  owned += other.owned;
  compared += other.compared;
  for (auto [fault, of] : {std::pair(&unwritten, &other.unwritten),
                           std::pair(&stray, &other.stray),
                           std::pair(&nonFinite, &other.nonFinite)}) {
    if (fault->count == 0)
      fault->first = of->first;
    fault->count += of->count;
  }
  // Failures come first, NaN too, then that which is the nearest to its bound.
  auto isWorse = [](double error, double bound, double kept, double ofKept) {
    bool fails = !(error <= bound), failed = !(kept <= ofKept);
    return fails != failed ? fails : error * ofKept > kept * bound;
  };
  if (isWorse(other.relativeError, other.tolerance, relativeError, tolerance)) {
    relativeError = other.relativeError;
    tolerance = other.tolerance;
  }
  if (isWorse(other.largestError, other.largestTolerance, largestError,
              largestTolerance)) {
    largestError = other.largestError;
    largestTolerance = other.largestTolerance;
    largestAt = other.largestAt;
  }
}

bool CheckReport::passed() const {
  // Written so that a NaN fails.
  return relativeError <= tolerance && largestError <= largestTolerance &&
         unwritten.count == 0 && stray.count == 0 && nonFinite.count == 0;
}

static std::string format(const char *pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), pattern, value);
  return buffer;
}

std::string CheckReport::summary() const {
  std::string text = passed() ? "passed: " : "FAILED: ";
  if (sums > 0)
    text += (sums == 1 ? "the sum" : std::to_string(sums) + " sums") + " of ";
  text += compared == owned ? "all " + std::to_string(owned) + " elements"
                            : std::to_string(compared) + " of " +
                                  std::to_string(owned) + " elements";
  text += ", relative error " + format("%.3g", relativeError) + " (tolerance " +
          format("%.3g", tolerance) + ")";
  if (!(largestError <= largestTolerance))
    text += ", error of " + largestAt + " " + format("%.3g", largestError) +
            " (tolerance " + format("%.3g", largestTolerance) + ")";
  auto append = [&](const Fault &fault, const char *what) {
    if (fault.count)
      text += ", " + std::to_string(fault.count) + " " + what + ", first " +
              fault.first;
  };
  append(unwritten, "not written");
  append(stray, "written that should not be");
  append(nonFinite, "not finite");
  return text;
}

int64_t tc::runtime::affordableSamples(const Kernel &kernel,
                                       const std::vector<int64_t> &blocks) {
  /// About a second on two cores.
  constexpr double affordableTerms = 5e8;
  constexpr int64_t fewest = 256, most = 65536;
  // A sum is of all elements.
  if (kernel.reduces)
    return 0;
  OwnedElements owned(kernel, blocks);
  model::Group group = groupOf(kernel);
  // The products that an element takes, with those of a producer's elements
  // that are computed as it reads them.
  std::function<double(unsigned)> productsOf = [&](unsigned node) {
    double products = static_cast<double>(
        contractionOf(contractionAt(kernel, node)).extent(model::Role::K));
    double toRead = 0;
    for (const model::GroupEdge &edge : group.edges) {
      if (edge.to != node || !model::isOnChip(edge))
        continue;
      double produced = productsOf(edge.from);
      const TensorArgument &input =
          contractionAt(kernel, node).tensors[static_cast<size_t>(edge.sink)];
      toRead += isAffordable(input, produced) ? 0 : produced;
    }
    return products * (1 + toRead);
  };
  double products = 0;
  for (unsigned node = 0; node < group.size; ++node) {
    const model::GroupEdge *edge = group.edgeFromOutput(node);
    if (!edge || !model::isOnChip(*edge))
      products += productsOf(node);
  }
  // An element costs some, however short its sum.
  double affordable = affordableTerms / (products + 50);
  if (static_cast<double>(owned.size()) <= affordable)
    return 0;
  return std::clamp(static_cast<int64_t>(affordable), fewest, most);
}
