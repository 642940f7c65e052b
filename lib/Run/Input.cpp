//===- Input.cpp - Reading what the user names ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input.h"

#include "Shapes.h"
#include "UnknownShapes.h"

#include "tc/Import/FusedExpressions.h"
#include "tc/Import/Notations.h"
#include "tc/InitAll.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

using namespace tc;
using namespace tc::run;
using mlir::OwningOpRef;

/// True if the input is a path rather than a specification.
static bool isPath(const std::string &input) {
  if (llvm::sys::fs::exists(input))
    return true;
  return !StringRef(input).contains("->") &&
         !StringRef(input).contains("...") &&
         (!llvm::sys::path::extension(input).empty() ||
          StringRef(input).contains('/'));
}

Result<InputKind> run::kindOf(const std::string &input) {
  if (!isPath(input))
    return InputKind::Notation;
  StringRef extension = llvm::sys::path::extension(input);
  if (extension == ".json")
    return InputKind::Package;
  if (extension == ".mlir")
    return InputKind::MLIR;
  if (notation::notationOfFile(input) || notation::programNotationOfFile(input))
    return InputKind::Notation;
  return Error{input + ": unknown kind of file; expected .einsum, .tccg, "
                       ".cogent, .tensors, .octopi, .mlir or .json"};
}

Status run::rejectNotationOptions(const Options &options) {
  const std::pair<const char *, bool> given[] = {
      {"--shapes", options.shapes.has_value()},
      {"--type", options.type.has_value()},
      {"--type-a", options.typeA.has_value()},
      {"--type-b", options.typeB.has_value()},
      {"--precision", options.precision.has_value()},
      {"--semiring", options.semiring.has_value()},
      {"--product", options.userSemiring.product.has_value()},
      {"--combine", options.userSemiring.combine.has_value()},
      {"--identity", options.userSemiring.identity.has_value()},
      {"--prologue-a", options.fused.prologueA.has_value()},
      {"--prologue-b", options.fused.prologueB.has_value()},
      {"--epilogue", options.fused.epilogue.has_value()},
      {"--layout", options.layout.has_value()},
      {"--reduce", options.reduces}};
  for (auto [name, isGiven] : given)
    if (isGiven)
      return Error{std::string(name) + ": " + options.input +
                   " says that itself"};
  return {};
}

/// It has none but those that say whether sums are combined with C.
static Status checkFactorsOfUserSemiring(const Options &options) {
  if (options.alpha && *options.alpha != 1.0)
    return Error{"--alpha: a user-defined semiring has no factors but 1"};
  if (options.beta && *options.beta != 0.0 && *options.beta != 1.0)
    return Error{"--beta: a user-defined semiring has no factors but 0 and, to "
                 "combine sums with C, 1"};
  return {};
}

/// Elements can be added up that are real numbers and that C does not have yet.
static Status checkReduction(const notation::ParsedContraction &contraction) {
  if (contraction.record.tensors[model::Tensor::C].labels.empty())
    return Error{"--reduce: C has no indices, so it is one number already"};
  if (model::isComplex(contraction.record.tensors[model::Tensor::C].type))
    return Error{"--reduce: adds up real numbers, but C has " +
                 std::string(model::stringify(
                     contraction.record.tensors[model::Tensor::C].type))};
  if (contraction.record.beta.value !=
      model::zeroOf(contraction.record.semiring,
                    model::accumulatorTypeOf(contraction.record.factorType)))
    return Error{
        "--reduce: C is only written, so beta must be " +
        std::string(contraction.record.semiring == model::Semiring::PlusTimes
                        ? "0"
                        : "the semiring's zero")};
  return {};
}

namespace {

/// A text and where it is from, for messages.
struct NotationText {
  std::string name, text;
};

} // namespace

static Result<NotationText> readNotation(const Options &options) {
  if (!isPath(options.input))
    return NotationText{"SPEC", options.input};
  Result<std::string> contents = readFile(options.input);
  if (!contents)
    return Error{contents.error()};
  return NotationText{options.input, std::move(*contents)};
}

