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

#include <filesystem>
#include <fstream>

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

/// A folder that is there while a test runs.
class TemporaryFolder {
public:
  TemporaryFolder() {
    const auto *test = testing::UnitTest::GetInstance()->current_test_info();
    path = std::filesystem::path(testing::TempDir()) /
           (std::string("foreign-") + test->test_suite_name() + "-" +
            test->name());
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }

  std::string name() const { return path.string(); }
  void write(const std::string &file, const std::string &contents) const {
    std::ofstream(path / file, std::ios::binary) << contents;
  }

private:
  std::filesystem::path path;
};

} // namespace tc::foreign::test

#endif // TC_TEST_UNIT_FOREIGN_FOREIGNTEST_H
