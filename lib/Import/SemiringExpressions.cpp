//===- SemiringExpressions.cpp - A semiring that options define -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Import/ParsedContraction.h"

#include <tuple>

using namespace tc;
using namespace tc::notation;

Result<SemiringExpressions>
notation::parseSemiringExpressions(const SemiringTexts &texts) {
  SemiringExpressions semiring;
  for (const auto &[name, text] : {std::pair("product", &texts.product),
                                   std::pair("combine", &texts.combine),
                                   std::pair("identity", &texts.identity)})
    if (!*text)
      return Error{std::string(name) +
                   ": is missing; product, combine and identity define a "
                   "semiring together"};
  for (auto [name, text, expression] :
       {std::tuple("product", &texts.product, &semiring.product),
        std::tuple("combine", &texts.combine, &semiring.combine)}) {
    Result<model::Expression> parsed = model::parseSemiringOperation(**text);
    if (!parsed)
      return Error{std::string(name) + ": " + parsed.error()};
    *expression = std::move(*parsed);
  }
  Result<model::Constant> identity = model::parseIdentity(*texts.identity);
  if (!identity)
    return Error{"identity: " + identity.error()};
  semiring.identity = *identity;
  return semiring;
}
