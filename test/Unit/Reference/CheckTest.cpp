//===- CheckTest.cpp - The judge --------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays the kernel: writes C as it should be, spoils something, and looks at
// the verdict.
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Check.h"
#include "Package/TestKernels.h"
#include "tc/Package/Blocks.h"
#include "tc/Reference/Reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

/// Calls `visit(coordinates, position)` for the elements in a box.
template <typename Visitor>
static void forEachElement(const Geometry &c, const Box &box, Visitor visit) {
  std::vector<int64_t> coordinates;
  for (const Range &range : box)
    coordinates.push_back(range.begin);
  for (;;) {
    int64_t position = c.offset;
    for (size_t i = 0; i < box.size(); ++i)
      position += coordinates[i] * c.dims[i].stride;
    visit(coordinates, position);
    size_t i = box.size();
    for (; i-- > 0;) {
      if (++coordinates[i] < box[i].end)
        break;
      coordinates[i] = box[i].begin;
    }
    if (i == static_cast<size_t>(-1))
      return;
  }
}

/// Does the kernel's work, in the precision of C.
static void compute(const Kernel &kernel, Problem &problem,
                    const std::vector<int64_t> &blocks = {}) {
  Reference reference(kernel, problem);
  const Geometry &c = problem.c().geometry();
  auto fill = [&](const Box &box) {
    forEachElement(c, box, [&](const auto &coordinates, int64_t position) {
      dispatch(problem.c().type(), [&](auto zero) {
        using T = decltype(zero);
        problem.c().as<T>()[position] =
            static_cast<T>(reference.at(coordinates).value);
      });
    });
  };
  if (blocks.empty())
    fill(wholeBox(c));
  for (int64_t block : blocks)
    for (const Box &box : boxesOfBlock(kernel, c, block))
      fill(box);
}

TEST(CheckTest, RightResultPasses) {
  for (model::ElementType type : model::allElementTypes) {
    Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                               {{"i", 5}, {"j", 7}, {"k", 30}}, type);
    Problem problem = std::move(*makeProblem(kernel, {}));
    compute(kernel, problem);
    CheckReport report = checkOutput(kernel, problem, {});
    EXPECT_TRUE(report.passed()) << report.summary();
    EXPECT_EQ(report.owned, 35);
    EXPECT_EQ(report.compared, 35);
    EXPECT_EQ(report.summary().rfind("passed: all 35 elements, ", 0), 0u)
        << report.summary();
  }
}

/// Kernels whose elements are, in turn, so small or so large that their squares
/// are no numbers of their type.
static std::vector<Kernel> extremeKernels() {
  std::vector<Kernel> kernels;
  for (auto [type, scales] :
       {std::pair<model::ElementType, std::vector<double>>(
            model::ElementType::F64, {1e-308, 1e-200, 1e200, 1e307}),
        {model::ElementType::F32, {1e-38, 1e-25, 1e25, 1e37}},
        {model::ElementType::BF16, {1e-30, 1e30}},
        {model::ElementType::C64, {1e-308, 1e-200, 1e200}}})
    for (double scale : scales) {
      kernels.push_back(makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                                   {{"i", 5}, {"j", 7}, {"k", 9}}, type));
      kernels.back().alpha.value = scale;
    }
  return kernels;
}

TEST(CheckTest, SizesWhoseSquaresAreNoNumbers) {
  for (const Kernel &kernel : extremeKernels()) {
    Problem problem = std::move(*makeProblem(kernel, {}));
    compute(kernel, problem);
    CheckReport report = checkOutput(kernel, problem, {});
    EXPECT_TRUE(report.passed()) << report.summary();
    EXPECT_LT(report.tolerance, 0.1);
    // One wrong element is found, whatever it becomes.
    dispatch(problem.c().type(), [&](auto zero) {
      using T = decltype(zero);
      T &element = problem.c().as<T>()[17];
      const T right = element;
      auto number = static_cast<double>(right);
      for (double wrong : {0.0, -number, number * 1.5, 1.0, HUGE_VAL, -HUGE_VAL,
                           std::nan("")}) {
        element = static_cast<T>(wrong);
        report = checkOutput(kernel, problem, {});
        EXPECT_FALSE(report.passed()) << wrong << ": " << report.summary();
      }
      element = right;
    });
  }
}