/// Options beside a text of that name.
static Result<notation::ParseOptions> describe(const Options &options,
                                               const std::string &name) {
  notation::Diagnostic diagnostic;
  notation::ParseOptions parse;
  parse.source = name;
  if (options.extents) {
    auto extents =
        notation::parseExtents(*options.extents, "--extents", diagnostic);
    if (!extents)
      return Error{diagnostic.str()};
    parse.extents = std::move(*extents);
  }
  if (options.shapes) {
    auto shapes =
        notation::parseShapes(*options.shapes, "--shapes", diagnostic);
    if (!shapes)
      return Error{diagnostic.str()};
    parse.shapes = std::move(*shapes);
  }
  for (auto [option, given, type] :
       {std::tuple("--type", &options.type, &parse.elementType),
        std::tuple("--type-a", &options.typeA, &parse.elementTypeA),
        std::tuple("--type-b", &options.typeB, &parse.elementTypeB)}) {
    if (!*given)
      continue;
    *type = model::symbolizeElementType(**given);
    if (!*type)
      return Error{std::string(option) + ": unsupported element type '" +
                   **given + "'; expected " + model::elementTypeNames()};
  }
  options.describeTo(parse);
  if (options.userSemiring.any()) {
    if (options.semiring)
      return Error{"--semiring: --product, --combine and --identity define "
                   "another one"};
    Result<notation::SemiringExpressions> semiring =
        notation::parseSemiringExpressions(options.userSemiring);
    if (!semiring)
      return Error{"--" + semiring.error()};
    parse.fused.semiring = std::move(*semiring);
  }
  if (options.layout) {
    parse.layout = notation::symbolizeLayout(*options.layout);
    if (!parse.layout)
      return Error{"--layout: '" + *options.layout +
                   "' is neither row nor col"};
  }
  return parse;
}

static Result<std::vector<notation::ParsedContraction>>
parseNotation(const Options &options) {
  Result<NotationText> text = readNotation(options);
  if (!text)
    return Error{text.error()};
  Result<notation::ParseOptions> parse = describe(options, text->name);
  if (!parse)
    return Error{parse.error()};
  notation::Notation kind = isPath(options.input)
                                ? *notation::notationOfFile(options.input)
                                : notation::notationOfSpec(options.input);
  notation::Diagnostic diagnostic;
  auto contractions = notation::parse(kind, text->text, *parse, diagnostic);
  if (!contractions)
    return Error{diagnostic.str()};
  for (notation::ParsedContraction &contraction : *contractions) {
    if (contraction.fused.semiring)
      if (Status status = checkFactorsOfUserSemiring(options); !status)
        return Error{status.error()};
    model::ContractionRecord &record = contraction.record;
    for (auto [option, given, factor] :
         {std::tuple("--alpha", &options.alpha, &record.alpha),
          std::tuple("--beta", &options.beta, &record.beta)}) {
      factor->value = given->value_or(factor->value);
      if (Status status = model::checkConstant(
              factor->value, model::accumulatorTypeOf(record));
          !status)
        return Error{std::string(option) + ": " + status.error()};
    }
    notation::findReadsOfC(record);
    if (options.reduces) {
      if (Status status = checkReduction(contraction); !status)
        return Error{status.error()};
      // The sum of elements of few bits is soon beyond them. No element is
      // stored, so that a wider C costs nothing.
      record.tensors[model::Tensor::C].type = model::accumulatorTypeOf(record);
    }
  }
  return std::move(*contractions);
}

static Result<notation::ParsedProgram>
parseProgram(const Options &options, notation::ProgramNotation kind) {
  const std::pair<const char *, bool> ofContractions[] = {
      {"--alpha", options.alpha.has_value()},
      {"--beta", options.beta.has_value()},
      {"--reduce", options.reduces},
      {"--tuned-for", !options.tunedFor.empty()}};
  for (auto [name, isGiven] : ofContractions)
    if (isGiven)
      return Error{std::string(name) + ": is of a single contraction, and " +
                   options.input + " is a program"};
  Result<NotationText> text = readNotation(options);
  if (!text)
    return Error{text.error()};
  Result<notation::ParseOptions> parse = describe(options, text->name);
  if (!parse)
    return Error{parse.error()};
  notation::Diagnostic diagnostic;
  auto program = notation::parseProgram(kind, text->text, *parse, diagnostic);
  if (!program)
    return Error{diagnostic.str()};
  // Without kernels for more, one shape is run here.
  if (!options.dynamicShapes)
    program->unknown.clear();
  return std::move(*program);
}

