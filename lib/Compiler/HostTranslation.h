//===- HostTranslation.h - From lowered modules to object code --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_COMPILER_HOSTTRANSLATION_H
#define TC_LIB_COMPILER_HOSTTRANSLATION_H

#include "tc/Compiler/HostProgram.h"
#include "tc/Support/MLIR/ErrorCollector.h"

namespace tc {

/// Makes the header and the object code of a lowered module of that name.
Status translateForHost(ModuleOp module, const std::string &name,
                        ErrorCollector &errors, HostProgram &program);

} // namespace tc

#endif // TC_LIB_COMPILER_HOSTTRANSLATION_H
