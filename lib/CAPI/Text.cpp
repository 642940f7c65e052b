//===- Text.cpp - Contractions of texts in C ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns what a notation says into a specification, tensors and options.
//
//===----------------------------------------------------------------------===//

#include "CompiledContraction.h"
#include "ElementTypes.h"
#include "Error.h"
#include "Labels.h"

#include "tc/Import/Notations.h"

#include <string_view>

using namespace tc;
using namespace tc::capi;
using model::Tensor;
using notation::Notation;
using notation::ParsedContraction;

static std::optional<Notation> symbolizeNotation(std::string_view name) {
  if (name == "einsum")
    return Notation::Einsum;
  if (name == "tccg")
    return Notation::TCCG;
  if (name == "cogent")
    return Notation::Cogent;
  return std::nullopt;
}

/// Options beside the text.
static notation::ParseOptions describe(const TcOptions &options) {
  notation::ParseOptions parse;
  parse.source = "text";
  options.describeTo(parse);
  return parse;
}

/// The options, with what the text says where they say nothing.
static TcOptions combine(TcOptions options, const ParsedContraction &parsed) {
  const model::ContractionRecord &record = parsed.record;
  // A user-defined semiring has none but a beta of one.
  bool isPlain = record.semiring == model::Semiring::PlusTimes;
  for (auto [factor, value, neutral] :
       {std::tuple(&options.alpha, record.alpha.value, model::Constant(1)),
        std::tuple(&options.beta, record.beta.value, model::Constant(0))})
    if (!factor->isArgument && !factor->value && !(isPlain && value == neutral))
      factor->value = value;
  return options;
}

/// "[a,b],[b,c]->[a,c]", or "[a,b]->[b]" of one operand.
static std::string specOf(const ParsedContraction &parsed) {
  auto list = [&](Tensor tensor) {
    return writeLabels(parsed.record.tensors[tensor].labels);
  };
  return list(Tensor::A) + (parsed.operands == 1 ? "" : "," + list(Tensor::B)) +
         "->" + list(Tensor::C);
}

TcError *tcContractionCompileText(const char *text, const char *notation,
                                  const TcOptions *options,
                                  TcContraction **contraction) {
  return guard([&]() -> TcError * {
    if (!text || !notation || !contraction)
      return invalid("tcContractionCompileText: an argument is NULL");
    std::optional<Notation> kind = symbolizeNotation(notation);
    if (!kind)
      return invalid("notation '" + std::string(notation) +
                     "' is none of einsum, tccg and cogent");
    TcOptions chosen = options ? *options : TcOptions();
    notation::Diagnostic diagnostic;
    auto parsed = notation::parse(*kind, text, describe(chosen), diagnostic);
    if (!parsed)
      return invalid(diagnostic.str());
    if (parsed->size() != 1)
      return invalid("the text has " + std::to_string(parsed->size()) +
                     " contractions: compile them one by one");
    const ParsedContraction &one = parsed->front();
    if (!one.further.empty())
      return invalid(
          "the text has " + std::to_string(one.operands) +
          " operands, and a contraction has two: tcOrderFind says in "
          "which order to compile contractions of two");
    std::array<TcTensor, 3> tensors;
    for (Tensor t : model::allTensors) {
      const model::TensorRecord &tensor = one.record.tensors[t];
      tensors[static_cast<size_t>(t)] = {
          fromModel(tensor.type), static_cast<int32_t>(tensor.extents.size()),
          tensor.extents.data(), /*strides=*/nullptr};
    }
    return compile(specOf(one).c_str(), tensors.data(),
                   combine(std::move(chosen), one), contraction);
  });
}
