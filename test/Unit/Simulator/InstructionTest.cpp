//===- InstructionTest.cpp - Every instruction against its definition -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the table of test/InstructionTests in the simulator and has ptxas
// assemble it. An opcode that no test of the table executes is an error.
//
//===----------------------------------------------------------------------===//

#include "../../InstructionTests/ExactNumber.h"
#include "Program.h"
#include "Support/TemporaryFolder.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

using namespace tc;
using namespace tc::isa;

static const std::vector<TestModule> &allModules() {
  static const std::vector<TestModule> modules = makeModules(allInstructions());
  return modules;
}

namespace {
class InstructionTest : public testing::TestWithParam<std::size_t> {
protected:
  const TestModule &module() const { return allModules()[GetParam()]; }
};
} // namespace

TEST_P(InstructionTest, GivesWhatIsDefined) {
  Result<sim::Module> parsed =
      sim::Module::parse(module().text, module().name + ".ptx");
  ASSERT_TRUE(parsed) << parsed.error();
  for (std::size_t i = 0; i < module().instructions.size(); ++i) {
    const Instruction &test = *module().instructions[i];
    Result<std::vector<Bits>> results = simulate(*parsed, module(), i);
    if (!test.stopsWith.empty()) {
      ASSERT_FALSE(results) << test.name;
      EXPECT_NE(results.error().find(test.stopsWith), std::string::npos)
          << results.error();
      continue;
    }
    ASSERT_TRUE(results) << test.name << ": " << results.error();
    Verdict verdict = judge(test, rowsOf(test), *results, /*isSimulator=*/true);
    EXPECT_EQ(verdict.wrong, 0u)
        << test.name << " is wrong in " << verdict.wrong << " of "
        << verdict.results << " results: " << verdict.firstWrong;
  }
}

/// The assembler, or nothing.
static std::string findAssembler() {
  std::string folders = "/usr/local/cuda/bin";
  if (const char *path = std::getenv("PATH"))
    folders = std::string(path) + ":" + folders;
  for (std::size_t begin = 0; begin <= folders.size();) {
    std::size_t end = std::min(folders.find(':', begin), folders.size());
    std::filesystem::path candidate =
        std::filesystem::path(folders.substr(begin, end - begin)) / "ptxas";
    if (std::filesystem::exists(candidate))
      return candidate;
    begin = end + 1;
  }
  return "";
}

TEST_P(InstructionTest, Assembles) {
  std::string assembler = findAssembler();
  if (assembler.empty())
    GTEST_SKIP() << "ptxas is neither in PATH nor in /usr/local/cuda/bin";
  const TemporaryFolder folder;
  const std::string base = folder.path(module().name);
  std::ofstream(base + ".ptx") << module().text;
  std::string command = assembler + " -O0 -arch=sm_" +
                        std::to_string(module().sm) + " -o " + base +
                        ".cubin " + base + ".ptx > " + base + ".log 2>&1";
  int status = std::system(command.c_str());
  std::ifstream log(base + ".log");
  std::string messages((std::istreambuf_iterator<char>(log)), {});
  EXPECT_EQ(status, 0) << command << "\n" << messages;
}

INSTANTIATE_TEST_SUITE_P(Table, InstructionTest,
                         testing::Range(std::size_t(0), allModules().size()),
                         [](const testing::TestParamInfo<std::size_t> &info) {
                           std::string name = allModules()[info.param].name;
                           for (char &c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return "section_" + name;
                         });

TEST(InstructionTable, HasEveryOpcode) {
  static const char *const names[] = {
#define TC_SIM_OPCODE(NAME, ...) #NAME,
#include "Opcodes.def"
  };
  std::set<std::size_t> tested;
  for (const TestModule &module : allModules()) {
    Result<sim::Module> parsed =
        sim::Module::parse(module.text, module.name + ".ptx");
    ASSERT_TRUE(parsed) << parsed.error();
    const std::vector<sim::Kernel> &kernels = parsed->impl().kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i)
      for (std::size_t j = 0; j < kernels[i].code.size(); ++j) {
        unsigned line = kernels[i].source[j].line;
        if (line >= module.lines[i][0] && line <= module.lines[i][1])
          tested.insert(static_cast<std::size_t>(kernels[i].code[j].opcode));
      }
  }
  for (std::size_t i = 0; i < std::size(names); ++i)
    EXPECT_TRUE(tested.count(i))
        << "no test in test/InstructionTests executes the opcode " << names[i];
}

//===----------------------------------------------------------------------===//
// The references' own arithmetic, against the host's
//===----------------------------------------------------------------------===//

static Bits bitsOf(double value) {
  Bits bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
static Bits bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
static ExactNumber exact(double value) {
  return ExactNumber::decode(bitsOf(value), binary64);
}

TEST(ExactNumber, RoundsAsTheHost) {
  const double values[] = {0.0,       -0.0,
                           1.0,       -1.5,
                           1.0 / 3,   0x1p-1074,
                           0x1p-1022, 0x1.fffffffffffffp1023,
                           0x1p53,    0x1.8p-600,
                           -7e250,    0x1.0000000000001p0,
                           0x1p-30,   -0x1.fffffffffffffp-1};
  for (double a : values) {
    EXPECT_EQ(squareRoot(exact(std::fabs(a))).encode(binary64),
              bitsOf(std::sqrt(std::fabs(a))));
    EXPECT_EQ(exact(a).encode(binary32), bitsOf(static_cast<float>(a)));
    EXPECT_EQ(exact(a).toInteger(Round::NearestEven).encode(binary64),
              bitsOf(std::nearbyint(a)));
    for (double b : values) {
      EXPECT_EQ((exact(a) + exact(b)).encode(binary64), bitsOf(a + b));
      EXPECT_EQ((exact(a) * exact(b)).encode(binary64), bitsOf(a * b));
      if (b != 0)
        EXPECT_EQ((exact(a) / exact(b)).encode(binary64), bitsOf(a / b));
      for (double c : values)
        EXPECT_EQ((exact(a) * exact(b) + exact(c)).encode(binary64),
                  bitsOf(std::fma(a, b, c)))
            << a << " * " << b << " + " << c;
    }
  }
}
