//===- FuzzContract.cpp - Fuzz target: tc operations ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text, read as a module. Operations that verify must come back from their
// printed form and have roles for all of their indices, and groups of them can
// be dissolved. Those of two inputs can be contractions.
//
//===----------------------------------------------------------------------===//

#include "Require.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <memory>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

static void checkContract(ContractOp op) {
  size_t labels = op.getLabels().size();
  ContractionDims dims = inferContractionDims(op);
  require(dims.batch().size() + dims.m().size() + dims.n().size() +
                  dims.k().size() ==
              labels,
          "every label has one role");
  FailureOr<model::Contraction> contraction = toContraction(op);
  require(failed(contraction) || contraction->indices.size() == labels,
          "the model sees every label");
}

static void checkEinsum(EinsumOp op) {
  DenseSet<StringAttr> labels, inLists;
  for (StringAttr label : op.getLabels())
    require(labels.insert(label).second, "no label comes twice");
  for (IndexListAttr list : op.getIndexLists())
    inLists.insert(list.begin(), list.end());
  require(labels == inLists, "every label of a list is there");
  for (StringAttr label : labels)
    require(op.getExtent(label) >= 0 ||
                ShapedType::isDynamic(op.getExtent(label)),
            "every label has an extent");
  size_t operands = op.getInputs().size();
  for (ArrayRef<int64_t> step : op.getSteps())
    operands -= step.size() - 1;
  require(!op.getPath() || operands == 1, "a path ends with one operand");
  require(op.getAccumulatorType() != nullptr, "sums have a type");
}

/// Makes contractions of those of two inputs.
static void canonicalize(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  EinsumOp::getCanonicalizationPatterns(patterns, context);
  walkAndApplyPatterns(module, std::move(patterns));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The context never frees what it has uniqued, so it is replaced now and
  // then.
  constexpr unsigned inputsPerContext = 5000;
  static std::unique_ptr<MLIRContext> context;
  static unsigned inputs = 0;
  if (inputs++ % inputsPerContext == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context
        ->loadDialect<arith::ArithDialect, func::FuncDialect, tc::TCDialect>();
  }

  ScopedDiagnosticHandler silence(context.get(),
                                  [](Diagnostic &) { return success(); });
  // The parser relies on the zero behind a string.
  std::string text(reinterpret_cast<const char *>(data), size);
  auto module = parseSourceString<ModuleOp>(text, context.get());
  if (!module)
    return 0;

  module->walk([](ContractOp op) { checkContract(op); });
  module->walk([](EinsumOp op) { checkEinsum(op); });
  std::string printed = print(*module);
  auto again = parseSourceString<ModuleOp>(printed, context.get());
  require(again && print(*again) == printed,
          "the printed module is read as the same module");
  IRRewriter rewriter(context.get());
  module->walk([&](FusedOp group) { group.dissolve(rewriter); });
  require(succeeded(verify(*module)), "contractions stand without groups");
  canonicalize(*module);
  require(succeeded(verify(*module)), "pairs of factors are contractions");
  return 0;
}
