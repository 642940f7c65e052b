//===- DynamicLibrary.cpp - Libraries that may be there ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DynamicLibrary.h"

#include <dlfcn.h>

using namespace tc;
using namespace tc::bench;

Result<DynamicLibrary>
DynamicLibrary::open(const std::vector<std::string> &names) {
  std::string reason;
  for (const std::string &name : names) {
    if (void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
      return DynamicLibrary(handle, name);
    const char *text = dlerror();
    reason = text ? text : name;
    // The loader's message usually begins with the name.
    if (reason.find(name) == std::string::npos)
      reason = name + ": " + reason;
  }
  return Error{reason};
}

void *DynamicLibrary::find(const char *symbol) const {
  return dlsym(handle, symbol);
}