TEST(CheckTest, LossOfSubnormalNumbersIsNoError) {
  // Products that no number of the type is as small as.
  Kernel kernel =
      makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                 {{"i", 5}, {"j", 7}, {"k", 9}}, model::ElementType::F32);
  kernel.alpha.value = 1e-46;
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  for (int64_t p = 0; p < problem.c().geometry().bufferElements(); ++p)
    ASSERT_LT(std::fabs(problem.c().as<float>()[p]), 1e-44);
  EXPECT_TRUE(checkOutput(kernel, problem, {}).passed());
  problem.c().as<float>()[3] = 1e-38F;
  EXPECT_FALSE(checkOutput(kernel, problem, {}).passed());
}

TEST(CheckTest, InfinitiesAndNaNsThatAreDue) {
  // Of both signs of x: an infinity, a NaN, and an overflow.
  for (const char *epilogue :
       {"log(max(x, 0))", "log(x)", "exp(1000 * x)", "1e308 * (1e308 * x)"}) {
    Kernel kernel = matmulKernel();
    kernel.epilogue = epilogue;
    Problem problem = std::move(*makeProblem(kernel, {}));
    compute(kernel, problem);
    auto *c = problem.c().as<double>();
    auto find = [&](auto holds) {
      int64_t p = 0;
      while (p < 35 && !holds(c[p]))
        ++p;
      return p;
    };
    int64_t other = find([](double x) { return !std::isfinite(x); });
    ASSERT_LT(other, 35) << epilogue;
    EXPECT_TRUE(checkOutput(kernel, problem, {}).passed())
        << epilogue << ": " << checkOutput(kernel, problem, {}).summary();
    // Samples are compared with the due results, too.
    CheckOptions sampled;
    sampled.samples = 2;
    CheckReport report = checkOutput(kernel, problem, sampled);
    EXPECT_TRUE(report.passed()) << report.summary();
    const double due = c[other];
    for (double wrong : {0.0, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      if (wrong == due || (std::isnan(wrong) && std::isnan(due)))
        continue;
      c[other] = wrong;
      EXPECT_FALSE(checkOutput(kernel, problem, {}).passed())
          << epilogue << ": " << wrong << " for " << due;
    }
    c[other] = due;
    int64_t finite = find([](double x) { return std::isfinite(x); });
    if (finite == 35)
      continue;
    for (double wrong : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      const double right = std::exchange(c[finite], wrong);
      EXPECT_FALSE(checkOutput(kernel, problem, {}).passed()) << epilogue;
      EXPECT_FALSE(checkOutput(kernel, problem, sampled).passed()) << epilogue;
      c[finite] = right;
    }
  }
}

TEST(CheckTest, InfiniteFactorsDoNotHideErrors) {
  // Maxima of sums some of which are infinite.
  Kernel kernel = matmulKernel();
  kernel.semiring = model::Semiring::MaxPlus;
  kernel.alpha.value = 0;
  kernel.beta.value = -HUGE_VAL;
  kernel.prologueA = "log(max(x, 0))";
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_TRUE(report.passed()) << report.summary();
  EXPECT_LT(report.tolerance, 1e-9);
  problem.c().as<double>()[17] += 1e-6;
  EXPECT_FALSE(checkOutput(kernel, problem, {}).passed());
}

TEST(CheckTest, UntouchedOutputFails) {
  Kernel kernel = matmulKernel();
  Problem problem = std::move(*makeProblem(kernel, {}));
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.unwritten.count, 35);
  EXPECT_EQ(report.unwritten.first, "C[i=0,j=0]");
}

