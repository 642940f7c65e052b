//===- Libdevice.h - CUDA's library of math functions -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_PTX_LIBDEVICE_H
#define TC_LIB_TARGET_PTX_LIBDEVICE_H

#include "tc/Support/Result.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace tc {

/// Links what a module calls of libdevice, as functions of its own. A module
/// that calls nothing needs no libdevice. The library is the file that the
/// environment variable TC_LIBDEVICE names, else the one of ptxas's CUDA
/// Toolkit, else the one of a toolkit in its usual place; an error says what is
/// called and where was looked.
Status linkLibdevice(llvm::Module &module);

} // namespace tc

#endif // TC_LIB_TARGET_PTX_LIBDEVICE_H
