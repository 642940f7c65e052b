//===- ContractionRecordTest.cpp - The normal form of a record ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/ContractionRecord.h"
#include "ValueChanges.h"

#include <gtest/gtest.h>
#include <set>

using namespace tc;
using namespace tc::model;

namespace {

/// The product of a half and a single precision matrix, A with a diagonal,
/// whose shape is known at launch.
ContractionRecord example() {
  ContractionRecord record;
  record.tensors[Tensor::A] = {
      ElementType::F16, {"i", "k", "k"}, {4, 8, 8}, {100, 8, 1}, 3, 2};
  record.tensors[Tensor::B] = {
      ElementType::F32, {"k", "j", "b"}, {8, 5, 1}, {5, 1, 7}, 0, 0};
  record.tensors[Tensor::C] = {
      ElementType::F32, {"j", "i", "b"}, {5, 4, 1}, {4, 1, 9}, 1, 4};
  record.factorType = ElementType::F32;
  record.hasEpilogue = true;
  record.userSemiring.padding = {{Fill::Zero, Fill::One, Fill::Zero}};
  record.runTime = DynamicShape{16, 32};
  return record;
}

TEST(ContractionRecordTest, HasTheNormalFormOfItsTensors) {
  ContractionRecord record = example();
  record.runTime.reset();
  Contraction contraction = contractionOf(record);
  ASSERT_EQ(contraction.indices.size(), 4u);
  const struct {
    const char *label;
    int64_t extent;
    Role role;
    PerTensor<int64_t> stride;
  } expected[] = {{"j", 5, Role::N, {{0, 1, 4}}},
                  {"i", 4, Role::M, {{100, 0, 1}}},
                  // Nothing lies along an extent of one.
                  {"b", 1, Role::N, {{0, 0, 0}}},
                  // A diagonal.
                  {"k", 8, Role::K, {{9, 5, 0}}}};
  for (size_t i = 0; i < 4; ++i) {
    const Index &index = contraction.indices[i];
    EXPECT_EQ(index.label, expected[i].label);
    EXPECT_EQ(index.extent, expected[i].extent) << index.label;
    EXPECT_EQ(index.role, expected[i].role) << index.label;
    EXPECT_EQ(index.stride, expected[i].stride) << index.label;
  }
  // Unless it is an argument.
  Index last = contractionOf(example()).indices[2];
  EXPECT_EQ(last.stride, (PerTensor<int64_t>{{0, 7, 9}}));
}

TEST(ContractionRecordTest, NormalFormTellsEachField) {
  ContractionRecord record = example();
  const std::string key = keyOf(contractionOf(record));
  std::set<std::string> untold;
  forEachChange(record, [&](const std::string &name, FieldUse) {
    // The lists of a tensor have one length.
    for (const TensorRecord &tensor : record.tensors)
      if (tensor.labels.size() + tensor.extents.size() +
              tensor.strides.size() !=
          9)
        return;
    if (keyOf(contractionOf(record)) == key)
      untold.insert(name);
  });
  // An extent is that of the first tensor that has the index. The normal form
  // tells that C is read, not by what; no numbers; and what is done, not what
  // is allowed.
  for (const char *name :
       {"tensors[0].extents[0]", "tensors[0].extents[2]",
        "tensors[1].extents[0]", "tensors[1].extents[1]",
        "tensors[1].extents[2]", "identity", "alpha.value", "alpha.is_argument",
        "beta.value", "beta.is_argument", "allow_three_products"})
    EXPECT_EQ(untold.erase(name), 1u) << name;
  EXPECT_EQ(untold, std::set<std::string>());
}

TEST(ContractionRecordTest, TellsWhatNeedsWholeSums) {
  ContractionRecord record = example();
  auto needsThem = [&] { return contractionOf(record).needsWholeSums; };
  EXPECT_FALSE(needsThem());
  record.epilogueReadsC = true;
  EXPECT_TRUE(needsThem());
  record.hasEpilogue = false;
  EXPECT_FALSE(needsThem());
  record.tensors[Tensor::C].type = ElementType::F16;
  EXPECT_TRUE(needsThem());
  record.tensors[Tensor::C].type = ElementType::F32;
  record.alpha = {2.0, false};
  EXPECT_FALSE(needsThem());
  // A maximum of sums is not scaled by scaling what they are of, if that may
  // be negative.
  record.semiring = Semiring::MaxTimes;
  EXPECT_TRUE(needsThem());
  record.alpha = {1.0, false};
  EXPECT_FALSE(needsThem());
  record.alpha.isArgument = true;
  EXPECT_TRUE(needsThem());
}

} // namespace