/// The contractions as they are for each of the extents that kernels are tuned
/// for: all but the first are versions.
static Result<std::vector<notation::ParsedContraction>>
parseTuned(const Options &options) {
  std::vector<notation::ParsedContraction> all;
  std::vector<std::string> names;
  for (const std::string &extents : options.tunedFor) {
    Options tuned = options;
    tuned.extents = extents;
    auto contractions = parseNotation(tuned);
    if (!contractions)
      return Error{"--tuned-for=" + extents + ": " + contractions.error()};
    for (auto [i, contraction] : llvm::enumerate(*contractions)) {
      if (&extents == &options.tunedFor.front()) {
        names.push_back(contraction.name);
      } else {
        contraction.versionOf = names[i];
        contraction.name +=
            "_tuned_" + std::to_string(&extents - options.tunedFor.data() + 1);
      }
      all.push_back(std::move(contraction));
    }
  }
  return all;
}

Result<Source> run::readInput(const Options &options, InputKind kind) {
  Source input;
  input.name = isPath(options.input) ? options.input : "SPEC";
  input.saturates = options.saturates;
  std::optional<notation::ProgramNotation> program;
  if (kind == InputKind::Notation && isPath(options.input))
    program = notation::programNotationOfFile(options.input);
  if (program) {
    Result<notation::ParsedProgram> parsed = parseProgram(options, *program);
    if (!parsed)
      return Error{parsed.error()};
    input.program = std::move(*parsed);
    return input;
  }
  if (kind == InputKind::Notation) {
    auto contractions =
        options.tunedFor.empty() ? parseNotation(options) : parseTuned(options);
    if (!contractions)
      return Error{contractions.error()};
    input.contractions = std::move(*contractions);
    input.reduces = options.reduces;
    return input;
  }
  if (Status status = rejectNotationOptions(options); !status)
    return Error{status.error()};
  if (!options.tunedFor.empty())
    return Error{"--tuned-for: " + options.input +
                 " says by its types what kernels are tuned for"};
  Result<std::string> text = readFile(options.input);
  if (!text)
    return Error{text.error()};
  input.text = std::move(*text);
  return input;
}

/// Gives tensors the shapes that their types leave open; whether there was any.
static Result<bool> closeShapes(ModuleOp module, const Options &options) {
  Result<std::map<std::string, int64_t>> extents = readExtents(options);
  if (!extents)
    return Error{extents.error()};
  Result<bool> gave = giveShapes(module, *extents);
  // Kernels that take their shape at run time are launched with them.
  if (gave && options.extents && !*gave && !options.dynamicShapes)
    return Error{"--extents: " + options.input + " says that itself"};
  return gave;
}

Result<InputModule> run::readModule(MLIRContext &context,
                                    const Options &options, InputKind kind) {
  Result<Source> input = readInput(options, kind);
  if (!input)
    return Error{input.error()};
  bool isOpen = input->program && !input->program->unknown.empty();
  if (isOpen && options.memoryLimit)
    return Error{"--memory-limit: bounds no temporaries whose extents each run "
                 "says"};
  Result<OwningOpRef<ModuleOp>> module =
      isOpen ? makeClosedModule(context, *input) : makeModule(context, *input);
  if (!module)
    return Error{module.error()};
  InputModule result{std::move(*module)};
  result.hadUnknownShapes = isOpen;
  if (kind != InputKind::MLIR)
    return result;
  Result<bool> gave = closeShapes(*result.module, options);
  if (!gave)
    return Error{gave.error()};
  result.hadUnknownShapes = *gave;
  return result;
}

Result<Source> run::readClosedInput(const Options &options, InputKind kind) {
  Result<Source> input = readInput(options, kind);
  if (!input || kind != InputKind::MLIR ||
      (!options.extents && !StringRef(input->text).contains('?')))
    return input;
  DialectRegistry registry;
  registerAllTC(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<OwningOpRef<ModuleOp>> module = makeModule(context, *input);
  if (!module)
    return Error{module.error()};
  Result<bool> gave = closeShapes(**module, options);
  if (!gave)
    return Error{gave.error()};
  if (*gave) {
    input->text.clear();
    llvm::raw_string_ostream stream(input->text);
    // Messages name places in the file.
    (*module)->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  }
  return input;
}
