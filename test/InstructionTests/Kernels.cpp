//===- Kernels.cpp - Kernels of instruction tests -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include <algorithm>
#include <cctype>
#include <map>

using namespace tc;
using namespace tc::isa;

/// The least target that today's assemblers know.
static constexpr unsigned minTarget = 75;

/// The first version of the language that knows a target.
static std::array<unsigned, 2> versionOf(unsigned sm) {
  static const std::map<unsigned, std::array<unsigned, 2>> versions = {
      {75, {6, 3}}, {80, {7, 0}}, {86, {7, 1}},
      {89, {7, 8}}, {90, {7, 8}}, {100, {8, 6}}};
  auto found = versions.lower_bound(sm);
  return found == versions.end() ? std::array<unsigned, 2>{8, 7}
                                 : found->second;
}

std::string tc::isa::operandName(std::size_t number) {
  return std::string("%") + "abcefgijklmoqrstu"[number];
}
std::string tc::isa::resultName(std::size_t number) {
  return number == 0 ? "%d" : "%d" + std::to_string(number);
}
static std::string displaced(const char *base, std::size_t number) {
  return std::string("[") + base + "+" + std::to_string(8 * number) + "]";
}

/// A kernel that applies an instruction to each row; `lines` are those of the
/// code, the first line of the text being number 1.
static std::string kernelOf(const Instruction &test, const std::string &entry,
                            std::array<unsigned, 2> &lines) {
  std::string text = ".visible .entry " + entry +
                     "(.param .u64 in, .param .u64 out, .param .align 32 .b8 "
                     "bytes[" +
                     std::to_string(parameterBytes) + "]) {\n";
  text += ".reg .b64 %in, %out, %offset, %w<8>;\n"
          ".reg .b32 %row, %ctas, %threads, %n<8>;\n"
          ".reg .b16 %h<8>;\n.reg .pred %p<8>;\n";
  for (std::size_t i = 0; i < test.operands.size(); ++i)
    text += ".reg ." + test.operands[i].type.registerName() + " " +
            operandName(i) + ";\n";
  if (!test.storesResults)
    for (std::size_t i = 0; i < test.results.size(); ++i)
      text += ".reg ." + test.results[i].registerName() + " " + resultName(i) +
              ";\n";
  text += test.declarations;
  text += "mov.u32 %row, %tid.x;\nmov.u32 %ctas, %ctaid.x;\n"
          "mad.lo.u32 %row, %ctas, " +
          std::to_string(blockSize) +
          ", %row;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n";
  text += "mul.wide.u32 %offset, %row, " +
          std::to_string(8 * test.operands.size()) +
          ";\nadd.u64 %in, %in, %offset;\n";
  text += "mul.wide.u32 %offset, %row, " +
          std::to_string(8 * test.results.size()) +
          ";\nadd.u64 %out, %out, %offset;\n";
  for (std::size_t i = 0; i < test.operands.size(); ++i) {
    const Type &type = test.operands[i].type;
    if (type.isPredicate())
      text += "ld.global.u32 %threads, " + displaced("%in", i) +
              ";\nsetp.ne.u32 " + operandName(i) + ", %threads, 0;\n";
    else
      text += "ld.global.b" + std::to_string(std::max(type.width(), 16u)) +
              " " + operandName(i) + ", " + displaced("%in", i) + ";\n";
  }
  text += test.setup;
  auto countLines = [&] {
    return 1 +
           static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
  };
  lines[0] = countLines();
  text += test.code + "\n";
  lines[1] = countLines() - 1;
  text += test.epilogue;
  if (!test.storesResults)
    for (std::size_t i = 0; i < test.results.size(); ++i) {
      const Type &type = test.results[i];
      std::string place = displaced("%out", i);
      if (type.isPredicate())
        text += "selp.u32 %threads, 1, 0, " + resultName(i) +
                ";\nst.global.u32 " + place + ", %threads;\n";
      else
        text += "st.global.b" + std::to_string(type.width()) + " " + place +
                ", " + resultName(i) + ";\n";
    }
  return text + "ret;\n}\n";
}

