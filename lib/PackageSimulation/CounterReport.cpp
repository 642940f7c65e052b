//===- CounterReport.cpp - What the simulator counted -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/PackageSimulation/CounterReport.h"

#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::runtime;

static std::string trafficText(const char *verb, uint64_t sectors,
                               uint64_t bytes) {
  return std::string(verb) + " " + std::to_string(sectors) + " sectors for " +
         std::to_string(bytes) + " B";
}

static std::string kindsText(const sim::Counters &counters) {
  std::string text;
  for (size_t i = 0; i < sim::numInstructionKinds; ++i) {
    auto kind = static_cast<sim::InstructionKind>(i);
    if (counters[kind] == 0)
      continue;
    text += (text.empty() ? "" : ", ") + std::string(sim::getName(kind)) + " " +
            std::to_string(counters[kind]);
  }
  return text;
}

std::vector<std::string> tc::runtime::bufferNames(const Kernel &kernel) {
  std::vector<std::string> names;
  for (const TensorArgument *tensor : tensorsOf(kernel))
    names.push_back(tensor->name);
  return names;
}

std::string tc::runtime::countersText(const std::vector<std::string> &names,
                                      const sim::Counters &counters) {
  std::string text = reportLine(
      "instructions",
      std::to_string(counters.warpInstructions) + " of warps, " +
          std::to_string(counters.threadInstructions) + " of threads, " +
          std::to_string(counters.barriers) + " barriers");
  text += reportLine("by kind", kindsText(counters));
  for (size_t i = 0; i < counters.buffers.size(); ++i) {
    const sim::BufferTraffic &traffic = counters.buffers[i];
    std::string line;
    if (traffic.loadBytes)
      line = trafficText("read", traffic.loadSectors, traffic.loadBytes);
    if (traffic.storeBytes)
      line += (line.empty() ? "" : ", ") +
              trafficText("wrote", traffic.storeSectors, traffic.storeBytes);
    text += reportLine(i < names.size() ? "tensor " + names[i] : "workspace",
                       line.empty() ? "not touched" : line);
  }
  const sim::SharedTraffic &shared = counters.shared;
  if (shared.loadWavefronts || shared.storeWavefronts)
    text += reportLine("shared",
                       "read " + std::to_string(shared.loadWavefronts) +
                           " wavefronts (" +
                           std::to_string(shared.idealLoadWavefronts) +
                           " without conflicts), wrote " +
                           std::to_string(shared.storeWavefronts) + " (" +
                           std::to_string(shared.idealStoreWavefronts) + ")");
  const sim::AsyncTraffic &async = counters.async;
  if (async.bytes)
    text += reportLine(
        "copies", std::to_string(async.bytes) + " B in " +
                      std::to_string(async.groups) +
                      " groups, in a block at most " +
                      std::to_string(async.mostGroups) + " groups and " +
                      std::to_string(async.mostBytes) + " B at the same time");
  return text;
}

Json tc::runtime::countersToJson(const std::vector<std::string> &names,
                                 const sim::Counters &counters) {
  Json json;
  json["blocks"] = counters.blocks;
  json["thread_instructions"] = counters.threadInstructions;
  json["warp_instructions"] = counters.warpInstructions;
  Json &kinds = json["warp_instructions_by_kind"] = Json::object();
  for (size_t i = 0; i < sim::numInstructionKinds; ++i) {
    auto kind = static_cast<sim::InstructionKind>(i);
    kinds[sim::getName(kind)] = counters[kind];
  }
  json["fma_f32"] = counters.fmaF32;
  json["fma_f64"] = counters.fmaF64;
  json["fma_f16"] = counters.fmaF16;
  json["mma_f64"] = counters.mmaF64;
  json["mma_tf32"] = counters.mmaTF32;
  json["mma_f16"] = counters.mmaF16;
  json["mma_f8"] = counters.mmaF8;
  json["mma_i8"] = counters.mmaI8;
  json["barriers"] = counters.barriers;
  json["tensors"] = Json::object();
  for (size_t i = 0; i < counters.buffers.size(); ++i) {
    const sim::BufferTraffic &traffic = counters.buffers[i];
    Json &told =
        i < names.size() ? json["tensors"][names[i]] : json["workspace"];
    told = {{"load_bytes", traffic.loadBytes},
            {"store_bytes", traffic.storeBytes},
            {"load_sectors", traffic.loadSectors},
            {"store_sectors", traffic.storeSectors}};
  }
  const sim::SharedTraffic &shared = counters.shared;
  json["shared"] = {{"load_bytes", shared.loadBytes},
                    {"store_bytes", shared.storeBytes},
                    {"load_wavefronts", shared.loadWavefronts},
                    {"store_wavefronts", shared.storeWavefronts},
                    {"ideal_load_wavefronts", shared.idealLoadWavefronts},
                    {"ideal_store_wavefronts", shared.idealStoreWavefronts}};
  const sim::AsyncTraffic &async = counters.async;
  json["async"] = {{"bytes", async.bytes},
                   {"groups", async.groups},
                   {"most_groups", async.mostGroups},
                   {"most_bytes", async.mostBytes}};
  return json;
}
