//===- Tuning.cpp - Schedules that are measured, from C -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/Tuning.h"
#include "Error.h"
#include "Options.h"
#include "Problem.h"
#include "TextBuffer.h"

#include "tc/Compiler/Candidates.h"
#include "tc/Tuning/TuningDatabase.h"

using namespace tc;
using namespace tc::capi;
using tuning::TuningDatabase;

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
    auto candidates = listCandidates(source, chosen.target, chosen.host,
                                     static_cast<size_t>(most));
    if (!candidates)
      return makeError(TC_ERROR_UNSUPPORTED, candidates.error());
    writeText(candidates->dump(), buffer, size, length);
    return nullptr;
  });
}

TcError *tcTuningMerge(const char *path, const char *lines, int64_t *added) {
  return guard([&]() -> TcError * {
    if (!path || !lines)
      return invalid("tcTuningMerge: an argument is NULL");
    auto evaluations = tuning::readEvaluations(lines, "evaluations");
    if (!evaluations)
      return invalid(evaluations.error());
    Result<TuningDatabase> database =
        TuningDatabase::open(path, TuningDatabase::Access::Write);
    if (!database)
      return makeError(TC_ERROR_UNSUPPORTED, database.error());
    Result<int64_t> count = database->merge(*evaluations);
    if (!count)
      return makeError(TC_ERROR_UNSUPPORTED, count.error());
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
    Result<TuningDatabase> database =
        TuningDatabase::open(path, TuningDatabase::Access::Read);
    if (!database)
      return makeError(TC_ERROR_UNSUPPORTED, database.error());
    auto evaluations = bestOnly ? database->bests() : database->all();
    if (!evaluations)
      return makeError(TC_ERROR_UNSUPPORTED, evaluations.error());
    std::string text;
    for (const tuning::Evaluation &evaluation : *evaluations)
      text += tuning::writeEvaluation(evaluation) + "\n";
    writeText(text, buffer, size, length);
    return nullptr;
  });
}
