//===- MatrixInstructions.cpp - Tests of matrices spread over a warp ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole products against plain loops, and matrices of 16-bit elements on their
// way between shared memory and registers.
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "Table.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace tc::isa;

static constexpr int lanes = 32;
static const Type b32 = typeOf("b32");

static Section matrixSection(int number, const std::string &name) {
  return {"9.7.14.5." + std::to_string(number),
          "Warp Level Matrix Multiply-Accumulate Instructions: " + name};
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

namespace {
/// An operand of a product: its shape, and where its registers begin among the
/// operands of a test.
struct Factor {
  int rows, columns;
  const ElementType &type;
  const Layout &layout;
  int firstRegister;

  int elementsPerLane() const { return rows * columns / lanes; }
  int registers() const { return elementsPerLane() / type.perRegister(); }
};

/// A row-major matrix of encoded elements.
using Matrix = std::vector<Bits>;
} // namespace

static std::array<Factor, 3> factorsOf(const MatrixProduct &p) {
  Factor a{p.m, p.k, p.a, p.layoutA, 0};
  Factor b{p.k, 8, p.b, p.layoutB, a.registers()};
  Factor c{p.m, 8, p.c, p.layoutC, b.firstRegister + b.registers()};
  return {a, b, c};
}

/// Calls `visit` with each element's place in the matrix, its lane, and its
/// number in the lane.
template <typename F>
static void forEachElement(const Factor &factor, F visit) {
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < factor.elementsPerLane(); ++i) {
      auto [row, column] = factor.layout(i, lane / 4, lane % 4);
      visit(static_cast<std::size_t>(row * factor.columns + column), lane, i);
    }
}

static void scatter(const Factor &factor, const Matrix &matrix, Row *warp) {
  const int per = factor.type.perRegister();
  forEachElement(factor, [&](std::size_t place, int lane, int i) {
    warp[lane][static_cast<std::size_t>(factor.firstRegister + i / per)] |=
        matrix[place] << (i % per * factor.type.bits);
  });
}

static Matrix gather(const Factor &factor, const Row *warp) {
  const int per = factor.type.perRegister();
  Matrix matrix(static_cast<std::size_t>(factor.rows * factor.columns));
  forEachElement(factor, [&](std::size_t place, int lane, int i) {
    matrix[place] =
        warp[lane][static_cast<std::size_t>(factor.firstRegister + i / per)] >>
            (i % per * factor.type.bits) &
        onesOf(static_cast<unsigned>(factor.type.bits));
  });
  return matrix;
}

/// The element of D at (row, column). Floating point is a chain of fused
/// multiply-adds; a result that other orders could round differently is
/// unspecified.
static Expected elementOf(const MatrixProduct &p, const Matrix &a,
                          const Matrix &b, Bits c, int row, int column,
                          bool saturates) {
  double sum = p.c.decode(c);
  bool isExact = true;
  for (int k = 0; k < p.k; ++k) {
    double x = p.a.decode(a[static_cast<std::size_t>(row * p.k + k)]);
    double y = p.b.decode(b[static_cast<std::size_t>(k * 8 + column)]);
    double next = std::fma(x, y, sum);
    if (p.c.bits < 64 && !p.c.isInteger) {
      float rounded = std::fma(static_cast<float>(x), static_cast<float>(y),
                               static_cast<float>(sum));
      isExact &= rounded == next || (rounded != rounded && next != next);
      next = rounded;
    }
    sum = next;
  }
  if (p.c.isInteger) {
    auto exact = static_cast<Wide>(sum);
    if (saturates)
      exact = std::max<Wide>(-(Wide(1) << 31),
                             std::min<Wide>(exact, (Wide(1) << 31) - 1));
    return truncated(exact, b32);
  }
  Bits bits = p.c.encode(sum);
  return isExact ? Expected(bits) : Expected::unspecified(bits);
}

