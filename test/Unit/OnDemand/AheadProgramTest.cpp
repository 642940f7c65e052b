//===- AheadProgramTest.cpp - Products whose order is searched for later --===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/AheadProgram.h"

#include <gtest/gtest.h>

#include <algorithm>
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

/// A network is run as the program that is written down of it: bits are equal.
TEST(AheadProgram, IsThatOfTheNetwork) {
  using Labels = std::vector<std::vector<std::string>>;
  std::mt19937_64 random(2);
  std::uniform_int_distribution<int64_t> extent(1, 17);
  std::normal_distribution<double> number;
  const std::vector<std::pair<Labels, model::ContractionPath>> products = {
      {{{"a"}, {"a"}, {"a"}, {}}, {}},
      {{{"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "a"}}, {{1, 2}, {0, 1}}},
      {{{"p", "i"}, {"p", "q", "i", "j"}, {"q", "j"}, {"p", "q"}}, {}},
      {{{"a", "a", "b"}, {"b", "c"}, {"c"}, {"c", "d"}, {"d", "a"}}, {}},
      {{{"a", "b"}, {"c", "b"}, {"a", "c"}}, {}},
  };
  for (const auto &[labels, path] : products)
    for (auto search :
         {AheadProgram::Search::First, AheadProgram::Search::WhenItPays}) {
      std::vector<notation::Extent> extents;
      std::vector<std::pair<std::string, int64_t>> pairs;
      for (const auto &list : labels)
        for (const std::string &label : list)
          if (std::none_of(pairs.begin(), pairs.end(),
                           [&](auto &known) { return known.first == label; })) {
            pairs.emplace_back(label, extent(random));
            extents.push_back({label, pairs.back().second, {}});
          }
      notation::Diagnostic diagnostic;
      auto program =
          notation::makeProduct(labels, extents, model::ElementType::F64,
                                notation::ParseOptions(), diagnostic);
      ASSERT_TRUE(program) << diagnostic.str();
      program->steps.front().path = path;
      auto network =
          model::makeNetwork({labels.begin(), labels.end() - 1}, labels.back(),
                             pairs, model::ElementType::F64);
      ASSERT_TRUE(network) << network.error();
      auto written = AheadProgram::make(
          *program, {}, AheadProgram::Between::Elements, search);
      auto direct = AheadProgram::make("program", *network, path, {}, search);
      ASSERT_TRUE(written && direct);
      const runtime::Program &a = written->program(), &b = direct->program();
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.workspaceBytes, b.workspaceBytes);
      EXPECT_EQ(a.workspaceAlignment, b.workspaceAlignment);
      ASSERT_EQ(a.parameters.size(), b.parameters.size());
      std::vector<std::vector<double>> tensors;
      std::vector<double> results[2];
      std::vector<const void *> ofA, ofB;
      for (size_t i = 0; i < a.parameters.size(); ++i) {
        const runtime::ProgramParameter &parameter = a.parameters[i],
                                        &other = b.parameters[i];
        EXPECT_EQ(parameter.name, other.name);
        EXPECT_EQ(parameter.type, other.type);
        EXPECT_EQ(parameter.extents, other.extents);
        EXPECT_EQ(parameter.strides, other.strides);
        EXPECT_EQ(parameter.alignment, other.alignment);
        EXPECT_EQ(parameter.isRead, other.isRead);
        EXPECT_EQ(parameter.isWritten, other.isWritten);
        size_t elements = 1;
        for (int64_t each : parameter.extents)
          elements *= static_cast<size_t>(each);
        std::vector<double> &tensor = tensors.emplace_back(elements);
        for (double &element : tensor)
          element = number(random);
        if (parameter.isWritten)
          results[0] = results[1] = tensor;
        ofA.push_back(parameter.isWritten ? results[0].data() : tensor.data());
        ofB.push_back(parameter.isWritten ? results[1].data() : tensor.data());
      }
      ASSERT_TRUE(written->run(ofA, nullptr));
      ASSERT_TRUE(direct->run(ofB, nullptr));
      EXPECT_EQ(results[0], results[1]);
    }
}

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
