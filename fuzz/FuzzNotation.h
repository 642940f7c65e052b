//===- FuzzNotation.h - Shared code of the notations' targets ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The targets of the importers differ in the notation only.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FUZZ_FUZZNOTATION_H
#define TC_FUZZ_FUZZNOTATION_H

#include "tc/Import/Notations.h"
#include "tc/Import/ParsedProgram.h"

namespace tc::fuzz {

/// Parses the text. A refusal must come with a message of one line, at a place
/// within the text; an accepted text must have the properties that its header
/// promises, and become IR that verifies.
void checkNotation(notation::Notation notation, std::string_view text);
void checkProgram(notation::ProgramNotation notation, std::string_view text);

} // namespace tc::fuzz

#endif // TC_FUZZ_FUZZNOTATION_H
