//===- ScopedVariable.h - Environment variables in tests --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_SUPPORT_SCOPEDVARIABLE_H
#define TC_TEST_UNIT_SUPPORT_SCOPEDVARIABLE_H

#include <cstdlib>
#include <string>

namespace tc {

/// Sets an environment variable for the life of the object.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const std::string &value) : name(name) {
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { unsetenv(name); }

private:
  const char *name;
};

} // namespace tc

#endif // TC_TEST_UNIT_SUPPORT_SCOPEDVARIABLE_H
