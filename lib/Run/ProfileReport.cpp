//===- ProfileReport.cpp - Profile of a kernel's instructions -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops and the PTX lines of a profile, for people and as JSON.
//
//===----------------------------------------------------------------------===//

#include "ProfileReport.h"

#include "tc/Simulator/CounterFields.h"
#include "tc/Support/FieldJson.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdio>

using namespace tc;
using namespace tc::run;
using runtime::Json;
using runtime::reportLine;

template <typename... T>
static std::string format(const char *pattern, T... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof(buffer), pattern, values...);
  return buffer;
}

ProfileReport::ProfileReport(const sim::Profile &profile,
                             const std::optional<Listing> &listing,
                             unsigned count)
    : profile(profile), listing(listing) {
  for (const sim::InstructionProfile &instruction : profile.instructions) {
    total += instruction.warpInstructions;
    if (instruction.warpInstructions > 0)
      hottest.push_back(&instruction);
  }
  // Of those that are issued equally often, as in an unrolled loop, first what
  // memory serves longest; then in the order of the PTX.
  auto rank = [](const sim::InstructionProfile *instruction) {
    const sim::AccessCounts &accesses = instruction->accesses;
    return std::pair(instruction->warpInstructions,
                     accesses.wavefronts + accesses.sectors);
  };
  llvm::sort(hottest, [&](const auto *a, const auto *b) {
    return rank(a) != rank(b) ? rank(a) > rank(b) : a < b;
  });
  if (hottest.size() > count)
    hottest.resize(count);
}

/// In percent of what warps issued.
double ProfileReport::shareOf(uint64_t warpInstructions) const {
  return total == 0 ? 0
                    : 100.0 * static_cast<double>(warpInstructions) /
                          static_cast<double>(total);
}

const Listing::Line *
ProfileReport::lineOf(const sim::SourceLocation &location) const {
  return listing && !location.file.empty() ? listing->find(location.line)
                                           : nullptr;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string ProfileReport::loopText(const sim::LoopProfile &loop) const {
  std::string head =
      "at PTX line " + std::to_string(profile.instructions[loop.header].line);
  if (loop.parent != sim::noLoop) {
    const sim::LoopProfile &parent = profile.loops[loop.parent];
    head += ", inside the one at " +
            std::to_string(profile.instructions[parent.header].line);
  }
  if (loop.trips == 0)
    return reportLine("loop", head + ": not entered");
  auto trips = static_cast<double>(loop.trips);
  head += ": " + std::to_string(loop.trips) + " trips of " +
          format("%.5g", static_cast<double>(loop.warpInstructions) / trips) +
          " instructions, " + format("%.1f", shareOf(loop.warpInstructions)) +
          "% of all";
  std::string kinds;
  for (size_t i = 0; i < sim::numInstructionKinds; ++i) {
    auto kind = static_cast<sim::InstructionKind>(i);
    if (loop[kind] > 0)
      kinds += (kinds.empty() ? "a trip: " : ", ") +
               std::string(sim::getName(kind)) + " " +
               format("%.5g", loop.perTrip(kind));
  }
  return reportLine("loop", head) + reportLine("", kinds);
}

/// "lowered.mlir:12:9 (multiply tiles): %3 = vector.fma ..."
std::string
ProfileReport::originText(const sim::InstructionProfile &instruction) const {
  const sim::SourceLocation &location = instruction.location;
  if (location.file.empty() || location.line == 0)
    return "";
  const Listing::Line *line = lineOf(location);
  std::string text = (line ? listing->name : location.file) + ":" +
                     std::to_string(location.line) + ":" +
                     std::to_string(location.column);
  if (!line)
    return text;
  if (!line->step.empty())
    text += " (" + line->step + ")";
  constexpr size_t maxText = 120;
  return text + ": " +
         (line->text.size() > maxText ? line->text.substr(0, maxText) + "..."
                                      : line->text);
}

std::string ProfileReport::text() const {
  std::string text;
  for (const sim::LoopProfile &loop : profile.loops)
    text += loopText(loop);
  text += reportLine("profile",
                     "the " + std::to_string(hottest.size()) + " hottest of " +
                         std::to_string(profile.instructions.size()) +
                         " PTX instructions");
  text += reportLine("", "    issued   share  conflicts    sectors    line");
  for (const sim::InstructionProfile *instruction : hottest) {
    const sim::AccessCounts &accesses = instruction->accesses;
    text += reportLine(
        "",
        format("%10llu %6.2f%% %10llu %10llu %7u  ",
               static_cast<unsigned long long>(instruction->warpInstructions),
               shareOf(instruction->warpInstructions),
               static_cast<unsigned long long>(accesses.conflicts()),
               static_cast<unsigned long long>(accesses.sectors),
               instruction->line) +
            instruction->text);
    std::string origin = originText(*instruction);
    if (!origin.empty())
      text += reportLine("", "  from " + origin);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

Json ProfileReport::loopToJson(const sim::LoopProfile &loop) const {
  Json json;
  json["line"] = profile.instructions[loop.header].line;
  json["parent"] = loop.parent == sim::noLoop ? Json() : Json(loop.parent);
  json["depth"] = loop.depth;
  json["trips"] = loop.trips;
  json["instructions"] = loop.instructions;
  json["warp_instructions"] = loop.warpInstructions;
  json["share"] = shareOf(loop.warpInstructions) / 100;
  Json &kinds = json["warp_instructions_by_kind"] = Json::object();
  for (size_t i = 0; i < sim::numInstructionKinds; ++i) {
    auto kind = static_cast<sim::InstructionKind>(i);
    if (loop[kind] > 0)
      kinds[sim::getName(kind)] = loop[kind];
  }
  return json;
}

Json ProfileReport::instructionToJson(
    const sim::InstructionProfile &instruction) const {
  Json json;
  json["line"] = instruction.line;
  json["ptx"] = instruction.text;
  json["kind"] = sim::getName(instruction.kind);
  json["loop"] =
      instruction.loop == sim::noLoop ? Json() : Json(instruction.loop);
  json["warp_instructions"] = instruction.warpInstructions;
  json["thread_instructions"] = instruction.threadInstructions;
  json["share"] = shareOf(instruction.warpInstructions) / 100;
  writeFields(json, instruction.accesses);
  const sim::SourceLocation &location = instruction.location;
  if (location.file.empty() || location.line == 0) {
    json["from"] = nullptr;
    return json;
  }
  const Listing::Line *line = lineOf(location);
  Json &from = json["from"];
  from["file"] = line ? listing->name : location.file;
  from["line"] = location.line;
  from["column"] = location.column;
  if (line) {
    from["text"] = line->text;
    from["step"] = line->step;
    from["source"] = line->source;
  }
  return json;
}

Json ProfileReport::json() const {
  Json json;
  json["loops"] = Json::array();
  for (const sim::LoopProfile &loop : profile.loops)
    json["loops"].push_back(loopToJson(loop));
  json["instructions"] = Json::array();
  for (const sim::InstructionProfile *instruction : hottest)
    json["instructions"].push_back(instructionToJson(*instruction));
  return json;
}
