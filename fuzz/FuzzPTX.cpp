//===- FuzzPTX.cpp - Fuzzing the simulator --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the input as a PTX module and, if it is one, runs each of its entries
// for a short while on small buffers. Nothing may crash, hang or take much
// memory; errors are fine.
//
//===----------------------------------------------------------------------===//

#include "tc/Simulator/Simulator.h"

#include <cstdlib>

using namespace tc::sim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  tc::Result<Module> module = Module::parse(
      std::string_view(reinterpret_cast<const char *>(data), size), "fuzz.ptx");
  if (!module)
    return module.error().empty() ? std::abort(), 0 : 0;
  for (const EntryInfo &entry : module->entries()) {
    LaunchConfig config;
    config.grid = {2, 1, 1};
    // A whole warp and a part of one, unless the entry wants something else.
    config.block =
        entry.requiredThreads.value_or(std::array<std::uint32_t, 3>{40, 1, 1});
    config.dynamicSharedBytes = 1024;
    config.workers = 1;
    config.instructionLimit = 500;
    std::vector<std::vector<std::byte>> contents;
    std::vector<KernelArgument> arguments;
    for (const ParameterInfo &parameter : entry.parameters) {
      std::vector<std::byte> bytes(parameter.size, std::byte(7));
      if (parameter.size != 8 || contents.size() > 8) {
        arguments.push_back(KernelArgument::bytes(bytes.data(), bytes.size()));
        continue;
      }
      arguments.push_back(KernelArgument::address(contents.size()));
      contents.emplace_back(1024);
    }
    std::vector<GlobalBuffer> buffers;
    for (std::vector<std::byte> &bytes : contents)
      buffers.push_back({"buffer", bytes.data(), bytes.size(), true});
    tc::Result<Counters> result =
        launch(*module, entry.name, config, buffers, arguments);
    if (!result && result.error().empty())
      std::abort();
  }
  return 0;
}
