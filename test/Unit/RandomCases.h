//===- RandomCases.h - Numbers of random cases in tests ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_RANDOMCASES_H
#define TC_TEST_UNIT_RANDOMCASES_H

namespace tc::model::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TC_TEST_HAS_SANITIZERS 1
#endif
#endif

/// A tenth of the cases in builds with sanitizers, where nothing is optimised
/// and enumerations of all would take minutes.
constexpr unsigned randomCases(unsigned cases) {
#ifdef TC_TEST_HAS_SANITIZERS
  return cases / 10;
#else
  return cases;
#endif
}

} // namespace tc::model::test

#endif // TC_TEST_UNIT_RANDOMCASES_H
