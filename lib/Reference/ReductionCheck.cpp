//===- ReductionCheck.cpp - Judging sums of all elements --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionCheck.h"

#include "tc/Buffers/Parallel.h"
#include "tc/Package/Blocks.h"
#include "tc/Reference/ErrorSums.h"
#include "tc/Reference/Reference.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

using namespace tc;
using namespace tc::runtime;

/// Of the rounding errors of sums of elements; docs/package.md says where it is
/// from.
static constexpr double sumFactor = 4;

namespace {

/// A sum of elements as it should be.
struct ExpectedSum {
  long double value = 0;
  /// Of integers, which wrap around.
  uint64_t integer = 0;
  /// Of the elements' sizes.
  long double sizes = 0;
  /// Of what each element may be off by.
  Norm errors;
  /// True if an element may be an infinity or a NaN where it is a number by the
  /// definition, or the other way round.
  bool isOnBorder = false;

  void operator+=(const ExpectedSum &other) {
    value += other.value;
    integer += other.integer;
    sizes += other.sizes;
    errors += other.errors;
    isOnBorder |= other.isOnBorder;
  }
};

/// Adds up elements of a kernel's result.
class ReferenceSum {
public:
  ReferenceSum(const Kernel &definition, const Problem &problem,
               const CheckOptions &options)
      : definition(definition), reference(definition, problem),
        bounds(errorBounds(definition, reference.sumLength(),
                           options.ranOnDevice)),
        workers(options.workers) {}

  ExpectedSum of(const Box &box) const;

private:
  ExpectedSum element(const std::vector<int64_t> &coordinates) const;

  const Kernel &definition;
  Reference reference;
  ErrorBounds bounds;
  unsigned workers;
};

} // namespace

ExpectedSum
ReferenceSum::element(const std::vector<int64_t> &coordinates) const {
  model::ElementType type = definition.tensors[2].type;
  ReferenceValue at = reference.at(coordinates);
  ExpectedSum one;
  one.value = clampToRange(type, at.value);
  if (model::isInteger(type)) {
    one.integer = static_cast<uint64_t>(static_cast<int64_t>(at.value));
    return one;
  }
  one.sizes = std::fabs(one.value);
  one.errors.add(bounds.element * at.magnitude +
                 outputRounding(definition.accumulatorType, type, one.value));
  one.isOnBorder = !at.alternatives.empty();
  // Elements are added as they are stored.
  if (long double stored = storedAs(type, one.value); !std::isfinite(stored))
    one.value = stored;
  return one;
}

