//===- KernelSyntax.cpp - The written form of #tc.kernel ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses and prints #tc.kernel by the list of its fields, which are
// `name = value` in the order of the list, or the name alone if the value is a
// truth. The key that makes attributes unique follows from the list, too.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/KernelFields.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/IR/DialectImplementation.h"

using namespace tc;

//===----------------------------------------------------------------------===//
// Uniquing
//===----------------------------------------------------------------------===//

llvm::hash_code tc::hash_value(const KernelFields &fields) {
  llvm::hash_code hash = 0;
  visitFields(fields, [&](const auto &, const auto &value) {
    if constexpr (record::IsVector<std::decay_t<decltype(value)>>::value)
      hash = llvm::hash_combine(
          hash, llvm::hash_combine_range(value.begin(), value.end()));
    else
      hash = llvm::hash_combine(hash, value);
  });
  return hash;
}

bool KernelFields::operator==(const KernelFields &other) const {
  return std::apply(
      [&](const auto &...field) {
        return ((this->*field.member == other.*field.member) && ...);
      },
      listFields<KernelFields>());
}

//===----------------------------------------------------------------------===//
// Values, by their type
//===----------------------------------------------------------------------===//

/// The uses of C by an epilogue.
static constexpr std::pair<StringLiteral, KernelEpilogue> epilogues[] = {
    {"write", KernelEpilogue::Write},
    {"read_write", KernelEpilogue::ReadWrite}};

static ParseResult parseValue(AsmParser &parser, KernelEpilogue &epilogue) {
  for (auto [name, known] : epilogues)
    if (succeeded(parser.parseOptionalKeyword(name))) {
      epilogue = known;
      return success();
    }
  return parser.emitError(parser.getCurrentLocation(), "expected '")
         << epilogues[0].first << "' or '" << epilogues[1].first << "'";
}

static void printValue(AsmPrinter &printer, KernelEpilogue epilogue) {
  for (auto [name, known] : epilogues)
    if (known == epilogue)
      printer << name;
}

static ParseResult parseValue(AsmParser &parser, model::Fill &fill) {
  StringRef name;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<model::Fill> known = model::symbolizeFill(name.str());
  if (!known)
    return parser.emitError(place, "'")
           << name << "' is none of zero, one, least and greatest";
  fill = *known;
  return success();
}

static void printValue(AsmPrinter &printer, model::Fill fill) {
  printer << StringRef(model::stringify(fill));
}

static ParseResult parseValue(AsmParser &parser, model::Precision &precision) {
  PrecisionAttr attr;
  if (parsePrecision(parser, attr))
    return failure();
  precision = attr.getValue();
  return success();
}

static void printValue(AsmPrinter &printer, model::Precision precision) {
  printer.printKeywordOrString(model::stringify(precision));
}

static ParseResult parseValue(AsmParser &parser, KernelSemiring &semiring) {
  SemiringAttr attr;
  if (parseSemiring(parser, attr, semiring.identity))
    return failure();
  semiring.kind = attr.getValue();
  return success();
}

static void printValue(AsmPrinter &printer, const KernelSemiring &semiring) {
  printer.printKeywordOrString(model::stringify(semiring.kind));
  if (semiring.identity)
    printer << '(' << semiring.identity << ')';
}

static ParseResult parseValue(AsmParser &parser, IndexListAttr &indices) {
  return parseIndexList(parser, indices);
}

static void printValue(AsmPrinter &printer, IndexListAttr indices) {
  printIndexList(printer, indices);
}

static ParseResult parseValue(AsmParser &parser, Type &type) {
  return parser.parseType(type);
}

static ParseResult parseValue(AsmParser &parser, int64_t &number) {
  return parser.parseInteger(number);
}

static ParseResult parseTensor(AsmParser &parser, unsigned &node,
                               model::Tensor &tensor) {
  StringRef name;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<model::GroupTensor> known =
      model::symbolizeGroupTensor(name.str());
  if (!known)
    return parser.emitError(place, "'")
           << name << "' is no tensor, such as A, B1 or C2";
  node = known->node;
  tensor = known->tensor;
  return success();
}

