//===- CompilerLoader.h - The compiler, once it is needed -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_COMPILERLOADER_H
#define TC_LIB_CAPI_COMPILERLOADER_H

#include "tc/OnDemand/Compiler.h"

namespace tc::capi {

/// The compiler, for as long as the process lives. The first call loads
/// libtc_compiler from the folder that libtc is in, which takes tens of
/// milliseconds; the error says why it cannot be loaded, in this call and in
/// all later ones.
Result<const Compiler *> loadCompiler();

/// True if a call has loaded it.
bool isCompilerLoaded();

} // namespace tc::capi

#endif // TC_LIB_CAPI_COMPILERLOADER_H
