//===- CudaApi.cpp - Loading the CUDA driver --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"

#include <dlfcn.h>

using namespace tc;
using namespace tc::runtime::cuda;

static constexpr const char *driverLibrary = "libcuda.so.1";

Result<std::shared_ptr<const Api>> Api::load() {
  void *library = dlopen(driverLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    std::string text = reason ? reason : driverLibrary;
    // The loader's message usually begins with the name.
    if (text.find(driverLibrary) == std::string::npos)
      text = std::string(driverLibrary) + ": " + text;
    return Error{"no CUDA driver: " + text};
  }
  auto api = std::make_shared<Api>();
#define TC_CUDA_LOAD(member, symbol, parameters)                               \
  api->member =                                                                \
      reinterpret_cast<decltype(api->member)>(dlsym(library, #symbol));        \
  if (!api->member)                                                            \
    return Error{std::string("the CUDA driver ") + driverLibrary +             \
                 " is too old: it has no " #symbol};
  TC_CUDA_FUNCTIONS(TC_CUDA_LOAD)
#undef TC_CUDA_LOAD

  if (Status s = api->check(api->init(0), "cuInit"); !s)
    return Error{s.error()};
  return std::shared_ptr<const Api>(api);
}

Status Api::check(CUresult result, const char *call) const {
  if (result == 0)
    return {};
  const char *name = nullptr, *description = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &description);
  std::string text = std::string(call) + ": " +
                     (name ? name : "error " + std::to_string(result));
  if (description)
    text += std::string(" (") + description + ")";
  return Error{text};
}
