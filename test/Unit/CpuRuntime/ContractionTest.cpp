//===- ContractionTest.cpp - Contractions by ahead-of-time kernels --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares with the definition, which is computed element by element in long
// double, or in integers that wrap around.
//
//===----------------------------------------------------------------------===//

#include "TestNumbers.h"

#include "tc/CpuRuntime/Contraction.h"

#include "tc/Buffers/HostTensor.h"
#include "tc/Problem/ContractionRecord.h"

#include "gtest/gtest.h"

#include <complex>
#include <limits>
#include <random>
#include <string_view>

using namespace tc;
using namespace tc::cpu;
using namespace tc::test;
using model::ElementType;
using model::Tensor;

namespace {

/// A tensor in memory of its own, any of whose elements may be anywhere in it.
struct TestTensor {
  ElementType type = ElementType::F64;
  std::vector<std::byte> bytes;
  /// The position of the element whose indices are all zero.
  int64_t zero = 0;

  void *pointer() { return bytes.data() + zero * model::byteWidth(type); }
  template <typename Function> auto at(int64_t position, Function function) {
    size_t parts = model::isComplex(type) ? 2 : 1;
    return runtime::dispatch(type, [&](auto number) {
      auto *first = reinterpret_cast<decltype(number) *>(bytes.data());
      return function(first + (zero + position) * int64_t(parts), parts);
    });
  }
  Number get(int64_t position) {
    return at(position, [](auto *element, size_t parts) {
      auto part = [&](size_t i) {
        return static_cast<long double>(element[i]);
      };
      return Number(part(0), parts == 2 ? part(1) : 0.0L);
    });
  }
  int64_t getInteger(int64_t position) {
    return at(position, [](auto *element, size_t) {
      return static_cast<int64_t>(*element);
    });
  }
};

/// A problem with its tensors.
struct TestCase {
  Problem problem;
  model::PerTensor<TestTensor> tensors;
  Number alpha = 1, beta = 0;
  unsigned threads = 1;
};

/// Calls `function` with a position in each tensor for each tuple of indices of
/// which `isWanted` holds.
template <typename IsWanted, typename Function>
void forAll(const Problem &problem, model::PerTensor<int64_t> positions,
            size_t from, IsWanted isWanted, Function function) {
  while (from < problem.indices.size() && !isWanted(problem.indices[from]))
    ++from;
  if (from == problem.indices.size())
    return function(positions);
  const Index &index = problem.indices[from];
  for (int64_t i = 0; i < index.extent; ++i) {
    forAll(problem, positions, from + 1, isWanted, function);
    for (Tensor t : model::allTensors)
      positions[t] += index.stride[t];
  }
}

bool isSummed(const Index &index) { return index.stride[Tensor::C] == 0; }

/// Runs a problem, and compares each element with the definition. The gaps
/// between elements of C have to stay as they were.
void check(TestCase test) {
  Problem &problem = test.problem;
  auto &tensors = test.tensors;
  const bool readsC = test.beta != Number(0);
  std::vector<std::byte> expected = tensors[Tensor::C].bytes;
  struct Element {
    int64_t position;
    Number value;
    long double bound;
    int64_t integer;
  };
  std::vector<Element> elements;
  const bool isInteger = model::isInteger(problem.accumulatorType);
  forAll(
      problem, {}, 0, [](const Index &i) { return !isSummed(i); },
      [&](model::PerTensor<int64_t> first) {
        Number sum = 0;
        long double bound = 0;
        uint64_t integer = 0;
        int64_t terms = 0;
        forAll(problem, first, 0, isSummed, [&](model::PerTensor<int64_t> at) {
          ++terms;
          if (isInteger) {
            integer += uint64_t(tensors[Tensor::A].getInteger(at[Tensor::A])) *
                       uint64_t(tensors[Tensor::B].getInteger(at[Tensor::B]));
            return;
          }
          Number a = tensors[Tensor::A].get(at[Tensor::A]);
          Number b = tensors[Tensor::B].get(at[Tensor::B]);
          if (problem.conjugates[Tensor::A])
            a = std::conj(a);
          if (problem.conjugates[Tensor::B])
            b = std::conj(b);
          sum += a * b;
          bound += std::abs(a) * std::abs(b);
        });
        int64_t place = first[Tensor::C];
        if (isInteger) {
          integer *= uint64_t(int64_t(test.alpha.real()));
          if (readsC)
            integer += uint64_t(int64_t(test.beta.real())) *
                       uint64_t(tensors[Tensor::C].getInteger(place));
          elements.push_back({place, 0, 0, int64_t(integer)});
          return;
        }
        sum *= test.alpha;
        bound *= std::abs(test.alpha);
        if (readsC) {
          Number old = test.beta * tensors[Tensor::C].get(place);
          sum += old;
          bound += std::abs(old);
        }
        // Of sums, and of rounding to C's type once.
        long double tolerance =
            2 * epsilonOf(problem.accumulatorType) * bound *
                static_cast<long double>(terms + 4) +
            epsilonOf(problem.elementType[Tensor::C]) * std::abs(sum) +
            leastOf(problem.elementType[Tensor::C]);
        elements.push_back({place, sum, tolerance, 0});
      });
  auto alpha = factorOf(test.alpha, problem.accumulatorType);
  auto beta = factorOf(test.beta, problem.accumulatorType);
  Contraction contraction(problem, test.threads);
  Outcome outcome = contraction.run(
      tensors[Tensor::A].pointer(), tensors[Tensor::B].pointer(),
      tensors[Tensor::C].pointer(), alpha.data(), beta.data());
  ASSERT_EQ(outcome, Outcome::Done);
  auto &c = tensors[Tensor::C];
  const auto width = static_cast<size_t>(model::byteWidth(c.type));
  for (const Element &element : elements) {
    if (isInteger) {
      int64_t value = c.getInteger(element.position);
      int64_t wanted = width == 1   ? int8_t(element.integer)
                       : width == 4 ? int32_t(element.integer)
                                    : element.integer;
      ASSERT_EQ(value, wanted) << "at " << element.position;
    } else {
      Number value = c.get(element.position);
      ASSERT_LE(std::abs(value - element.value), element.bound)
          << "at " << element.position << ": " << value << " for "
          << element.value;
    }
    auto at = static_cast<size_t>(c.zero + element.position) * width;
    std::copy_n(c.bytes.begin() + int64_t(at), width,
                expected.begin() + int64_t(at));
  }
  ASSERT_EQ(c.bytes, expected) << "something between elements was written";
}

/// Draws cases at random.
class Maker {
public:
  explicit Maker(uint64_t seed) : random(seed) {}

