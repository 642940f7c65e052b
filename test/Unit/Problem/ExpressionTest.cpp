//===- ExpressionTest.cpp - Elementwise code as a short text --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace tc;
using namespace tc::model;

namespace {

double valueOf(const std::string &text, double x, double c = 0) {
  Result<Expression> expression = Expression::parse(text, {"x", "c"});
  if (!expression) {
    ADD_FAILURE() << text << ": " << expression.error();
    return 0;
  }
  return static_cast<double>(expression->evaluate({x, c}));
}

std::string errorOf(const std::string &text) {
  Result<Expression> expression = Expression::parse(text, {"x"});
  return expression ? "" : expression.error();
}

TEST(Expression, Operators) {
  EXPECT_EQ(valueOf("x", 3), 3);
  EXPECT_EQ(valueOf(" 1.5e1 ", 3), 15);
  EXPECT_EQ(valueOf("x - 1 - 2", 3), 0);
  EXPECT_EQ(valueOf("x / 2 / 2", 3), 0.75);
  EXPECT_EQ(valueOf("1 + x * c", 3, 4), 13);
  EXPECT_EQ(valueOf("(1 + x) * c", 3, 4), 16);
  EXPECT_EQ(valueOf("--x*-c", 3, 4), -12);
}

TEST(Expression, Functions) {
  for (double x : {-2.5, -0.5, 0.0, 0.75, 3.0}) {
    EXPECT_EQ(valueOf("abs(x)", x), std::fabs(x));
    EXPECT_EQ(valueOf("clamp(x, -1, 2)", x), std::fmin(std::fmax(x, -1), 2));
    EXPECT_EQ(valueOf("relu(x)", x), x > 0 ? x : 0);
    EXPECT_NEAR(valueOf("leaky_relu(x, 0.01)", x), x > 0 ? x : 0.01 * x, 1e-15);
    EXPECT_EQ(valueOf("square(x)", x), x * x);
    EXPECT_EQ(valueOf("max(x, c) - min(x, c)", x, 1), std::fabs(x - 1));
    EXPECT_NEAR(valueOf("exp(x)", x), std::exp(x), 1e-14);
    EXPECT_NEAR(valueOf("log(abs(x) + 1)", x), std::log1p(std::fabs(x)), 1e-15);
    EXPECT_NEAR(valueOf("sqrt(abs(x))", x), std::sqrt(std::fabs(x)), 1e-15);
    EXPECT_NEAR(valueOf("tanh(x)", x), std::tanh(x), 1e-15);
    EXPECT_NEAR(valueOf("sigmoid(x)", x), 1 / (1 + std::exp(-x)), 1e-15);
    EXPECT_NEAR(valueOf("silu(x)", x), x / (1 + std::exp(-x)), 1e-15);
    EXPECT_NEAR(valueOf("gelu(x)", x),
                x / 2 * (1 + std::erf(x / std::sqrt(2.))), 1e-15);
  }
}

TEST(Expression, AuxiliaryTensors) {
  Result<Expression> expression =
      parseEpilogue("x * scale[] + bias[i, j] + c + bias[i,j]");
  ASSERT_TRUE(expression) << expression.error();
  using Auxiliary = Expression::Auxiliary;
  EXPECT_EQ(expression->auxiliaries(),
            (std::vector<Auxiliary>{{"scale", {}}, {"bias", {"i", "j"}}}));
  EXPECT_EQ(expression->evaluate({2, 3, 10, 100}), 223);

  auto errorOf = [](const std::string &text) {
    Result<Expression> expression = parseEpilogue(text);
    return expression ? std::string() : expression.error();
  };
  EXPECT_EQ(errorOf("b[i] + b[j]"),
            "column 8: 'b' has other indices here than before");
  EXPECT_EQ(errorOf("x[i]"), "column 1: 'x' is a variable, not a tensor");
  EXPECT_EQ(errorOf("b[1]"), "column 4: expected an index name");
  EXPECT_EQ(errorOf("b[i"), "column 4: expected ',' or ']'");
  EXPECT_EQ(parsePrologue("x + b[i]").error(),
            "column 5: 'b[': no auxiliary tensors can be read here");
}

TEST(Expression, Errors) {
  EXPECT_EQ(errorOf(""),
            "column 1: expected a number, a variable or a function");
  EXPECT_EQ(errorOf("x +"),
            "column 4: expected a number, a variable or a function");
  EXPECT_EQ(errorOf("x $"), "column 3: expected an operator or the end");
  EXPECT_EQ(errorOf("x y"), "column 3: expected an operator or the end");
  EXPECT_EQ(errorOf("(x"), "column 3: expected ')'");
  EXPECT_EQ(errorOf("1 + y"), "column 5: unknown variable 'y'");
  EXPECT_EQ(errorOf("swish(x)"),
            "column 1: unknown function 'swish'; there are " + functionNames());
  EXPECT_EQ(errorOf("max(x)"), "column 1: function max has 2 arguments, not 1");
  EXPECT_EQ(errorOf("1 + abs(x, x)"),
            "column 5: function abs has 1 argument, not 2");
  EXPECT_EQ(errorOf("abs(x"), "column 6: expected ',' or ')'");
  EXPECT_EQ(errorOf("1e999"),
            "column 1: number that is malformed or too large");
}

/// The limit on the operations of an expression, at the column where it is
/// exceeded.
std::string tooManyAt(size_t column) {
  return "column " + std::to_string(column) +
         ": more than 4096 operations, those that functions are made of and "
         "repeated ones included";
}

TEST(Expression, LimitsAreNamed) {
  std::string tooDeep = "column 201: nested more than 200 deep";
  EXPECT_EQ(errorOf(std::string(1000, '(')), tooDeep);
  EXPECT_EQ(errorOf(std::string(1000, '-') + "x"), tooDeep);
  auto sumOf = [](size_t terms) {
    std::string sum = "x";
    for (size_t i = 1; i < terms; ++i)
      sum += "+x";
    return sum;
  };
  EXPECT_EQ(errorOf(sumOf(2048)), "");
  EXPECT_EQ(errorOf(sumOf(2049)), tooManyAt(2 * 2049));
  auto nested = [](const std::string &function, size_t times) {
    std::string text = "x";
    for (size_t i = 0; i < times; ++i)
      text = function + "(" + text + ")";
    return text;
  };
  EXPECT_EQ(errorOf(nested("gelu", 8)), "");
  EXPECT_EQ(errorOf(nested("gelu", 9)), tooManyAt(9 * 5 + 1 + 9 + 1));
  EXPECT_EQ(errorOf(nested("square", 11)), "");
  EXPECT_EQ(errorOf(nested("square", 12)), tooManyAt(12 * 7 + 1 + 12 + 1));
  // A sigmoid is 1 / (1 + exp(-x)): and four deep.
  EXPECT_EQ(errorOf(nested("sigmoid", 50)), "");
  EXPECT_EQ(errorOf(nested("sigmoid", 51)).substr(0, 7), "column ");
  EXPECT_NE(errorOf(nested("sigmoid", 51)).find("nested more than 200 deep"),
            std::string::npos);
}

/// The text of an expression that was read from a text.
std::string rewritten(const std::string &text) {
  Result<Expression> expression = Expression::parse(text, {"x", "c"});
  return expression ? writeExpression(expression->nodes(), {"x", "c"})
                    : expression.error();
}

TEST(Expression, IsWrittenWithTheParenthesesThatItNeeds) {
  EXPECT_EQ(rewritten("((x+1)+(c))-2"), "x + 1 + c - 2");
  EXPECT_EQ(rewritten("x-(1-c)"), "x - (1 - c)");
  EXPECT_EQ(rewritten("x+(1+c)"), "x + (1 + c)");
  EXPECT_EQ(rewritten("(x*2)/c*(x/c)"), "x * 2 / c * (x / c)");
  EXPECT_EQ(rewritten("(x+2)*c+x*(2-c)"), "(x + 2) * c + x * (2 - c)");
  EXPECT_EQ(rewritten("--x--c*-x"), "-(-x) - -c * (-x)");
  EXPECT_EQ(rewritten("-(x+c)"), "-(x + c)");
  EXPECT_EQ(rewritten("max((x+1),(min(c,-1)))"), "max(x + 1, min(c, -1))");
  EXPECT_EQ(rewritten("leaky_relu(x,0.01)"), "max(x, 0) + 0.01 * min(x, 0)");
  EXPECT_EQ(rewritten("x*1e-300+0.1"), "x * 1e-300 + 0.1");
  // A negative number has its sign with it.
  std::vector<Expression::Node> nodes(3);
  nodes[0].number = -0.5;
  nodes[1].kind = Expression::Kind::Variable;
  nodes[2] = {Expression::Kind::Multiply, 0, 0, 1, 0};
  EXPECT_EQ(writeExpression(nodes, {"x"}), "x * (-0.5)");
}

TEST(Expression, WhatIsWrittenIsReadAgain) {
  std::mt19937 random(20261124);
  const char *functions[] = {"gelu", "silu", "sigmoid", "relu", "tanh",
                             "exp",  "abs",  "square",  "sqrt", "erf"};
  auto draw = [&](size_t count) { return random() % count; };
  size_t accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = "x";
    for (size_t step = 1 + draw(i % 80 + 1); step-- > 0;) {
      static const char *signs[] = {" + ", " - ", " * ", " / "};
      switch (draw(5)) {
      case 0:
        text = std::string(functions[draw(10)]) + "(" + text + ")";
        break;
      case 1:
        text = "-" + std::string(draw(2) ? "(" + text + ")" : text);
        break;
      case 2:
        text = "c" + std::string(signs[draw(4)]) + "(" + text + ")";
        break;
      case 3:
        text += std::string(signs[draw(4)]) + std::to_string(draw(99) / 16.);
        break;
      default:
        text = "max(" + text + ", clamp(c, x, 2))";
      }
    }
    Result<Expression> expression = Expression::parse(text, {"x", "c"});
    if (!expression)
      continue;
    ++accepted;
    std::string written = writeExpression(expression->nodes(), {"x", "c"});
    Result<Expression> again = Expression::parse(written, {"x", "c"});
    ASSERT_TRUE(again) << text << "\n" << written << "\n" << again.error();
    EXPECT_EQ(writeExpression(again->nodes(), {"x", "c"}), written);
    for (double x : {-1.25, 0.5}) {
      long double value = expression->evaluate({x, 0.75});
      long double other = again->evaluate({x, 0.75});
      EXPECT_TRUE(value == other || (std::isnan(value) && std::isnan(other)))
          << text << "\n"
          << written;
    }
  }
  EXPECT_GT(accepted, 2000u);
}

