//===- ProgramText.cpp - Description of a program, in C -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Error.h"
#include "TextBuffer.h"

#include "tc-c/Program.h"
#include "tc/Import/ParsedProgram.h"

#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::capi;

using Json = nlohmann::ordered_json;

/// The tensors of a step's product, as the text has them.
static Json listInputs(const notation::ProgramStep &step) {
  const notation::ParsedContraction &product = step.product;
  Json inputs = Json::array();
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const model::TensorRecord &record =
        i == 0   ? product.record.tensors[model::Tensor::A]
        : i == 1 ? product.record.tensors[model::Tensor::B]
                 : product.further[i - 2];
    inputs.push_back({{"tensor", step.inputs[i]}, {"indices", record.labels}});
  }
  return inputs;
}

static Json toJson(const notation::ParsedProgram &program) {
  Json tensors = Json::array(), steps = Json::array();
  for (const notation::ProgramTensor &tensor : program.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"element_type", fromModel(tensor.record.type)},
                       {"extents", tensor.record.extents}});
  for (const notation::ProgramStep &step : program.steps) {
    const model::ContractionRecord &record = step.product.record;
    steps.push_back({{"inputs", listInputs(step)},
                     {"output", step.output},
                     {"indices", record.tensors[model::Tensor::C].labels},
                     {"factor", record.alpha.value.real()},
                     {"accumulates", step.accumulates()}});
  }
  Json json;
  json["name"] = program.name;
  json["tensors"] = std::move(tensors);
  json["steps"] = std::move(steps);
  json["arguments"] = program.arguments;
  json["results"] = program.results;
  json["unknown"] = program.unknown;
  return json;
}

TcError *tcProgramDescribe(const char *text, const char *notation, char *buffer,
                           size_t size, size_t *length) {
  return guard([&]() -> TcError * {
    if (!text || !notation || !length || (size > 0 && !buffer))
      return invalid("tcProgramDescribe: an argument is NULL");
    auto kind =
        notation::programNotationOfFile("text." + std::string(notation));
    if (!kind)
      return invalid("notation '" + std::string(notation) +
                     "' is none of tensors and octopi");
    notation::ParseOptions options;
    options.source = "text";
    notation::Diagnostic diagnostic;
    auto program = notation::parseProgram(*kind, text, options, diagnostic);
    if (!program)
      return invalid(diagnostic.str());
    writeText(toJson(*program).dump(), buffer, size, length);
    return nullptr;
  });
}
