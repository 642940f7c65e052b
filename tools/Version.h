//===- Version.h - Output of --version --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_VERSION_H
#define TC_TOOLS_VERSION_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace tc {

/// Has a tool with LLVM's command line print its own version, too.
inline void setVersionOf(const char *tool) {
  llvm::cl::SetVersionPrinter([tool](llvm::raw_ostream &os) {
    os << tool << " " TC_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  });
}

} // namespace tc

#endif // TC_TOOLS_VERSION_H
