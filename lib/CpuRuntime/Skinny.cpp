//===- Skinny.cpp - Runs of sums that are read once -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Factors.h"
#include "SkinnyTask.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;

int64_t SkinnyPlan::vectorCount() const { return countOf(vectors); }

Outcome SkinnyPlan::run(const void *a, const void *b, void *c,
                        const void *alpha, const void *beta,
                        const Team &team) const {
  if (isExchanged)
    std::swap(a, b);
  // Operands are only read through this.
  auto firstOf = [&](Tensor t, const void *pointer) {
    return static_cast<char *>(const_cast<void *>(pointer)) +
           offset[t] * bytes[t];
  };
  SkinnyCall call = {
      *this,
      {{firstOf(Tensor::A, a), firstOf(Tensor::B, b), firstOf(Tensor::C, c)}},
      alpha ? alpha : oneOf(real),
      beta,
      nullptr,
      beta && !isNumber(real, parts == 2, beta, 0)};
  // The second operand, if it is one number.
  alignas(16) char factor[16] = {};
  if (!hasSecond) {
    load[1]({call.base[Tensor::B], 0, 0, 1, 1, false,
             conjugates[Tensor::B] && isComplex[Tensor::B]},
            factor);
    if (!isNumber(real, parts == 2, factor, 1))
      call.factor = factor;
  }
  call.isPlain = !call.factor && !call.reads &&
                 (!alpha || isNumber(real, parts == 2, alpha, 1));
  const int64_t perTask = taskBytes,
                ofParts = sumParts > 1 ? sumBytes * sumParts : 0;
  auto runAll = [&](char *memory, int64_t most) {
    char *all = memory + most * perTask;
    if (sumParts == 1)
      return team.run(threads, most, [&](int64_t number, int64_t thread) {
        SkinnyTask task(call, memory + thread * perTask);
        const int64_t end = resultBlocks * (number + 1) / threads;
        for (int64_t i = resultBlocks * number / threads; i < end; ++i) {
          task.addUp(i, {0, tiles});
          task.finish();
        }
      });
    for (int64_t block = 0; block < resultBlocks; ++block) {
      team.run(sumParts, most, [&](int64_t number, int64_t thread) {
        SkinnyTask task(call, memory + thread * perTask);
        const int64_t first = tiles * number / sumParts;
        task.addUp(block, {first, tiles * (number + 1) / sumParts - first});
        task.settle();
        std::memcpy(all + number * sumBytes, task.sums(),
                    static_cast<size_t>(sumBytes));
      });
      SkinnyTask task(call, memory);
      task.addUpParts(block, all);
      task.finish();
    }
  };
  constexpr int64_t small = 1 << 14;
  int64_t most = std::min(threads, team.size());
  if (most * perTask + ofParts <= small) {
    alignas(Pieces::line) char memory[small];
    runAll(memory, most);
    return Outcome::Done;
  }
  void *memory = nullptr;
  // Fewer threads take less.
  for (; most > 0 && !memory; most = memory ? most : most / 2)
    memory = std::aligned_alloc(
        static_cast<size_t>(Pieces::line),
        static_cast<size_t>(ceilDivide(most * perTask + ofParts, Pieces::line) *
                            Pieces::line));
  if (!memory)
    return Outcome::OutOfMemory;
  runAll(static_cast<char *>(memory), most);
  std::free(memory);
  return Outcome::Done;
}
