//===- ParameterNames.h - The callers' names of tensors ---------*- C++ -*-===//
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

/// An attribute of a function whose kernels take their shape at run time: for
/// each extent that runs say, an array of its name and the number that stands
/// for it, and for nothing else, in the function's types.
inline constexpr llvm::StringLiteral runExtentsAttrName = "tc.run_extents";

} // namespace tc

#endif // TC_DIALECT_TC_IR_PARAMETERNAMES_H