TEST(CheckTest, OneElementNotWritten) {
  Kernel kernel = matmulKernel();
  Problem problem = std::move(*makeProblem(kernel, {}));
  uint64_t poison = problem.c().bits<double>(17);
  compute(kernel, problem);
  std::memcpy(problem.c().as<double>() + 17, &poison, sizeof(poison));
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.unwritten.count, 1);
  EXPECT_EQ(report.unwritten.first, "C[i=2,j=3]");
  EXPECT_EQ(report.nonFinite.count, 0);
  // Samples look at all elements for this: the fault needs no luck to be seen.
  CheckOptions sampled;
  sampled.samples = 2;
  EXPECT_FALSE(checkOutput(kernel, problem, sampled).passed());
}

TEST(CheckTest, NotFinite) {
  for (double value : {INFINITY, -INFINITY, NAN}) {
    Kernel kernel = matmulKernel();
    Problem problem = std::move(*makeProblem(kernel, {}));
    compute(kernel, problem);
    problem.c().as<double>()[34] = value;
    CheckReport report = checkOutput(kernel, problem, {});
    EXPECT_FALSE(report.passed());
    EXPECT_EQ(report.nonFinite.count, 1);
    EXPECT_EQ(report.nonFinite.first, "C[i=4,j=6]");
    EXPECT_EQ(report.unwritten.count, 0);
    EXPECT_EQ(report.summary().rfind("FAILED: ", 0), 0u);
  }
}

TEST(CheckTest, OneWrongElementAmongMany) {
  // In the norm over 10^4 elements of f32 this error is within the tolerance.
  Kernel kernel =
      makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                 {{"i", 100}, {"j", 100}, {"k", 4}}, model::ElementType::F32);
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  float &element = problem.c().as<float>()[1234];
  element += 64 * std::numeric_limits<float>::epsilon();
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_LE(report.relativeError, report.tolerance);
  EXPECT_GT(report.largestError, report.largestTolerance);
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.largestAt, "C[i=12,j=34]");
}

TEST(CheckTest, SmallErrorsEverywhereFail) {
  // Each element alone is within its tolerance; that all are is no accident.
  Kernel kernel = matmulKernel();
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  for (int64_t p = 0; p < 35; ++p)
    problem.c().as<double>()[p] *=
        1 + 16 * std::numeric_limits<double>::epsilon();
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_GT(report.relativeError, report.tolerance);
  EXPECT_FALSE(report.passed());
}

TEST(CheckTest, SinglePrecisionWhereDoubleIsDueFails) {
  Kernel kernel = matmulKernel();
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  for (int64_t p = 0; p < 35; ++p)
    problem.c().as<double>()[p] =
        static_cast<float>(problem.c().as<double>()[p]);
  EXPECT_FALSE(checkOutput(kernel, problem, {}).passed());
  // With sums in f32, this result is due.
  kernel.accumulatorType = model::ElementType::F32;
  EXPECT_TRUE(checkOutput(kernel, problem, {}).passed());
}

/// Plays a kernel that adds a product at a time and rounds each partial sum to
/// a type, and each factor by a function, in a matrix product.
template <typename Sum, typename Round>
static void computeWithSums(const Kernel &kernel, Problem &problem,
                            Round roundFactor) {
  auto extent = [&](size_t tensor, size_t dim) {
    return kernel.tensors[tensor].extents[dim];
  };
  int64_t rows = extent(2, 0), columns = extent(2, 1), depth = extent(0, 1);
  dispatch(kernel.tensors[0].type, [&](auto zero) {
    using T = decltype(zero);
    const T *a = problem.tensors[0].as<T>(), *b = problem.tensors[1].as<T>();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum = static_cast<Sum>(
              sum + static_cast<double>(roundFactor(a[i * depth + k])) *
                        static_cast<double>(roundFactor(b[k * columns + j])));
        dispatch(kernel.tensors[2].type, [&](auto c) {
          using C = decltype(c);
          problem.c().as<C>()[i * columns + j] = static_cast<C>(sum);
        });
      }
    }
  });
}

