//===- ConstantJson.h - Constants in JSON -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_CONSTANTJSON_H
#define TC_PACKAGE_CONSTANTJSON_H

#include "tc/Problem/Constants.h"
#include "tc/Support/StrictJson.h"

namespace tc::runtime {

/// The real part of a constant: an integer where numbers of the type are, and
/// "nan", "inf" or "-inf" for what JSON has no numbers for.
nlohmann::ordered_json toJson(const model::Constant &constant,
                              model::ElementType type);

/// Such a constant; integers of 64 bits are not rounded.
model::Constant readConstant(const JsonNode &node);

} // namespace tc::runtime

#endif // TC_PACKAGE_CONSTANTJSON_H
