//===- Report.cpp - Reports on the contents of machine code ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/MachineCode/Report.h"

#include "tc/MachineCode/ListingFields.h"
#include "tc/Support/FieldJson.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tc;
using namespace tc::sass;
using Json = nlohmann::ordered_json;

template <typename... T>
static std::string format(const char *pattern, T... values) {
  char buffer[128];
  std::snprintf(buffer, sizeof(buffer), pattern, values...);
  return buffer;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string tc::sass::categoriesText(const CodeCounts &counts,
                                     const std::string &multiply) {
  std::string text;
  for (std::size_t i = 0; i < numCategories; ++i) {
    auto category = static_cast<Category>(i);
    if (counts[category] == 0)
      continue;
    text += (text.empty() ? "" : ", ") + std::string(describe(category)) + " " +
            std::to_string(counts[category]);
    if (category == Category::Multiply)
      text += " (" + multiply + ")";
  }
  return text;
}

std::string tc::sass::figuresText(const CodeCounts &counts) {
  std::string text;
  if (counts[Category::Multiply] > 0)
    text += "others per multiply " +
            format("%.2f", counts.othersPerMultiply()) + ", ";
  return text + "stall counts " + std::to_string(counts.stallCycles) +
         " cycles, register-bank conflicts " +
         std::to_string(counts.bankConflicts);
}

std::string tc::sass::pipesText(const CodeCounts &counts) {
  std::vector<Pipe> pipes;
  for (std::size_t i = 0; i < numPipes; ++i)
    if (counts.busyCycles[i] > 0)
      pipes.push_back(static_cast<Pipe>(i));
  std::sort(pipes.begin(), pipes.end(), [&](Pipe a, Pipe b) {
    double ofA = counts.busyCyclesOf(a), ofB = counts.busyCyclesOf(b);
    return ofA != ofB ? ofA > ofB : a < b;
  });
  std::string text;
  for (Pipe pipe : pipes)
    text += (text.empty() ? "" : ", ") + std::string(stringify(pipe)) + " " +
            format("%.6g", counts.busyCyclesOf(pipe));
  return text;
}

static std::string controlText(const Control &control) {
  std::string text;
  for (unsigned i = 0; i < 6; ++i)
    text += control.awaits >> i & 1 ? static_cast<char>('0' + i) : '-';
  auto barrier = [](const std::optional<unsigned> &number) {
    return number ? std::to_string(*number) : std::string("-");
  };
  return text + ":" + barrier(control.readBarrier) + ":" +
         barrier(control.writeBarrier) + ":" + (control.yields ? "Y" : "-") +
         ":" + format("%02u", control.stall);
}

std::string
tc::sass::listingText(const Function &function,
                      const std::vector<std::uint32_t> &instructions) {
  std::string text;
  for (std::uint32_t number : instructions) {
    const Instruction &instruction = function.code[number];
    text += format("%06llx  ",
                   static_cast<unsigned long long>(instruction.offset)) +
            controlText(instruction.control) + "  " + instruction.text() + "\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json countsToJson(const CodeCounts &counts,
                         const std::string &multiply) {
  Json json;
  json["instructions"] = counts.instructions;
  json["multiply"] = multiply.empty() ? Json() : Json(multiply);
  Json &categories = json["by_category"] = Json::object();
  for (std::size_t i = 0; i < numCategories; ++i)
    categories[std::string(stringify(static_cast<Category>(i)))] =
        counts.byCategory[i];
  // There is no number for the others where nothing multiplies.
  double others = counts.othersPerMultiply();
  json["others_per_multiply"] = std::isfinite(others) ? Json(others) : Json();
  json["stall_cycles"] = counts.stallCycles;
  json["bank_conflicts"] = counts.bankConflicts;
  Json &pipes = json["busy_cycles"] = Json::object();
  for (std::size_t i = 0; i < numPipes; ++i)
    if (static_cast<Pipe>(i) != Pipe::None)
      pipes[std::string(stringify(static_cast<Pipe>(i)))] =
          counts.busyCycles[i];
  return json;
}

static Json instructionToJson(const Instruction &instruction) {
  Json json;
  json["offset"] = instruction.offset;
  json["text"] = instruction.text();
  json["category"] = stringify(categoryOf(instruction));
  json["pipe"] = stringify(pipeOf(instruction));
  writeFields(json, instruction.control);
  return json;
}

static Json functionToJson(const FunctionCounts &counts,
                           const Function *function) {
  Json json = countsToJson(counts.counts, counts.multiply);
  json["loops"] = Json::array();
  for (const LoopCounts &loop : counts.loops) {
    Json entry;
    entry["first_instruction"] = loop.header;
    entry["parent"] =
        loop.parent == LoopCounts::none ? Json() : Json(loop.parent);
    entry["depth"] = loop.depth;
    entry.update(countsToJson(loop.counts, loop.multiply));
    if (function) {
      entry["code"] = Json::array();
      for (std::uint32_t number : loop.instructions)
        entry["code"].push_back(instructionToJson(function->code[number]));
    }
    json["loops"].push_back(std::move(entry));
  }
  json["main_loop"] = counts.mainLoop ? Json(*counts.mainLoop) : Json();
  return json;
}

Json tc::sass::toJson(const FunctionCounts &counts) {
  return functionToJson(counts, nullptr);
}

Json tc::sass::toJson(const FunctionCounts &counts, const Function &function) {
  return functionToJson(counts, &function);
}
