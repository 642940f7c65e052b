//===- FuzzNotation.cpp - Shared code of the notations' targets -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, checking, and building IR.
//
//===----------------------------------------------------------------------===//

#include "FuzzNotation.h"

#include "Require.h"

#include "tc/Import/ImportToTC.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

/// The input that is checked, and the requirements on its refusal.
static void checkDiagnostic(const notation::Diagnostic &diagnostic,
                            std::string_view text) {
  require(!diagnostic.message.empty(), "a diagnostic says something");
  for (char c : diagnostic.message)
    require(c >= 0x20 && c < 0x7f, "a message is one printable line");
  auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  require(diagnostic.position.line >= 1 && diagnostic.position.line <= lines,
          "the line exists");
  require(diagnostic.position.column >= 1 &&
              diagnostic.position.column <= text.size() + 1,
          "the column exists");
}

/// The extents of a product's labels.
static std::map<std::string, int64_t>
checkProduct(const notation::ParsedContraction &contraction) {
  std::map<std::string, int64_t> extents;
  std::vector<model::TensorRecord> tensors(contraction.record.tensors.begin(),
                                           contraction.record.tensors.end());
  tensors.insert(tensors.end(), contraction.further.begin(),
                 contraction.further.end());
  for (const model::TensorRecord &tensor : tensors) {
    require(tensor.labels.size() == tensor.extents.size(),
            "the label has an extent");
    for (size_t i = 0; i < tensor.labels.size(); ++i) {
      int64_t extent = tensor.extents[i];
      require(model::isValidLabel(tensor.labels[i]), "the label is legal");
      require(extents.emplace(tensor.labels[i], extent).first->second == extent,
              "the label has one extent");
      require(extent >= 0, "the extent is not negative");
    }
  }
  return extents;
}

static void checkContractions(
    const std::vector<notation::ParsedContraction> &contractions) {
  require(!contractions.empty(), "a text has a contraction");
  std::set<std::string> names;
  for (const notation::ParsedContraction &contraction : contractions) {
    require(model::isValidLabel(contraction.name), "the name is legal");
    require(names.insert(contraction.name).second, "the name is unique");
    checkProduct(contraction);
  }
}

/// Each tensor is there before it is read, and has the same shape everywhere.
static void checkSteps(const notation::ParsedProgram &program) {
  require(model::isValidLabel(program.name), "the name is legal");
  require(!program.steps.empty(), "a program has a statement");
  require(!program.results.empty(), "a program has a result");
  std::set<unsigned> known(program.arguments.begin(), program.arguments.end());
  auto use = [&](unsigned tensor, const model::TensorRecord &record) {
    require(tensor < program.tensors.size(), "the tensor exists");
    require(program.tensors[tensor].record.extents == record.extents,
            "the tensor has one shape");
  };
  for (const notation::ProgramStep &step : program.steps) {
    checkProduct(step.product);
    require(step.inputs.size() == step.product.operands, "inputs are operands");
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      require(known.count(step.inputs[i]), "an input is known");
      use(step.inputs[i],
          i < 2 ? step.product.record.tensors[static_cast<model::Tensor>(i)]
                : step.product.further[i - 2]);
    }
    use(step.output, step.product.record.tensors[model::Tensor::C]);
    require(!step.accumulates() || known.count(step.output),
            "what is added to is known");
    known.insert(step.output);
  }
  for (unsigned tensor : program.results)
    require(known.count(tensor), "a result is computed");
}

static OwningOpRef<ModuleOp>
makeModule(MLIRContext *context,
           const std::vector<notation::ParsedContraction> &contractions,
           const ImportOptions &options) {
  return importContractions(context, contractions, options);
}

static OwningOpRef<ModuleOp> makeModule(MLIRContext *context,
                                        const notation::ParsedProgram &program,
                                        const ImportOptions &options) {
  return importProgram(context, program, options);
}

template <typename Parsed> static void checkImport(const Parsed &parsed) {
  // The context never frees what it has uniqued, so it is replaced now and
  // then.
  constexpr unsigned importsPerContext = 1000;
  static std::unique_ptr<MLIRContext> context;
  static unsigned imports = 0;
  if (imports++ % importsPerContext == 0)
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);

  ImportOptions options;
  options.useTensors = imports % 2 == 0;
  OwningOpRef<ModuleOp> module = makeModule(context.get(), parsed, options);
  require(succeeded(verify(*module)), "the imported module verifies");
}

void fuzz::checkNotation(notation::Notation notation, std::string_view text) {
  notation::Diagnostic diagnostic;
  auto contractions = notation::parse(notation, text, {}, diagnostic);
  if (!contractions) {
    checkDiagnostic(diagnostic, text);
    return;
  }
  checkContractions(*contractions);
  checkImport(*contractions);
}

void fuzz::checkProgram(notation::ProgramNotation notation,
                        std::string_view text) {
  notation::Diagnostic diagnostic;
  auto program = notation::parseProgram(notation, text, {}, diagnostic);
  if (!program) {
    checkDiagnostic(diagnostic, text);
    return;
  }
  checkSteps(*program);
  checkImport(*program);
}
