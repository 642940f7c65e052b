//===- TunedFile.h - Choice of the tuning database --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_TUNEDFILE_H
#define TC_COMPILER_TUNEDFILE_H

#include "tc/Support/Result.h"

#include <optional>
#include <string>

namespace tc {

/// The database that a user asks for: a file, or "off", else $TC_TUNED. Empty
/// if there is none to consult.
std::string chooseTunedFile(const std::optional<std::string> &asked);

/// A text that changes when a database's choices do, for keys of what is made
/// with them. Fails where the database cannot be read.
Result<std::string> describeTunedFile(const std::string &path);

} // namespace tc

#endif // TC_COMPILER_TUNEDFILE_H
