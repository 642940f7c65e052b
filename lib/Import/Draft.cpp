//===- Draft.cpp - The rules that all notations share ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels, extents, sizes and names of contractions, checked where they stand.
//
//===----------------------------------------------------------------------===//

#include "Draft.h"

#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"
#include "tc/Support/Suggestion.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

using namespace tc;
using namespace tc::notation;
using model::Tensor;

std::vector<const DraftTensor *> DraftContraction::inWrittenOrder() const {
  std::vector<const DraftTensor *> all = {
      &tensors[Tensor::C], &tensors[Tensor::A], &tensors[Tensor::B]};
  for (const DraftTensor &tensor : further)
    all.push_back(&tensor);
  return all;
}

std::string Diagnostic::str() const {
  return source + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column) + ": error: " + message;
}

std::optional<Layout> notation::symbolizeLayout(std::string_view name) {
  if (name == "row")
    return Layout::RowMajor;
  if (name == "col")
    return Layout::ColumnMajor;
  return std::nullopt;
}

void notation::setFusedCode(ParsedContraction &contraction,
                            FusedExpressions fused) {
  model::ContractionRecord &record = contraction.record;
  record.hasPrologue = {
      {fused.prologueA.has_value(), fused.prologueB.has_value(), false}};
  if (fused.semiring) {
    record.semiring = model::Semiring::UserDefined;
    record.identity = fused.semiring->identity;
  }
  record.hasEpilogue = fused.epilogue.has_value();
  record.epilogueReadsC =
      fused.epilogue && fused.epilogue->reads(model::oldElementVariable);
  contraction.fused = std::move(fused);
}

void notation::findReadsOfC(model::ContractionRecord &record) {
  record.readsC =
      record.beta.isArgument || record.epilogueReadsC ||
      record.beta.value !=
          model::zeroOf(record.semiring, model::accumulatorTypeOf(record));
}

bool notation::checkOutput(const DraftTensor &output,
                           const std::vector<const DraftTensor *> &operands,
                           std::string_view source, Diagnostic &diagnostic) {
  auto error = [&](const Label &label, const char *what) {
    diagnostic = {std::string(source), label.position,
                  "index '" + label.name + "' " + what};
    return false;
  };
  std::set<std::string_view> seen;
  for (const Label &label : output.labels) {
    if (!seen.insert(label.name).second)
      return error(label, "occurs twice in the output");
    if (std::none_of(operands.begin(), operands.end(),
                     [&](const DraftTensor *operand) {
                       return contains(operand->labels, label.name);
                     }))
      return error(label, "is in the output but in no input");
  }
  return true;
}

bool notation::refuseShapes(const ParseOptions &options,
                            Diagnostic &diagnostic) {
  if (options.shapes.empty())
    return true;
  diagnostic = {options.shapesSource, options.shapes.front().position,
                "shapes are of einsum specifications; here indices have "
                "extents"};
  return false;
}

/// Checks the numbers that fused code has.
static Status checkNumbers(const FusedExpressions &fused,
                           model::ElementType factors) {
  // Parts of complex numbers have no code, which is said elsewhere.
  model::ElementType sums =
      model::realTypeOf(model::accumulatorTypeOf(factors));
  auto check = [&](const char *name, const model::Expression *code) -> Status {
    Status status = code ? model::checkNumbers(*code, sums) : Status();
    return status ? status
                  : Status(Error{std::string(name) + ": " + status.error()});
  };
  const std::optional<SemiringExpressions> &semiring = fused.semiring;
  for (auto [name, code] :
       {std::pair("prologue-a", fused.prologueA ? &*fused.prologueA : nullptr),
        std::pair("prologue-b", fused.prologueB ? &*fused.prologueB : nullptr),
        std::pair("product", semiring ? &semiring->product : nullptr),
        std::pair("combine", semiring ? &semiring->combine : nullptr),
        std::pair("epilogue", fused.epilogue ? &*fused.epilogue : nullptr)})
    if (Status status = check(name, code); !status)
      return status;
  if (!semiring)
    return {};
  Status status = model::checkIdentity(semiring->identity, sums);
  return status ? status : Status(Error{"identity: " + status.error()});
}

