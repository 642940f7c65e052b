//===- ReadRate.cpp - Sums beside a loop that only reads ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints, for contractions whose elements are read once, the rate at which
// operands are read in GB/s, and as a fraction of that of a loop that reads the
// same memory and does nothing else; medians of turns on one thread. Compiled
// for the machine at hand.
//
//   read-rate                 all types
//   read-rate f32 c64         some
//
//===----------------------------------------------------------------------===//

#include "tc/CpuRuntime/Contraction.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace tc;

namespace {

#if defined(__AVX512F__)
constexpr int vectorBytes = 64;
#elif defined(__AVX2__)
constexpr int vectorBytes = 32;
#else
constexpr int vectorBytes = 16;
#endif
constexpr int chains = 8;
constexpr size_t stepBytes = size_t(chains) * vectorBytes;

/// A multiple of `stepBytes`, all aligned to vectors.
uint64_t readAll(const char *bytes, size_t count) {
  typedef uint64_t Vector __attribute__((vector_size(vectorBytes)));
  Vector read[chains] = {};
  for (size_t at = 0; at < count; at += stepBytes)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain)
      read[chain] ^= reinterpret_cast<const Vector *>(bytes + at)[chain];
  for (int chain = 1; chain < chains; ++chain)
    read[0] ^= read[chain];
  return read[0][0];
}

/// Rows of `columns` elements; sums run along rows, columns or both.
struct Case {
  const char *subscripts;

  enum { None, Matrix, OfColumns, OfRows } b;
  bool keepsRows, keepsColumns;
};

constexpr Case cases[] = {
    {"ij->", Case::None, false, false},
    {"ij->i", Case::None, true, false},
    {"ij->j", Case::None, false, true},
    {"ij,ij->", Case::Matrix, false, false},
    {"ij,ij->i", Case::Matrix, true, false},
    {"ij,ij->j", Case::Matrix, false, true},
    {"ij,j->i", Case::OfColumns, true, false},
    {"ij,i->j", Case::OfRows, false, true},
};

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, Free>;

Memory allocate(size_t bytes) {
  const size_t whole = (bytes + 4095) / 4096 * 4096;
  return Memory(static_cast<char *>(std::aligned_alloc(4096, whole)));
}

/// Normal numbers, or integers of any bits.
void fill(char *bytes, size_t count, model::ElementType type,
          std::mt19937_64 &random) {
  std::normal_distribution<double> normal;
  const model::ElementType real = model::realTypeOf(type);
  if (real == model::ElementType::F64) {
    for (size_t i = 0; i < count / 8; ++i)
      reinterpret_cast<double *>(bytes)[i] = normal(random);
  } else if (real == model::ElementType::F32) {
    for (size_t i = 0; i < count / 4; ++i)
      reinterpret_cast<float *>(bytes)[i] = static_cast<float>(normal(random));
  } else {
    // Bits of halves whose exponents are neither the least nor the greatest.
    const uint64_t mask =
        model::isInteger(type) ? ~uint64_t(0) : 0xbfffbfffbfffbfffULL;
    for (size_t i = 0; i < count / 8; ++i)
      reinterpret_cast<uint64_t *>(bytes)[i] = random() & mask;
  }
}

class Measurement {
public:
  Measurement(const Case &which, model::ElementType type, int64_t rows,
              int64_t columns)
      : width(model::byteWidth(type)), matrixBytes(rows * columns * width),
        a(allocate(matrixBytes)) {
    std::mt19937_64 random(1);
    fill(a.get(), matrixBytes, type, random);
    cpu::Problem problem;
    problem.elementType = {{type, type, type}};
    problem.factorType = type;
    problem.accumulatorType = model::accumulatorTypeOf(type);
    const bool ofRows = which.b == Case::OfRows,
               ofBoth = which.b == Case::Matrix,
               ofColumns = which.b == Case::OfColumns;
    problem.add(rows, {{columns, ofBoth ? columns : ofRows, which.keepsRows}});
    problem.add(columns, {{1, ofBoth || ofColumns, which.keepsColumns}});
    if (which.keepsRows && which.keepsColumns)
      std::abort();
    const int64_t elementsB = ofBoth      ? rows * columns
                              : ofRows    ? rows
                              : ofColumns ? columns
                                          : 1;
    bytesB = elementsB * width;
    b = allocate(bytesB + stepBytes);
    fill(b.get(), (bytesB + 7) / 8 * 8, type, random);
    if (which.b == Case::None)
      fillOne(type);
    c = allocate((which.keepsRows      ? rows
                  : which.keepsColumns ? columns
                                       : 1) *
                 width);
    readsB = ofBoth;
    contraction.emplace(problem, 1);
  }