  int64_t upTo(int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  }
  template <typename T> T oneOf(std::initializer_list<T> values) {
    return values.begin()[upTo(int64_t(values.size()) - 1)];
  }

  /// Lays a tensor out in a random order of its indices, at times with gaps,
  /// backwards, or with repeated elements, unless it is C.
  void layOut(TestCase &test, Tensor t, const std::vector<size_t> &indices) {
    std::vector<size_t> order = indices;
    std::shuffle(order.begin(), order.end(), random);
    int64_t stride = upTo(9) == 0 ? 2 : 1, zero = 0;
    for (size_t i : order) {
      Index &index = test.problem.indices[i];
      int64_t chosen = upTo(11) == 0 ? -stride : stride;
      if (t != Tensor::C && upTo(19) == 0 && !isSummed(index))
        chosen = 0;
      index.stride[t] = chosen;
      if (chosen == 0)
        continue;
      if (chosen < 0)
        zero += (index.extent - 1) * stride;
      stride *= index.extent + (upTo(7) == 0 ? upTo(3) : 0);
    }
    TestTensor &tensor = test.tensors[t];
    tensor.type = test.problem.elementType[t];
    tensor.zero = std::max<int64_t>(zero, 0);
    fill(tensor, std::max<int64_t>(stride, 1) + tensor.zero + 1);
  }

  void fill(TestTensor &tensor, int64_t count) {
    tensor.bytes.resize(
        static_cast<size_t>(count * model::byteWidth(tensor.type)));
    runtime::dispatch(tensor.type, [&](auto zero) {
      using T = decltype(zero);
      auto *element = reinterpret_cast<T *>(tensor.bytes.data());
      for (size_t i = 0; i < tensor.bytes.size() / sizeof(T); ++i) {
        if constexpr (std::is_integral_v<T>)
          element[i] = static_cast<T>(random());
        else
          element[i] = T(std::uniform_real_distribution<double>(-1, 1)(random));
      }
    });
  }