namespace {

class Finisher {
public:
  Finisher(const ParseOptions &options, Diagnostic &diagnostic)
      : options(options), diagnostic(diagnostic) {
    for (const Extent &given : options.extents)
      optionExtents.emplace(given.label, given.extent);
  }

  std::optional<std::vector<ParsedContraction>>
  run(const std::vector<DraftContraction> &drafts);

private:
  // All of these return true on success.
  bool error(SourcePosition position, std::string message);
  bool checkLabels(const DraftContraction &draft);
  bool checkGivenExtents(const DraftContraction &draft);
  bool collectExtents(const DraftContraction &draft);
  bool checkSizes(const DraftContraction &draft,
                  const ParsedContraction &result);
  bool setTypes(const DraftContraction &draft, ParsedContraction &result);
  bool checkProduct(const DraftContraction &draft,
                    const ParsedContraction &result);
  bool checkPrecision(const DraftContraction &draft,
                      const ParsedContraction &result);
  bool checkSemiring(const DraftContraction &draft,
                     const ParsedContraction &result);
  bool checkComplexOptions(const DraftContraction &draft,
                           const ParsedContraction &result);
  bool checkFused(const DraftContraction &draft,
                  const ParsedContraction &result);
  bool setFactors(const DraftContraction &draft, ParsedContraction &result);
  bool complete(const DraftContraction &draft, ParsedContraction &result);
  bool nameAll(const std::vector<DraftContraction> &drafts,
               std::vector<ParsedContraction> &results);
  bool checkOptionExtents(const std::vector<ParsedContraction> &results);

  const ParseOptions &options;
  Diagnostic &diagnostic;
  /// A tensor of the contraction whose extents were collected last, with those
  /// labels as written.
  model::TensorRecord makeTensor(const DraftContraction &draft,
                                 std::vector<std::string> labels) const;

