//===- FuzzSchedule.cpp - Fuzz target: the schedule attribute ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text, read as the body of #tc.schedule<...>. A schedule that is accepted
// must come back from its printed form.
//
//===----------------------------------------------------------------------===//

#include "Require.h"

#include "tc/Dialect/TC/IR/TCAttributes.h"
#include "tc/Dialect/TC/IR/TCDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The context never frees what it has uniqued, so it is replaced now and
  // then.
  constexpr unsigned inputsPerContext = 5000;
  static std::unique_ptr<MLIRContext> context;
  static unsigned inputs = 0;
  if (inputs++ % inputsPerContext == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->loadDialect<TCDialect>();
  }

  ScopedDiagnosticHandler silence(context.get(),
                                  [](Diagnostic &) { return success(); });
  std::string text = "#tc.schedule<" +
                     std::string(reinterpret_cast<const char *>(data), size) +
                     ">";
  Attribute attribute = parseAttribute(text, context.get());
  if (!attribute)
    return 0;

  std::string printed;
  llvm::raw_string_ostream(printed) << attribute;
  require(parseAttribute(printed, context.get()) == attribute,
          "the printed schedule is read as the same schedule");
  return 0;
}