TEST(Expression, ComputesIntegersThatWrapAround) {
  auto evaluate = [](const char *text, int64_t x, int64_t y,
                     ElementType type = ElementType::I32) {
    return parseSemiringOperation(text)->evaluateIntegers({x, y}, type);
  };
  EXPECT_EQ(evaluate("abs(x - y) + min(x, -y) * 3", -7, 2), 9 - 21);
  EXPECT_EQ(evaluate("max(x, y) * max(x, y)", 65536, 3), 0);
  EXPECT_EQ(evaluate("x + 1", 2147483647, 0), -2147483648);
  EXPECT_EQ(evaluate("x + 1", 2147483647, 0, ElementType::I64), 2147483648);
  EXPECT_EQ(evaluate("abs(x)", -2147483648, 0), -2147483648);
  auto errorOf = [](const char *text) {
    Status status = checkComputesIntegers(*parseSemiringOperation(text));
    return status ? "" : status.error();
  };
  EXPECT_EQ(errorOf("square(x - y)"), "");
  EXPECT_EQ(errorOf("x / y"), "'/' is not defined for integers");
}

TEST(Expression, NumbersAreOfTheirType) {
  auto errorOf = [](const char *text, ElementType type) {
    Status status = checkNumbers(*parseSemiringOperation(text), type);
    return status ? "" : status.error();
  };
  EXPECT_EQ(errorOf("1.5 + y", ElementType::I32), "'1.5' is no i32");
  EXPECT_EQ(errorOf("x - 2147483648", ElementType::I32),
            "'2147483648' is no i32");
  EXPECT_EQ(errorOf("x + -2147483648", ElementType::I32), "");
  EXPECT_EQ(errorOf("x + 9223372036854775808", ElementType::I64),
            "'9223372036854775808' is no i64");
  EXPECT_EQ(errorOf("x * 1e40", ElementType::F32),
            "'1e+40' is too large for f32");
  EXPECT_EQ(errorOf("x * 1e40", ElementType::F64), "");
  EXPECT_EQ(errorOf("x * 0.1", ElementType::F32), "");
}

TEST(Expression, IntegersOf64BitsAreExact) {
  auto evaluate = [](const char *text) {
    return parseSemiringOperation(text)->evaluateIntegers({0, 0},
                                                          ElementType::I64);
  };
  EXPECT_EQ(evaluate("x + 9007199254740993"), 9007199254740993);
  EXPECT_EQ(evaluate("x - 9007199254740993"), -9007199254740993);
  EXPECT_EQ(evaluate("- 9223372036854775808 + y"),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(evaluate("--3"), 3);
}

TEST(Expression, IdentitiesAreNumbers) {
  EXPECT_EQ(*parseIdentity("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(*parseIdentity("0.5"), 0.5);
  for (const char *text : {"", "nan", "1x", "zero"})
    EXPECT_EQ(parseIdentity(text).error(),
              "'" + std::string(text) + "' is no number");
}

} // namespace