static std::vector<Expected> productOf(const MatrixProduct &p,
                                       const Thread &thread, bool saturates) {
  std::array<Factor, 3> factors = factorsOf(p);
  Matrix a = gather(factors[0], thread.warp());
  Matrix b = gather(factors[1], thread.warp());
  Matrix c = gather(factors[2], thread.warp());
  std::vector<Expected> expected;
  const int lane = static_cast<int>(thread.lane()), per = p.c.perRegister();
  for (int i = 0; i < factors[2].elementsPerLane(); ++i) {
    auto [row, column] = p.layoutC(i, lane / 4, lane % 4);
    Expected element =
        elementOf(p, a, b, c[static_cast<std::size_t>(row * 8 + column)], row,
                  column, saturates);
    if (i % per == 0) {
      expected.push_back(element);
      continue;
    }
    Expected &last = expected.back();
    last.bits |= element.bits << (i % per * p.c.bits);
    if (element.kind == Expected::Kind::Unspecified)
      last.kind = element.kind;
  }
  return expected;
}

/// Appends a warp whose elements a function gives.
static void addWarp(Instruction &test, const MatrixProduct &p,
                    const std::function<Bits(const ElementType &, bool isC,
                                             std::size_t place)> &element) {
  std::array<Factor, 3> factors = factorsOf(p);
  auto registers = static_cast<std::size_t>(factors[2].firstRegister +
                                            factors[2].registers());
  std::vector<Row> warp(lanes, Row(registers, 0));
  for (const Factor &factor : factors) {
    Matrix matrix(static_cast<std::size_t>(factor.rows * factor.columns));
    for (std::size_t i = 0; i < matrix.size(); ++i)
      matrix[i] = element(factor.type, &factor == &factors[2], i);
    scatter(factor, matrix, warp.data());
  }
  test.rows.insert(test.rows.end(), warp.begin(), warp.end());
}

static void addProductRows(Instruction &test, const MatrixProduct &p) {
  const std::vector<Bits> random =
      randomBits(static_cast<std::uint64_t>(p.k * p.a.bits + p.m), 4096, 64);
  std::size_t next = 0;
  auto draw = [&] { return random[next++ % random.size()]; };
  // Integers, whose sums are exact.
  addWarp(test, p, [&](const ElementType &type, bool, std::size_t) {
    auto value = static_cast<double>(draw() % 8);
    return type.encode(type.name != "u8" && draw() % 2 == 0 ? -value : value);
  });
  // Numbers of different sizes, whose sums are rounded.
  addWarp(test, p, [&](const ElementType &type, bool, std::size_t) {
    if (type.isInteger)
      return type.encode(static_cast<double>(draw() % 128));
    double fraction = static_cast<double>(draw() >> 11) * 0x1p-52 - 1;
    return type.encode(std::ldexp(fraction, static_cast<int>(draw() % 8) - 4));
  });
  // Any bits: subnormals, infinities, NaNs.
  for (int i = 0; i < 3; ++i)
    addWarp(test, p, [&](const ElementType &type, bool, std::size_t) {
      return draw() & onesOf(static_cast<unsigned>(type.bits));
    });
  // Sums that are as large as they get, and one below.
  for (double sign : {1.0, -1.0})
    for (bool isSmaller : {false, true})
      addWarp(test, p, [&](const ElementType &type, bool isC, std::size_t) {
        if (!isC)
          return type.encode(&type == &p.b || type.name == "u8" ? 1.0 : sign);
        if (type.isInteger)
          return type.encode(sign * (isSmaller ? 2147483000.0 : 2147483646.0));
        return type.encode(sign * (type.name == "f16"
                                       ? (isSmaller ? 2048 : 65504)
                                       : (isSmaller ? 0x1p24 : 0x1p120)));
      });
  // One product each, with factors of every value.
  if (p.a.bits <= 16 && !p.a.isInteger) {
    const std::size_t step = p.a.bits == 8 ? 1 : 509;
    std::size_t value = 0;
    while (value < std::size_t(1) << p.a.bits)
      addWarp(test, p, [&](const ElementType &type, bool isC, std::size_t i) {
        if (isC)
          return type.encode(-0.0);
        if (&type == &p.b)
          return type.encode(i % 8 == i / 8 % 8 ? 0.5 : 0.0);
        return (value += step) & onesOf(static_cast<unsigned>(p.a.bits));
      });
  }
}

static std::string vectorOf(const std::vector<std::string> &names,
                            std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = first; i < first + count; ++i)
    text += (text.empty() ? "{" : ", ") + names[i];
  return text + "}";
}

