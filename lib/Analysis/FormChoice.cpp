//===- FormChoice.cpp - Four products of parts or three -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/FormChoice.h"

#include "tc/Gpu/Search/SearchMemo.h"

using namespace tc;
using model::ComplexForm;
using model::Contraction;

FailureOr<Contraction>
tc::chooseForm(ContractOp op, const model::Target &target,
               const RepresentativeExtents &representatives) {
  model::SearchMemo searches(target);
  return chooseForm(op, searches, representatives);
}

FailureOr<Contraction>
tc::chooseForm(ContractOp op, model::SearchMemo &searches,
               const RepresentativeExtents &representatives) {
  FailureOr<Contraction> four =
      toContraction(op, representatives, ComplexForm::FourProducts);
  if (failed(four) || !op.getAllowThreeProducts())
    return four;
  FailureOr<Contraction> three =
      toContraction(op, representatives, ComplexForm::ThreeProducts);
  const Result<model::SearchResult> &ofFour = searches.search(*four),
                                    &ofThree = searches.search(*three);
  auto seconds = [](const model::SearchResult &result) {
    return result.candidates.front().cost.seconds();
  };
  bool isFaster = ofThree && (!ofFour || seconds(*ofThree) < seconds(*ofFour));
  return isFaster ? three : four;
}