  /// Types of A, B and C.
  void chooseTypes(Problem &problem) {
    using E = ElementType;
    if (upTo(3) > 0) {
      auto type = oneOf({E::F64, E::F32, E::C64, E::C32, E::I32, E::I64, E::I8,
                         E::F16, E::BF16, E::F8E4M3FN, E::F8E5M2});
      problem.elementType = {{type, type, type}};
      if (upTo(1))
        problem.elementType[Tensor::C] = model::accumulatorTypeOf(type);
    } else {
      auto mixed = oneOf<std::array<E, 3>>({{E::F32, E::F64, E::F64},
                                            {E::F16, E::F32, E::F16},
                                            {E::BF16, E::F16, E::F32},
                                            {E::I8, E::I32, E::I32},
                                            {E::I64, E::I8, E::I64},
                                            {E::F64, E::C64, E::C64},
                                            {E::C32, E::F32, E::C32},
                                            {E::C64, E::F64, E::C64},
                                            {E::F32, E::C32, E::C32},
                                            {E::F8E4M3FN, E::F32, E::BF16}});
      std::copy(mixed.begin(), mixed.end(), problem.elementType.begin());
    }
    Result<ElementType> factors = model::factorTypeOf(problem.elementType);
    ASSERT_TRUE(bool(factors)) << factors.error();
    problem.accumulatorType = model::accumulatorTypeOf(*factors);
    if (model::isComplex(problem.accumulatorType))
      for (Tensor t : {Tensor::A, Tensor::B})
        problem.conjugates[t] =
            upTo(1) && model::isComplex(problem.elementType[t]);
  }

  TestCase make(int64_t mostElements) {
    TestCase test;
    chooseTypes(test.problem);
    model::PerTensor<std::vector<size_t>> indices;
    size_t count = size_t(upTo(6));
    double products = 1;
    for (size_t i = 0; i < count; ++i) {
      int64_t extent = oneOf<int64_t>({1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 24,
                                       29, 32, 48, 61, 100, 131, upTo(300)});
      if (extent == 0 && upTo(3))
        extent = 6;
      if (products * double(extent) > double(mostElements))
        extent = 2;
      products *= double(extent);
      auto role = oneOf({0, 0, 1, 1, 2, 2, 3});
      test.problem.add(extent, {});
      if (role != 1)
        indices[Tensor::A].push_back(i);
      if (role != 0)
        indices[Tensor::B].push_back(i);
      if (role != 2)
        indices[Tensor::C].push_back(i);
    }
    // C first: it says what is summed.
    for (Tensor t : {Tensor::C, Tensor::A, Tensor::B})
      layOut(test, t, indices[t]);
    chooseFactors(test);
    test.threads = unsigned(1 + upTo(3));
    return test;
  }

  /// Sums of complex numbers times a number, which may be real.
  TestCase makeSums() {
    using E = ElementType;
    TestCase test;
    Problem &problem = test.problem;
    auto types = oneOf<std::array<E, 3>>({{E::C64, E::C64, E::C64},
                                          {E::C32, E::C32, E::C32},
                                          {E::C64, E::F64, E::C64}});
    std::copy(types.begin(), types.end(), problem.elementType.begin());
    problem.accumulatorType = problem.elementType[Tensor::A];
    problem.conjugates[Tensor::A] = upTo(7) == 0;
    problem.add(oneOf<int64_t>({1, 2, 9, 33, 5000}), {});
    std::vector<size_t> all = {0}, kept;
    for (size_t i = 1; i < 4; ++i) {
      problem.add(oneOf<int64_t>({1, 2, 3, 7}), {});
      all.push_back(i);
      if (upTo(1))
        kept.push_back(i);
    }
    layOut(test, Tensor::C, kept);
    layOut(test, Tensor::A, all);
    layOut(test, Tensor::B, {});
    TestTensor &number = test.tensors[Tensor::B];
    if (upTo(3) > 0 && model::isComplex(number.type))
      number.at(0, [](auto *element, size_t) { element[1] = {}; });
    chooseFactors(test);
    if (upTo(1))
      test.alpha = 1;
    test.threads = unsigned(1 + upTo(2));
    return test;
  }

