//===- Module.cpp - Parsed modules ----------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing and decoding a module, and queries about its contents.
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Parser.h"
#include "Program.h"

#include <set>

using namespace tc::sim;

tc::Result<Module> Module::parse(std::string_view text,
                                 std::string_view fileName) {
  auto state = std::make_shared<ModuleImpl>();
  state->fileName = std::string(fileName);
  if (text.size() > maxModuleBytes)
    return Error{state->fileName + ":1: the module has more than " +
                 std::to_string(maxModuleBytes) + " bytes"};
  state->text = std::string(text);

  Parser parser(state->text, state->fileName);
  if (!parser.parseHeader())
    return *parser.error();
  state->version = parser.version;
  state->target = parser.target;

  ParsedEntry entry;
  std::set<std::string> names;
  std::size_t placedCount = 0;
  auto takeVariables = [&] {
    // Addresses are given out in the order of declarations.
    for (; placedCount < parser.variables.size(); ++placedCount) {
      state->variables.push_back(std::move(parser.variables[placedCount]));
      Variable &variable = state->variables.back();
      if (variable.space != StateSpace::Global &&
          variable.space != StateSpace::Const)
        continue;
      variable.offset = state->bufferBase;
      state->placed.push_back(&variable);
      state->bufferBase = nextBufferAddress(state->bufferBase, variable.size);
    }
  };
  while (parser.parseNextEntry(entry)) {
    takeVariables();
    if (!names.insert(entry.info.name).second)
      return Error{state->fileName + ":" + std::to_string(entry.line) +
                   ": entry '" + entry.info.name + "' is defined twice"};
    Result<Kernel> kernel = decode(entry, *state);
    if (!kernel)
      return Error{kernel.error()};
    state->entries.push_back(kernel->info);
    state->kernels.push_back(std::move(*kernel));
  }
  if (parser.error())
    return *parser.error();
  state->files = std::move(parser.files);
  return Module(std::move(state));
}

const std::vector<EntryInfo> &Module::entries() const { return state->entries; }

const EntryInfo *Module::findEntry(std::string_view name) const {
  for (const EntryInfo &entry : state->entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

std::array<unsigned, 2> Module::version() const { return state->version; }

const std::string &Module::target() const { return state->target; }
