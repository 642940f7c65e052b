//===- Message.h - Messages of a bounded length -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts of users are quoted by messages, and may be as long as a file.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MESSAGE_H
#define TC_SUPPORT_MESSAGE_H

#include <string>

namespace tc {

/// Bytes that a message takes at most: some lines of a terminal.
inline constexpr size_t longestMessage = 2048;

/// The message, with an ellipsis in place of the middle of a longer one: the
/// place stands at its beginning, and the expectation often at its end.
/// Characters of UTF-8 stay whole.
std::string cutMessage(std::string message);

/// The message with escapes in the place of control characters, such as \\x0a:
/// a message is one line, and ends for C at a NUL.
std::string inOneLine(const std::string &message);

} // namespace tc

#endif // TC_SUPPORT_MESSAGE_H
