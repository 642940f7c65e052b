//===- Votes.cpp - Votes, matches, reductions, hints ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.13.9 to 9.7.13.14, and instructions that change no value.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Type b32 = typeOf("b32"), b64 = typeOf("b64");
static const Type predicate = typeOf("pred");

static Section synchronisation(int number, const std::string &name) {
  return {"9.7.13." + std::to_string(number),
          "Parallel Synchronization and Communication Instructions: " + name};
}

/// Computes the result of a vote from the operands of all lanes of a warp.
using WarpReference = std::function<Bits(const Row *warp)>;

static Instruction &addWarpTest(Table &table, const Section &section,
                                const std::string &name, Type result,
                                Type operand, const WarpReference &reference) {
  Instruction &test = addTest(table, section, name, result, {operand}, nullptr);
  test.sm = 70;
  test.code = name + " %d, %a, 0xffffffff;";
  test.reference = [=](const Thread &thread) {
    return std::vector<Expected>{reference(thread.warp())};
  };
  return test;
}

/// Warps that agree, nearly agree, and differ.
static std::vector<Row> warpsOf(const std::vector<Bits> &values) {
  std::vector<Row> rows;
  for (std::size_t warp = 0; warp < 32; ++warp)
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const std::size_t i = warp % 4 == 0   ? warp / 4
                            : warp % 4 == 1 ? warp / 4 + (lane == warp)
                            : warp % 4 == 2 ? warp / 4 + lane / 16
                                            : warp + lane * 5;
      rows.push_back({values[i % values.size()]});
    }
  return rows;
}

static Bits ballotOf(const Row *warp) {
  Bits votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    votes |= (warp[lane][0] & 1) << lane;
  return votes;
}

void tc::isa::addVotes(Table &table) {
  const Section vote = synchronisation(9, "vote.sync");
  const Bits everyone = 0xffffffff;
  addWarpTest(table, vote, "vote.sync.all.pred", predicate, predicate,
              [=](const Row *warp) { return ballotOf(warp) == everyone; })
      .rows = warpsOf({0, 1, 1, 0});
  addWarpTest(table, vote, "vote.sync.any.pred", predicate, predicate,
              [](const Row *warp) { return ballotOf(warp) != 0; })
      .rows = warpsOf({0, 1, 1, 0});
  addWarpTest(table, vote, "vote.sync.uni.pred", predicate, predicate,
              [=](const Row *warp) {
                return ballotOf(warp) == everyone || ballotOf(warp) == 0;
              })
      .rows = warpsOf({0, 1, 1, 0});
  addWarpTest(table, vote, "vote.sync.ballot.b32", b32, predicate, ballotOf)
      .rows = warpsOf({0, 1, 1, 0});

  const Section match = synchronisation(10, "match.sync");
  for (const Type &type : {b32, b64}) {
    const std::vector<Row> rows = warpsOf(edgesOf(type));
    Instruction &any = addWarpTest(
        table, match, "match.any.sync." + type.name(), b32, type, nullptr);
    any.rows = rows;
    any.reference = [](const Thread &thread) {
      Bits mask = 0;
      for (unsigned lane = 0; lane < 32; ++lane)
        mask |= Bits(thread.warp()[lane][0] == thread.operands()[0]) << lane;
      return std::vector<Expected>{mask};
    };
    Instruction &all = addWarpTest(
        table, match, "match.all.sync." + type.name(), b32, type, nullptr);
    all.rows = rows;
    all.results = {b32, predicate};
    all.code = all.name + " %d|%d1, %a, 0xffffffff;";
    all.reference = [=](const Thread &thread) {
      bool isSame = true;
      for (unsigned lane = 0; lane < 32; ++lane)
        isSame &= thread.warp()[lane][0] == thread.warp()[0][0];
      return std::vector<Expected>{isSame ? everyone : 0, Bits(isSame)};
    };
  }

  using Fold = std::function<Wide(Wide, Wide)>;
  auto addReduction = [&](const std::string &operation,
                          const std::string &typeName, const Fold &fold) {
    const Type type = typeOf(typeName);
    Instruction &test =
        addWarpTest(table, synchronisation(12, "redux.sync"),
                    "redux.sync." + operation + "." + typeName, type, type,
                    [=](const Row *warp) {
                      Wide result = integerOf(warp[0][0], type);
                      for (unsigned lane = 1; lane < 32; ++lane)
                        result = fold(result, integerOf(warp[lane][0], type));
                      return truncated(result, type);
                    });
    test.sm = 80;
    test.ptx = {7, 0};
    test.rows = warpsOf(edgesOf(type));
  };
  for (const char *type : {"u32", "s32"}) {
    addReduction("add", type, [](Wide a, Wide b) { return a + b; });
    addReduction("min", type, [](Wide a, Wide b) { return a < b ? a : b; });
    addReduction("max", type, [](Wide a, Wide b) { return a > b ? a : b; });
  }
  addReduction("and", "b32", [](Wide a, Wide b) { return a & b; });
  addReduction("or", "b32", [](Wide a, Wide b) { return a | b; });
  addReduction("xor", "b32", [](Wide a, Wide b) { return a ^ b; });

  Instruction &elect = addWarpTest(table, synchronisation(14, "elect.sync"),
                                   "elect.sync", b32, b32, nullptr);
  elect.sm = 90;
  elect.ptx = {8, 0};
  elect.operands[0].values = {0};
  elect.results = {b32, predicate};
  elect.code = "elect.sync %d|%d1, 0xffffffff;";
  elect.reference = [](const Thread &thread) {
    return std::vector<Expected>{Expected::unspecified(0),
                                 Expected::unspecified(thread.lane() == 0)};
  };

  Instruction &sleep = addTest(
      table, {"9.7.19.2", "Miscellaneous Instructions: nanosleep"},
      "nanosleep.u32", b32, {b32}, [](const Row &row) { return row[0]; });
  sleep.sm = 70;
  sleep.ptx = {6, 3};
  sleep.code = "nanosleep.u32 20;\nmov.b32 %d, %a;";
}
