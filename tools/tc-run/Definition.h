//===- Definition.h - Contractions as the checker sees them -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_DEFINITION_H
#define TC_TOOLS_TC_RUN_DEFINITION_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Runtime/Package.h"

namespace tc::run {

/// The operands and factors of a contraction, with nothing decided about how it
/// is computed. Emits an error if an extent, a stride or an offset is unknown.
FailureOr<runtime::Kernel> defineContraction(ContractOp op);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_DEFINITION_H
