//===- UserSemirings.h - Facts of the model about regions -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work and the padding of a user-defined semiring, from its regions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_USERSEMIRINGS_H
#define TC_ANALYSIS_USERSEMIRINGS_H

#include "tc/Problem/Contraction.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace tc {

class ContractOp;

/// The number that fills a shared tile, of a type.
mlir::TypedAttr getFill(model::Fill fill, Type type);

/// The number of operations in the regions on two factors and a sum, and the
/// padding; the default for a semiring that has a name.
model::UserSemiring describeUserSemiring(ContractOp op);

} // namespace tc

#endif // TC_ANALYSIS_USERSEMIRINGS_H
