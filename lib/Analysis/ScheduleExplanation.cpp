//===- ScheduleExplanation.cpp - Operations' schedules explained ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/ScheduleExplanation.h"

#include "tc/Analysis/FormChoice.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Analysis/WrittenIndices.h"
#include "tc/Support/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;

/// "FILE:LINE:COLUMN", as far as it is known.
static std::string placeOf(Operation *op) {
  std::string place;
  op->getLoc()->walk([&](Location location) {
    auto file = dyn_cast<mlir::FileLineColLoc>(location);
    if (!file)
      return mlir::WalkResult::advance();
    place = file.getFilename().str() + ":" + std::to_string(file.getLine()) +
            ":" + std::to_string(file.getColumn());
    return mlir::WalkResult::interrupt();
  });
  return place;
}

FailureOr<explain::Section> tc::explainSchedule(
    ContractOp op, const model::Target &target, ScheduleAttr given,
    unsigned runnersUp, const RepresentativeExtents &representatives,
    const model::JudgedSchedules *judged, const std::string &givenName) {
  model::Target machine = target;
  if (given) {
    Result<model::Target> named = lookUpTarget(op, given.getValue().target);
    if (!named)
      return op.emitOpError("schedule: ") << named.error();
    machine = std::move(*named);
  }
  FailureOr<model::Contraction> contraction =
      given ? toContraction(op, representatives, given.getValue())
            : chooseForm(op, machine, representatives);
  if (failed(contraction))
    return failure();
  Result<model::Explanation> explanation =
      given ? model::explain(*contraction, machine, given.getValue(), runnersUp,
                             givenName)
      : judged ? model::explain(*contraction, machine, *judged, runnersUp)
               : model::explain(*contraction, machine, runnersUp);
  if (!explanation) {
    InFlightDiagnostic error = op.emitOpError();
    if (!given)
      error << "no schedule for " << machine.name << ": ";
    return error << explanation.error();
  }

  explain::Section section;
  section.indices = originsOf(op, *contraction);
  section.place = placeOf(op);
  for (const model::ExplainedCandidate &candidate : explanation->candidates) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << ScheduleAttr::get(op.getContext(), candidate.schedule);
    section.schedules.push_back(std::move(text));
  }
  section.explanation = std::move(*explanation);
  return section;
}

Status tc::writeExplanations(const std::vector<explain::Section> &sections,
                             const ExplanationFiles &files) {
  OutputFiles outputs;
  if (!files.html.empty())
    outputs.add(files.html, explain::renderHtml(sections));
  if (!files.json.empty())
    outputs.add(files.json, explain::renderJson(sections));
  return outputs.commit();
}