  std::map<std::string_view, int64_t> optionExtents;
  /// Of the contraction that is completed: those that the text says, and all.
  std::unordered_map<std::string_view, int64_t> givenExtents, extents;
};

bool Finisher::error(SourcePosition position, std::string message) {
  diagnostic = {options.source, position, std::move(message)};
  return false;
}

bool Finisher::checkLabels(const DraftContraction &draft) {
  std::vector<const DraftTensor *> operands = draft.inWrittenOrder();
  operands.erase(operands.begin());
  return checkOutput(draft.tensors[Tensor::C], operands, options.source,
                     diagnostic);
}

/// All labels, as often as they are written.
static std::vector<std::string> labelsOf(const DraftContraction &draft) {
  std::vector<std::string> labels;
  for (const DraftTensor *tensor : draft.inWrittenOrder())
    for (const Label &label : tensor->labels)
      labels.push_back(label.name);
  return labels;
}

bool Finisher::checkGivenExtents(const DraftContraction &draft) {
  // Products of hundreds of tensors have as many indices.
  std::unordered_set<std::string_view> known;
  for (const DraftTensor *tensor : draft.inWrittenOrder())
    for (const Label &label : tensor->labels)
      known.insert(label.name);
  givenExtents.clear();
  for (const Extent &given : draft.extents) {
    if (!known.count(given.label))
      return error(given.position,
                   "index '" + given.label + "' is in no tensor" +
                       suggestionFor(given.label, labelsOf(draft)));
    const int64_t first =
        givenExtents.emplace(given.label, given.extent).first->second;
    if (first != given.extent)
      return error(given.position, "index '" + given.label + "' has extents " +
                                       std::to_string(first) + " and " +
                                       std::to_string(given.extent));
  }
  return true;
}

bool Finisher::collectExtents(const DraftContraction &draft) {
  extents.clear();
  for (const DraftTensor *tensor : draft.inWrittenOrder()) {
    for (const Label &label : tensor->labels) {
      if (extents.count(label.name))
        continue;
      if (auto option = optionExtents.find(label.name);
          option != optionExtents.end()) {
        extents.emplace(label.name, option->second);
        continue;
      }
      auto given = givenExtents.find(label.name);
      if (given == givenExtents.end())
        return error(label.position, "index '" + label.name +
                                         "' has no extent: give it as '" +
                                         label.name + "=...'");
      extents.emplace(label.name, given->second);
    }
  }
  return true;
}

model::TensorRecord
Finisher::makeTensor(const DraftContraction &draft,
                     std::vector<std::string> labels) const {
  if (options.layout.value_or(draft.layout) == Layout::ColumnMajor)
    std::reverse(labels.begin(), labels.end());
  model::TensorRecord tensor;
  for (const std::string &label : labels)
    tensor.extents.push_back(extents.at(label));
  tensor.labels = std::move(labels);
  tensor.strides = model::contiguousStrides(tensor.extents);
  return tensor;
}

bool Finisher::checkSizes(const DraftContraction &draft,
                          const ParsedContraction &result) {
  const model::PerTensor<model::TensorRecord> &tensors = result.record.tensors;
  std::vector<const model::TensorRecord *> records = {
      &tensors[Tensor::C], &tensors[Tensor::A], &tensors[Tensor::B]};
  for (const model::TensorRecord &tensor : result.further)
    records.push_back(&tensor);
  std::vector<const DraftTensor *> drafts = draft.inWrittenOrder();
  for (size_t i = 0; i < records.size(); ++i) {
    // Strides are products of extents too, so an extent of zero does not excuse
    // the others.
    int64_t bytes = model::byteWidth(records[i]->type);
    for (int64_t extent : records[i]->extents)
      bytes = saturatingMultiply(bytes, std::max<int64_t>(1, extent));
    if (bytes == saturated)
      return error(drafts[i]->position, "tensor '" + drafts[i]->name +
                                            "' has 2^63 - 1 bytes or more");
  }
  return true;
}

bool Finisher::setTypes(const DraftContraction &draft,
                        ParsedContraction &result) {
  std::optional<model::ElementType> reported =
      options.elementType ? options.elementType : draft.elementType;
  model::ElementType ofInputs = reported.value_or(model::ElementType::F64);
  model::ElementType a = options.elementTypeA.value_or(ofInputs);
  model::ElementType b = options.elementTypeB.value_or(ofInputs);
  model::ElementType c =
      reported.value_or(model::commonTypeOf(a, b).value_or(ofInputs));
  model::PerTensor<model::ElementType> types = {{a, b, c}};
  Result<model::ElementType> factors = model::factorTypeOf(types);
  if (!factors)
    return error(draft.position, factors.error());
  for (Tensor t : model::allTensors)
    result.record.tensors[t].type = types[t];
  for (model::TensorRecord &tensor : result.further)
    tensor.type = a;
  result.record.factorType = *factors;
  return true;
}

/// Of more than two operands, what only contractions of two have.
bool Finisher::checkProduct(const DraftContraction &draft,
                            const ParsedContraction &result) {
  if (draft.further.empty())
    return true;
  const model::ContractionRecord &record = result.record;
  auto refuse = [&](const char *what) {
    return error(draft.position,
                 std::string(what) +
                     " two operands, but the specification has " +
                     std::to_string(2 + draft.further.size()));
  };
  if (record.tensors[Tensor::A].type != record.tensors[Tensor::B].type)
    return refuse("types that differ are of");
  if (result.fused.any())
    return refuse("prologues, epilogues and semirings of your own are of");
  if (record.conjugates[Tensor::A] || record.conjugates[Tensor::B])
    return refuse("conjugates are of");
  if (record.allowsThreeProducts)
    return refuse("three real products for a complex one are of");
  return true;
}

bool Finisher::checkPrecision(const DraftContraction &draft,
                              const ParsedContraction &result) {
  if (model::appliesTo(result.record.precision, result.record.factorType))
    return true;
  std::string precision(model::stringify(result.record.precision));
  std::string type(model::stringify(result.record.factorType));
  return error(draft.position, "precision " + precision +
                                   " applies to f32, but the element type is " +
                                   type);
}

bool Finisher::checkSemiring(const DraftContraction &draft,
                             const ParsedContraction &result) {
  std::string semiring(model::stringify(result.record.semiring));
  if (!model::appliesTo(result.record.semiring, result.record.factorType))
    return error(draft.position,
                 "semiring " + semiring + " applies to " +
                     std::string(model::typesOf(result.record.semiring)) +
                     ", but the element type is " +
                     std::string(model::stringify(result.record.factorType)));
  if (result.fused.semiring && model::isInteger(result.record.factorType)) {
    const notation::SemiringExpressions &code = *result.fused.semiring;
    for (const model::Expression *expression : {&code.product, &code.combine})
      if (Status status = model::checkComputesIntegers(*expression); !status)
        return error(draft.position, status.error() +
                                         ", but the element type "
                                         "is " +
                                         std::string(model::stringify(
                                             result.record.factorType)));
  }
  if (result.record.semiring != model::Semiring::PlusTimes &&
      result.record.precision != model::Precision::IEEE)
    return error(draft.position,
                 "precision " +
                     std::string(model::stringify(result.record.precision)) +
                     " applies to semiring plus_times, but it is " + semiring);
  return true;
}

bool Finisher::checkComplexOptions(const DraftContraction &draft,
                                   const ParsedContraction &result) {
  if (model::isComplex(result.record.factorType))
    return true;
  std::string butType = " of complex numbers, but the element type is " +
                        std::string(model::stringify(result.record.factorType));
  if (result.record.conjugates[Tensor::A] ||
      result.record.conjugates[Tensor::B])
    return error(draft.position, "conjugates are" + butType);
  if (result.record.allowsThreeProducts)
    return error(draft.position, "three real products stand for one" + butType);
  return true;
}

bool Finisher::checkFused(const DraftContraction &draft,
                          const ParsedContraction &result) {
  const notation::FusedExpressions &fused = result.fused;
  Status numbers = checkNumbers(fused, result.record.factorType);
  if (!numbers)
    return error(draft.position, numbers.error());
  const std::vector<std::string> &ofC = result.record.tensors[Tensor::C].labels;
  if (fused.epilogue)
    for (const model::Expression::Auxiliary &auxiliary :
         fused.epilogue->auxiliaries())
      for (const std::string &label : auxiliary.labels)
        if (std::find(ofC.begin(), ofC.end(), label) == ofC.end())
          return error(draft.position,
                       "index '" + label + "' of auxiliary tensor '" +
                           auxiliary.name + "' is not in the output");
  bool isReal = !model::isInteger(result.record.factorType) &&
                !model::isComplex(result.record.factorType);
  if (isReal || !(fused.prologueA || fused.prologueB || fused.epilogue))
    return true;
  return error(draft.position,
               "prologues and epilogues are of floating-point numbers, but the "
               "element type is " +
                   std::string(model::stringify(result.record.factorType)));
}

/// Texts have factors of numbers; of another semiring they can mean zero and
/// one.
bool Finisher::setFactors(const DraftContraction &draft,
                          ParsedContraction &result) {
  model::ElementType sums = model::accumulatorTypeOf(result.record.factorType);
  model::Constant zero = model::zeroOf(result.record.semiring, sums);
  model::Constant one = model::oneOf(result.record.semiring, sums);
  for (auto [name, given, factor] :
       {std::tuple("alpha", draft.alpha, &result.record.alpha.value),
        std::tuple("beta", draft.beta, &result.record.beta.value)}) {
    if (result.record.semiring == model::Semiring::PlusTimes)
      *factor = given.value;
    else if (given.value == 0.0 || given.value == 1.0)
      *factor = given.value == 0.0 ? zero : one;
    else
      return error(given.position,
                   std::string(name) +
                       " can only be 0 or 1 in the text for "
                       "semiring " +
                       std::string(model::stringify(result.record.semiring)) +
                       ", where they mean its zero and one");
    if (Status status = model::checkConstant(*factor, sums); !status)
      return error(given.position, std::string(name) + ": " + status.error());
  }
  if (result.record.semiring == model::Semiring::UserDefined &&
      result.record.alpha.value != one)
    return error(draft.alpha.position,
                 "alpha can only be 1 in the text for semiring "
                 "user_defined, which has no factors");
  return true;
}

bool Finisher::complete(const DraftContraction &draft,
                        ParsedContraction &result) {
  if (!checkLabels(draft) || !checkGivenExtents(draft) ||
      !collectExtents(draft))
    return false;

  auto make = [&](const DraftTensor &tensor) {
    std::vector<std::string> labels;
    labels.reserve(tensor.labels.size());
    for (const Label &label : tensor.labels)
      labels.push_back(label.name);
    return makeTensor(draft, std::move(labels));
  };
  for (Tensor t : model::allTensors)
    result.record.tensors[t] = make(draft.tensors[t]);
  for (const DraftTensor &tensor : draft.further)
    result.further.push_back(make(tensor));
  if (!setTypes(draft, result))
    return false;
  result.record.precision = options.precision;
  result.record.semiring = options.semiring;
  result.record.conjugates = {
      {options.conjugatesA, options.conjugatesB, false}};
  result.record.allowsThreeProducts = options.allowsThreeProducts;
  setFusedCode(result, options.fused);
  result.position = draft.position;
  if (!checkSizes(draft, result) || !checkProduct(draft, result) ||
      !checkPrecision(draft, result) || !checkSemiring(draft, result) ||
      !checkComplexOptions(draft, result) || !checkFused(draft, result) ||
      !setFactors(draft, result))
    return false;
  findReadsOfC(result.record);
  if (!result.fused.epilogue)
    return true;
  for (const model::Expression::Auxiliary &auxiliary :
       result.fused.epilogue->auxiliaries()) {
    result.auxiliaries.push_back(makeTensor(draft, auxiliary.labels));
    result.auxiliaries.back().type = result.record.tensors[Tensor::C].type;
  }
  return true;
}

bool Finisher::nameAll(const std::vector<DraftContraction> &drafts,
                       std::vector<ParsedContraction> &results) {
  std::set<std::string> taken;
  for (const DraftContraction &draft : drafts)
    if (!draft.name.empty() && !taken.insert(draft.name).second)
      return error(draft.position,
                   "name '" + draft.name + "' is already taken");
  for (size_t i = 0; i < drafts.size(); ++i) {
    std::string name = drafts[i].name;
    if (name.empty()) {
      name = "contract";
      if (drafts.size() > 1)
        name += "_" + std::to_string(i + 1);
      while (!taken.insert(name).second)
        name += "_";
    }
    results[i].name = std::move(name);
  }
  return true;
}

bool Finisher::checkOptionExtents(
    const std::vector<ParsedContraction> &results) {
  std::set<std::string_view> known;
  auto know = [&](const auto &tensors) {
    for (const model::TensorRecord &tensor : tensors)
      known.insert(tensor.labels.begin(), tensor.labels.end());
  };
  for (const ParsedContraction &result : results) {
    know(result.record.tensors);
    know(result.further);
  }
  for (const Extent &given : options.extents) {
    if (known.count(given.label))
      continue;
    diagnostic = {options.extentsSource, given.position,
                  "index '" + given.label + "' is in no tensor" +
                      suggestionFor(given.label, {known.begin(), known.end()})};
    return false;
  }
  return true;
}

std::optional<std::vector<ParsedContraction>>
Finisher::run(const std::vector<DraftContraction> &drafts) {
  std::vector<ParsedContraction> results(drafts.size());
  for (size_t i = 0; i < drafts.size(); ++i)
    if (!complete(drafts[i], results[i]))
      return std::nullopt;
  if (!nameAll(drafts, results) || !checkOptionExtents(results))
    return std::nullopt;
  return results;
}

} // namespace

std::optional<std::vector<ParsedContraction>>
notation::finish(const std::vector<DraftContraction> &drafts,
                 const ParseOptions &options, Diagnostic &diagnostic) {
  return Finisher(options, diagnostic).run(drafts);
}
