//===- Cubin.h - Contents of a cubin ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_CUBIN_H
#define TC_PACKAGE_CUBIN_H

#include "tc/Support/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace tc::runtime {

/// The names of the kernels in a cubin, which is an ELF file for the machine
/// EM_CUDA with one section ".text.NAME" per kernel. Fails on anything else.
Result<std::vector<std::string>> entriesOfCubin(std::string_view cubin);

} // namespace tc::runtime

#endif // TC_PACKAGE_CUBIN_H
