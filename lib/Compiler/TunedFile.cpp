//===- TunedFile.cpp - Choice of the tuning database ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/TunedFile.h"

#include "tc/Tuning/TuningDatabase.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <cstdlib>

using namespace tc;

std::string tc::chooseTunedFile(const std::optional<std::string> &asked) {
  const char *variable = std::getenv("TC_TUNED");
  std::string path = asked ? *asked : variable ? variable : "";
  return path == "off" ? "" : path;
}

Result<std::string> tc::describeTunedFile(const std::string &path) {
  Result<tuning::TuningDatabase> database =
      tuning::TuningDatabase::open(path, tuning::TuningDatabase::Access::Read);
  if (!database)
    return Error{database.error()};
  Result<std::vector<tuning::Evaluation>> bests = database->bests();
  if (!bests)
    return Error{bests.error()};
  llvm::BLAKE3 hasher;
  for (const tuning::Evaluation &evaluation : *bests)
    hasher.update(llvm::StringRef(keyOf(evaluation)));
  return path + " " + llvm::toHex(hasher.final<16>());
}
