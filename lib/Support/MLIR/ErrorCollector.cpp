//===- ErrorCollector.cpp - MLIR's errors as one line ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/MLIR/ErrorCollector.h"

#include "mlir/IR/Location.h"

using namespace tc;

static std::string toLine(mlir::Diagnostic &diagnostic) {
  std::string line;
  diagnostic.getLocation()->walk([&](mlir::Location location) {
    auto file = dyn_cast<mlir::FileLineColLoc>(location);
    if (!file)
      return mlir::WalkResult::advance();
    line = file.getFilename().str() + ":" + std::to_string(file.getLine()) +
           ":" + std::to_string(file.getColumn()) + ": ";
    return mlir::WalkResult::interrupt();
  });
  line += "error: ";
  for (char c : diagnostic.str())
    line += c == '\n' ? ' ' : c;
  return line;
}

ErrorCollector::ErrorCollector(MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        bool isError =
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        if (isError && !first)
          first = Error{toLine(diagnostic)};
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
          heard.push_back(diagnostic.str());
        // Warnings and remarks are for whoever comes next.
        return mlir::success(isError);
      }) {}
