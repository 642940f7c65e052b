//===- Files.h - Whole files as text ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_FILES_H
#define TC_SUPPORT_FILES_H

#include "tc/Support/Result.h"

#include <string>
#include <string_view>

namespace tc {

/// The bytes of a file. Errors name the path.
Result<std::string> readFile(const std::string &path);

/// Writes a file anew. Whoever reads it meanwhile, and after a crash, sees the
/// old content or the new one, never a part. Errors name the path.
Status replaceFile(const std::string &path, std::string_view content);

} // namespace tc

#endif // TC_SUPPORT_FILES_H
