//===- ParameterNames.h - What callers call tensors -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_PARAMETERNAMES_H
#define TC_DIALECT_TC_IR_PARAMETERNAMES_H

#include "llvm/ADT/StringRef.h"

namespace tc {

/// An attribute of a function's arguments and results: the name of the tensor
/// in the program that it was made from. A result of the same name as an
/// argument is what that becomes.
inline constexpr llvm::StringLiteral parameterNameAttrName = "tc.name";

/// The same of an argument some of whose extents are unknown: what its indices
/// are called there.
inline constexpr llvm::StringLiteral parameterIndicesAttrName = "tc.indices";

/// An attribute of a tc.einsum: an extent for each index whose extent is
/// unknown, for which its order is chosen.
inline constexpr llvm::StringLiteral representativeExtentsAttrName =
    "tc.representative_extents";

} // namespace tc

#endif // TC_DIALECT_TC_IR_PARAMETERNAMES_H
