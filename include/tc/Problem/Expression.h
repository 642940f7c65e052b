//===- Expression.h - Elementwise code as a short text ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spellings of the common prologues and epilogues, such as "leaky_relu(x,
// 0.01)" and their values.
//
//   expression = term { ("+" | "-") term }
//   term       = factor { ("*" | "/") factor }
//   factor     = "-" factor | number | variable | "(" expression ")"
//              | function "(" expression { "," expression } ")"
//
// Accepted expressions can be written out as operations alone and read again:
// the limits hold for what functions such as gelu(x) are made of, too.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_EXPRESSION_H
#define TC_PROBLEM_EXPRESSION_H

#include "tc/Problem/Constants.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tc::model {

/// An expression in real numbers.
class Expression {
public:
  enum class Kind : unsigned {
    Number,
    Variable,
    // Of one operand.
    Negate,
    Abs,
    Erf,
    Exp,
    Log,
    Sqrt,
    Tanh,
    // Of two.
    Add,
    Subtract,
    Multiply,
    Divide,
    Max,
    Min,
  };

  /// An operation on nodes that come before it.
  struct Node {
    Kind kind = Kind::Number;
    /// The number, or the number of the variable.
    Constant number;
    size_t variable = 0;
    size_t left = 0, right = 0;
  };

  /// A tensor that the expression reads, an element for each element of C:
  /// `bias[n]`.
  struct Auxiliary {
    std::string name;
    std::vector<std::string> labels;
    bool operator==(const Auxiliary &other) const {
      return name == other.name && labels == other.labels;
    }
  };

  /// Parses a text in which those variables may occur, and auxiliary tensors if
  /// `mayReadAuxiliaries`. Beside the operations
  /// above there are relu(x), leaky_relu(x, slope), clamp(x, low, high),
  /// sigmoid(x), silu(x), gelu(x) and square(x). Fails with the column, counted
  /// from one, and what is wrong there.
  static Result<Expression> parse(std::string_view text,
                                  const std::vector<std::string> &variables,
                                  bool mayReadAuxiliaries = false);

  /// Text that was parsed.
  const std::string &text() const { return source; }

  /// The operations, the last of which is the result.
  const std::vector<Node> &nodes() const { return list; }

  /// The auxiliary tensors, in the order in which they first occur. They are
  /// variables after the others.
  const std::vector<Auxiliary> &auxiliaries() const { return auxiliaryList; }

  /// True if its result depends on a variable.
  bool reads(size_t variable) const;

  /// Its value where the variables have those.
  long double evaluate(const std::vector<long double> &variables) const;

  /// The same in integers of a type, which wrap around, for an expression that
  /// computes integers.
  int64_t evaluateIntegers(const std::vector<int64_t> &variables,
                           ElementType type) const;

private:
  std::string source;
  std::vector<Node> list;
  std::vector<Auxiliary> auxiliaryList;
};

/// Size of an expression where it is written out as operations: what is used
/// twice is written twice.
struct ExpressionSize {
  /// Limits that keep hostile input cheap; they are far above any use.
  static constexpr size_t maxOperations = 4096;
  static constexpr unsigned deepestNesting = 200;

  /// The operation that is done last, for parentheses around it.
  Expression::Kind kind = Expression::Kind::Number;
  /// The operations, numbers and variables, at most one more than the limit.
  size_t operations = 1;
  /// Depth at which signs, parentheses and functions are nested in one another.
  unsigned nesting = 1;

  /// Fails if a limit is exceeded, and names it.
  Status check() const;
};

/// The size of a node, from those of the nodes before it.
ExpressionSize sizeOf(const Expression::Node &node,
                      const std::vector<ExpressionSize> &before);

/// Writes the last of some nodes, whose size keeps to the limits, such that
/// `Expression::parse` reads the same operations. Variables are written as they
/// are named.
std::string writeExpression(const std::vector<Expression::Node> &nodes,
                            const std::vector<std::string> &variables);

/// The variables of a prologue, x, and of an epilogue: x, the result, and c,
/// the old element of C.
std::vector<std::string> prologueVariables();
std::vector<std::string> epilogueVariables();
inline constexpr size_t oldElementVariable = 1;
/// The variables, x and y, of a product of factors and of what combines sums.
std::vector<std::string> semiringVariables();

/// Parses a prologue, which reads no auxiliary tensors, or an epilogue.
Result<Expression> parsePrologue(std::string_view text);
Result<Expression> parseEpilogue(std::string_view text);

/// Parses an operation of a user-defined semiring.
Result<Expression> parseSemiringOperation(std::string_view text);
/// Parses the identity of such a semiring: a number, "inf" or "-inf".
Result<Constant> parseIdentity(std::string_view text);
/// Fails, naming the operation, unless all of an expression's are defined for
/// integers: sums, products, maxima, minima and absolute values of integers.
Status checkComputesIntegers(const Expression &expression);
/// Fails, naming the number, unless the type that an expression is computed in,
/// which is one that sums have, holds all numbers in it.
Status checkNumbers(const Expression &expression, ElementType type);

/// Number of operands of such an operation.
unsigned operandsOf(Expression::Kind kind);

/// "abs, clamp, ... and tanh", for messages.
std::string functionNames();

} // namespace tc::model

#endif // TC_PROBLEM_EXPRESSION_H
