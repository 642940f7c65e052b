//===- KernelRecordTest.cpp - Kernels and records of contractions ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/KernelRecord.h"
#include "Problem/ValueChanges.h"
#include "tc/Package/PackageFields.h"

#include <gtest/gtest.h>
#include <set>

using namespace tc;
using model::Tensor;

namespace {

TEST(KernelRecordTest, KernelsTellEachField) {
  model::ContractionRecord record;
  record.tensors[Tensor::A] = {
      model::ElementType::F16, {"i", "k"}, {4, 8}, {8, 1}, 3, 0};
  record.tensors[Tensor::B] = {
      model::ElementType::F16, {"k", "j"}, {8, 5}, {5, 1}, 0, 0};
  record.tensors[Tensor::C] = {
      model::ElementType::F32, {"j", "i"}, {5, 4}, {4, 1}, 1, 0};
  record.factorType = model::ElementType::F16;
  record.identity = 0.5;
  const std::string key = keyOf(runtime::kernelOf(record));
  std::set<std::string> untold;
  forEachChange(record, [&](const std::string &name, FieldUse) {
    if (keyOf(runtime::kernelOf(record)) == key)
      untold.insert(name);
  });
  // Fields that follow from the texts of fused code and from the launch, fields
  // that no tensor C has, and a permission, which says nothing of the kernel
  // itself.
  EXPECT_EQ(
      untold,
      std::set<std::string>(
          {"allow_three_products", "tensors[0].base_alignment",
           "tensors[1].base_alignment", "tensors[2].base_alignment",
           "user_semiring.operations", "user_semiring.padding", "conjugates[2]",
           "prologues[0]", "prologues[1]", "prologues[2]", "epilogue",
           "epilogue_reads_c", "term", "dynamic_shape"}));
}

TEST(KernelRecordTest, RecordsOfKernelsAreTheirs) {
  model::ContractionRecord record;
  for (model::TensorRecord &tensor : record.tensors)
    tensor = {model::ElementType::F16, {"i"}, {4}, {1}, 0, 0};
  record.factorType = model::ElementType::F16;
  auto expectSame = [&] {
    EXPECT_EQ(keyOf(runtime::recordOf(runtime::kernelOf(record))),
              keyOf(record));
  };
  expectSame();
  record.readsC = record.reducesC = true;
  record.alpha = {0.0, true};
  record.beta = {1.5, false};
  record.conjugates = {{false, true, false}};
  record.precision = model::Precision::BF16x3;
  record.semiring = model::Semiring::MinPlus;
  record.factorType = model::ElementType::F32;
  expectSame();
  // A real number by a complex one.
  record.tensors[Tensor::A].type = model::ElementType::F64;
  record.tensors[Tensor::B].type = model::ElementType::C64;
  record.tensors[Tensor::C].type = model::ElementType::C64;
  record.factorType = model::ElementType::C64;
  expectSame();
}

} // namespace