static Kernel squareKernel(int64_t depth, model::ElementType type) {
  return makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                    {{"i", 40}, {"j", 30}, {"k", depth}}, type);
}

static float exactly(float factor) { return factor; }

TEST(CheckTest, HalvesAreSummedInSinglePrecision) {
  for (model::ElementType type :
       {model::ElementType::F8E4M3FN, model::ElementType::F8E5M2,
        model::ElementType::F16, model::ElementType::BF16}) {
    for (int64_t depth : {1, 9, 700}) {
      Kernel kernel = squareKernel(depth, type);
      // Stored as halves, and as they are.
      for (model::ElementType output : {type, model::ElementType::F32}) {
        kernel.tensors[2].type = output;
        Problem problem = std::move(*makeProblem(kernel, {}));
        computeWithSums<float>(kernel, problem, exactly);
        CheckReport report = checkOutput(kernel, problem, {});
        EXPECT_TRUE(report.passed()) << report.summary();
        // Of few 8-bit floats, storing one hides how they are summed.
        if (depth == 1 || (depth == 9 && model::isFloat8(type)))
          continue;
        // Partial sums in halves do not give the due result.
        dispatch(type, [&](auto zero) {
          computeWithSums<decltype(zero)>(kernel, problem, exactly);
        });
        report = checkOutput(kernel, problem, {});
        EXPECT_FALSE(report.passed()) << report.summary();
      }
    }
  }
}

TEST(CheckTest, SmallHalvesAreRoundedCoarsely) {
  // The results are subnormal, so that their relative error is large.
  Kernel kernel = squareKernel(5, model::ElementType::F16);
  kernel.alpha.value = 1e-6;
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_GT(report.relativeError, 0.005);
  EXPECT_TRUE(report.passed()) << report.summary();
  // Twice as many bits as a step are not explained by rounding.
  uint16_t bits = problem.c().bits<Float16>(17) + 1;
  std::memcpy(problem.c().as<Float16>() + 17, &bits, sizeof(bits));
  EXPECT_FALSE(checkOutput(kernel, problem, {}).passed());
}

TEST(CheckTest, OneWrongHalfAmongMany) {
  Kernel kernel = squareKernel(50, model::ElementType::BF16);
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  // Rounding may make up to two neighbours of a sum.
  uint16_t bits = problem.c().bits<BFloat16>(17) + 3;
  std::memcpy(problem.c().as<BFloat16>() + 17, &bits, sizeof(bits));
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_LE(report.relativeError, report.tolerance);
  EXPECT_GT(report.largestError, report.largestTolerance);
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.largestAt, "C[i=0,j=17]");
}