  /// Sums whose elements are read once or a few times: dot products, products
  /// of matrices and vectors, batches of small products, of long indices or of
  /// many short ones.
  TestCase makeSkinny() {
    TestCase test;
    chooseTypes(test.problem);
    model::PerTensor<std::vector<size_t>> indices;
    double products = 1;
    auto add = [&](char role, int64_t extent) {
      if (products * double(extent) > 1 << 16)
        extent = 2;
      products *= double(extent);
      const size_t number = test.problem.indices.size();
      test.problem.add(extent, {});
      // An index of all but one tensor, of all, or summed in one operand.
      for (Tensor t : model::allTensors)
        if ((t == Tensor::A && role != 'n' && role != 'b') ||
            (t == Tensor::B && role != 'm' && role != 'a') ||
            (t == Tensor::C && role != 'k' && role != 'a' && role != 'b'))
          indices[t].push_back(number);
    };
    if (upTo(2) == 0) {
      for (int64_t i = 0, count = 6 + upTo(6); i < count; ++i)
        add(oneOf({'k', 'k', 'm', 'z', 'n'}), oneOf<int64_t>({2, 2, 3, 4}));
    } else {
      const char *roles = oneOf({"k", "km", "kz", "kkz", "kmn", "kmz", "kmnz",
                                 "kkmm", "ka", "kab", "a", "am", "kkm"});
      for (const char *role = roles; *role; ++role) {
        const bool isSmall = std::string_view(roles).size() > 2 && upTo(1);
        add(*role, isSmall ? 1 + upTo(9)
                           : oneOf<int64_t>({1, 2, 7, 16, 31, 64, 129, 500,
                                             1000, 4099, 9001}));
      }
    }
    for (Tensor t : {Tensor::C, Tensor::A, Tensor::B})
      layOut(test, t, indices[t]);
    chooseFactors(test);
    if (upTo(1)) {
      test.alpha = 1;
      test.beta = 0;
    }
    test.threads = unsigned(1 + upTo(2));
    return test;
  }

  /// Products of matrices, and of such with further indices, whose extents do
  /// and do not divide register tiles, of one type of floating point.
  TestCase makeDirect() {
    using E = ElementType;
    TestCase test;
    const E type = oneOf({E::F32, E::F64, E::C32, E::C64});
    test.problem.elementType = {{type, type, type}};
    test.problem.accumulatorType = type;
    if (model::isComplex(type))
      for (Tensor t : {Tensor::A, Tensor::B})
        test.problem.conjugates[t] = upTo(1) != 0;
    model::PerTensor<std::vector<size_t>> indices;
    double products = 1;
    const char *roles = oneOf({"mnk", "mnk", "mnkz", "mnkk", "mmnk", "mnnk",
                               "mnkkz", "mmnnk", "mmnnkk"});
    for (const char *role = roles; *role; ++role) {
      int64_t extent = oneOf<int64_t>({1,  2,  3,  4,  5,  7,  8,  9,   11,
                                       12, 13, 16, 17, 23, 24, 25, 31,  32,
                                       33, 47, 48, 49, 61, 64, 96, 101, 130});
      if (products * double(extent) > 1 << 15)
        extent = 1 + upTo(3);
      products *= double(extent);
      const size_t number = test.problem.indices.size();
      test.problem.add(extent, {});
      if (*role != 'n')
        indices[Tensor::A].push_back(number);
      if (*role != 'm')
        indices[Tensor::B].push_back(number);
      if (*role != 'k')
        indices[Tensor::C].push_back(number);
    }
    for (Tensor t : {Tensor::C, Tensor::A, Tensor::B})
      layOut(test, t, indices[t]);
    chooseFactors(test);
    test.threads = unsigned(1 + upTo(3));
    return test;
  }

  /// Large enough for several threads: any indices, or rows and sums with at
  /// most two columns.
  TestCase makeLarge() {
    const bool isSkinny = upTo(1) == 0;
    const double mostElements = 1 << 20,
                 leastProducts = isSkinny ? 1 << 19 : 4e6;
    TestCase test;
    chooseTypes(test.problem);
    model::PerTensor<std::vector<size_t>> indices;
    model::PerTensor<double> elements = {{1, 1, 1}};
    double products = 1;
    auto add = [&](int64_t extent, const model::PerTensor<bool> &has) {
      for (Tensor t : model::allTensors)
        if (has[t] && elements[t] * double(extent) > mostElements)
          extent = 2;
      products *= double(extent);
      for (Tensor t : model::allTensors)
        if (has[t]) {
          elements[t] *= double(extent);
          indices[t].push_back(test.problem.indices.size());
        }
      test.problem.add(extent, {});
    };
    if (isSkinny && upTo(2) == 0)
      add(2, {{false, true, true}});
    for (size_t i = 0; i < 7 && products < leastProducts; ++i) {
      // Of A and C, of B and C, of A and B, or of all.
      const int role = isSkinny ? oneOf({0, 0, 2}) : oneOf({0, 1, 2, 3});
      add(isSkinny ? oneOf<int64_t>({2, 5, 6, 7, 10, 13, 50, 257, 5003, 9001})
                   : oneOf<int64_t>({2, 3, 5, 8, 17, 24, 61, 100, 257, 1001}),
          {{role != 1, role != 0, role != 2}});
    }
    for (Tensor t : {Tensor::C, Tensor::A, Tensor::B})
      layOut(test, t, indices[t]);
    chooseFactors(test);
    return test;
  }

