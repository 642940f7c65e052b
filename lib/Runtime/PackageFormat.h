//===- PackageFormat.h - Names shared by package reader and writer - C++ -*-==//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_PACKAGEFORMAT_H
#define TC_LIB_RUNTIME_PACKAGEFORMAT_H

#include "tc/Runtime/Package.h"

namespace tc::runtime {

inline constexpr const char *packageFormat = "tc-package";
inline constexpr int64_t packageVersion = 1;

/// "read", "write" or "read_write".
std::string_view accessOf(const TensorArgument &tensor);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_PACKAGEFORMAT_H
