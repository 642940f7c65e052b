//===- Program.cpp - The rules of programs --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules for tensors over several statements. The products are checked one
// by one as contractions are.
//
//===----------------------------------------------------------------------===//

#include "DraftProgram.h"

#include <algorithm>
#include <map>

using namespace tc;
using namespace tc::notation;
using model::Tensor;

namespace {

/// A tensor, over the whole text.
struct TensorUse {
  /// Its first occurrence.
  const DraftTensor *first;
  /// Numbers of statements: that which defines it, the last one that writes it
  /// and the last one of which it is a factor.
  std::optional<size_t> definedBy, lastWrite, lastRead;
};

class ProgramFinisher {
public:
  ProgramFinisher(const DraftProgram &draft, const ParseOptions &options,
                  Diagnostic &diagnostic)
      : draft(draft), options(options), diagnostic(diagnostic) {}

  std::optional<ParsedProgram> run();

private:
  // All of these return true on success.
  bool error(SourcePosition position, std::string message);
  bool refuseOptions();
  bool collect(const DraftTensor &tensor);
  bool collectTensors();
  bool checkDefinitions();
  bool checkFactors(size_t number);
  bool findResults();
  bool checkExtentsAreUsed();
  bool makeSteps();
  bool checkExtents();

  DraftContraction draftOf(const DraftStatement &statement,
                           const DraftProduct &product) const;
  void fill(unsigned tensor, const model::TensorRecord &record);
  TensorUse &useOf(const DraftTensor &tensor) {
    return uses[numbers.at(tensor.name)];
  }
  std::string lineOf(size_t statement) const {
    return "line " +
           std::to_string(draft.statements[statement].output.position.line);
  }
  /// Calls `visit(tensor)` for all tensors of a statement, in the order of the
  /// text, until one returns false.
  template <typename Visit>
  static bool visitTensors(const DraftStatement &statement, Visit visit) {
    if (!visit(statement.output))
      return false;
    for (const DraftProduct &product : statement.products)
      for (const DraftTensor &factor : product.factors)
        if (!visit(factor))
          return false;
    return true;
  }