/// Keeps so many fraction bits; the others are rounded or cut off.
static float keepBits(float value, int kept, bool rounds) {
  uint32_t bits, dropped = 1u << (23 - kept);
  std::memcpy(&bits, &value, sizeof(bits));
  bits = (bits + (rounds ? dropped / 2 : 0)) & ~(dropped - 1);
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

static float toTF32(float value, bool rounds) {
  return keepBits(value, 10, rounds);
}

namespace {
/// The bits that tensor cores keep of sums of products of 8-bit floats.
struct ShortSum {
  explicit ShortSum(double sum)
      : kept(keepBits(static_cast<float>(sum), 13, /*rounds=*/false)) {}
  operator double() const { return kept; }
  float kept;
};
} // namespace

TEST(CheckTest, DevicesKeepFewerBitsOfSumsOfEightBits) {
  auto passes = [](model::ElementType type, bool ranOnDevice) {
    Kernel kernel = squareKernel(50, type);
    kernel.tensors[2].type = model::ElementType::F32;
    Problem problem = std::move(*makeProblem(kernel, {}));
    computeWithSums<ShortSum>(kernel, problem, exactly);
    CheckOptions options;
    options.ranOnDevice = ranOnDevice;
    return checkOutput(kernel, problem, options).passed();
  };
  for (model::ElementType type :
       {model::ElementType::F8E4M3FN, model::ElementType::F8E5M2}) {
    EXPECT_TRUE(passes(type, true));
    EXPECT_FALSE(passes(type, false));
  }
  EXPECT_FALSE(passes(model::ElementType::F16, true));
}

TEST(CheckTest, EightBitsSaturate) {
  Kernel kernel = squareKernel(9, model::ElementType::F8E4M3FN);
  kernel.alpha.value = 1e4;
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  auto *c = problem.c().as<Float8E4M3FN>();
  ASSERT_EQ(std::fabs(c[17]), 448);
  EXPECT_TRUE(checkOutput(kernel, problem, {}).passed());
  c[17] = Float8E4M3FN(std::copysign(224, c[17]));
  EXPECT_FALSE(checkOutput(kernel, problem, {}).passed());
}

TEST(CheckTest, PrecisionBoundsTheErrorOfProducts) {
  using model::Precision;
  for (int64_t depth : {1, 24, 700}) {
    Kernel kernel = squareKernel(depth, model::ElementType::F32);
    Problem problem = std::move(*makeProblem(kernel, {}));
    auto passes = [&](Precision precision) {
      kernel.precision = precision;
      return checkOutput(kernel, problem, {}).passed();
    };
    for (bool rounds : {true, false}) {
      auto round = [&](float x) { return toTF32(x, rounds); };
      computeWithSums<float>(kernel, problem, round);
      EXPECT_TRUE(passes(Precision::TF32)) << depth;
      EXPECT_FALSE(passes(Precision::TF32x3)) << depth;
      EXPECT_FALSE(passes(Precision::IEEE)) << depth;
    }
    // These factors are less than tf32 allows.
    auto narrow = [](float x) { return keepBits(x, 6, true); };
    computeWithSums<float>(kernel, problem, narrow);
    EXPECT_FALSE(passes(Precision::TF32)) << depth;
    // A result that is more precise always is allowed.
    computeWithSums<float>(kernel, problem, exactly);
    for (Precision precision : model::allPrecisions)
      EXPECT_TRUE(passes(precision)) << depth;
  }
}

TEST(CheckTest, SplitFactorsAreCloseToSinglePrecision) {
  using model::Precision;
  for (int64_t depth : {1, 24, 700}) {
    Kernel kernel = squareKernel(depth, model::ElementType::F32);
    Problem problem = std::move(*makeProblem(kernel, {}));
    computeWithSums<float>(kernel, problem, exactly);
    double single = checkOutput(kernel, problem, {}).relativeError;

    // Three products of factors that are split in two, the smallest first.
    const float *a = problem.tensors[0].as<float>();
    const float *b = problem.tensors[1].as<float>();
    auto computeSplit = [&](int bits) {
      for (int64_t p = 0; p < 40 * 30; ++p) {
        float sum = 0;
        for (int64_t k = 0; k < depth; ++k) {
          float x = a[p / 30 * depth + k], y = b[k * 30 + p % 30];
          float x1 = keepBits(x, bits, true), y1 = keepBits(y, bits, true);
          float x2 = keepBits(x - x1, bits, true);
          float y2 = keepBits(y - y1, bits, true);
          sum = std::fma(x2, y1, sum);
          sum = std::fma(x1, y2, sum);
          sum = std::fma(x1, y1, sum);
        }
        problem.c().as<float>()[p] = sum;
      }
    };
    computeSplit(/*bits=*/7);
    kernel.precision = Precision::BF16x3;
    CheckReport ofBF16 = checkOutput(kernel, problem, {});
    EXPECT_TRUE(ofBF16.passed()) << ofBF16.summary();
    EXPECT_LT(ofBF16.relativeError, 3 * 0x1p-16);
    computeSplit(/*bits=*/6);
    EXPECT_GT(checkOutput(kernel, problem, {}).relativeError,
              2 * ofBF16.relativeError);

    computeSplit(/*bits=*/10);
    kernel.precision = Precision::TF32x3;
    CheckReport report = checkOutput(kernel, problem, {});
    EXPECT_TRUE(report.passed()) << report.summary();
    // A single product is rounded once in f32, which is as good as it gets.
    EXPECT_LT(report.relativeError, (depth == 1 ? 10 : 2.5) * single) << depth;
  }
}

TEST(CheckTest, CancellingSumIsNotAnError) {
  // A scalar result that happens to be tiny, with an error that is normal for
  // the size of its terms.
  Kernel kernel = makeKernel({"k"}, {"k"}, {}, {{"k", 4}});
  Problem problem = std::move(*makeProblem(kernel, {}));
  double a[] = {1, -1, 1, -1}, b[] = {1, 1, 1, 1 - 1e-10};
  std::memcpy(problem.tensors[0].data(), a, sizeof(a));
  std::memcpy(problem.tensors[1].data(), b, sizeof(b));
  double epsilon = std::numeric_limits<double>::epsilon();
  problem.c().as<double>()[0] = (1 - b[3]) + 2 * epsilon;
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_GT(report.relativeError, 1e-6);
  EXPECT_TRUE(report.passed()) << report.summary();
  problem.c().as<double>()[0] = (1 - b[3]) + 1000 * epsilon;
  EXPECT_FALSE(checkOutput(kernel, problem, {}).passed());
}

TEST(CheckTest, ZeroResult) {
  Kernel kernel = matmulKernel();
  kernel.alpha.value = 0;
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  EXPECT_TRUE(checkOutput(kernel, problem, {}).passed());
  problem.c().as<double>()[3] = 1e-300;
  EXPECT_FALSE(checkOutput(kernel, problem, {}).passed());
}

TEST(CheckTest, BetaIsChecked) {
  Kernel kernel = matmulKernel();
  setBeta(kernel, {0.75, false});
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  EXPECT_TRUE(checkOutput(kernel, problem, {}).passed());

  // A kernel that forgets beta * C.
  Kernel without = matmulKernel();
  Problem wrong = std::move(*makeProblem(kernel, {}));
  Problem source = std::move(*makeProblem(without, {}));
  compute(without, source);
  std::memcpy(wrong.c().data(), source.c().data(), wrong.c().bytes());
  EXPECT_FALSE(checkOutput(kernel, wrong, {}).passed());
  // And one that writes nothing: the numbers tell, for there is no poison.
  Problem idle = std::move(*makeProblem(kernel, {}));
  EXPECT_FALSE(checkOutput(kernel, idle, {}).passed());
}

TEST(CheckTest, ChosenBlocksAndNothingElse) {
  for (double beta : {0.0, 1.5}) {
    Kernel kernel = matmulKernel();
    setBeta(kernel, {beta, false});
    CheckOptions options;
    options.blocks = {1, 5};
    Problem problem = std::move(*makeProblem(kernel, {}));
    compute(kernel, problem, options.blocks);
    CheckReport report = checkOutput(kernel, problem, options);
    EXPECT_TRUE(report.passed()) << report.summary();
    EXPECT_EQ(report.owned, 2 * 4 + 1 * 3);

    // Another block than the chosen ones wrote as well.
    compute(kernel, problem, {2});
    report = checkOutput(kernel, problem, options);
    EXPECT_FALSE(report.passed());
    EXPECT_EQ(report.stray.count, 1 * 4);
    EXPECT_EQ(report.stray.first, "C[i=4,j=0]");
  }
}

TEST(CheckTest, ChosenBlockThatDidNotRun) {
  Kernel kernel = matmulKernel();
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem, {0});
  CheckOptions options;
  options.blocks = {0, 1};
  CheckReport report = checkOutput(kernel, problem, options);
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.unwritten.count, 8);
  EXPECT_EQ(report.unwritten.first, "C[i=2,j=0]");
}

