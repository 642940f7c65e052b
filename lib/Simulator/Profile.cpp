//===- Profile.cpp - Profiles of launches ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts by instruction, and their sums by loop.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <algorithm>

using namespace tc::sim;

Profile tc::sim::makeProfile(const ModuleImpl &module, const Kernel &kernel) {
  Profile profile;
  profile.instructions.resize(kernel.code.size());
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    InstructionProfile &instruction = profile.instructions[pc];
    const SourceInfo &source = kernel.source[pc];
    instruction.line = source.line;
    instruction.text = onOneLine(source.text);
    instruction.kind = source.kind;
    instruction.loop = kernel.loopNest.innermost[pc];
    auto file = module.files.find(source.location.file);
    if (file != module.files.end())
      instruction.location = {std::string(file->second), source.location.line,
                              source.location.column};
  }
  for (const LoopNest::Loop &loop : kernel.loopNest.loops) {
    LoopProfile &added = profile.loops.emplace_back();
    added.header = loop.header;
    added.parent = loop.parent;
    added.depth = loop.depth;
  }
  return profile;
}

void tc::sim::countLoops(Profile &profile) {
  for (LoopProfile &loop : profile.loops)
    loop.trips = profile.instructions[loop.header].warpInstructions;
  for (const InstructionProfile &instruction : profile.instructions) {
    if (instruction.loop == noLoop)
      continue;
    LoopProfile &loop = profile.loops[instruction.loop];
    ++loop.instructions;
    loop.warpInstructions += instruction.warpInstructions;
    loop.warpInstructionsByKind[static_cast<std::size_t>(instruction.kind)] +=
        instruction.warpInstructions;
  }
}

const LoopProfile *Profile::mainLoop() const {
  auto most = std::max_element(loops.begin(), loops.end(),
                               [](const auto &a, const auto &b) {
                                 return a.warpInstructions < b.warpInstructions;
                               });
  return most == loops.end() || most->warpInstructions == 0 ? nullptr : &*most;
}

Profile &Profile::operator+=(const Profile &other) {
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    InstructionProfile &to = instructions[i];
    const InstructionProfile &from = other.instructions[i];
    to.warpInstructions += from.warpInstructions;
    to.threadInstructions += from.threadInstructions;
    to.accesses += from.accesses;
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    LoopProfile &to = loops[i];
    const LoopProfile &from = other.loops[i];
    to.trips += from.trips;
    to.warpInstructions += from.warpInstructions;
    for (std::size_t kind = 0; kind < numInstructionKinds; ++kind)
      to.warpInstructionsByKind[kind] += from.warpInstructionsByKind[kind];
  }
  return *this;
}
