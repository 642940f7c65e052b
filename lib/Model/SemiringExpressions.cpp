//===- SemiringExpressions.cpp - Expressions of semirings -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of user-defined semirings, which integers have, too.
//
//===----------------------------------------------------------------------===//

#include "tc/Model/Expression.h"

#include <cmath>
#include <cstdlib>

using namespace tc;
using namespace tc::model;
using Kind = Expression::Kind;
using Node = Expression::Node;

std::vector<std::string> model::semiringVariables() { return {"x", "y"}; }

Result<Expression> model::parseSemiringOperation(std::string_view text) {
  return Expression::parse(text, semiringVariables());
}

Result<double> model::parseIdentity(std::string_view text) {
  std::string number(text);
  char *end = nullptr;
  double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || std::isnan(value))
    return Error{"'" + number + "' is no number"};
  return value;
}

/// The name of what integers cannot be computed by, empty if they can.
static std::string nameOfReal(const Node &node) {
  switch (node.kind) {
  case Kind::Number:
    return node.number == std::rint(node.number) ? ""
                                                 : std::to_string(node.number);
  case Kind::Erf:
    return "erf";
  case Kind::Exp:
    return "exp";
  case Kind::Log:
    return "log";
  case Kind::Sqrt:
    return "sqrt";
  case Kind::Tanh:
    return "tanh";
  case Kind::Divide:
    return "/";
  case Kind::Variable:
  case Kind::Negate:
  case Kind::Abs:
  case Kind::Add:
  case Kind::Subtract:
  case Kind::Multiply:
  case Kind::Max:
  case Kind::Min:
    return "";
  }
  return "";
}

Status model::checkComputesIntegers(const Expression &expression) {
  for (const Node &node : expression.nodes())
    if (std::string name = nameOfReal(node); !name.empty())
      return Error{"'" + name + "' is not defined for integers"};
  return {};
}

/// Computed without a sign, where overflow is defined.
static uint64_t evaluateNode(const Node &node, int64_t left, int64_t right) {
  auto x = static_cast<uint64_t>(left), y = static_cast<uint64_t>(right);
  switch (node.kind) {
  case Kind::Negate:
    return -x;
  case Kind::Abs:
    return left < 0 ? -x : x;
  case Kind::Add:
    return x + y;
  case Kind::Subtract:
    return x - y;
  case Kind::Multiply:
    return x * y;
  case Kind::Max:
    return left > right ? x : y;
  case Kind::Min:
    return left < right ? x : y;
  default:
    return static_cast<uint64_t>(static_cast<int64_t>(node.number));
  }
}

int64_t Expression::evaluateIntegers(const std::vector<int64_t> &variables,
                                     ElementType type) const {
  int64_t unusedBits = 64 - 8 * byteWidth(type);
  std::vector<int64_t> values;
  for (const Node &node : list) {
    if (node.kind == Kind::Variable) {
      values.push_back(variables[node.variable]);
      continue;
    }
    uint64_t value =
        evaluateNode(node, operandsOf(node.kind) > 0 ? values[node.left] : 0,
                     operandsOf(node.kind) > 1 ? values[node.right] : 0);
    values.push_back(static_cast<int64_t>(value << unusedBits) >> unusedBits);
  }
  return values.back();
}
