//===- FusedCodeKeys.h - Names of fused code --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of the texts of prologues, of a user-defined semiring and of an
// epilogue in attributes of kernels and in packages.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_FUSEDCODEKEYS_H
#define TC_PROBLEM_FUSEDCODEKEYS_H

namespace tc::model {

inline constexpr const char *prologueAKey = "prologue_a";
inline constexpr const char *prologueBKey = "prologue_b";
inline constexpr const char *productKey = "product";
inline constexpr const char *combineKey = "combine";
inline constexpr const char *epilogueKey = "epilogue";

} // namespace tc::model

#endif // TC_PROBLEM_FUSEDCODEKEYS_H