  /// Bytes of operands, those of a vector not counted.
  size_t bytes() const { return matrixBytes + (readsB ? matrixBytes : 0); }

  void read() {
    sink = sink ^ readAll(a.get(), matrixBytes / stepBytes * stepBytes);
    if (readsB)
      sink = sink ^ readAll(b.get(), matrixBytes / stepBytes * stepBytes);
  }
  void contract() {
    if (contraction->run(a.get(), b.get(), c.get()) != cpu::Outcome::Done)
      std::abort();
  }

private:
  void fillOne(model::ElementType type) {
    std::fill_n(b.get(), 16, 0);
    switch (type) {
    case model::ElementType::F64:
    case model::ElementType::C64:
      *reinterpret_cast<double *>(b.get()) = 1;
      break;
    case model::ElementType::F32:
    case model::ElementType::C32:
      *reinterpret_cast<float *>(b.get()) = 1;
      break;
    case model::ElementType::F16:
      *reinterpret_cast<uint16_t *>(b.get()) = 0x3c00;
      break;
    case model::ElementType::BF16:
      *reinterpret_cast<uint16_t *>(b.get()) = 0x3f80;
      break;
    default:
      *b = 1;
    }
  }

  int64_t width;
  size_t matrixBytes, bytesB = 0;
  bool readsB = false;
  Memory a, b, c;
  std::optional<cpu::Contraction> contraction;
  volatile uint64_t sink = 0;
};

double median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + numbers.size() / 2,
                   numbers.end());
  return numbers[numbers.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  using Clock = std::chrono::steady_clock;
  std::vector<model::ElementType> types;
  for (int i = 1; i < argc; ++i) {
    std::optional<model::ElementType> type =
        model::symbolizeElementType(argv[i]);
    if (!type || model::isFloat8(*type)) {
      std::fprintf(stderr,
                   "read-rate: '%s' is none of the types of 16 bits and more "
                   "or i8\nusage: read-rate [TYPE...]\n",
                   argv[i]);
      return 1;
    }
    types.push_back(*type);
  }
  if (types.empty())
    types = {model::ElementType::F64, model::ElementType::F32,
             model::ElementType::C64, model::ElementType::C32,
             model::ElementType::F16, model::ElementType::BF16,
             model::ElementType::I8,  model::ElementType::I64};

  std::printf("%-10s %-5s", "", "");
  constexpr int64_t sizes[] = {64 << 10, 512 << 10, 4 << 20, 64 << 20};
  for (int64_t size : sizes)
    std::printf("%9lld KiB%6s", static_cast<long long>(size >> 10), "");
  std::printf("\n");
  std::vector<double> fractions;
  for (const Case &which : cases)
    for (model::ElementType type : types) {
      std::printf("%-10s %-5s", which.subscripts,
                  std::string(model::stringify(type)).c_str());
      for (int64_t size : sizes) {
        const int64_t elements =
            size / model::byteWidth(type) / (which.b == Case::Matrix ? 2 : 1);
        auto columns = static_cast<int64_t>(std::sqrt(double(elements)));
        columns = (columns + 63) / 64 * 64;
        Measurement measurement(which, type, elements / columns, columns);
        const int repeats =
            static_cast<int>(std::max<int64_t>(1, (8 << 20) / size));
        std::vector<double> contracting, reading;
        for (int turn = 0; turn < (size > (8 << 20) ? 7 : 41); ++turn) {
          measurement.read();
          auto begin = Clock::now();
          for (int i = 0; i < repeats; ++i)
            measurement.read();
          auto between = Clock::now();
          measurement.contract();
          auto again = Clock::now();
          for (int i = 0; i < repeats; ++i)
            measurement.contract();
          auto end = Clock::now();
          reading.push_back(
              std::chrono::duration<double>(between - begin).count() / repeats);
          contracting.push_back(
              std::chrono::duration<double>(end - again).count() / repeats);
        }
        const double contracted = median(contracting),
                     fraction = median(reading) / contracted;
        fractions.push_back(fraction);
        std::printf("%9.1f %8.2f",
                    double(measurement.bytes()) * 1e-9 / contracted, fraction);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  double sum = 0;
  for (double fraction : fractions)
    sum += std::log(fraction);
  std::printf("in the geometric mean %.3f, at least 0.9 in %zu of %zu\n",
              std::exp(sum / double(fractions.size())),
              static_cast<size_t>(std::count_if(
                  fractions.begin(), fractions.end(),
                  [](double fraction) { return fraction >= 0.9; })),
              fractions.size());
  return 0;
}
