//===- OptionTable.cpp - Values of options --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/OptionTable.h"

using namespace tc;

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
