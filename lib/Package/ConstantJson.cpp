//===- ConstantJson.cpp - Constants in JSON ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/ConstantJson.h"

#include <cmath>

using namespace tc;

nlohmann::ordered_json tc::runtime::toJson(const model::Constant &constant,
                                           model::ElementType type) {
  double number = constant.real();
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number > 0 ? "inf" : "-inf";
  if (model::isInteger(type) && constant.integer())
    return *constant.integer();
  return number;
}

model::Constant tc::runtime::readConstant(const JsonNode &node) {
  nlohmann::ordered_json json = node.json();
  constexpr auto greatest =
      static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  bool isInteger = json.is_number_unsigned() ? json.get<uint64_t>() <= greatest
                                             : json.is_number_integer();
  if (isInteger)
    return model::Constant::ofInteger(node.integer());
  return node.number();
}
