//===- CacheSlicesTest.cpp - Slices whose temporaries stay in caches ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/AheadProgram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

using namespace tc;

namespace {

/// A product of tensors of small integers, which doubles add up exactly in any
/// order: result += 2 * product.
class Product {
public:
  using Extents = std::map<char, int64_t>;

  /// A letter is an index, and there is a list of them for each input and one
  /// for the result.
  Product(std::vector<std::string> lists, Extents extents,
          std::mt19937_64 &random)
      : lists(std::move(lists)), extents(std::move(extents)) {
    std::uniform_int_distribution<int> number(-3, 3);
    for (const std::string &list : this->lists)
      for (double &element :
           tensors.emplace_back(static_cast<size_t>(elementsOf(list))))
        element = number(random);
    expected = tensors.back();
    std::map<char, int64_t> at;
    addFrom(this->extents.begin(), at);
  }

  int64_t elementsOf(const std::string &list) const {
    int64_t elements = 1;
    for (char index : list)
      elements *= extents.at(index);
    return elements;
  }

  std::unique_ptr<AheadProgram> compile(const CompileOptions &options) const {
    std::string text = "type = f64\n";
    for (auto [index, extent] : extents)
      text += std::string(1, index) + " = " + std::to_string(extent) + "\n";
    text += "r" + writtenOf(lists.back()) + " += 2";
    for (size_t i = 0; i + 1 < lists.size(); ++i)
      text += " * t" + std::to_string(i) + writtenOf(lists[i]);
    notation::Diagnostic diagnostic;
    auto program =
        notation::parseProgram(notation::ProgramNotation::Tensors, text + "\n",
                               notation::ParseOptions(), diagnostic);
    EXPECT_TRUE(program) << diagnostic.str();
    return program ? AheadProgram::make(*program, options) : nullptr;
  }

  bool isRightOf(const AheadProgram &program) const {
    std::vector<double> result = tensors.back();
    std::vector<const void *> pointers;
    for (const runtime::ProgramParameter &parameter :
         program.program().parameters)
      pointers.push_back(parameter.isWritten
                             ? result.data()
                             : tensors[static_cast<size_t>(
                                           std::stoi(parameter.name.substr(1)))]
                                   .data());
    return bool(program.run(pointers, nullptr)) && result == expected;
  }

private:
  static std::string writtenOf(const std::string &list) {
    std::string written = "[";
    for (char index : list)
      written += (written.size() > 1 ? "," : "") + std::string(1, index);
    return written + "]";
  }

  size_t offsetOf(const std::string &list,
                  const std::map<char, int64_t> &at) const {
    int64_t offset = 0;
    for (char index : list)
      offset = offset * extents.at(index) + at.at(index);
    return static_cast<size_t>(offset);
  }

  void addFrom(Extents::const_iterator next, std::map<char, int64_t> &at) {
    if (next != extents.end()) {
      for (at[next->first] = 0; at[next->first] < next->second;
           ++at[next->first])
        addFrom(std::next(next), at);
      return;
    }
    double product = 2;
    for (size_t i = 0; i + 1 < lists.size(); ++i)
      product *= tensors[i][offsetOf(lists[i], at)];
    expected[offsetOf(lists.back(), at)] += product;
  }

  std::vector<std::string> lists;
  Extents extents;
  std::vector<std::vector<double>> tensors;
  std::vector<double> expected;
};

} // namespace

TEST(CacheSlices, AreRightByAnyNumberOfThreads) {
  std::mt19937_64 random(1);
  const std::vector<std::pair<std::vector<std::string>, Product::Extents>>
      products = {
          // Of a summed index, with sums of groups, and of one of the result.
          {{"n", "n", "n", ""}, {{'n', 1000003}}},
          {{"n", "n", "n", "n"}, {{'n', 1000003}}},
          {{"ni", "n", "nj", "ij"}, {{'n', 60013}, {'i', 7}, {'j', 5}}},
          {{"bi", "ij", "bj", "b"}, {{'b', 40009}, {'i', 11}, {'j', 11}}},
          {{"ekl", "ik", "jl", "eij"},
           {{'e', 4001}, {'i', 7}, {'j', 6}, {'k', 5}, {'l', 5}}},
      };
  unsigned cut = 0;
  for (const auto &[lists, extents] : products) {
    SCOPED_TRACE(lists.front() + lists.back());
    const Product product(lists, extents, random);
    for (unsigned threads : {1, 2, 3, 7}) {
      CompileOptions options;
      options.threads = threads;
      auto program = product.compile(options);
      ASSERT_TRUE(program);
      EXPECT_TRUE(product.isRightOf(*program)) << threads;
      // All of their temporaries are larger if they are not cut.
      constexpr int64_t mostBytes = 1 << 20;
      const int64_t bytes = program->program().workspaceBytes;
      EXPECT_GT(bytes, 0);
      cut += threads == 1 && bytes < mostBytes ? 1 : 0;
    }
  }
  // Those are cut that are faster so, as products that only read and write are
  // on any machine.
  EXPECT_GE(cut, 1U);
}

TEST(CacheSlices, KeepLimitsOfMemory) {
  std::mt19937_64 random(2);
  const Product scalar({"n", "n", "n", ""}, {{'n', 1000003}}, random),
      matrix({"ni", "n", "nj", "ij"}, {{'n', 20011}, {'i', 24}, {'j', 24}},
             random),
      batch({"bi", "ij", "bj", "b"}, {{'b', 40009}, {'i', 11}, {'j', 11}},
            random);
  for (const Product *product : {&scalar, &matrix, &batch})
    for (int64_t limit : {int64_t(8) * 1000003, int64_t(1) << 20,
                          int64_t(300001), int64_t(100000), int64_t(4096)})
      for (unsigned threads : {1, 7}) {
        CompileOptions options;
        options.threads = threads;
        options.memoryLimit = limit;
        auto program = product->compile(options);
        ASSERT_TRUE(program);
        EXPECT_LE(program->program().workspaceBytes, limit);
        EXPECT_TRUE(product->isRightOf(*program));
      }
}

TEST(CacheSlices, AreNotOfSmallTemporaries) {
  std::mt19937_64 random(3);
  const Product product({"n", "n", "n", ""}, {{'n', 1000}}, random);
  auto program = product.compile({});
  ASSERT_TRUE(program);
  EXPECT_EQ(program->program().workspaceBytes, 8 * 1000);
  EXPECT_TRUE(product.isRightOf(*program));
}