/// Says if sums saturate, and the place of the modifier for that.
enum class Saturation { None, BeforeTypes, BehindTypes };

static void addProduct(Table &table, const MatrixProduct &p,
                       Saturation saturation = Saturation::None) {
  std::string name = p.name();
  bool saturates = saturation != Saturation::None;
  if (saturates)
    name.insert(saturation == Saturation::BeforeTypes ? name.find(".col") + 4
                                                      : name.size(),
                ".satfinite");
  std::array<Factor, 3> factors = factorsOf(p);
  auto sums = typeOf(p.c.name == "f16"   ? "f16x2"
                     : p.c.name == "s32" ? "b32"
                                         : p.c.name);
  std::vector<Type> operands;
  std::vector<std::string> names;
  for (const Factor &factor : factors)
    for (int i = 0; i < factor.registers(); ++i) {
      operands.push_back(&factor == &factors[2] ? sums
                         : p.a.bits == 64       ? typeOf("f64")
                                                : b32);
      names.push_back(operandName(names.size()));
    }
  Instruction &test = addTest(table, matrixSection(14, "mma"),
                              "mma.sync.aligned." + name, sums, {}, nullptr);
  for (Type type : operands)
    test.operands.push_back({type, {}});
  auto count = [&](int i) {
    return static_cast<std::size_t>(
        factors[static_cast<std::size_t>(i)].registers());
  };
  test.results.assign(count(2), sums);
  std::vector<std::string> results;
  for (std::size_t i = 0; i < count(2); ++i)
    results.push_back(resultName(i));
  test.code = test.name + " " + vectorOf(results, 0, count(2)) + ", " +
              vectorOf(names, 0, count(0)) + ",\n" +
              vectorOf(names, count(0), count(1)) + ", " +
              vectorOf(names, count(0) + count(1), count(2)) + ";";
  test.sm = 80;
  test.ptx = {7, 0};
  if (p.a.bits == 64 && p.m == 16)
    test.sm = 90;
  if (p.a.bits == 8 && !p.a.isInteger) {
    test.sm = 89;
    test.ptx = {8, static_cast<unsigned>(p.c.bits == 16 || p.k == 16 ? 7 : 4)};
  }
  addProductRows(test, p);
  test.reference = [p, saturates](const Thread &thread) {
    return productOf(p, thread, saturates);
  };
}

//===----------------------------------------------------------------------===//
// Matrices of 8 by 8 elements of 16 bits
//===----------------------------------------------------------------------===//

static Bits halfOf(Bits word, int number) {
  return word >> (16 * number) & 0xffff;
}

/// The place in a matrix, or in its transpose, of element `half` of lane
/// `lane`.
static Place placeOf(int lane, int half, bool isTransposed) {
  Place place(lane / 4, lane % 4 * 2 + half);
  return isTransposed ? Place(place.second, place.first) : place;
}

/// The warp's 32 rows of 16 bytes lie side by side in shared memory; operands
/// %a to %e are first stored to that of the lane, whose address is left in %n1.
/// %n2 is the address of row number %f of the warp.
static void addRows(Instruction &test) {
  test.operands.assign(5, {b32, {}});
  test.declarations = ".shared .align 16 .b8 memory[2048];\n";
  test.setup = "mov.u32 %n0, %tid.x; mov.u32 %n1, memory;\n"
               "mad.lo.u32 %n1, %n0, 16, %n1;\n"
               "st.shared.v4.b32 [%n1], {%a, %b, %c, %e};\n"
               "mov.u32 %n3, memory; and.b32 %n2, %n0, 0xe0;\n"
               "add.u32 %n2, %n2, %f; mad.lo.u32 %n2, %n2, 16, %n3;\n"
               "bar.sync 0;\n";
  std::vector<Bits> words = randomBits(7, 4 * blockSize, 32);
  for (Bits lane = 0; lane < blockSize; ++lane)
    // In each warp another permutation.
    test.rows.push_back({words[4 * lane], words[4 * lane + 1],
                         words[4 * lane + 2], words[4 * lane + 3],
                         (lane * (2 * (lane / 32) + 1) + lane / 32) % 32});
}