TEST(CheckTest, WriteIntoAGap) {
  for (double beta : {0.0, 1.5}) {
    Kernel kernel = matmulKernel();
    kernel.tensors[2].strides = {10, 1};
    kernel.tensors[2].offset = 2;
    setBeta(kernel, {beta, false});
    Problem problem = std::move(*makeProblem(kernel, {}));
    compute(kernel, problem);
    CheckReport report = checkOutput(kernel, problem, {});
    EXPECT_TRUE(report.passed()) << report.summary();
    problem.c().as<double>()[2 + 7] = 1;
    problem.c().as<double>()[1] = 1;
    report = checkOutput(kernel, problem, {});
    EXPECT_FALSE(report.passed());
    EXPECT_EQ(report.stray.count, 2);
    EXPECT_EQ(report.stray.first, "position 1 of C");
  }
}

TEST(CheckTest, TheDefinitionDecides) {
  // The kernel's indices are the definition's, collapsed: x = (i, j).
  Kernel definition = makeKernel({"i", "j", "k"}, {"k"}, {"i", "j"},
                                 {{"i", 4}, {"j", 6}, {"k", 5}});
  Kernel kernel = makeKernel({"x", "k"}, {"k"}, {"x"}, {{"x", 24}, {"k", 5}});
  setTiles(kernel, {{"x", 7}});
  ASSERT_TRUE(checkSameBuffers(definition, kernel));
  CheckOptions options;
  options.definition = &definition;
  for (const std::vector<int64_t> &blocks :
       {std::vector<int64_t>{}, std::vector<int64_t>{1, 3}}) {
    options.blocks = blocks;
    Problem problem = std::move(*makeProblem(definition, {}));
    // Played by the same definition, on the elements that the blocks own.
    compute(definition, problem);
    if (!blocks.empty())
      for (int64_t p = 0; p < 24; ++p)
        if (p / 7 != 1 && p / 7 != 3)
          std::memcpy(problem.c().as<double>() + p, &Pattern<double>::poison,
                      sizeof(double));
    CheckReport report = checkOutput(kernel, problem, options);
    EXPECT_TRUE(report.passed()) << report.summary();
    EXPECT_EQ(report.owned, blocks.empty() ? 24 : 7 + 3);
    problem.c().as<double>()[8] += 1;
    report = checkOutput(kernel, problem, options);
    EXPECT_FALSE(report.passed());
    EXPECT_EQ(report.largestAt, "C[i=1,j=2]");
  }
}

