//===- FormChoice.h - Four products of parts or three -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_FORMCHOICE_H
#define TC_ANALYSIS_FORMCHOICE_H

#include "tc/Analysis/ContractionDims.h"

namespace tc::model {
class SearchMemo;
struct Target;
} // namespace tc::model

namespace tc {

/// An operation as the model sees it, in the form whose best schedule is
/// predicted to be the fastest of those that the operation allows. Emits errors
/// as `toContraction` does.
FailureOr<model::Contraction>
chooseForm(ContractOp op, const model::Target &target,
           const RepresentativeExtents &representatives = {});

/// The same of many contractions, those that are alike being looked at once.
FailureOr<model::Contraction>
chooseForm(ContractOp op, model::SearchMemo &searches,
           const RepresentativeExtents &representatives = {});

} // namespace tc

#endif // TC_ANALYSIS_FORMCHOICE_H
