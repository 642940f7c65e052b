//===- NotationTest.h - Helpers of the notations' tests ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing in one call, and tables of texts with their diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_IMPORT_NOTATIONTEST_H
#define TC_UNITTESTS_IMPORT_NOTATIONTEST_H

#include "tc/Import/Notations.h"
#include "tc/Import/ParsedProgram.h"

#include "gtest/gtest.h"
#include <map>

namespace tc::notation::test {

using Contractions = std::vector<ParsedContraction>;
using List = std::vector<std::string>;
using Extents = std::map<std::string, int64_t>;
using model::Tensor;

/// The labels of a tensor, the last of which has stride one.
inline List labelsOf(const ParsedContraction &contraction, Tensor tensor) {
  return contraction.record.tensors[tensor].labels;
}

/// The same as a column-major notation writes them.
inline List columnMajorLabelsOf(const ParsedContraction &contraction,
                                Tensor tensor) {
  List labels = labelsOf(contraction, tensor);
  std::reverse(labels.begin(), labels.end());
  return labels;
}

/// The extents of all labels, which all tensors agree on.
inline Extents extentsOf(const ParsedContraction &contraction) {
  Extents extents;
  for (const model::TensorRecord &tensor : contraction.record.tensors) {
    EXPECT_EQ(tensor.extents.size(), tensor.labels.size());
    EXPECT_EQ(tensor.strides, model::contiguousStrides(tensor.extents));
    for (size_t i = 0; i < tensor.labels.size(); ++i)
      EXPECT_EQ(extents.try_emplace(tensor.labels[i], tensor.extents[i])
                    .first->second,
                tensor.extents[i]);
  }
  return extents;
}

/// The contractions of a text that must be right; the user gives `extents`
/// beside it.
inline Contractions parseValid(Notation notation, std::string_view text,
                               std::string_view extents = "",
                               ParseOptions options = {}) {
  Diagnostic diagnostic;
  auto given = parseExtents(extents, options.extentsSource, diagnostic);
  EXPECT_TRUE(given) << diagnostic.str();
  options.extents = given.value_or(std::vector<Extent>());
  auto result = parse(notation, text, options, diagnostic);
  EXPECT_TRUE(result) << diagnostic.str();
  return result.value_or(Contractions(1));
}

/// The place of an error, and its message, which is one line.
inline std::string placeOf(const Diagnostic &diagnostic,
                           const ParseOptions &options) {
  EXPECT_EQ(diagnostic.message.find('\n'), std::string::npos);
  std::string place = std::to_string(diagnostic.position.line) + ":" +
                      std::to_string(diagnostic.position.column) + ": " +
                      diagnostic.message;
  return diagnostic.source == options.source ? place
                                             : diagnostic.source + ":" + place;
}

/// The diagnostic of a text that must be wrong, as `line:column: message`.
inline std::string parseInvalid(Notation notation, std::string_view text,
                                std::string_view extents = "",
                                std::string_view shapes = "") {
  Diagnostic diagnostic;
  ParseOptions options;
  if (!shapes.empty()) {
    auto list = parseShapes(shapes, options.shapesSource, diagnostic);
    EXPECT_TRUE(list) << diagnostic.str();
    options.shapes = list.value_or(std::vector<Shape>());
  }
  auto given = parseExtents(extents, options.extentsSource, diagnostic);
  EXPECT_TRUE(given) << diagnostic.str();
  options.extents = given.value_or(std::vector<Extent>());
  if (parse(notation, text, options, diagnostic))
    return "accepted";
  return placeOf(diagnostic, options);
}

/// The same of a program.
inline ParsedProgram parseValid(ProgramNotation notation, std::string_view text,
                                std::string_view extents = "",
                                ParseOptions options = {}) {
  Diagnostic diagnostic;
  auto given = parseExtents(extents, options.extentsSource, diagnostic);
  EXPECT_TRUE(given) << diagnostic.str();
  options.extents = given.value_or(std::vector<Extent>());
  auto result = parseProgram(notation, text, options, diagnostic);
  EXPECT_TRUE(result) << diagnostic.str();
  return result.value_or(ParsedProgram());
}

inline std::string parseInvalid(ProgramNotation notation, std::string_view text,
                                std::string_view extents = "",
                                ParseOptions options = {}) {
  Diagnostic diagnostic;
  auto given = parseExtents(extents, options.extentsSource, diagnostic);
  EXPECT_TRUE(given) << diagnostic.str();
  options.extents = given.value_or(std::vector<Extent>());
  if (parseProgram(notation, text, options, diagnostic))
    return "accepted";
  return placeOf(diagnostic, options);
}

/// The steps of a program: outputs, factors, and their coefficients.
inline List stepsOf(const ParsedProgram &program) {
  auto tensorOf = [&](unsigned number, const model::TensorRecord &record) {
    std::string text = program.tensors[number].name + "[";
    for (const std::string &label : record.labels)
      text += (text.back() == '[' ? "" : ",") + label;
    return text + "]";
  };
  List steps;
  for (const ProgramStep &step : program.steps) {
    const model::ContractionRecord &record = step.product.record;
    std::string text = tensorOf(step.output, record.tensors[Tensor::C]) +
                       (step.accumulates() ? " += " : " = ") +
                       stringify(record.alpha.value);
    for (size_t i = 0; i < step.inputs.size(); ++i)
      text += " * " + tensorOf(step.inputs[i],
                               i < 2 ? record.tensors[static_cast<Tensor>(i)]
                                     : step.product.further[i - 2]);
    steps.push_back(text);
  }
  return steps;
}

/// The names of tensors of a program.
inline List namesOf(const ParsedProgram &program,
                    const std::vector<unsigned> &tensors) {
  List names;
  for (unsigned tensor : tensors)
    names.push_back(program.tensors[tensor].name);
  return names;
}

/// A text that is refused, and why.
struct Refusal {
  std::string_view text;
  std::string_view diagnostic;
  std::string_view extents = "";
  std::string_view shapes = "";
};

template <size_t n>
void checkRefusals(Notation notation, const Refusal (&refusals)[n]) {
  for (const Refusal &refusal : refusals)
    EXPECT_EQ(
        parseInvalid(notation, refusal.text, refusal.extents, refusal.shapes),
        refusal.diagnostic)
        << "for: " << refusal.text;
}

template <size_t n>
void checkRefusals(ProgramNotation notation, const Refusal (&refusals)[n]) {
  for (const Refusal &refusal : refusals)
    EXPECT_EQ(parseInvalid(notation, refusal.text, refusal.extents),
              refusal.diagnostic)
        << "for: " << refusal.text;
}

} // namespace tc::notation::test

#endif // TC_UNITTESTS_IMPORT_NOTATIONTEST_H