/// The constant memory of a module.
static std::string constantTable() {
  std::string text =
      ".const .align 32 .b8 table[" + std::to_string(parameterBytes) + "] = {";
  for (unsigned i = 0; i < parameterBytes; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(parameterByte(i));
  return text + "};\n";
}

static std::string identifierOf(const std::string &name, std::size_t number) {
  std::string identifier = "t" + std::to_string(number) + "_";
  for (char c : name)
    identifier += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return identifier;
}

std::vector<TestModule>
tc::isa::makeModules(const std::vector<Instruction> &tests) {
  std::vector<TestModule> modules;
  std::map<std::string, std::size_t> numbers;
  std::map<std::string, std::array<unsigned, 2>> versions;
  for (const Instruction &test : tests) {
    unsigned sm = std::max(test.sm, minTarget);
    // A test that stops its kernel is alone in its module.
    std::string name = test.section.number + "-sm_" + std::to_string(sm) +
                       (test.stopsWith.empty() ? "" : "-stops");
    auto [found, isNew] = numbers.emplace(name, modules.size());
    if (isNew) {
      modules.emplace_back();
      modules.back().name = name;
      modules.back().sm = sm;
    }
    modules[found->second].instructions.push_back(&test);
    std::array<unsigned, 2> &version = versions[name];
    version = std::max({version, test.ptx, versionOf(sm)});
  }
  for (TestModule &module : modules) {
    std::array<unsigned, 2> version = versions[module.name];
    module.text = ".version " + std::to_string(version[0]) + "." +
                  std::to_string(version[1]) + "\n.target sm_" +
                  std::to_string(module.sm) + "\n.address_size 64\n";
    if (std::any_of(
            module.instructions.begin(), module.instructions.end(),
            [](const Instruction *test) { return test->readsConstants; }))
      module.text += constantTable();
    for (std::size_t i = 0; i < module.instructions.size(); ++i) {
      const Instruction &test = *module.instructions[i];
      module.entries.push_back(identifierOf(test.name, i));
      module.lines.emplace_back();
      auto before = static_cast<unsigned>(
          std::count(module.text.begin(), module.text.end(), '\n'));
      module.text += kernelOf(test, module.entries.back(), module.lines.back());
      for (unsigned &line : module.lines.back())
        line += before;
    }
  }
  return modules;
}

std::vector<Bits> tc::isa::packRows(const std::vector<Row> &rows) {
  std::vector<Bits> packed;
  for (const Row &row : rows)
    packed.insert(packed.end(), row.begin(), row.end());
  return packed;
}

std::vector<std::byte> tc::isa::parameterBlock() {
  std::vector<std::byte> bytes;
  for (unsigned i = 0; i < parameterBytes; ++i)
    bytes.push_back(std::byte(parameterByte(i)));
  return bytes;
}

Result<std::vector<Bits>> tc::isa::simulate(const sim::Module &parsed,
                                            const TestModule &module,
                                            std::size_t number) {
  const Instruction &test = *module.instructions[number];
  std::vector<Row> rows = rowsOf(test);
  std::vector<Bits> in = packRows(rows);
  std::vector<Bits> out(rows.size() * test.results.size());
  auto buffer = [](const char *name, std::vector<Bits> &data, bool isWritable) {
    return sim::GlobalBuffer{name, reinterpret_cast<std::byte *>(data.data()),
                             data.size() * sizeof(Bits), isWritable};
  };
  std::vector<sim::GlobalBuffer> buffers = {buffer("in", in, false),
                                            buffer("out", out, true)};
  buffers[1].isWrittenOnce = true;
  sim::LaunchConfig config;
  config.grid[0] = static_cast<std::uint32_t>(rows.size() / blockSize);
  config.block[0] = blockSize;
  std::vector<std::byte> bytes = parameterBlock();
  Result<sim::Counters> counters = sim::launch(
      parsed, module.entries[number], config, buffers,
      {sim::KernelArgument::address(0), sim::KernelArgument::address(1),
       sim::KernelArgument::bytes(bytes.data(), bytes.size())});
  if (!counters)
    return Error{counters.error()};
  return out;
}