static ParseResult parseValue(AsmParser &parser, KernelEdge &edge) {
  if (parseTensor(parser, edge.edge.from, edge.edge.source) ||
      parser.parseArrow() || parseTensor(parser, edge.edge.to, edge.edge.sink))
    return failure();
  if (succeeded(parser.parseOptionalColon()) && parser.parseType(edge.type))
    return failure();
  StringRef name;
  SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&name)))
    return success();
  std::optional<model::EdgeFunction> function =
      model::symbolizeEdgeFunction(name.str());
  if (!function) {
    InFlightDiagnostic error = parser.emitError(place, "'")
                               << name << "' is no function of an edge: ";
    llvm::interleave(
        model::edgeFunctions,
        [&](model::EdgeFunction known) { error << model::stringify(known); },
        [&] { error << ", "; });
    return error;
  }
  edge.edge.through = *function;
  return success();
}

static void printValue(AsmPrinter &printer, const KernelEdge &edge) {
  printer << model::nameOf({edge.edge.from, edge.edge.source}) << " -> "
          << model::nameOf({edge.edge.to, edge.edge.sink});
  if (edge.type)
    printer << " : " << edge.type;
  if (edge.edge.through != model::EdgeFunction::Identity)
    printer << ' ' << StringRef(model::stringify(edge.edge.through));
}

/// Of attributes that are written with their name.
template <typename Attr>
static std::enable_if_t<std::is_base_of_v<Attribute, Attr>, ParseResult>
parseValue(AsmParser &parser, Attr &attribute) {
  return parser.parseAttribute(attribute);
}

template <typename T>
static ParseResult parseValue(AsmParser &parser, std::vector<T> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseValue(parser, list.emplace_back());
  });
}

template <typename T>
static ParseResult parseValue(AsmParser &parser, std::pair<T, T> &pair) {
  return failure(parser.parseLSquare() || parseValue(parser, pair.first) ||
                 parser.parseComma() || parseValue(parser, pair.second) ||
                 parser.parseRSquare());
}

template <typename T>
static ParseResult parseValue(AsmParser &parser, std::optional<T> &value) {
  return parseValue(parser, value.emplace());
}

/// Of types, numbers, and attributes that are written with their name.
template <typename T>
static void printValue(AsmPrinter &printer, const T &value) {
  if constexpr (record::IsOptional<T>::value) {
    printValue(printer, *value);
  } else if constexpr (record::IsPair<T>::value) {
    printer << '[';
    printValue(printer, value.first);
    printer << ", ";
    printValue(printer, value.second);
    printer << ']';
  } else if constexpr (record::IsVector<T>::value) {
    printer << '[';
    llvm::interleaveComma(value, printer.getStream(), [&](const auto &element) {
      printValue(printer, element);
    });
    printer << ']';
  } else {
    printer << value;
  }
}

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

Attribute KernelAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  KernelFields fields;
  ParseResult result = success();
  // True if there is another field: behind a comma, and at the beginning.
  bool isAnother = true;
  visitFields(fields, [&](const auto &field, auto &value) {
    if (failed(result))
      return;
    if (field.name == "edges" && isAnother)
      for (StringRef former :
           {"chained_a", "chained_b", "softmax", "shared_a", "shared_b"})
        if (succeeded(parser.parseOptionalKeyword(former))) {
          result = parser.emitError(parser.getCurrentLocation(), "'")
                   << former
                   << "' is now an edge, as in edges = [C1 -> A : f64 "
                      "softmax] or edges = [A -> B1]";
          return;
        }
    if (field.mayBeAbsent) {
      if (!isAnother || failed(parser.parseOptionalKeyword(field.name)))
        return;
    } else if ((!isAnother && parser.parseComma()) ||
               parser.parseKeyword(field.name)) {
      result = failure();
      return;
    }
    if constexpr (std::is_same_v<decltype(value), bool &>)
      value = true;
    else
      result = failure(parser.parseEqual() || parseValue(parser, value));
    isAnother = succeeded(parser.parseOptionalComma());
  });
  if (failed(result))
    return {};
  if (isAnother) {
    parser.emitError(parser.getCurrentLocation(), "expected another field");
    return {};
  }
  if (parser.parseGreater())
    return {};
  return KernelAttr::get(parser.getContext(), fields);
}

void KernelAttr::print(AsmPrinter &printer) const {
  StringRef separator = "<";
  visitFields(getValue(), [&](const auto &field, const auto &value) {
    if (field.mayBeAbsent && value == KernelFields().*field.member)
      return;
    printer << separator << StringRef(field.name);
    separator = ", ";
    if constexpr (!std::is_same_v<decltype(value), const bool &>) {
      printer << " = ";
      printValue(printer, value);
    }
  });
  printer << '>';
}
