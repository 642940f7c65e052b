//===- CombineTest.cpp - Tensors added, permuted and reduced --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares tcCpuCombine with its definition, which is computed element by
// element in long double, or in integers that wrap around.
//
//===----------------------------------------------------------------------===//

#include "TestNumbers.h"

#include "tc-c/CpuRuntime.h"

#include "tc/Buffers/HostTensor.h"

#include "gtest/gtest.h"

#include <complex>
#include <cstring>
#include <random>

using namespace tc;
using namespace tc::test;
using model::ElementType;

namespace {

enum { A, B, C, D };

/// A tensor in memory of its own, any of whose elements may be anywhere in it.
struct TestTensor {
  std::vector<std::byte> bytes;
  int64_t zero = 0;

  void *pointer(ElementType type) {
    return bytes.data() + zero * model::byteWidth(type);
  }
};

/// The parts of an element, or the integer that it is.
template <typename Function>
void withParts(ElementType type, void *first, int64_t position,
               Function function) {
  runtime::dispatch(type, [&](auto number) {
    auto *parts = static_cast<decltype(number) *>(first);
    int64_t each = model::isComplex(type) ? 2 : 1;
    function(parts + position * each, each);
  });
}

Number get(ElementType type, void *first, int64_t position) {
  Number value;
  withParts(type, first, position, [&](auto *parts, int64_t count) {
    value = {static_cast<long double>(parts[0]),
             count == 2 ? static_cast<long double>(parts[1]) : 0};
  });
  return value;
}

uint64_t getInteger(ElementType type, void *first, int64_t position) {
  uint64_t value = 0;
  withParts(type, first, position, [&](auto *parts, int64_t) {
    value = static_cast<uint64_t>(static_cast<int64_t>(parts[0]));
  });
  return value;
}

/// One call, drawn at random.
struct Call {
  std::vector<TcCpuCombinedIndex> indices;
  ElementType type = ElementType::F64;
  TcElementType number = TC_ELEMENT_F64;
  int32_t conjugates = 0, threads = 1;
  bool hasB = true, inPlace = false;
  Number alpha = 1, beta = 0;
  std::array<TestTensor, 4> tensors;

  ElementType sums() const { return model::accumulatorTypeOf(type); }
  bool isSummed(const TcCpuCombinedIndex &index) const {
    return index.strides[D] == 0;
  }
};

const std::pair<ElementType, TcElementType> allTypes[] = {
    {ElementType::F64, TC_ELEMENT_F64},
    {ElementType::F32, TC_ELEMENT_F32},
    {ElementType::C64, TC_ELEMENT_C64},
    {ElementType::C32, TC_ELEMENT_C32},
    {ElementType::F16, TC_ELEMENT_F16},
    {ElementType::BF16, TC_ELEMENT_BF16},
    {ElementType::I8, TC_ELEMENT_I8},
    {ElementType::I32, TC_ELEMENT_I32},
    {ElementType::I64, TC_ELEMENT_I64},
    {ElementType::F8E4M3FN, TC_ELEMENT_F8E4M3FN},
    {ElementType::F8E5M2, TC_ELEMENT_F8E5M2}};

class Maker {
public:
  explicit Maker(uint64_t seed) : random(seed) {}

  int64_t upTo(int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  }

  Call make(int64_t mostElements) {
    Call call;
    std::tie(call.type, call.number) =
        allTypes[size_t(upTo(int64_t(std::size(allTypes)) - 1))];
    call.hasB = upTo(2) == 0;
    call.conjugates = int32_t(upTo(7));
    call.threads = int32_t(1 + upTo(2));
    call.inPlace = upTo(3) == 0;
    double count = 1;
    bool mayLack = upTo(2) == 0, maySum = upTo(2) == 0;
    std::array<std::vector<size_t>, 4> lists;
    // Many short indices are in tables.
    const bool areShort = upTo(3) == 0;
    for (int64_t i = areShort ? 4 + upTo(5) : upTo(5); i > 0; --i) {
      constexpr int64_t extents[] = {1,  2,  3,  5,  7,   8,   13,  16,
                                     17, 31, 64, 65, 128, 131, 200, 0};
      int64_t extent = extents[upTo(areShort ? 3 : 14 + (upTo(9) == 0))];
      if (count * double(extent) > double(mostElements))
        extent = 2;
      count *= double(std::max<int64_t>(1, extent));
      size_t number = call.indices.size();
      call.indices.push_back({extent, {}});
      bool isSummed = maySum && upTo(2) == 0 && extent != 1;
      for (size_t t : {A, B, C, D}) {
        // Sums of one number again and again would exceed narrow types.
        bool isLacking = t != D && (t == B || mayLack) &&
                         !(t == A && isSummed) && upTo(2) == 0;
        if (t >= C ? !isSummed && !isLacking : !isLacking)
          lists[t].push_back(number);
      }
    }
    if (call.inPlace)
      lists[C] = lists[D];
    for (size_t t : {A, B, C, D})
      layOut(call, t, lists[t]);
    if (call.inPlace)
      for (TcCpuCombinedIndex &index : call.indices)
        index.strides[C] = index.strides[D];
    bool isComplex = model::isComplex(call.type);
    auto factor = [&] {
      return Number(static_cast<long double>(upTo(4) - 2),
                    isComplex && upTo(1) ? static_cast<long double>(upTo(2))
                                         : 0);
    };
    if (upTo(1))
      call.alpha = factor();
    if (upTo(2))
      call.beta = factor();
    return call;
  }

