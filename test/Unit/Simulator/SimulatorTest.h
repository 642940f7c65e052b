//===- SimulatorTest.h - Helpers of the simulator's tests -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels from a few lines of PTX.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_SIMULATOR_SIMULATORTEST_H
#define TC_TEST_UNIT_SIMULATOR_SIMULATORTEST_H

#include "tc/Simulator/Simulator.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

namespace tc::sim::test {

template <typename T>
GlobalBuffer bufferOf(std::vector<T> &data, const char *name,
                      bool writable = true) {
  return {name, reinterpret_cast<std::byte *>(data.data()),
          data.size() * sizeof(T), writable};
}

inline std::uint64_t f32(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline std::uint64_t f64(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline std::uint64_t s32(std::int32_t value) {
  return static_cast<std::uint32_t>(value);
}
inline std::uint64_t s16(std::int16_t value) {
  return static_cast<std::uint16_t>(value);
}

inline const std::string header = ".version 8.8\n"
                                  ".target sm_90\n"
                                  ".address_size 64\n";

/// A module with one entry `k`, whose body begins on line 5.
inline std::string kernel(const std::string &parameters,
                          const std::string &body) {
  return header + ".visible .entry k(" + parameters + ") {\n" + body + "}\n";
}

/// Runs entry `k` of a module.
inline Result<Counters> runText(const std::string &text,
                                const LaunchConfig &config,
                                std::vector<GlobalBuffer> buffers,
                                const std::vector<KernelArgument> &arguments) {
  Result<Module> module = Module::parse(text, "k.ptx");
  if (!module)
    return Error{module.error()};
  return launch(*module, "k", config, buffers, arguments);
}

/// Applies an instruction from registers %a, %b, ... of the given types to %d,
/// once for each row of operands, and returns the contents of %d. Types are
/// those of `.reg`; predicates come and go as 0 and 1.
inline std::vector<std::uint64_t>
apply(const std::string &instructions, const std::string &resultType,
      const std::vector<std::string> &types,
      const std::vector<std::vector<std::uint64_t>> &rows) {
  std::string body = ".reg .b64 %in, %out, %offset, %wide, %count;\n"
                     ".reg .b32 %thread, %narrow;\n"
                     ".reg .b16 %half;\n";
  body += ".reg ." + resultType + " %d;\n";
  for (std::size_t i = 0; i < types.size(); ++i)
    body += ".reg ." + types[i] + " %" + char('a' + i) + ";\n";
  body += "mov.u32 %thread, %tid.x;\n"
          "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
          "mul.wide.u32 %offset, %thread, " +
          std::to_string(8 * types.size()) +
          ";\nadd.s64 %in, %in, %offset;\n"
          "mul.wide.u32 %offset, %thread, 8;\nadd.s64 %out, %out, %offset;\n";
  auto isPredicate = [](const std::string &type) { return type == "pred"; };
  auto width = [](const std::string &type) { return type.substr(1); };
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::string address = "[%in+" + std::to_string(8 * i) + "];\n";
    std::string name = std::string("%") + char('a' + i);
    if (isPredicate(types[i]))
      body += "ld.global.u32 %narrow, " + address + "setp.ne.u32 " + name +
              ", %narrow, 0;\n";
    else
      body += "ld.global.b" + width(types[i]) + " " + name + ", " + address;
  }
  body += instructions + "\n";
  body += "mov.u64 %wide, 0;\nst.global.u64 [%out], %wide;\n";
  if (isPredicate(resultType))
    body += "selp.u64 %wide, 1, 0, %d;\nst.global.u64 [%out], %wide;\n";
  else
    body += "st.global.b" + width(resultType) + " [%out], %d;\n";

  std::vector<std::uint64_t> in, out(rows.size(), 0xdead);
  for (const std::vector<std::uint64_t> &row : rows)
    in.insert(in.end(), row.begin(), row.end());
  LaunchConfig config;
  config.block = {static_cast<std::uint32_t>(rows.size()), 1, 1};
  Result<Counters> result =
      runText(kernel(".param .u64 in, .param .u64 out", body), config,
              {bufferOf(in, "in", false), bufferOf(out, "out")},
              {KernelArgument::address(0), KernelArgument::address(1)});
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return out;
}

/// The same for a single row.
inline std::uint64_t apply1(const std::string &instructions,
                            const std::string &resultType,
                            const std::vector<std::string> &types,
                            const std::vector<std::uint64_t> &operands) {
  return apply(instructions, resultType, types, {operands})[0];
}

/// The error of a module that must not parse; "" if it does.
inline std::string parseError(const std::string &text) {
  Result<Module> module = Module::parse(text, "k.ptx");
  return module ? "" : module.error();
}

/// The error of a body with one instruction at line 9.
inline std::string instructionError(const std::string &instruction) {
  return parseError(kernel(".param .u64 p, .param .f32 q",
                           ".reg .b32 %r<9>; .reg .b16 %h<9>;\n"
                           ".reg .b64 %rd<9>; .reg .pred %p<9>;\n"
                           ".reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
                           ".shared .b32 sh[4];\n" +
                               instruction + "\n"));
}

} // namespace tc::sim::test

#endif // TC_TEST_UNIT_SIMULATOR_SIMULATORTEST_H