TEST(CheckTest, KernelForOtherBuffers) {
  Kernel definition = matmulKernel(), kernel = matmulKernel();
  kernel.tensors[1].strides = {8, 1};
  Status status = checkSameBuffers(definition, kernel);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), "kernel contract is not for the contraction: its "
                            "tensor B is laid out otherwise");
}

TEST(CheckTest, SamplesFindWidespreadErrors) {
  Kernel kernel =
      makeKernel({"i"}, {"j"}, {"i", "j"}, {{"i", 100}, {"j", 100}});
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  CheckOptions options;
  options.samples = 50;
  CheckReport report = checkOutput(kernel, problem, options);
  EXPECT_TRUE(report.passed()) << report.summary();
  EXPECT_EQ(report.owned, 10000);
  EXPECT_LE(report.compared, 50);
  EXPECT_GT(report.compared, 40);
  for (int64_t p = 0; p < 10000; p += 3)
    problem.c().as<double>()[p] += 1;
  EXPECT_FALSE(checkOutput(kernel, problem, options).passed());
}

TEST(CheckTest, SamplesIncludeFirstAndLast) {
  for (int64_t position : {0, 9999}) {
    Kernel kernel =
        makeKernel({"i"}, {"j"}, {"i", "j"}, {{"i", 100}, {"j", 100}});
    Problem problem = std::move(*makeProblem(kernel, {}));
    compute(kernel, problem);
    problem.c().as<double>()[position] += 1;
    CheckOptions options;
    options.samples = 2;
    EXPECT_FALSE(checkOutput(kernel, problem, options).passed());
  }
}

