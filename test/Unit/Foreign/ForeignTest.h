//===- ForeignTest.h - Descriptions for tests -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_FOREIGN_FOREIGNTEST_H
#define TC_TEST_UNIT_FOREIGN_FOREIGNTEST_H

#include "tc/Foreign/Simulation.h"

#include <gtest/gtest.h>

namespace tc::foreign::test {

/// A description with these buffers, arguments and checks, each the text of a
/// list, of a kernel that is launched once in 2 blocks of 32 threads.
inline std::string describe(const std::string &buffers,
                            const std::string &arguments,
                            const std::string &checks = "",
                            const std::string &others = "") {
  return R"({"format": "tc-foreign-ptx", "version": 1, "name": "test",
  "code": "k.ptx", "buffers": [)" +
         buffers + R"(], "launches": [{"entry": "k", "grid": [2, 1, 1],
  "block": [32, 1, 1], "arguments": [)" +
         arguments + "]}]" +
         (checks.empty() ? "" : ", \"checks\": [" + checks + "]") + others +
         "}";
}

} // namespace tc::foreign::test

#endif // TC_TEST_UNIT_FOREIGN_FOREIGNTEST_H