  void chooseFactors(TestCase &test) {
    bool isComplex = model::isComplex(test.problem.accumulatorType);
    if (upTo(1))
      test.alpha = {static_cast<long double>(upTo(4) - 2),
                    isComplex ? static_cast<long double>(upTo(2)) : 0};
    if (upTo(1))
      test.beta = {static_cast<long double>(upTo(4) - 2),
                   isComplex ? static_cast<long double>(upTo(2)) : 0};
    // Without, a C that is not read holds no numbers.
    if (test.beta == Number(0) &&
        !model::isInteger(test.problem.accumulatorType))
      std::fill(test.tensors[Tensor::C].bytes.begin(),
                test.tensors[Tensor::C].bytes.end(), std::byte(0xFF));
  }

private:
  std::mt19937_64 random;
};

} // namespace

TEST(CpuRuntime, RandomContractions) {
  const char *first = std::getenv("TC_SEED"), *count = std::getenv("TC_COUNT");
  uint64_t seed = first ? std::strtoull(first, nullptr, 10) : 1;
  uint64_t end = seed + (count ? std::strtoull(count, nullptr, 10) : 600);
  for (; seed < end; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Maker maker(seed);
    check(maker.make(seed % 8 == 0 ? 1 << 20 : 1 << 14));
    if (HasFatalFailure())
      return;
  }
}

TEST(CpuRuntime, SumsOfComplexNumbers) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Maker maker(seed);
    check(maker.makeSums());
    if (HasFatalFailure())
      return;
  }
}

TEST(CpuRuntime, ProductsOfElementsWhereTheyLie) {
  const char *first = std::getenv("TC_SEED"), *count = std::getenv("TC_COUNT");
  uint64_t seed = first ? std::strtoull(first, nullptr, 10) : 1;
  uint64_t end = seed + (count ? std::strtoull(count, nullptr, 10) : 600);
  uint64_t all = end - seed, direct = 0;
  for (; seed < end; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TestCase test = Maker(seed).makeDirect();
    direct += Contraction(test.problem, test.threads).isDirect();
    check(std::move(test));
    if (HasFatalFailure())
      return;
  }
  const std::string_view set = instructionSetName();
  if (set == "avx512" || set == "avx2")
    EXPECT_GE(4 * direct, all) << "too few are read where they lie";
}

TEST(CpuRuntime, SumsThatAreReadOnce) {
  const char *first = std::getenv("TC_SEED"), *count = std::getenv("TC_COUNT");
  uint64_t seed = first ? std::strtoull(first, nullptr, 10) : 1;
  uint64_t end = seed + (count ? std::strtoull(count, nullptr, 10) : 600);
  uint64_t all = end - seed, skinny = 0;
  for (; seed < end; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TestCase test = Maker(seed).makeSkinny();
    skinny += Contraction(test.problem, test.threads).isSkinny();
    check(std::move(test));
    if (HasFatalFailure())
      return;
  }
  EXPECT_GE(3 * skinny, 2 * all) << "too few are read where they lie";
}

/// The sums along K of a problem of one operand, in a type with its own sums.
template <typename T>
static std::vector<T> sumsOf(const std::vector<T> &numbers, int64_t rows,
                             int64_t stride, int64_t rowStride,
                             ElementType type) {
  Problem problem;
  problem.elementType = {{type, type, type}};
  problem.accumulatorType = type;
  problem.add(rows, {{rowStride, 0, 1}});
  problem.add(int64_t(numbers.size()) / rows, {{stride, 0, 0}});
  const T one = 1;
  std::vector<T> sums(size_t(rows), T(0));
  EXPECT_EQ(Contraction(problem, 1).run(numbers.data(), &one, sums.data()),
            Outcome::Done);
  return sums;
}

