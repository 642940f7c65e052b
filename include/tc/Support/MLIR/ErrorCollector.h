//===- ErrorCollector.h - MLIR's errors as one line -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MLIR_ERRORCOLLECTOR_H
#define TC_SUPPORT_MLIR_ERRORCOLLECTOR_H

#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace tc {

/// Keeps the first error of a context as one line: errors that follow it in
/// MLIR are the same failure seen from further out.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext &context);

  /// The error; `otherwise` if nobody emitted one.
  Error get(const std::string &otherwise) const {
    return first.value_or(Error{otherwise});
  }

  /// The remarks, which whoever is asked next hears of, too.
  const std::vector<std::string> &remarks() const { return heard; }

private:
  std::optional<Error> first;
  std::vector<std::string> heard;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tc

#endif // TC_SUPPORT_MLIR_ERRORCOLLECTOR_H
