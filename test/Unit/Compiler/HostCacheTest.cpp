//===- HostCacheTest.cpp - Keys of cached code ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/HostCache.h"
#include "../../../lib/Compiler/ProgramFields.h"
#include "Problem/ValueChanges.h"
#include "Support/TemporaryFolder.h"
#include "tc/OnDemand/OptionTable.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

using namespace tc;

namespace {

/// A contraction and a program in which every field that may be empty is not.
Source example() {
  Source source;
  source.name = "spec";
  source.text = "text";
  notation::ParsedContraction &contraction = source.contractions.emplace_back();
  contraction.name = "product";
  contraction.versionOf = "original";
  auto tensor = [](std::vector<std::string> labels,
                   std::vector<int64_t> extents) {
    std::vector<int64_t> strides = model::contiguousStrides(extents);
    return model::TensorRecord{model::ElementType::F64, std::move(labels),
                               std::move(extents), std::move(strides)};
  };
  model::ContractionRecord &record = contraction.record;
  record.tensors[model::Tensor::A] = tensor({"i", "k"}, {2, 4});
  record.tensors[model::Tensor::B] = tensor({"k", "j"}, {4, 3});
  record.tensors[model::Tensor::C] = tensor({"i", "j"}, {2, 3});
  record.userSemiring.padding.emplace();
  record.runTime.emplace();
  contraction.auxiliaries = {tensor({"j"}, {3})};
  notation::FusedExpressions fused;
  fused.prologueA = *model::parsePrologue("relu(x)");
  fused.prologueB = *model::parsePrologue("tanh(x)");
  fused.epilogue = *model::parseEpilogue("x + bias[j]");
  fused.semiring = notation::SemiringExpressions{
      *model::parseSemiringOperation("x + y"),
      *model::parseSemiringOperation("max(x, y)"), model::Constant(-1.5)};
  setFusedCode(contraction, std::move(fused));
  notation::ParsedProgram &program = source.program.emplace();
  program.name = "program";
  program.tensors = {{"T", record.tensors[model::Tensor::A]}};
  program.steps = {{contraction, {0, 1}, 2, {}}};
  program.arguments = {0, 1};
  program.results = {2};
  return source;
}

using Names = std::set<std::string>;

/// Changes each field of a record alone. Returns the names of those with a key
/// that no other change leads to, and those that leave the key as it is.
template <typename Record>
std::pair<Names, Names> changeEach(Record &record,
                                   const std::function<std::string()> &make) {
  const std::string key = make();
  std::set<std::string> keys = {key};
  Names changing, others;
  forEachChange(record, [&](const std::string &name, FieldUse) {
    std::string changed = make();
    EXPECT_TRUE(changed == key || keys.insert(changed).second) << name;
    (changed == key ? others : changing).insert(name);
  });
  EXPECT_EQ(make(), key);
  return {changing, others};
}

TEST(HostCacheTest, KeysDependOnEachFieldOfContractions) {
  Source source = example();
  CompileOptions options;
  auto [changing, others] =
      changeEach(source, [&] { return makeCacheKey(source, options, "cpu"); });
  // The fields that only messages give, and no others.
  EXPECT_EQ(others, Names({"name", "contractions[0].position.line",
                           "contractions[0].position.column",
                           "program.steps[0].product.position.line",
                           "program.steps[0].product.position.column"}));
  for (const char *name :
       {"text", "reduces", "contractions[0].record.allow_three_products",
        "contractions[0].fused.semiring.identity",
        "contractions[0].record.tensors[2].strides[0]",
        "contractions[0].auxiliaries[0].indices[0]",
        "program.tensors[0].record.extents[1]", "program.steps[0].inputs[1]",
        "program.steps[0].product.record.alpha.value", "program.results[0]"})
    EXPECT_EQ(changing.count(name), 1u) << name;
}

TEST(HostCacheTest, KeysDependOnEachOptionOfCodeForCpus) {
  Source source = example();
  CompileOptions options;
  options.threads = 3;
  options.tuned = "tuned";
  // The machine stands for the file that describes it.
  auto make = [&] {
    return makeCacheKey(source, options, "cpu" + options.targetFile,
                        options.tuned.value_or(""));
  };
  const std::string key = make();
  std::set<std::string> keys = {key};
  Names changing, others;
  visitOptions<CompileOptions>([&](const auto &option) {
    forEachChange(option.get(options), std::string(option.info.name),
                  FieldUse::Meaning, [&](const std::string &name, FieldUse) {
                    std::string changed = make();
                    EXPECT_TRUE(changed == key || keys.insert(changed).second)
                        << name;
                    (changed == key ? others : changing).insert(name);
                  });
  });
  EXPECT_EQ(make(), key);
  EXPECT_EQ(changing,
            Names({"target-file", "schedule", "tuned", "memory-limit",
                   "search-milliseconds", "sum-operands", "threads", "strategy",
                   "workspace-limit", "tile-chains", "library-calls"}));
  // Options of kernels for GPUs.
  EXPECT_EQ(others, Names({"refine", "fuse-accumulations", "fuse-chains",
                           "any-alignment", "dynamic-shapes"}));
}

TEST(HostCacheTest, NumbersInKeysAreExact) {
  Source source = example();
  CompileOptions options;
  auto key = [&](model::Constant alpha) {
    source.contractions[0].record.alpha.value = alpha;
    return makeCacheKey(source, options, "cpu");
  };
  EXPECT_NE(key(0.1), key(0.1 + 1e-16));
  EXPECT_NE(key(model::Constant::ofInteger((int64_t(1) << 53) + 1)),
            key(model::Constant::ofInteger(int64_t(1) << 53)));
  EXPECT_NE(key({1.5, 2}), key({1.5, -2}));
}

/// C[i,j] = sum over k of A[i,k] * B[k,j].
Source productOf(int64_t extent) {
  Source source;
  source.name = "product";
  notation::ParsedContraction &contraction = source.contractions.emplace_back();
  contraction.name = "product";
  auto tensor = [&](std::vector<std::string> labels) {
    return model::TensorRecord{model::ElementType::F64,
                               std::move(labels),
                               {extent, extent},
                               {extent, 1}};
  };
  model::ContractionRecord &record = contraction.record;
  record.tensors[model::Tensor::A] = tensor({"i", "k"});
  record.tensors[model::Tensor::B] = tensor({"k", "j"});
  record.tensors[model::Tensor::C] = tensor({"i", "j"});
  return source;
}

TEST(HostCacheTest, CodeThatIsSlowerIsNotLoaded) {
  const TemporaryFolder folder;
  HostCacheOptions cache;
  cache.cacheFolder = folder.name();
  CompileOptions options;
  options.threads = 1;
  const Source source = productOf(20);
  auto look = [&](const Source &of, const std::string &kernels) {
    FoundCode found = findCompiled(of, options, cache, kernels);
    return std::pair(found.program.has_value(), found.faster);
  };
  using Looked = std::pair<bool, Faster>;

  // It may be known before there is code, as when that has been evicted.
  EXPECT_EQ(look(source, "new"), Looked(false, Faster::Unknown));
  keepFaster(source, options, cache, "new", Faster::Code);
  EXPECT_EQ(look(source, "new"), Looked(false, Faster::Code));
  ASSERT_TRUE(compileOrFind(source, options, cache));
  EXPECT_EQ(look(source, "new"), Looked(true, Faster::Code));

  // Nothing is known of other kernels, shapes and options.
  EXPECT_EQ(look(source, "old"), Looked(true, Faster::Unknown));
  keepFaster(source, options, cache, "old", Faster::Ahead);
  EXPECT_EQ(look(source, "old"), Looked(false, Faster::Ahead));
  EXPECT_EQ(look(source, "new"), Looked(true, Faster::Code));
  EXPECT_EQ(look(productOf(21), "old"), Looked(false, Faster::Unknown));
  options.threads = 2;
  EXPECT_EQ(look(source, "old"), Looked(false, Faster::Unknown));
  options.threads = 1;

  // The code is there nevertheless.
  Result<LoadedProgram> wanted = compileOrFind(source, options, cache);
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->outcome, CacheOutcome::Hit);

  std::filesystem::remove_all(folder.name());
  EXPECT_EQ(look(source, "old"), Looked(false, Faster::Unknown));
  cache.cacheFolder = "off";
  keepFaster(source, options, cache, "old", Faster::Ahead);
  EXPECT_EQ(look(source, "old"), Looked(false, Faster::Unknown));
}

} // namespace