// Sums in blocks: NumPy's pairwise sum of as many positive numbers was 0.2 to
// 0.9 times the spacing of numbers off, one after the other 41 to 110 times.
TEST(CpuRuntime, LongSumsLoseLittle) {
  std::mt19937_64 random(7);
  std::vector<float> numbers(1 << 20);
  for (float &number : numbers)
    number = std::uniform_real_distribution<float>(0, 1)(random);
  for (int64_t rows : {1, 4, 64}) {
    const int64_t k = int64_t(numbers.size()) / rows;
    for (bool areLines : {true, false}) {
      const int64_t stride = areLines ? 1 : rows, rowStride = areLines ? k : 1;
      std::vector<float> sums =
          sumsOf(numbers, rows, stride, rowStride, ElementType::F32);
      for (int64_t row = 0; row < rows; ++row) {
        long double sum = 0;
        for (int64_t i = 0; i < k; ++i)
          sum += static_cast<long double>(
              numbers[size_t(row * rowStride + i * stride)]);
        EXPECT_LE(std::abs(static_cast<long double>(sums[size_t(row)]) - sum),
                  1.5L * epsilonOf(ElementType::F32) * sum)
            << rows << " rows, " << areLines;
      }
    }
  }
}

// Windows repeat elements, so that there are more products than 64 bits count.
TEST(CpuRuntime, MoreProductsThanAreCounted) {
  constexpr int64_t extent = 1 << 16;
  std::vector<int8_t> numbers(2 * extent, 1);
  Problem problem;
  problem.elementType = {{ElementType::I8, ElementType::I8, ElementType::I32}};
  problem.accumulatorType = ElementType::I32;
  for (Tensor t : {Tensor::A, Tensor::B})
    for (int i = 0; i < 2; ++i) {
      model::PerTensor<int64_t> stride = {};
      stride[t] = 1;
      problem.add(extent, stride);
    }
  int32_t sum = -1;
  ASSERT_EQ(Contraction(problem, 1).run(numbers.data(), numbers.data(), &sum),
            Outcome::Done);
  // 2^64 ones, of 32 bits.
  EXPECT_EQ(sum, 0);
  numbers.assign(numbers.size(), 0);
  numbers[0] = 3;
  ASSERT_EQ(Contraction(problem, 1).run(numbers.data(), numbers.data(), &sum),
            Outcome::Done);
  EXPECT_EQ(sum, 9);
}

TEST(CpuRuntime, InfiniteSumsAreInfinite) {
  std::vector<double> numbers(1 << 18, 1.0);
  numbers[5000] = std::numeric_limits<double>::infinity();
  for (int64_t rows : {1, 64}) {
    std::vector<double> sums = sumsOf(numbers, rows, rows, 1, ElementType::F64);
    for (int64_t row = 0; row < rows; ++row)
      EXPECT_EQ(sums[size_t(row)], row == 5000 % rows
                                       ? numbers[5000]
                                       : double(numbers.size()) / double(rows));
  }
}

/// C, computed by that many threads at most.
static std::vector<std::byte> bitsOf(TestCase &test, unsigned threads) {
  TestTensor c = test.tensors[Tensor::C];
  auto alpha = factorOf(test.alpha, test.problem.accumulatorType);
  auto beta = factorOf(test.beta, test.problem.accumulatorType);
  Contraction contraction(test.problem, threads);
  EXPECT_EQ(contraction.run(test.tensors[Tensor::A].pointer(),
                            test.tensors[Tensor::B].pointer(), c.pointer(),
                            alpha.data(), beta.data()),
            Outcome::Done);
  return c.bytes;
}

TEST(CpuRuntime, NoBitDependsOnTheNumberOfThreads) {
  const char *first = std::getenv("TC_SEED"), *count = std::getenv("TC_COUNT");
  uint64_t seed = first ? std::strtoull(first, nullptr, 10) : 1;
  uint64_t end = seed + (count ? std::strtoull(count, nullptr, 10) : 60);
  uint64_t all = end - seed, shared = 0;
  for (; seed < end; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TestCase test = Maker(seed).makeLarge();
    const std::vector<std::byte> one = bitsOf(test, 1);
    shared += Contraction(test.problem, 8).threads() > 1;
    for (unsigned threads : {2, 3, 5, 8})
      ASSERT_EQ(bitsOf(test, threads) == one, true) << threads << " threads";
  }
  EXPECT_GE(2 * shared, all) << "too few were shared out";
}
