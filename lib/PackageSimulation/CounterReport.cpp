//===- CounterReport.cpp - Reports of the simulator's counters --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/PackageSimulation/CounterReport.h"

#include "tc/Simulator/CounterFields.h"
#include "tc/Support/FieldJson.h"

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
                      std::to_string(async.maxGroups) + " groups and " +
                      std::to_string(async.maxBytes) + " B at the same time");
  return text;
}

static Json kindsToJson(const sim::KindCounts &counts) {
  Json json = Json::object();
  for (size_t i = 0; i < counts.size(); ++i)
    json[sim::getName(static_cast<sim::InstructionKind>(i))] = counts[i];
  return json;
}

Json tc::runtime::countersToJson(const std::vector<std::string> &names,
                                 const sim::Counters &counters) {
  Json json;
  visitFields(
      counters,
      Overloaded{
          [&](const auto &field, const sim::KindCounts &counts) {
            json[std::string(field.name)] = kindsToJson(counts);
          },
          [&](const auto &field, const std::vector<sim::BufferTraffic> &all) {
            Json &tensors = json[std::string(field.name)] = Json::object();
            for (size_t i = 0; i < all.size() && i < names.size(); ++i)
              tensors[names[i]] = valueToJson(all[i]);
            if (all.size() > names.size())
              json["workspace"] = valueToJson(all.back());
          },
          // It is reported by itself.
          [](const auto &, const std::optional<sim::Profile> &) {},
          [&](const auto &field, const auto &value) {
            writeField(json, field, value);
          }});
  return json;
}