static std::string wordsOf(const char *prefix, int count) {
  static const std::vector<std::string> operands = {"%a", "%b", "%c", "%e"};
  static const std::vector<std::string> results = {"%d", "%d1", "%d2", "%d3"};
  return vectorOf(prefix[0] == 'a' ? operands : results, 0,
                  static_cast<std::size_t>(count));
}

static void addLoad(Table &table, int count, bool isTransposed,
                    bool shapeIsFirst) {
  std::string number = ".x" + std::to_string(count);
  if (isTransposed)
    number += ".trans";
  std::string name = "ldmatrix.sync.aligned" +
                     (shapeIsFirst ? ".m8n8" + number : number + ".m8n8") +
                     ".shared.b16";
  Instruction &test =
      addTest(table, matrixSection(15, "ldmatrix"), name, b32, {}, nullptr);
  addRows(test);
  test.ptx = {6, 5};
  test.results.assign(static_cast<std::size_t>(count), b32);
  test.code = name + " " + wordsOf("d", count) + ", [%n2];";
  test.reference = [=](const Thread &thread) {
    std::vector<Expected> expected;
    for (int m = 0; m < count; ++m) {
      Bits word = 0;
      for (int half = 0; half < 2; ++half) {
        auto [row, column] =
            placeOf(static_cast<int>(thread.lane()), half, isTransposed);
        const Row &owner = thread.warp()[thread.warp()[8 * m + row][4]];
        word |= halfOf(owner[static_cast<std::size_t>(column / 2)], column % 2)
                << (16 * half);
      }
      expected.emplace_back(word);
    }
    return expected;
  };
}

static void addStore(Table &table, int count, bool isTransposed) {
  std::string name = "stmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                     (isTransposed ? ".trans" : "") + ".shared.b16";
  Instruction &test =
      addTest(table, matrixSection(16, "stmatrix"), name, b32, {}, nullptr);
  addRows(test);
  test.sm = 90;
  test.ptx = {7, 8};
  test.results.assign(4, b32);
  test.code = name + " [%n2], " + wordsOf("a", count) + ";";
  test.epilogue =
      "bar.sync 0; ld.shared.v4.b32 " + wordsOf("d", 4) + ", [%n1];\n";
  test.reference = [=](const Thread &thread) {
    const Row *warp = thread.warp();
    std::vector<Expected> expected;
    // Rows that no matrix takes hold what their lane has stored before.
    for (std::size_t i = 0; i < 4; ++i)
      expected.emplace_back(thread.operands()[i]);
    for (int m = 0; m < count; ++m)
      for (int lane = 0; lane < lanes; ++lane)
        for (int half = 0; half < 2; ++half) {
          auto [row, column] = placeOf(lane, half, isTransposed);
          if (warp[8 * m + row][4] != thread.lane())
            continue;
          Bits &word = expected[static_cast<std::size_t>(column / 2)].bits;
          word &= ~(Bits(0xffff) << (column % 2 * 16));
          word |= halfOf(warp[lane][static_cast<std::size_t>(m)], half)
                  << (column % 2 * 16);
        }
    return expected;
  };
}

static void addMove(Table &table) {
  Instruction &test =
      addTest(table, matrixSection(17, "movmatrix"),
              "movmatrix.sync.aligned.m8n8.trans.b16", b32, {b32}, nullptr);
  test.ptx = {7, 8};
  test.operands[0].values = randomBits(9, blockSize, 32);
  test.reference = [](const Thread &thread) {
    Bits word = 0;
    for (int half = 0; half < 2; ++half) {
      auto [row, column] = placeOf(static_cast<int>(thread.lane()), half, true);
      word |= halfOf(thread.warp()[4 * row + column / 2][0], column % 2)
              << (16 * half);
    }
    return std::vector<Expected>{word};
  };
}

void tc::isa::addMatrixInstructions(Table &table) {
  for (const MatrixProduct &p : allMatrixProducts()) {
    addProduct(table, p);
    if (p.c.isInteger)
      for (Saturation saturation :
           {Saturation::BeforeTypes, Saturation::BehindTypes})
        addProduct(table, p, saturation);
  }
  for (int count : {1, 2, 4})
    for (bool isTransposed : {false, true}) {
      for (bool shapeIsFirst : {true, false})
        addLoad(table, count, isTransposed, shapeIsFirst);
      addStore(table, count, isTransposed);
    }
  addMove(table);
}
