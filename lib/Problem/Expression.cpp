//===- Expression.cpp - Elementwise code as a short text ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parser by recursive descent, and the evaluation of what it finds.
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Expression.h"

#include "tc/Problem/Contraction.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

using namespace tc;
using namespace tc::model;
using Kind = Expression::Kind;
using Node = Expression::Node;

unsigned model::operandsOf(Kind kind) {
  switch (kind) {
  case Kind::Number:
  case Kind::Variable:
    return 0;
  case Kind::Negate:
  case Kind::Abs:
  case Kind::Erf:
  case Kind::Exp:
  case Kind::Log:
  case Kind::Sqrt:
  case Kind::Tanh:
    return 1;
  case Kind::Add:
  case Kind::Subtract:
  case Kind::Multiply:
  case Kind::Divide:
  case Kind::Max:
  case Kind::Min:
    return 2;
  }
  return 0;
}

namespace {

class Parser;

/// A function of the text: what it is made of.
struct Function {
  std::string_view name;
  size_t arguments;
  size_t (*build)(Parser &parser, const std::vector<size_t> &arguments);
};

class Parser {
public:
  Parser(std::string_view text, const std::vector<std::string> &variables,
         bool mayReadAuxiliaries)
      : text(text), variables(variables),
        mayReadAuxiliaries(mayReadAuxiliaries) {}

  Result<std::vector<Node>> run() {
    size_t result = parseSum();
    skipSpace();
    if (error.empty() && position < text.size())
      fail("expected an operator or the end");
    if (!error.empty())
      return Error{error};
    // Other nodes may follow that of the result.
    nodes.resize(result + 1);
    return std::move(nodes);
  }

  std::vector<Expression::Auxiliary> takeAuxiliaries() {
    return std::move(auxiliaries);
  }

  size_t number(const Constant &value) {
    return append({Kind::Number, value, 0, 0, 0});
  }
  size_t apply(Kind kind, size_t left, size_t right = 0) {
    return append({kind, 0, 0, left, right});
  }

private:
  size_t append(const Node &node) {
    // Nodes after an error are built of others than those that are meant.
    if (!error.empty())
      return 0;
    ExpressionSize size = sizeOf(node, sizes);
    if (Status status = size.check(); !status)
      return fail(status.error());
    sizes.push_back(size);
    nodes.push_back(node);
    return nodes.size() - 1;
  }

  size_t fail(const std::string &message) {
    if (error.empty())
      error = "column " + std::to_string(position + 1) + ": " + message;
    // Ends all loops over the rest of the text.
    position = text.size();
    return 0;
  }

  void skipSpace() {
    while (position < text.size() &&
           std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
  }
  bool take(char character) {
    skipSpace();
    if (position == text.size() || text[position] != character)
      return false;
    ++position;
    return true;
  }

  size_t parseSum() {
    size_t sum = parseProduct();
    for (;;) {
      if (take('+'))
        sum = apply(Kind::Add, sum, parseProduct());
      else if (take('-'))
        sum = apply(Kind::Subtract, sum, parseProduct());
      else
        return sum;
    }
  }

  size_t parseProduct() {
    size_t product = parseFactor();
    for (;;) {
      if (take('*'))
        product = apply(Kind::Multiply, product, parseFactor());
      else if (take('/'))
        product = apply(Kind::Divide, product, parseFactor());
      else
        return product;
    }
  }

  size_t parseFactor() {
    if (++depth > ExpressionSize::deepestNesting)
      return fail(ExpressionSize{Kind::Number, 1, depth}.check().error());
    size_t factor = parseUnary();
    --depth;
    return factor;
  }

  size_t parseUnary() {
    if (take('-')) {
      skipSpace();
      // The least integer of a type has no counterpart to be negated.
      return isAtNumber() ? parseNumber(/*isNegative=*/true)
                          : apply(Kind::Negate, parseFactor());
    }
    if (take('(')) {
      size_t inner = parseSum();
      if (error.empty() && !take(')'))
        return fail("expected ')'");
      return inner;
    }
    if (position == text.size())
      return fail("expected a number, a variable or a function");
    auto first = static_cast<unsigned char>(text[position]);
    if (isAtNumber())
      return parseNumber(/*isNegative=*/false);
    if (std::isalpha(first) || first == '_')
      return parseName();
    return fail("expected a number, a variable or a function");
  }

  bool isAtNumber() const {
    return position < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[position])) ||
            text[position] == '.');
  }

  size_t parseNumber(bool isNegative) {
    std::string_view rest = text.substr(position);
    std::optional<Constant> value = takeConstant(rest, isNegative);
    if (!value)
      return fail("number that is malformed or too large");
    position = text.size() - rest.size();
    return number(*value);
  }

  size_t parseName();
  size_t parseAuxiliary(size_t begin, std::string_view name);
  std::string_view takeName();

  std::string_view text;
  const std::vector<std::string> &variables;
  bool mayReadAuxiliaries;
  std::vector<Expression::Auxiliary> auxiliaries;
  size_t position = 0;
  unsigned depth = 0;
  std::string error;
  std::vector<Node> nodes;
  std::vector<ExpressionSize> sizes;
};

} // namespace

