//===- ContractionOptions.h - Options of the computation --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_CONTRACTIONOPTIONS_H
#define TC_ONDEMAND_CONTRACTIONOPTIONS_H

#include "tc/Import/ParsedContraction.h"

namespace tc {

/// All that users say of a contraction beside its indices.
struct ContractionOptions {
  /// The first of each, unless somebody says.
  std::optional<model::Precision> precision;
  std::optional<model::Semiring> semiring;
  notation::SemiringTexts userSemiring;
  /// Without a semiring.
  notation::FusedExpressions fused;
  bool conjugatesA = false, conjugatesB = false;
  bool allowsThreeProducts = false;
  /// Numbers beyond the range of an 8-bit float become its largest one.
  bool saturates = true;

  model::Precision chosenPrecision() const {
    return precision.value_or(model::Precision::IEEE);
  }
  model::Semiring chosenSemiring() const {
    return semiring.value_or(model::Semiring::PlusTimes);
  }

  /// Lets the parser of a text obey them, but for a user-defined semiring.
  void describeTo(notation::ParseOptions &parse) const {
    parse.precision = chosenPrecision();
    parse.semiring = chosenSemiring();
    parse.conjugatesA = conjugatesA;
    parse.conjugatesB = conjugatesB;
    parse.allowsThreeProducts = allowsThreeProducts;
    parse.fused = fused;
  }
};

} // namespace tc

#endif // TC_ONDEMAND_CONTRACTIONOPTIONS_H