ExpectedSum ReferenceSum::of(const Box &box) const {
  ExpectedSum sum;
  std::mutex mutex;
  int64_t grain = std::max<int64_t>(1, 200'000 / (reference.sumLength() + 50));
  parallelFor(elementsOf(box), workers, grain, [&](int64_t begin, int64_t end) {
    ExpectedSum part;
    std::vector<int64_t> coordinates(box.size());
    for (int64_t number = begin; number < end; ++number) {
      int64_t rest = number;
      for (size_t i = box.size(); i-- > 0;) {
        coordinates[i] = box[i].begin + rest % box[i].length();
        rest /= box[i].length();
      }
      part += element(coordinates);
    }
    std::lock_guard<std::mutex> lock(mutex);
    sum += part;
  });
  return sum;
}

/// Error bound of the sum of so many elements, each of which goes through so
/// many additions of a type with that epsilon.
static long double boundOf(const ExpectedSum &sum, double additions,
                           model::ElementType sums, model::ElementType output) {
  long double epsilon = std::ldexp(1.0L, -model::fractionBits(sums));
  return sum.errors.value() +
         sumFactor * epsilon * std::sqrt(additions) * sum.sizes +
         outputRounding(sums, output, clampToRange(output, sum.value));
}

namespace {

/// Compares sums, one after the other.
class SumComparison {
public:
  SumComparison(const Kernel &kernel, const Kernel &definition)
      : output(definition.tensors[2].type),
        sums(model::reductionTypeOf(output)) {
    double elements = static_cast<double>(
        elementsOf(wholeBox(*geometryOf(kernel.tensors[2]))));
    auto threads = static_cast<double>(kernel.block[0]);
    auto blocks = static_cast<double>(kernel.grid[0]);
    additions = elements / (threads * blocks) + blocks / threads +
                2 * std::log2(threads) + 2;
  }

  void add(const ExpectedSum &expected, long double actual,
           model::ElementType stored, const std::string &name);
  void finish(CheckReport &report) const;

private:
  model::ElementType output, sums;
  double additions;
  ErrorSums errors;
  double largest = 0;
  std::string largestAt;
  int64_t count = 0, nonFinite = 0;
  std::string firstNonFinite;
};

} // namespace

void SumComparison::add(const ExpectedSum &expected, long double actual,
                        model::ElementType stored, const std::string &name) {
  bool isExact = model::isInteger(output);
  long double value =
      isExact
          ? static_cast<long double>(wrap(
                stored, static_cast<uint64_t>(wrap(sums, expected.integer))))
          : clampToRange(stored, expected.value);
  long double bound = isExact ? 0 : boundOf(expected, additions, sums, stored);
  long double error = errorOf(actual, value, stored);
  if (expected.isOnBorder && !areOfOneKind(actual, value, stored))
    error = 0;
  // A result that agrees without being finite has neither an error nor a bound.
  if (error != 0 || std::isfinite(storedAs(stored, value)))
    errors.add(error, value, /*magnitude=*/0, bound);
  double excess = relativeErrorOf(error, bound, /*rounding=*/0);
  if (count++ == 0 || excess > largest) {
    largest = excess;
    largestAt = name;
  }
  if (!std::isfinite(actual) && error != 0 && nonFinite++ == 0)
    firstNonFinite = name;
}

void SumComparison::finish(CheckReport &report) const {
  report.sums = count;
  report.relativeError = errors.relativeError();
  report.tolerance = errors.tolerance(/*bound=*/0);
  report.largestError = largest;
  report.largestTolerance = 1;
  report.largestAt = largestAt;
  report.nonFinite = {nonFinite, firstNonFinite};
}

/// A number of that type at a place.
static long double numberAt(const std::byte *place, model::ElementType type) {
  return dispatch(type, [&](auto zero) {
    decltype(zero) value;
    std::memcpy(&value, place, sizeof(value));
    return static_cast<long double>(value);
  });
}

CheckReport tc::runtime::checkReduction(const Kernel &kernel,
                                        const Problem &problem,
                                        const CheckOptions &options) {
  const HostTensor &c = problem.c();
  const Kernel &definition = options.definition ? *options.definition : kernel;
  ReferenceSum reference(definition, problem, options);
  SumComparison comparison(kernel, definition);
  CheckReport report;
  Geometry geometry = *geometryOf(kernel.tensors[2]);
  int64_t place = geometry.offset;
  auto isChanged = [&](int64_t position) {
    return dispatch(c.type(), [&](auto zero) {
      using T = decltype(zero);
      return c.bits<T>(position) != c.initialBits<T>(position);
    });
  };
  bool isWritten = isChanged(place);
  for (int64_t position = 0; position < place; ++position)
    if (isChanged(position) && report.stray.count++ == 0)
      report.stray.first = "position " + std::to_string(position) + " of C";
  bool ranAll = options.blocks.empty() ||
                static_cast<int64_t>(options.blocks.size()) == kernel.grid[0];
  if (ranAll) {
    Box box = wholeBox(geometry);
    report.owned = elementsOf(box);
    comparison.add(
        reference.of(box),
        numberAt(c.data() + place * model::byteWidth(c.type()), c.type()),
        c.type(), "C");
    // So short an integer is the poison by chance.
    if (!isWritten && c.type() != model::ElementType::I8)
      report.unwritten = {1, "C"};
  } else {
    model::ElementType sums = model::reductionTypeOf(c.type());
    for (int64_t block : options.blocks) {
      ExpectedSum expected;
      for (const Box &box : boxesOfBlock(kernel, geometry, block)) {
        expected += reference.of(box);
        report.owned += elementsOf(box);
      }
      int64_t part =
          kernel.workspace->zeroedBytes + block * model::byteWidth(sums);
      comparison.add(expected, numberAt(problem.workspace.data() + part, sums),
                     sums, "block " + std::to_string(block));
    }
    if (isWritten && report.stray.count++ == 0)
      report.stray.first = "C";
  }
  report.compared = report.owned;
  comparison.finish(report);
  return report;
}