TEST(CheckTest, AnyNumberOfWorkersAgrees) {
  Kernel kernel =
      makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                 {{"i", 60}, {"j", 70}, {"k", 90}}, model::ElementType::F32);
  Problem problem = std::move(*makeProblem(kernel, {}));
  compute(kernel, problem);
  problem.c().as<float>()[777] += 1;
  CheckOptions one, many;
  one.workers = 1;
  many.workers = 4;
  CheckReport a = checkOutput(kernel, problem, one);
  CheckReport b = checkOutput(kernel, problem, many);
  EXPECT_EQ(a.largestAt, "C[i=11,j=7]");
  EXPECT_EQ(a.largestAt, b.largestAt);
  EXPECT_NEAR(a.relativeError, b.relativeError, 1e-12 * a.relativeError);
}

TEST(CheckTest, SampleCountsAreAffordable) {
  Kernel small = matmulKernel();
  EXPECT_EQ(affordableSamples(small, {}), 0);
  Kernel large = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                            {{"i", 10000}, {"j", 10000}, {"k", 10000}});
  setTiles(large, {{"i", 100}, {"j", 100}});
  EXPECT_GT(affordableSamples(large, {}), 1000);
  EXPECT_LT(affordableSamples(large, {}), 100000);
  // The elements of one block are few enough to compare all.
  EXPECT_EQ(affordableSamples(large, {0}), 0);
}

/// The findings on several outputs are one report: the sums of all counts, the
/// first fault, and the error that is the nearest to its bound.
TEST(CheckTest, AddsReportsOfSeveralOutputs) {
  auto reportOf = [](double relative, double largest, const char *at) {
    CheckReport report;
    report.owned = report.compared = 10;
    report.relativeError = relative;
    report.tolerance = 1e-3;
    report.largestError = largest;
    report.largestTolerance = 1e-2;
    report.largestAt = at;
    return report;
  };
  CheckReport all = reportOf(1e-4, 1e-4, "C[i=0]");
  all.add(reportOf(1e-5, 5e-3, "C1[i=1]"));
  EXPECT_EQ(all.owned, 20);
  EXPECT_EQ(all.compared, 20);
  EXPECT_EQ(all.relativeError, 1e-4);
  EXPECT_EQ(all.largestError, 5e-3);
  EXPECT_EQ(all.largestAt, "C1[i=1]");
  EXPECT_TRUE(all.passed());

  // A smaller error that is farther beyond its own bound counts more.
  CheckReport narrow = reportOf(5e-5, 0, "C2[i=2]");
  narrow.tolerance = 1e-5;
  all.add(narrow);
  EXPECT_EQ(all.relativeError, 5e-5);
  EXPECT_EQ(all.tolerance, 1e-5);
  EXPECT_EQ(all.largestAt, "C1[i=1]");
  EXPECT_FALSE(all.passed());

  CheckReport first = reportOf(0, 0, ""), second = first, third = first;
  second.stray = {2, "C1[i=3]"};
  third.stray = {1, "C2[i=4]"};
  third.relativeError = std::numeric_limits<double>::quiet_NaN();
  first.add(second);
  EXPECT_FALSE(first.passed());
  first.add(third);
  EXPECT_EQ(first.stray.count, 3);
  EXPECT_EQ(first.stray.first, "C1[i=3]");
  EXPECT_TRUE(std::isnan(first.relativeError));
  first.add(all);
  EXPECT_TRUE(std::isnan(first.relativeError));
  EXPECT_EQ(first.owned, 60);
}