template <Kind kind>
static size_t build(Parser &parser, const std::vector<size_t> &arguments) {
  return parser.apply(kind, arguments[0],
                      arguments.size() > 1 ? arguments[1] : 0);
}

static size_t buildSigmoid(Parser &parser,
                           const std::vector<size_t> &arguments) {
  size_t power =
      parser.apply(Kind::Exp, parser.apply(Kind::Negate, arguments[0]));
  return parser.apply(Kind::Divide, parser.number(1),
                      parser.apply(Kind::Add, parser.number(1), power));
}

static constexpr Function functions[] = {
    {"abs", 1, build<Kind::Abs>},
    {"clamp", 3,
     [](Parser &parser, const std::vector<size_t> &arguments) {
       size_t high = parser.apply(Kind::Max, arguments[0], arguments[1]);
       return parser.apply(Kind::Min, high, arguments[2]);
     }},
    {"erf", 1, build<Kind::Erf>},
    {"exp", 1, build<Kind::Exp>},
    {"gelu", 1,
     [](Parser &parser, const std::vector<size_t> &arguments) {
       size_t scaled = parser.apply(Kind::Multiply, arguments[0],
                                    parser.number(0.7071067811865476));
       size_t area = parser.apply(Kind::Add, parser.number(1),
                                  parser.apply(Kind::Erf, scaled));
       size_t half =
           parser.apply(Kind::Multiply, arguments[0], parser.number(0.5));
       return parser.apply(Kind::Multiply, half, area);
     }},
    {"leaky_relu", 2,
     [](Parser &parser, const std::vector<size_t> &arguments) {
       size_t zero = parser.number(0);
       size_t positive = parser.apply(Kind::Max, arguments[0], zero);
       size_t negative = parser.apply(Kind::Min, arguments[0], zero);
       return parser.apply(
           Kind::Add, positive,
           parser.apply(Kind::Multiply, arguments[1], negative));
     }},
    {"log", 1, build<Kind::Log>},
    {"max", 2, build<Kind::Max>},
    {"min", 2, build<Kind::Min>},
    {"relu", 1,
     [](Parser &parser, const std::vector<size_t> &arguments) {
       return parser.apply(Kind::Max, arguments[0], parser.number(0));
     }},
    {"sigmoid", 1, buildSigmoid},
    {"silu", 1,
     [](Parser &parser, const std::vector<size_t> &arguments) {
       return parser.apply(Kind::Multiply, arguments[0],
                           buildSigmoid(parser, arguments));
     }},
    {"sqrt", 1, build<Kind::Sqrt>},
    {"square", 1,
     [](Parser &parser, const std::vector<size_t> &arguments) {
       return parser.apply(Kind::Multiply, arguments[0], arguments[0]);
     }},
    {"tanh", 1, build<Kind::Tanh>},
};

std::vector<std::string> model::prologueVariables() { return {"x"}; }
std::vector<std::string> model::epilogueVariables() { return {"x", "c"}; }

Result<Expression> model::parsePrologue(std::string_view text) {
  return Expression::parse(text, prologueVariables());
}
Result<Expression> model::parseEpilogue(std::string_view text) {
  return Expression::parse(text, epilogueVariables(),
                           /*mayReadAuxiliaries=*/true);
}

std::string model::functionNames() {
  std::string names;
  for (const Function &function : functions) {
    if (!names.empty())
      names += &function == std::end(functions) - 1 ? " and " : ", ";
    names += function.name;
  }
  return names;
}

std::string_view Parser::takeName() {
  size_t begin = position;
  while (position < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[position])) ||
          text[position] == '_'))
    ++position;
  return text.substr(begin, position - begin);
}

