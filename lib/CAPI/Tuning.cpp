//===- Tuning.cpp - Schedules that are measured, from C -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/Tuning.h"
#include "CompilerLoader.h"
#include "Error.h"
#include "Options.h"
#include "Problem.h"
#include "TextBuffer.h"

using namespace tc;
using namespace tc::capi;

static TcError *unsupported(const std::string &message) {
  return makeError(TC_ERROR_UNSUPPORTED, message);
}

TcError *tcCandidatesFind(const char *spec, const TcTensor tensors[3],
                          const TcOptions *options, int64_t most, char *buffer,
                          size_t size, size_t *length) {
  return guard([&]() -> TcError * {
    if (!spec || !tensors || !length || (size > 0 && !buffer))
      return invalid("tcCandidatesFind: an argument is NULL");
    constexpr int64_t largestPool = 1 << 16;
    if (most < 1 || most > largestPool)
      return invalid("tcCandidatesFind: 'most' is " + std::to_string(most) +
                     ", but must be from 1 to " + std::to_string(largestPool));
    const TcOptions chosen = options ? *options : TcOptions();
    if (chosen.dynamicShapes)
      return invalid("option 'dynamic-shapes': schedules of kernels that take "
                     "their shape at run time are not listed");
    Result<Problem> problem = makeProblem(spec, tensors, chosen);
    if (!problem)
      return invalid(problem.error());
    Source source;
    source.name = specName;
    source.contractions = {*problem};
    source.saturates = chosen.saturates;
    Result<const Compiler *> compiler = loadCompiler();
    if (!compiler)
      return unsupported(compiler.error());
    Result<std::string> candidates = (*compiler)->listCandidates(
        source, chosen.target, chosen.ofContraction(),
        static_cast<size_t>(most));
    if (!candidates)
      return unsupported(candidates.error());
    writeText(*candidates, buffer, size, length);
    return nullptr;
  });
}

TcError *tcTuningMerge(const char *path, const char *lines, int64_t *added) {
  return guard([&]() -> TcError * {
    if (!path || !lines)
      return invalid("tcTuningMerge: an argument is NULL");
    Result<const Compiler *> compiler = loadCompiler();
    if (!compiler)
      return unsupported(compiler.error());
    if (Status status = (*compiler)->checkEvaluations(lines); !status)
      return invalid(status.error());
    Result<int64_t> count = (*compiler)->mergeEvaluations(path, lines);
    if (!count)
      return unsupported(count.error());
    if (added)
      *added = *count;
    return nullptr;
  });
}

TcError *tcTuningExport(const char *path, int bestOnly, char *buffer,
                        size_t size, size_t *length) {
  return guard([&]() -> TcError * {
    if (!path || !length || (size > 0 && !buffer))
      return invalid("tcTuningExport: an argument is NULL");
    Result<const Compiler *> compiler = loadCompiler();
    if (!compiler)
      return unsupported(compiler.error());
    Result<std::string> text =
        (*compiler)->exportEvaluations(path, bestOnly != 0);
    if (!text)
      return unsupported(text.error());
    writeText(*text, buffer, size, length);
    return nullptr;
  });
}