  /// Tiles of short rows that lie alike in all tensors. B has a number for each
  /// row or for each element, or there is none.
  Call makeShortRows() {
    Call call;
    std::tie(call.type, call.number) =
        allTypes[size_t(upTo(int64_t(std::size(allTypes)) - 1))];
    call.conjugates = int32_t(upTo(7));
    call.threads = int32_t(1 + upTo(1));
    for (int64_t extent : {1 + upTo(18), 1 + upTo(6), 1 + upTo(40)})
      call.indices.push_back({extent, {}});
    const std::vector<size_t> all = {0, 1, 2}, withoutRows = {0, 2},
                              ofRows = {1, 2};
    call.hasB = upTo(2) != 0;
    layOut(call, A, upTo(1) ? all : withoutRows, /*shuffles=*/false);
    layOut(call, B, upTo(1) ? ofRows : all, /*shuffles=*/false);
    layOut(call, C, all, /*shuffles=*/false);
    layOut(call, D, all, /*shuffles=*/false);
    if (upTo(1))
      call.alpha = static_cast<long double>(upTo(4) - 2);
    if (upTo(1))
      call.beta = static_cast<long double>(upTo(4) - 2);
    return call;
  }

private:
  /// In a random order of the indices, at times with gaps, backwards or, but
  /// for D, with repeated elements.
  void layOut(Call &call, size_t t, std::vector<size_t> list,
              bool shuffles = true) {
    if (shuffles && upTo(2))
      std::shuffle(list.begin(), list.end(), random);
    int64_t stride = upTo(9) == 0 ? 2 : 1, zero = 0;
    for (size_t i : list) {
      auto &[extent, strides] = call.indices[i];
      int64_t chosen = upTo(11) == 0 ? -stride : stride;
      if (t >= B && t != D && !(call.inPlace && t == C) && upTo(19) == 0)
        chosen = 0;
      strides[t] = chosen;
      if (chosen == 0)
        continue;
      if (chosen < 0)
        zero += (extent - 1) * stride;
      stride *= std::max<int64_t>(1, extent) + (upTo(7) == 0 ? upTo(3) : 0);
    }
    TestTensor &tensor = call.tensors[t];
    tensor.zero = std::max<int64_t>(zero, 0);
    int64_t count = stride + tensor.zero + 1;
    tensor.bytes.resize(
        static_cast<size_t>(count * model::byteWidth(call.type)));
    runtime::dispatch(call.type, [&](auto number) {
      using T = decltype(number);
      auto *element = reinterpret_cast<T *>(tensor.bytes.data());
      for (size_t i = 0; i < tensor.bytes.size() / sizeof(T); ++i) {
        if constexpr (std::is_integral_v<T>)
          element[i] = static_cast<T>(random());
        else
          element[i] = T(std::uniform_real_distribution<double>(-1, 1)(random));
      }
    });
  }