/// Parses the labels of an auxiliary tensor, after '['.
size_t Parser::parseAuxiliary(size_t begin, std::string_view name) {
  Expression::Auxiliary auxiliary{std::string(name), {}};
  if (!take(']')) {
    do {
      skipSpace();
      auxiliary.labels.emplace_back(takeName());
      if (!isValidLabel(auxiliary.labels.back()))
        return fail("expected an index name");
    } while (take(','));
    if (!take(']'))
      return fail("expected ',' or ']'");
  }
  auto known = std::find_if(
      auxiliaries.begin(), auxiliaries.end(),
      [&](const Expression::Auxiliary &s) { return s.name == auxiliary.name; });
  if (known != auxiliaries.end() && !(*known == auxiliary)) {
    position = begin;
    return fail("'" + auxiliary.name + "' has other indices here than before");
  }
  size_t number = variables.size() + (known - auxiliaries.begin());
  if (known == auxiliaries.end())
    auxiliaries.push_back(std::move(auxiliary));
  return append({Kind::Variable, 0, number, 0, 0});
}

size_t Parser::parseName() {
  size_t begin = position;
  std::string_view name = takeName();
  auto failAtName = [&](const std::string &message) {
    position = begin;
    return fail(message);
  };
  auto variable = std::find(variables.begin(), variables.end(), name);
  if (take('[')) {
    if (variable != variables.end())
      return failAtName("'" + std::string(name) +
                        "' is a variable, not a tensor");
    if (!mayReadAuxiliaries)
      return failAtName("'" + std::string(name) +
                        "[': no auxiliary tensors can be read here");
    return parseAuxiliary(begin, name);
  }
  if (!take('(')) {
    if (variable == variables.end())
      return failAtName("unknown variable '" + std::string(name) + "'");
    return append({Kind::Variable, 0,
                   static_cast<size_t>(variable - variables.begin()), 0, 0});
  }
  const Function *function =
      std::find_if(std::begin(functions), std::end(functions),
                   [&](const Function &known) { return known.name == name; });
  if (function == std::end(functions))
    return failAtName("unknown function '" + std::string(name) +
                      "'; there are " + functionNames());
  std::vector<size_t> arguments;
  do
    arguments.push_back(parseSum());
  while (take(','));
  if (!error.empty())
    return 0;
  if (!take(')'))
    return fail("expected ',' or ')'");
  if (arguments.size() != function->arguments)
    return failAtName("function " + std::string(name) + " has " +
                      std::to_string(function->arguments) +
                      (function->arguments == 1 ? " argument" : " arguments") +
                      ", not " + std::to_string(arguments.size()));
  return function->build(*this, arguments);
}

Result<Expression> Expression::parse(std::string_view text,
                                     const std::vector<std::string> &variables,
                                     bool mayReadAuxiliaries) {
  Parser parser(text, variables, mayReadAuxiliaries);
  Result<std::vector<Node>> nodes = parser.run();
  if (!nodes)
    return Error{nodes.error()};
  Expression expression;
  expression.source = text;
  expression.list = std::move(*nodes);
  expression.auxiliaryList = parser.takeAuxiliaries();
  return expression;
}

static long double evaluateNode(const Node &node, long double left,
                                long double right) {
  switch (node.kind) {
  case Kind::Number:
  case Kind::Variable:
    break;
  case Kind::Negate:
    return -left;
  case Kind::Abs:
    return std::fabs(left);
  case Kind::Erf:
    return std::erf(left);
  case Kind::Exp:
    return std::exp(left);
  case Kind::Log:
    return std::log(left);
  case Kind::Sqrt:
    return std::sqrt(left);
  case Kind::Tanh:
    return std::tanh(left);
  case Kind::Add:
    return left + right;
  case Kind::Subtract:
    return left - right;
  case Kind::Multiply:
    return left * right;
  case Kind::Divide:
    return left / right;
  case Kind::Max:
    return std::max(left, right);
  case Kind::Min:
    return std::min(left, right);
  }
  return node.number.real();
}

bool Expression::reads(size_t variable) const {
  return std::any_of(list.begin(), list.end(), [&](const Node &node) {
    return node.kind == Kind::Variable && node.variable == variable;
  });
}

long double
Expression::evaluate(const std::vector<long double> &variables) const {
  std::vector<long double> values;
  values.reserve(list.size());
  for (const Node &node : list)
    values.push_back(
        node.kind == Kind::Variable
            ? variables[node.variable]
            : evaluateNode(node,
                           operandsOf(node.kind) > 0 ? values[node.left] : 0,
                           operandsOf(node.kind) > 1 ? values[node.right] : 0));
  return values.back();
}