  const DraftProgram &draft;
  const ParseOptions &options;
  Diagnostic &diagnostic;
  std::map<std::string_view, unsigned> numbers;
  std::vector<TensorUse> uses;
  std::map<std::string_view, const Extent *> given;
  ParsedProgram program;
};

bool ProgramFinisher::error(SourcePosition position, std::string message) {
  diagnostic = {options.source, position, std::move(message)};
  return false;
}

bool ProgramFinisher::refuseOptions() {
  auto refuse = [&](const char *what) {
    return error({}, std::string(what) +
                         " of a single contraction, and this is a program");
  };
  if (options.elementTypeA || options.elementTypeB)
    return refuse("types that differ are");
  if (options.fused.any())
    return refuse("prologues, epilogues and semirings of your own are");
  if (options.conjugatesA || options.conjugatesB)
    return refuse("conjugates are");
  return !options.allowsThreeProducts ||
         refuse("three real products for a complex one are");
}

/// A tensor has as many indices wherever it is.
bool ProgramFinisher::collect(const DraftTensor &tensor) {
  auto [found, isNew] = numbers.emplace(tensor.name, uses.size());
  if (isNew) {
    uses.push_back({&tensor, {}, {}, {}});
    return true;
  }
  const DraftTensor &first = *uses[found->second].first;
  if (first.labels.size() == tensor.labels.size())
    return true;
  auto count = [](size_t labels) {
    return std::to_string(labels) + (labels == 1 ? " index" : " indices");
  };
  return error(tensor.position, "tensor '" + tensor.name + "' has " +
                                    count(tensor.labels.size()) +
                                    ", but in line " +
                                    std::to_string(first.position.line) + " " +
                                    std::to_string(first.labels.size()));
}

bool ProgramFinisher::collectTensors() {
  return std::all_of(draft.statements.begin(), draft.statements.end(),
                     [&](const DraftStatement &statement) {
                       return visitTensors(statement,
                                           [&](const DraftTensor &tensor) {
                                             return collect(tensor);
                                           });
                     });
}

/// No factor of a statement is a tensor that it, or a later one, defines.
bool ProgramFinisher::checkFactors(size_t number) {
  const DraftStatement &statement = draft.statements[number];
  for (const DraftProduct &product : statement.products)
    for (const DraftTensor &factor : product.factors) {
      if (factor.name == statement.output.name)
        return error(factor.position,
                     "the output '" + factor.name + "' is also a factor");
      TensorUse &use = useOf(factor);
      if (use.definedBy && *use.definedBy > number)
        return error(factor.position,
                     "tensor '" + factor.name + "' is a factor before " +
                         lineOf(*use.definedBy) + " defines it");
      use.lastRead = number;
    }
  return true;
}

bool ProgramFinisher::checkDefinitions() {
  for (size_t i = 0; i < draft.statements.size(); ++i) {
    const DraftStatement &statement = draft.statements[i];
    TensorUse &use = useOf(statement.output);
    use.lastWrite = i;
    if (statement.accumulates)
      continue;
    if (use.definedBy)
      return error(statement.output.position,
                   "tensor '" + statement.output.name +
                       "' is defined twice, first in " +
                       lineOf(*use.definedBy));
    use.definedBy = i;
  }
  for (size_t i = 0; i < draft.statements.size(); ++i) {
    const DraftTensor &output = draft.statements[i].output;
    const TensorUse &use = useOf(output);
    if (use.definedBy && *use.definedBy > i)
      return error(output.position, "tensor '" + output.name +
                                        "' is added to before " +
                                        lineOf(*use.definedBy) + " defines it");
    if (!checkFactors(i))
      return false;
  }
  return true;
}

/// Those that the text names, else those that no statement reads after they are
/// written for the last time.
bool ProgramFinisher::findResults() {
  std::vector<bool> isNamed(uses.size());
  if (draft.outputs)
    for (const Label &output : *draft.outputs) {
      auto found = numbers.find(output.name);
      if (found == numbers.end())
        return error(output.position,
                     "output '" + output.name + "' is in no statement");
      if (!uses[found->second].lastWrite)
        return error(output.position, "output '" + output.name +
                                          "' is computed by no statement");
      isNamed[found->second] = true;
      program.results.push_back(found->second);
    }
  for (unsigned i = 0; i < uses.size(); ++i) {
    const TensorUse &use = uses[i];
    if (!use.definedBy)
      program.arguments.push_back(i);
    if (!use.lastWrite || isNamed[i] ||
        (use.lastRead && *use.lastRead > *use.lastWrite))
      continue;
    if (draft.outputs)
      return error(draft.statements[*use.lastWrite].output.position,
                   "tensor '" + use.first->name +
                       "' is computed, but no later statement reads it and it "
                       "is no output");
    program.results.push_back(i);
  }
  return true;
}

bool ProgramFinisher::checkExtentsAreUsed() {
  for (const Extent &extent : draft.extents) {
    given.emplace(extent.label, &extent);
    if (extent.isUnknown)
      program.unknown.push_back(extent.label);
  }
  std::sort(program.unknown.begin(), program.unknown.end());
  std::map<std::string_view, const Extent *> left = given;
  for (const DraftStatement &statement : draft.statements)
    visitTensors(statement, [&](const DraftTensor &tensor) {
      for (const Label &label : tensor.labels)
        left.erase(label.name);
      return true;
    });
  for (const Extent &extent : draft.extents)
    if (left.count(extent.label))
      return error(extent.position,
                   "index '" + extent.label + "' is in no tensor");
  return true;
}

DraftContraction ProgramFinisher::draftOf(const DraftStatement &statement,
                                          const DraftProduct &product) const {
  DraftContraction contraction;
  contraction.layout = draft.layout;
  contraction.elementType = draft.elementType;
  contraction.position = statement.output.position;
  contraction.alpha = product.factor;
  bool isFirst = &product == &statement.products.front();
  contraction.beta.value = statement.accumulates || !isFirst ? 1.0 : 0.0;
  contraction.tensors[Tensor::C] = statement.output;
  contraction.tensors[Tensor::B] = {"B", {}, statement.output.position};
  for (size_t i = 0; i < product.factors.size(); ++i)
    if (i < 2)
      contraction.tensors[static_cast<Tensor>(i)] = product.factors[i];
    else
      contraction.further.push_back(product.factors[i]);
  std::map<std::string_view, bool> added;
  for (const DraftTensor *tensor : contraction.inWrittenOrder())
    for (const Label &label : tensor->labels)
      if (auto extent = given.find(label.name);
          extent != given.end() && added.emplace(label.name, true).second)
        contraction.extents.push_back(*extent->second);
  return contraction;
}

void ProgramFinisher::fill(unsigned tensor, const model::TensorRecord &record) {
  ProgramTensor &known = program.tensors[tensor];
  if (known.name.empty())
    known = {uses[tensor].first->name, record};
}

bool ProgramFinisher::makeSteps() {
  std::vector<DraftContraction> drafts;
  for (const DraftStatement &statement : draft.statements)
    for (const DraftProduct &product : statement.products)
      drafts.push_back(draftOf(statement, product));
  auto products = finish(drafts, options, diagnostic);
  if (!products)
    return false;
  program.tensors.resize(uses.size());
  auto next = products->begin();
  for (const DraftStatement &statement : draft.statements)
    for (const DraftProduct &product : statement.products) {
      ProgramStep &step = program.steps.emplace_back();
      step.product = std::move(*next++);
      step.product.operands = static_cast<unsigned>(product.factors.size());
      step.output = numbers.at(statement.output.name);
      fill(step.output, step.product.record.tensors[Tensor::C]);
      for (size_t i = 0; i < product.factors.size(); ++i) {
        unsigned tensor = numbers.at(product.factors[i].name);
        step.inputs.push_back(tensor);
        fill(tensor, i < 2 ? step.product.record.tensors[static_cast<Tensor>(i)]
                           : step.product.further[i - 2]);
      }
    }
  return true;
}

/// A tensor has the same extents wherever it is, by whatever names of indices.
bool ProgramFinisher::checkExtents() {
  std::map<std::string_view, int64_t> extents;
  auto learn = [&](const model::TensorRecord &tensor) {
    for (size_t i = 0; i < tensor.labels.size(); ++i)
      extents.emplace(tensor.labels[i], tensor.extents[i]);
  };
  for (const ProgramStep &step : program.steps) {
    for (const model::TensorRecord &tensor : step.product.record.tensors)
      learn(tensor);
    for (const model::TensorRecord &tensor : step.product.further)
      learn(tensor);
  }
  auto isUnknown = [&](const std::string &label) {
    return program.isUnknown(label);
  };
  auto check = [&](const DraftTensor &tensor) {
    const DraftTensor &first = *useOf(tensor).first;
    for (size_t i = 0; i < tensor.labels.size(); ++i) {
      const Label &label = tensor.labels[i], &before = first.labels[i];
      int64_t extent = extents.at(label.name), old = extents.at(before.name);
      if (isUnknown(label.name) != isUnknown(before.name))
        return error(label.position,
                     "the extent of index '" + label.name + "' of '" +
                         tensor.name + "' is " +
                         (isUnknown(label.name) ? "unknown" : "known") +
                         ", but not that of '" + before.name +
                         "' in its place in line " +
                         std::to_string(first.position.line));
      if (extent != old)
        return error(label.position,
                     "index '" + label.name + "' of '" + tensor.name +
                         "' has extent " + std::to_string(extent) + ", but '" +
                         before.name + "' in its place in line " +
                         std::to_string(first.position.line) + " has " +
                         std::to_string(old));
    }
    return true;
  };
  return std::all_of(draft.statements.begin(), draft.statements.end(),
                     [&](const DraftStatement &statement) {
                       return visitTensors(statement, check);
                     });
}

std::optional<ParsedProgram> ProgramFinisher::run() {
  program.name = draft.name.empty() ? "program" : draft.name;
  if (!refuseShapes(options, diagnostic) || !refuseOptions() ||
      !collectTensors() || !checkDefinitions() || !findResults() ||
      !checkExtentsAreUsed() || !makeSteps() || !checkExtents())
    return std::nullopt;
  return std::move(program);
}

} // namespace

bool ParsedProgram::isUnknown(const std::string &label) const {
  return std::binary_search(unknown.begin(), unknown.end(), label);
}

std::optional<ParsedProgram> notation::finish(const DraftProgram &draft,
                                              const ParseOptions &options,
                                              Diagnostic &diagnostic) {
  return ProgramFinisher(draft, options, diagnostic).run();
}