  std::mt19937_64 random;
};

/// Calls `function` with a position in each tensor for each tuple of the
/// indices that are summed, or of the others.
template <typename Function>
void forAll(const Call &call, bool summed, std::array<int64_t, 4> positions,
            size_t from, Function function) {
  while (from < call.indices.size() &&
         call.isSummed(call.indices[from]) != summed)
    ++from;
  if (from == call.indices.size())
    return function(positions);
  const auto &[extent, strides] = call.indices[from];
  for (int64_t i = 0; i < extent; ++i) {
    forAll(call, summed, positions, from + 1, function);
    for (size_t t : {A, B, C, D})
      positions[t] += strides[t];
  }
}

void check(Call call) {
  std::array<void *, 4> first;
  for (size_t t : {A, B, C, D})
    first[t] = call.tensors[t].pointer(call.type);
  if (call.inPlace)
    first[C] = first[D];
  const bool isInteger = model::isInteger(call.type);
  struct Element {
    int64_t position;
    Number value;
    long double bound;
    uint64_t integer;
  };
  std::vector<Element> elements;
  auto conjugateIf = [&](Number value, int32_t flag) {
    return call.conjugates & flag ? std::conj(value) : value;
  };
  forAll(call, false, {}, 0, [&](std::array<int64_t, 4> place) {
    Element element = {place[D], 0, 0, 0};
    long double terms = 4;
    forAll(call, true, place, 0, [&](std::array<int64_t, 4> at) {
      if (isInteger) {
        element.integer +=
            getInteger(call.type, first[A], at[A]) *
            (call.hasB ? getInteger(call.type, first[B], at[B]) : 1);
        return;
      }
      Number a =
          conjugateIf(get(call.type, first[A], at[A]), TC_CPU_CONJUGATE_A);
      Number b = call.hasB ? conjugateIf(get(call.type, first[B], at[B]),
                                         TC_CPU_CONJUGATE_B)
                           : 1;
      element.value += a * b;
      element.bound += std::abs(a) * std::abs(b);
      ++terms;
    });
    element.value *= call.alpha;
    element.bound *= std::abs(call.alpha);
    element.integer *=
        static_cast<uint64_t>(static_cast<int64_t>(call.alpha.real()));
    if (call.beta != Number(0)) {
      if (isInteger) {
        element.integer +=
            static_cast<uint64_t>(static_cast<int64_t>(call.beta.real())) *
            getInteger(call.type, first[C], place[C]);
      } else {
        Number old = call.beta * conjugateIf(get(call.type, first[C], place[C]),
                                             TC_CPU_CONJUGATE_C);
        element.value += old;
        element.bound += std::abs(old);
      }
    }
    // Bringing C to D first rounds nothing.
    element.bound = 2 * epsilonOf(call.sums()) * element.bound * terms +
                    epsilonOf(call.type) * std::abs(element.value) +
                    leastOf(call.type);
    elements.push_back(element);
  });
  auto alpha = factorOf(call.alpha, call.sums());
  auto beta = factorOf(call.beta, call.sums());
  bool readsC = call.beta != Number(0);
  std::vector<std::byte> expected = call.tensors[D].bytes;
  TcErrorCode code =
      tcCpuCombine(call.indices.data(), int32_t(call.indices.size()),
                   call.number, call.conjugates, first[A],
                   call.hasB ? first[B] : nullptr, readsC ? first[C] : nullptr,
                   first[D], alpha.data(), beta.data(), call.threads);
  ASSERT_EQ(code, 0);
  const auto width = static_cast<size_t>(model::byteWidth(call.type));
  for (const Element &element : elements) {
    if (isInteger) {
      uint64_t value = getInteger(call.type, first[D], element.position);
      int64_t wanted = width == 1   ? int8_t(element.integer)
                       : width == 4 ? int32_t(element.integer)
                                    : int64_t(element.integer);
      ASSERT_EQ(int64_t(value), wanted) << "at " << element.position;
    } else {
      Number value = get(call.type, first[D], element.position);
      ASSERT_LE(std::abs(value - element.value), element.bound)
          << "at " << element.position << ": " << value << " for "
          << element.value;
    }
    auto at =
        static_cast<size_t>(call.tensors[D].zero + element.position) * width;
    std::memcpy(expected.data() + at, call.tensors[D].bytes.data() + at, width);
  }
  ASSERT_EQ(call.tensors[D].bytes, expected)
      << "something between elements was written";
}

} // namespace

TEST(CpuCombine, Random) {
  const char *first = std::getenv("TC_SEED"), *count = std::getenv("TC_COUNT");
  uint64_t seed = first ? std::strtoull(first, nullptr, 10) : 1;
  uint64_t end = seed + (count ? std::strtoull(count, nullptr, 10) : 500);
  for (; seed < end; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Maker maker(seed);
    check(maker.make(seed % 16 == 0 ? 1 << 16 : 1 << 12));
    if (HasFatalFailure())
      return;
  }
}

TEST(CpuCombine, ShortRows) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Maker maker(seed);
    check(maker.makeShortRows());
    if (HasFatalFailure())
      return;
  }
}

