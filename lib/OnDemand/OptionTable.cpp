//===- OptionTable.cpp - Values of options --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/OptionTable.h"

using namespace tc;

/// Takes what a function has found in the text, if it has.
template <typename T>
static Status take(const OptionInfo &info, std::string_view text,
                   const std::optional<T> &found, std::optional<T> &value) {
  if (!found)
    return Error{"'" + std::string(text) + "' is none of " + info.names()};
  value = found;
  return {};
}

Status tc::readPrecision(const OptionInfo &info, std::string_view text,
                         std::optional<model::Precision> &precision) {
  return take(info, text, model::symbolizePrecision(text), precision);
}

Status tc::readSemiring(const OptionInfo &info, std::string_view text,
                        std::optional<model::Semiring> &semiring) {
  return take(info, text, model::symbolizeSemiring(text), semiring);
}

static Status take(Result<model::Expression> expression,
                   std::optional<model::Expression> &code) {
  if (!expression)
    return Error{expression.error()};
  code = std::move(*expression);
  return {};
}

Status tc::readPrologue(const OptionInfo &, std::string_view text,
                        std::optional<model::Expression> &code) {
  return take(model::parsePrologue(text), code);
}

Status tc::readEpilogue(const OptionInfo &, std::string_view text,
                        std::optional<model::Expression> &code) {
  return take(model::parseEpilogue(text), code);
}
