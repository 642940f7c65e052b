//===- AheadProgramTest.cpp - Products whose order is searched for later --===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/AheadProgram.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

using namespace tc;

namespace {

using Matrix = std::vector<int64_t>;

/// A chain of random matrices of integers, and their product, which is exact
/// in any order.
struct Chain {
  std::string text;
  std::vector<Matrix> matrices;
  Matrix product;

  Chain(std::mt19937_64 &random, size_t count) {
    std::uniform_int_distribution<int64_t> extent(1, 13), number(-9, 9);
    std::vector<int64_t> extents(count + 1);
    text = "type = i64\n";
    for (size_t i = 0; i <= count; ++i) {
      extents[i] = extent(random);
      text +=
          "i" + std::to_string(i) + " = " + std::to_string(extents[i]) + "\n";
    }
    std::string factors;
    for (size_t m = 0; m < count; ++m) {
      Matrix &made = matrices.emplace_back(
          static_cast<size_t>(extents[m] * extents[m + 1]));
      for (int64_t &element : made)
        element = number(random);
      factors += (m == 0 ? "" : " * ") + ("m" + std::to_string(m)) + "[i" +
                 std::to_string(m) + ",i" + std::to_string(m + 1) + "]";
      product = m == 0 ? made
                       : multiply(product, made, extents[0], extents[m],
                                  extents[m + 1]);
    }
    text += "result[i0,i" + std::to_string(count) + "] = " + factors + "\n";
  }

  /// Integers wrap around.
  static Matrix multiply(const Matrix &a, const Matrix &b, int64_t rows,
                         int64_t inner, int64_t columns) {
    Matrix c(static_cast<size_t>(rows * columns));
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < inner; ++j)
        for (int64_t k = 0; k < columns; ++k) {
          auto &sum = c[static_cast<size_t>(i * columns + k)];
          const auto x = static_cast<uint64_t>(
                         a[static_cast<size_t>(i * inner + j)]),
                     y = static_cast<uint64_t>(
                         b[static_cast<size_t>(j * columns + k)]);
          sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + x * y);
        }
    return c;
  }

  std::unique_ptr<AheadProgram>
  compile(AheadProgram::Search search,
          const CompileOptions &options = {}) const {
    notation::Diagnostic diagnostic;
    auto program =
        notation::parseProgram(notation::ProgramNotation::Tensors, text,
                               notation::ParseOptions(), diagnostic);
    EXPECT_TRUE(program) << diagnostic.str();
    return program ? AheadProgram::make(*program, options,
                                        AheadProgram::Between::Elements, search)
                   : nullptr;
  }

  /// True if a run computes the product.
  bool isRightOf(const AheadProgram &program, void *workspace) const {
    Matrix result(product.size(), 7);
    std::vector<const void *> tensors;
    for (const Matrix &matrix : matrices)
      tensors.push_back(matrix.data());
    tensors.push_back(result.data());
    return bool(program.run(tensors, workspace)) && result == product;
  }
};

} // namespace

TEST(AheadProgram, KeepsResultsWhenTheOrderIsSearchedFor) {
  std::mt19937_64 random(1);
  for (size_t count : {2, 3, 5, 6, 8, 9, 20, 40}) {
    SCOPED_TRACE(count);
    const Chain chain(random, count);
    auto program = chain.compile(AheadProgram::Search::WhenItPays);
    ASSERT_TRUE(program);
    EXPECT_FALSE(program->isSearchDone());
    const runtime::Program &described = program->program();
    // Of the first order: a later one takes no more of the caller's.
    std::vector<std::byte> room(
        static_cast<size_t>(described.workspaceBytes) + 256, std::byte{5});
    void *begin = room.data();
    size_t left = room.size();
    std::align(static_cast<size_t>(described.workspaceAlignment),
               static_cast<size_t>(described.workspaceBytes), begin, left);
    auto *end = static_cast<std::byte *>(begin) + described.workspaceBytes;
    unsigned runs = 0;
    constexpr unsigned mostRuns = 100000;
    for (; !program->isSearchDone() && runs < mostRuns; ++runs)
      ASSERT_TRUE(chain.isRightOf(*program, runs % 2 ? begin : nullptr));
    EXPECT_GE(runs, 1U);
    EXPECT_LT(runs, mostRuns);
    for (unsigned run = 0; run < 4; ++run)
      ASSERT_TRUE(chain.isRightOf(*program, run % 2 ? begin : nullptr));
    for (auto *byte = end; byte != room.data() + room.size(); ++byte)
      ASSERT_EQ(*byte, std::byte{5});
  }
}

TEST(AheadProgram, SearchesFirstWhereOneOrderIsToStay) {
  std::mt19937_64 random(2);
  const Chain chain(random, 9);
  auto program = chain.compile(AheadProgram::Search::First);
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->isSearchDone());
  EXPECT_TRUE(chain.isRightOf(*program, nullptr));
}

TEST(AheadProgram, SearchesFirstForATime) {
  std::mt19937_64 random(3);
  const Chain chain(random, 9);
  CompileOptions options;
  options.searchMilliseconds = 2;
  auto program = chain.compile(AheadProgram::Search::WhenItPays, options);
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->isSearchDone());
  EXPECT_TRUE(chain.isRightOf(*program, nullptr));
}

TEST(AheadProgram, KeepsLimitsOfMemory) {
  std::mt19937_64 random(5);
  const Chain chain(random, 9);
  CompileOptions options;
  auto free = chain.compile(AheadProgram::Search::WhenItPays);
  ASSERT_TRUE(free);
  const int64_t bytes = free->program().workspaceBytes;
  // A limit that does not bind changes nothing, and another one is kept.
  for (int64_t limit : {int64_t(1) << 20, bytes, bytes - 1}) {
    options.memoryLimit = limit;
    auto program = chain.compile(AheadProgram::Search::WhenItPays, options);
    if (limit >= bytes) {
      ASSERT_TRUE(program);
      EXPECT_EQ(program->program().workspaceBytes, bytes);
      EXPECT_FALSE(program->isSearchDone());
    }
    if (program) {
      EXPECT_LE(program->program().workspaceBytes, limit);
      EXPECT_TRUE(chain.isRightOf(*program, nullptr));
    }
  }
}

TEST(AheadProgram, MayBeRunByThreadsWhileTheOrderIsSearchedFor) {
  std::mt19937_64 random(4);
  const Chain chain(random, 20);
  auto program = chain.compile(AheadProgram::Search::WhenItPays);
  ASSERT_TRUE(program);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int &count : wrong)
    threads.emplace_back([&] {
      for (unsigned i = 0; i < 50 || !program->isSearchDone(); ++i)
        count += !chain.isRightOf(*program, nullptr);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int count : wrong)
    EXPECT_EQ(count, 0);
}
