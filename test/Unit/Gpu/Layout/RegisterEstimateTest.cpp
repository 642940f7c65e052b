//===- RegisterEstimateTest.cpp - Estimates of registers ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the estimate of the fragments that ptxas loads ahead, by kernels for
// which it took more registers than sums and fragments explain.
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Layout/KernelLayout.h"
#include "tc/Problem/ComplexParts.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

int64_t registersOf(const Contraction &contraction, const Schedule &schedule) {
  Result<KernelLayout> layout = layOut(contraction, schedule, target("sm_90"));
  if (!layout) {
    ADD_FAILURE() << layout.error();
    return 0;
  }
  return layout->registers;
}

// The next columns are loaded while instructions multiply. ptxas 13.0 takes 176
// and more registers for such tiles, so that a multiprocessor holds one block
// of 192 threads.
TEST(RegisterEstimate, ColumnsOfHalvesAndTF32) {
  Schedule schedule{"sm_90", {{"m", 128}}, {{"n", 144}}, {{"k", 32}}, 16, 6};
  std::vector<std::pair<std::string, int64_t>> extents = {
      {"m", 1280}, {"n", 1440}, {"k", 320}};
  schedule.instruction = Instruction::MmaM16N8K16;
  int64_t halves = registersOf(
      contract("km", "nk", "mn", extents, ElementType::F16), schedule);
  EXPECT_GT(halves, 168);
  EXPECT_LE(halves, 184);

  schedule.instruction = Instruction::MmaM16N8K8;
  Contraction rounded = contract("mk", "nk", "mn", extents, ElementType::F32);
  rounded.precision = Precision::TF32;
  int64_t words = registersOf(rounded, schedule);
  EXPECT_GT(words, 168);
  EXPECT_LE(words, 184);
}

// Of complex numbers, all fragments are, if a part of the threads copies those
// that are turned, and there is more than one step of products: ptxas 13.0
// spills with tiles of 6 values of k.
TEST(RegisterEstimate, ComplexNumbersThatSomeThreadsCopy) {
  Result<Contraction> numbers =
      makeContiguous({{labels("km"), labels("nk"), labels("nm")}},
                     {{"m", 96}, {"n", 96}, {"k", 96}}, ElementType::C64);
  ASSERT_TRUE(numbers);
  Contraction real = toRealParts(std::move(*numbers));
  auto scheduleOf = [](int64_t k) {
    Schedule schedule{"sm_90",
                      {{"m", 96}},
                      {{"n", 48}, {"re_im", 2}},
                      {{"k", k}, {"re_im_k", 2}},
                      6,
                      12};
    schedule.instruction = Instruction::MmaM16N8K4;
    return schedule;
  };
  // All of the 128 threads copy three numbers each.
  int64_t whole = registersOf(real, scheduleOf(8));
  EXPECT_GT(registersOf(real, scheduleOf(4)), whole);
  EXPECT_LE(whole, 255);
  Result<KernelLayout> spilling = layOut(real, scheduleOf(6), target("sm_90"));
  ASSERT_FALSE(spilling);
  EXPECT_NE(spilling.error().find("registers"), std::string::npos)
      << spilling.error();
}

// A prologue works on the numbers of an access, and makes as many: ptxas 13.0
// spills without room for both.
TEST(RegisterEstimate, NumbersThatProloguesMake) {
  Contraction numbers = contract(
      "ki", "kj", "ij", {{"i", 512}, {"j", 512}, {"k", 512}}, ElementType::F32);
  Schedule schedule{"sm_75", {{"i", 64}}, {{"j", 64}}, {{"k", 16}}, 4, 4};
  Result<KernelLayout> plain = layOut(numbers, schedule, target("sm_75"));
  ASSERT_TRUE(plain);
  ASSERT_TRUE(plain->a.passesRegisters());
  EXPECT_EQ(plain->a.width, 4);
  numbers.hasPrologue[Tensor::A] = true;
  Result<KernelLayout> worked = layOut(numbers, schedule, target("sm_75"));
  ASSERT_TRUE(worked);
  EXPECT_EQ(worked->registers, plain->registers + 2 * 4);
}

// A persistent block loads elements that it adds to ahead: ptxas 13.0 takes 252
// registers for 64 sums in f64, and no more than 210 if it adds to none.
TEST(RegisterEstimate, ElementsThatABlockThatWalksAddsTo) {
  Contraction numbers =
      contract("ik", "kj", "ij", {{"i", 1024}, {"j", 1024}, {"k", 16}});
  Schedule schedule{"sm_90", {{"i", 128}}, {{"j", 128}}, {{"k", 16}}, 8, 8};
  schedule.instruction = Instruction::MmaM16N8K8;
  schedule.mapping.stationary = Stationary::A;
  schedule.mapping.tilesPerBlock = 8;
  numbers.readsC = false;
  int64_t without = registersOf(numbers, schedule);
  EXPECT_GE(without, 210);
  EXPECT_LE(without, 255);
  numbers.readsC = true;
  EXPECT_FALSE(layOut(numbers, schedule, target("sm_90")));
}

} // namespace
