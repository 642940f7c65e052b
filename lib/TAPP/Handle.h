//===- Handle.h - What a TAPP_handle is -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TAPP_HANDLE_H
#define TC_LIB_TAPP_HANDLE_H

#include "TappApi.h"

#include <map>
#include <string>

struct TcError;
struct TcOptions;

namespace tc::tapp {

/// A handle's attributes, as the values of options.
struct Handle {
  std::map<TAPP_key, std::string> attributes;
};

/// Sets the options that a handle's attributes stand for.
TcError *applyAttributes(const Handle &handle, TcOptions *options);

} // namespace tc::tapp

#endif // TC_LIB_TAPP_HANDLE_H
