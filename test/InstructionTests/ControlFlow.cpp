//===- ControlFlow.cpp - Tests of branches and ends -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.12 and trap. Guards differ from lane to lane.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Type b32 = typeOf("b32"), predicate = typeOf("pred");

static Section controlFlow(int number, const std::string &name) {
  return {"9.7.12." + std::to_string(number),
          "Control Flow Instructions: " + name};
}

void tc::isa::addControlFlow(Table &table) {
  auto chosen = [](const Row &row) {
    return Expected(row[1] != 0 ? row[0] : 7);
  };
  for (const char *guard : {"@%b", "@!%b"}) {
    Instruction &test =
        addTest(table, controlFlow(2, "@"), std::string(guard) + " mov.b32",
                b32, {b32, predicate}, nullptr);
    bool isNegated = guard[1] == '!';
    test.setup = "mov.b32 %d, 7;\n";
    test.code = std::string(guard) + " mov.b32 %d, %a;";
    test.reference = laneByLane([=](const Row &row) {
      return Expected((row[1] != 0) != isNegated ? row[0] : 7);
    });
  }
  Instruction &branch = addTest(table, controlFlow(3, "bra"), "bra", b32,
                                {b32, predicate}, chosen);
  branch.setup = "mov.b32 %d, %a;\n";
  branch.code = "@%b bra JOIN;";
  branch.epilogue = "mov.b32 %d, 7;\nJOIN:\n";
  Instruction &uniform =
      addTest(table, controlFlow(3, "bra"), "bra.uni", b32, {b32},
              [](const Row &row) { return Expected(row[0]); });
  uniform.setup = "mov.b32 %d, %a;\n";
  uniform.code = "bra.uni JOIN;";
  uniform.epilogue = "mov.b32 %d, 7;\nJOIN:\n";

  // Threads that end leave their word as it was.
  for (const char *name : {"ret", "ret.uni", "exit"}) {
    bool isRet = name[0] == 'r';
    Instruction &test =
        addTest(table, isRet ? controlFlow(6, "ret") : controlFlow(7, "exit"),
                name, b32, {b32, predicate}, [](const Row &row) {
                  return Expected(row[1] != 0 ? 0 : row[0]);
                });
    if (name == std::string("ret.uni")) {
      test.operands[1].values = {1};
      test.code = "ret.uni;";
    } else {
      test.code = std::string("@%b ") + name + ";";
    }
    test.epilogue = "mov.b32 %d, %a;\n";
  }

  Instruction &trap =
      addTest(table, {"9.7.19.4", "Miscellaneous Instructions: trap"}, "trap",
              b32, {b32, predicate}, nullptr);
  trap.code = "@%b trap;";
  trap.epilogue = "mov.b32 %d, %a;\n";
  trap.stopsWith = "trap";
  trap.agreement = "stops";
}
