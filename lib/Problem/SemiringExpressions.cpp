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

#include "tc/Problem/Expression.h"

#include <limits>

using namespace tc;
using namespace tc::model;
using Kind = Expression::Kind;
using Node = Expression::Node;

std::vector<std::string> model::semiringVariables() { return {"x", "y"}; }

Result<Expression> model::parseSemiringOperation(std::string_view text) {
  return Expression::parse(text, semiringVariables());
}

Result<Constant> model::parseIdentity(std::string_view text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "inf" || text == "+inf")
    return Constant(infinity);
  if (text == "-inf")
    return Constant(-infinity);
  std::optional<Constant> value = parseConstant(text);
  if (!value || value->imag() != 0)
    return Error{"'" + std::string(text) + "' is no number"};
  return *value;
}

/// The name of what integers cannot be computed by, empty if they can.
static std::string nameOfReal(const Node &node) {
  switch (node.kind) {
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
  case Kind::Number:
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

Status model::checkNumbers(const Expression &expression, ElementType type) {
  for (const Node &node : expression.nodes())
    if (node.kind == Kind::Number)
      if (Status status = checkConstant(node.number, type); !status)
        return status;
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
    return static_cast<uint64_t>(node.number.integer().value_or(0));
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
