//===- Subscripts.cpp - einsum specifications in C ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Labels.h"
#include "Problem.h"
#include "TextBuffer.h"

#include "tc-c/Contraction.h"
#include "tc/Import/Notations.h"

using namespace tc;
using namespace tc::capi;

/// "[a,b],[b]->[a]"; the last list is that of the output.
static std::string write(const std::vector<std::vector<std::string>> &lists) {
  std::string text;
  for (size_t i = 0; i < lists.size(); ++i) {
    if (i > 0)
      text += i + 1 == lists.size() ? "->" : ",";
    text += writeLabels(lists[i]);
  }
  return text;
}

TcError *tcSubscriptsExpand(const char *spec, const int32_t *ranks,
                            int32_t operands, char *buffer, size_t size,
                            size_t *length) {
  return guard([&]() -> TcError * {
    if (!spec || !length || (operands > 0 && !ranks) || (size > 0 && !buffer))
      return invalid("tcSubscriptsExpand: an argument is NULL");
    if (operands < 0 || operands > static_cast<int64_t>(notation::maxOperands))
      return invalid("there are " + std::to_string(operands) +
                     " operands, but 0 to " +
                     std::to_string(notation::maxOperands) + " are possible");
    std::vector<size_t> given;
    for (int32_t i = 0; i < operands; ++i) {
      if (ranks[i] < 0 || ranks[i] > static_cast<int64_t>(notation::maxRank))
        return invalid("the rank of operand " + std::to_string(i) + " is " +
                       std::to_string(ranks[i]) + ", but must be from 0 to " +
                       std::to_string(notation::maxRank));
      given.push_back(static_cast<size_t>(ranks[i]));
    }
    notation::Diagnostic diagnostic;
    auto lists = notation::expandSubscripts(spec, given, specName, diagnostic);
    if (!lists)
      return invalid(diagnostic.str());
    std::string text = write(*lists);
    writeText(text, buffer, size, length);
    return nullptr;
  });
}
