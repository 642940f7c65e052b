//===- FormChoice.cpp - Four products of parts or three -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/FormChoice.h"

#include "tc/Gpu/Search/ScheduleSearch.h"

using namespace tc;
using model::ComplexForm;
using model::Contraction;

FailureOr<Contraction>
tc::chooseForm(ContractOp op, const model::Target &target,
               const RepresentativeExtents &representatives) {
  FailureOr<Contraction> four =
      toContraction(op, representatives, ComplexForm::FourProducts);
  if (failed(four) || !op.getAllowThreeProducts())
    return four;
  FailureOr<Contraction> three =
      toContraction(op, representatives, ComplexForm::ThreeProducts);
  Result<model::SearchResult> ofFour = model::search(*four, target),
                              ofThree = model::search(*three, target);
  auto seconds = [](const model::SearchResult &result) {
    return result.candidates.front().cost.seconds();
  };
  bool isFaster = ofThree && (!ofFour || seconds(*ofThree) < seconds(*ofFour));
  return isFaster ? three : four;
}
