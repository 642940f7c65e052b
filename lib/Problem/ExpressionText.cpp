//===- ExpressionText.cpp - Expressions written out -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes of expressions and their texts, with parentheses only where the parser
// needs them, so that long sums are not nested.
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Expression.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::model;
using Kind = Expression::Kind;
using Node = Expression::Node;

/// Precedence of what an operation is made of.
static unsigned bindingOf(Kind kind) {
  switch (kind) {
  case Kind::Add:
  case Kind::Subtract:
    return 1;
  case Kind::Multiply:
  case Kind::Divide:
    return 2;
  default:
    return 3;
  }
}

static bool isFunction(Kind kind) {
  return kind != Kind::Negate && operandsOf(kind) > 0 && bindingOf(kind) == 3;
}

/// The kind of a node as it is written: negative numbers have a sign.
static Kind writtenKindOf(const Node &node) {
  return node.kind == Kind::Number && std::signbit(node.number.real())
             ? Kind::Negate
             : node.kind;
}

static bool needsParentheses(Kind operation, Kind operand, bool isRight) {
  if (isFunction(operation))
    return false;
  if (operand == Kind::Negate)
    return isRight || operation == Kind::Negate;
  // Sums of rounded numbers are not associative.
  return bindingOf(operand) < bindingOf(operation) + isRight;
}

Status ExpressionSize::check() const {
  if (operations > maxOperations)
    return Error{"more than " + std::to_string(maxOperations) +
                 " operations, those that functions are made of "
                 "and repeated ones included"};
  if (nesting > deepestNesting)
    return Error{"nested more than " + std::to_string(deepestNesting) +
                 " deep"};
  return {};
}

ExpressionSize model::sizeOf(const Node &node,
                             const std::vector<ExpressionSize> &before) {
  ExpressionSize size{writtenKindOf(node)};
  // An operand in parentheses, as a function's argument or after a sign is a
  // factor in a factor.
  bool nests = bindingOf(size.kind) == 3;
  for (unsigned i = 0; i < operandsOf(node.kind); ++i) {
    const ExpressionSize &operand = before[i == 0 ? node.left : node.right];
    size.operations = std::min(size.operations + operand.operations,
                               ExpressionSize::maxOperations + 1);
    size.nesting = std::max(
        size.nesting, operand.nesting + nests +
                          needsParentheses(size.kind, operand.kind, i == 1));
  }
  return size;
}

static const char *spellingOf(Kind kind) {
  switch (kind) {
  case Kind::Number:
  case Kind::Variable:
    break;
  case Kind::Negate:
    return "-";
  case Kind::Abs:
    return "abs";
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
  case Kind::Add:
    return " + ";
  case Kind::Subtract:
    return " - ";
  case Kind::Multiply:
    return " * ";
  case Kind::Divide:
    return " / ";
  case Kind::Max:
    return "max";
  case Kind::Min:
    return "min";
  }
  return "";
}

namespace {

class Writer {
public:
  Writer(const std::vector<Node> &nodes,
         const std::vector<std::string> &variables)
      : nodes(nodes), variables(variables) {}

  std::string take() && { return std::move(text); }

  void write(size_t number) {
    // A chain such as a + b + c is as deep as it is long on the left.
    std::vector<size_t> chain = {number};
    while (isChained(nodes[chain.back()]))
      chain.push_back(nodes[chain.back()].left);
    writeFactor(chain.back());
    for (size_t i = chain.size() - 1; i-- > 0;) {
      const Node &node = nodes[chain[i]];
      text += spellingOf(node.kind);
      writeOperand(node, node.right, /*isRight=*/true);
    }
  }

private:
  /// True if a node is an operator whose left operand is written as it is.
  bool isChained(const Node &node) const {
    return bindingOf(node.kind) < 3 &&
           !needsParentheses(node.kind, writtenKindOf(nodes[node.left]),
                             /*isRight=*/false);
  }

  /// Writes a node that does not begin with another one.
  void writeFactor(size_t number) {
    const Node &node = nodes[number];
    if (node.kind == Kind::Number) {
      text += stringify(node.number);
    } else if (node.kind == Kind::Variable) {
      text += variables[node.variable];
    } else if (node.kind == Kind::Negate) {
      text += spellingOf(node.kind);
      writeOperand(node, node.left, /*isRight=*/false);
    } else if (isFunction(node.kind)) {
      text += spellingOf(node.kind);
      text += "(";
      write(node.left);
      if (operandsOf(node.kind) > 1) {
        text += ", ";
        write(node.right);
      }
      text += ")";
    } else {
      writeOperand(node, node.left, /*isRight=*/false);
      text += spellingOf(node.kind);
      writeOperand(node, node.right, /*isRight=*/true);
    }
  }

  void writeOperand(const Node &node, size_t operand, bool isRight) {
    bool parentheses =
        needsParentheses(node.kind, writtenKindOf(nodes[operand]), isRight);
    if (parentheses)
      text += "(";
    write(operand);
    if (parentheses)
      text += ")";
  }

  const std::vector<Node> &nodes;
  const std::vector<std::string> &variables;
  std::string text;
};

} // namespace

std::string model::writeExpression(const std::vector<Node> &nodes,
                                   const std::vector<std::string> &variables) {
  Writer writer(nodes, variables);
  writer.write(nodes.size() - 1);
  return std::move(writer).take();
}
