//===- ErrorCollector.h - MLIR's errors as one line -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_ERRORCOLLECTOR_H
#define TC_SUPPORT_ERRORCOLLECTOR_H

#include "tc/Support/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>

namespace tc {

/// Keeps the first error of a context as one line: what follows it in MLIR is
/// the same failure seen from further out.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          bool isError =
              diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
          if (isError && !first)
            first = Error{toLine(diagnostic)};
          // Warnings and remarks are for whoever comes next.
          return mlir::success(isError);
        }) {}

  /// The error; `otherwise` if nobody emitted one.
  Error get(const std::string &otherwise) const {
    return first.value_or(Error{otherwise});
  }

private:
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

  std::optional<Error> first;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tc

#endif // TC_SUPPORT_ERRORCOLLECTOR_H