// Large enough that D goes past the caches, and that threads share it out.
TEST(CpuCombine, PastTheCaches) {
  constexpr int64_t m = 2111, n = 2003;
  std::vector<double> a(m * n), c(m * n), d(m * n + 1, 7);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = double(i % 1009);
    c[i] = double(i % 997);
  }
  const double alpha = 2, beta = -3;
  for (int32_t threads : {1, 3}) {
    // D begins in the midst of a vector.
    for (bool isTurned : {false, true}) {
      TcCpuCombinedIndex indices[] = {{m, {isTurned ? 1 : n, 0, n, n}},
                                      {n, {isTurned ? m : 1, 0, 1, 1}}};
      ASSERT_EQ(tcCpuCombine(indices, 2, TC_ELEMENT_F64, 0, a.data(), nullptr,
                             c.data(), d.data() + 1, &alpha, &beta, threads),
                0);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          ASSERT_EQ(d[size_t(i * n + j + 1)],
                    2 * a[size_t(isTurned ? i + m * j : i * n + j)] -
                        3 * c[size_t(i * n + j)]);
    }
  }
  EXPECT_EQ(d[0], 7);
}

// Far results, of operands whose tiles are as long as rows of D, or are cut:
// one of them is transposed, or both.
template <typename T>
static void checkTransposedFactors(TcElementType type, int64_t m, int64_t n) {
  std::vector<T> a(size_t(m * n)), b(size_t(m * n)), d(size_t(m * n));
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = T(i % 1009);
    b[i] = T(i % 997);
  }
  for (bool turnsA : {false, true})
    for (int32_t threads : {1, 3}) {
      std::fill(d.begin(), d.end(), T(-1));
      TcCpuCombinedIndex indices[] = {{m, {turnsA ? 1 : n, 1, n, n}},
                                      {n, {turnsA ? m : 1, m, 1, 1}}};
      ASSERT_EQ(tcCpuCombine(indices, 2, type, 0, a.data(), b.data(), nullptr,
                             d.data(), nullptr, nullptr, threads),
                0);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          ASSERT_EQ(d[size_t(i * n + j)],
                    a[size_t(turnsA ? i + m * j : i * n + j)] *
                        b[size_t(i + m * j)])
              << i << ", " << j;
    }
}

TEST(CpuCombine, TransposedFactors) {
  checkTransposedFactors<double>(TC_ELEMENT_F64, 509, 601);
  checkTransposedFactors<double>(TC_ELEMENT_F64, 67, 5003);
  checkTransposedFactors<double>(TC_ELEMENT_F64, 20011, 17);
  checkTransposedFactors<float>(TC_ELEMENT_F32, 1021, 1031);
  checkTransposedFactors<std::complex<double>>(TC_ELEMENT_C64, 257, 1021);
  checkTransposedFactors<std::complex<float>>(TC_ELEMENT_C32, 509, 1201);
}

// More than a block of them, the last of which is shorter.
TEST(CpuCombine, ManySums) {
  constexpr int64_t n = 10007;
  std::vector<double> a(3 * n);
  double d[3] = {0, 0, 0}, expected[3] = {0, 0, 0};
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = double(i % 1009);
    expected[i / n] += a[i];
  }
  for (int64_t rows : {1, 3}) {
    TcCpuCombinedIndex indices[] = {{rows, {n, 0, 0, 1}}, {n, {1, 0, 0, 0}}};
    ASSERT_EQ(tcCpuCombine(indices, 2, TC_ELEMENT_F64, 0, a.data(), nullptr,
                           nullptr, d, nullptr, nullptr, 2),
              0);
    for (int64_t i = 0; i < rows; ++i)
      ASSERT_EQ(d[i], expected[i]);
  }
}

// Blocks of them begin in the midst of an index.
TEST(CpuCombine, ManySumsOfComplexNumbers) {
  constexpr int64_t n = 5003, rows = 3;
  std::vector<std::complex<double>> a(2 * rows * n), d(rows), expected(rows);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = {double(i % 1009), double(i % 997)};
    expected[i / n % rows] += a[i];
  }
  TcCpuCombinedIndex indices[] = {
      {rows, {n, 0, 0, 1}}, {n, {1, 0, 0, 0}}, {2, {rows * n, 0, 0, 0}}};
  ASSERT_EQ(tcCpuCombine(indices, 3, TC_ELEMENT_C64, 0, a.data(), nullptr,
                         nullptr, d.data(), nullptr, nullptr, 1),
            0);
  EXPECT_EQ(d, expected);
}
