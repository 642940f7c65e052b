//===- Suggestion.h - Suggestions for misspelt names ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_SUGGESTION_H
#define TC_SUPPORT_SUGGESTION_H

#include <string>
#include <string_view>
#include <vector>

namespace tc {

/// "; did you mean 'x'?" to stand behind an error about an unknown name, where
/// `known` has a name that a third of the letters, exchanged, left out, added
/// or swapped with their neighbours, make of it; else nothing. Of several as
/// near, it is the first. Names of over 64 letters are not looked at.
std::string suggestionFor(std::string_view name,
                          const std::vector<std::string> &known);

} // namespace tc

#endif // TC_SUPPORT_SUGGESTION_H
