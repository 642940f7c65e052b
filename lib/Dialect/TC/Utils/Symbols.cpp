//===- Symbols.cpp - Names in generated code ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Utils/Symbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace tc;

static constexpr StringRef prefix = "tc_";
static constexpr size_t maxPlain = 64, maxKept = 40, hashDigits = 16;

static bool isPlainCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Returns true if a name ends as those do that a hash was added to.
static bool endsInHash(StringRef name) {
  return name.size() > hashDigits &&
         name[name.size() - hashDigits - 1] == '_' &&
         llvm::all_of(name.take_back(hashDigits), llvm::isHexDigit);
}

static bool isPlain(StringRef name) {
  return !name.empty() && name.size() <= maxPlain &&
         llvm::isAlpha(name.front()) && llvm::all_of(name, isPlainCharacter) &&
         !name.starts_with(prefix) && !endsInHash(name);
}

std::string tc::kernelSymbol(StringRef name) {
  if (isPlain(name))
    return (prefix + name).str();
  std::string kept = name.take_front(maxKept).str();
  for (char &c : kept)
    if (!isPlainCharacter(c))
      c = '_';
  std::string hash = llvm::utohexstr(llvm::xxh3_64bits(name),
                                     /*LowerCase=*/true, /*Width=*/hashDigits);
  return (prefix + kept + "_" + hash).str();
}

std::string tc::contractionSymbol(StringRef name) {
  return (isPlain(name) ? name.str() : kernelSymbol(name)) + "_contraction";
}

std::string tc::programSymbol(StringRef name) {
  return (isPlain(name) ? name.str() : kernelSymbol(name)) + "_run";
}

std::string tc::programWorkspaceSymbol(StringRef name) {
  return (isPlain(name) ? name.str() : kernelSymbol(name)) + "_workspace_bytes";
}
