//===- Handle.h - The object of a TAPP_handle -------------------*- C++ -*-===//
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

/// The attributes of a handle. One that was not created, as in some programs
/// for TAPP's reference, which asks nothing of it, or that is destroyed, has
/// none.
Handle attributesOf(TAPP_handle handle);

/// Sets the options that a handle's attributes stand for.
TcError *applyAttributes(const Handle &handle, TcOptions *options);

/// Returns true if a handle's attributes say how code is to be, so that it is
/// made where ahead-of-time kernels would do as well.
bool asksForCode(const Handle &handle);

/// The most threads that a handle's products use; zero for one of each core.
int32_t threadsOf(const Handle &handle);

} // namespace tc::tapp

#endif // TC_LIB_TAPP_HANDLE_H
