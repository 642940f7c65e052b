//===- FusedExpressions.h - Expressions and regions -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prologues and epilogues from texts (tc/Problem/Expression.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_IMPORT_FUSEDEXPRESSIONS_H
#define TC_IMPORT_FUSEDEXPRESSIONS_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/Expression.h"

namespace tc {

/// Makes a region whose arguments have those types and are the expression's
/// variables. It computes in `computeType`, which integers are only for an
/// expression that computes them, and yields `yieldType`.
void buildFusedCode(mlir::Region &region, Location loc,
                    const model::Expression &expression,
                    ArrayRef<Type> argumentTypes, Type computeType,
                    Type yieldType);

} // namespace tc

#endif // TC_IMPORT_FUSEDEXPRESSIONS_H
