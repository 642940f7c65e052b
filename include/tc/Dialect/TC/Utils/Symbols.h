//===- Symbols.h - Names in generated code ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names that users give are for show. The symbols of generated code are made of
// them such that none is a keyword, or a function that the code itself calls:
// other names get other symbols, which are valid in C and in PTX.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_UTILS_SYMBOLS_H
#define TC_DIALECT_TC_UTILS_SYMBOLS_H

#include "tc/Support/MLIR/LLVM.h"

#include <string>

namespace tc {

/// The symbol of a kernel in PTX: "tc_" and the name, if that is plain: at most
/// 64 letters, digits and underscores, the first a letter, that neither begin
/// with "tc_" nor end in an underscore and 16 digits of a hexadecimal number;
/// else "tc_", what is plain of its first 40 characters, others replaced by
/// underscores, and such a number, its hash.
std::string kernelSymbol(StringRef name);

/// The symbol of the contractions of a function in an object file: its name if
/// that is plain, else as that of a kernel; then "_contraction".
std::string contractionSymbol(StringRef name);

/// The same of the function that runs all of them; then "_run".
std::string programSymbol(StringRef name);

/// The same of the function that says how large its workspace is; then
/// "_workspace_bytes".
std::string programWorkspaceSymbol(StringRef name);

} // namespace tc

#endif // TC_DIALECT_TC_UTILS_SYMBOLS_H
