//===- RunExtents.h - Extents that runs say ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IMPORT_RUNEXTENTS_H
#define TC_IMPORT_RUNEXTENTS_H

#include "tc/Import/ParsedProgram.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tc::notation {

/// Gives a program with unknown extents known ones, each of which stands for
/// one of these and for nothing else: near the representative one, but no other
/// extent of the program. Indices in one place of a tensor have one extent.
/// Returns the name of an index and its number for each, in the order in which
/// the arguments have them.
std::vector<std::pair<std::string, int64_t>>
closeExtents(ParsedProgram &program);

} // namespace tc::notation

#endif // TC_IMPORT_RUNEXTENTS_H
