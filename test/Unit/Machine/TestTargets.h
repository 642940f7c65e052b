//===- TestTargets.h - Targets that tests start from ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_MACHINE_TESTTARGETS_H
#define TC_TEST_UNIT_MACHINE_TESTTARGETS_H

#include "tc/Machine/Target.h"

#include <string>

namespace tc::model::test {

/// A target that is built in.
inline const Target &target(const std::string &name) {
  return **findTarget(name);
}

} // namespace tc::model::test

#endif // TC_TEST_UNIT_MACHINE_TESTTARGETS_H
