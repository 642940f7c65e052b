//===- CudaApi.cpp - Loading the CUDA driver --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Driver/CudaApi.h"

#include <algorithm>
#include <dlfcn.h>
#include <vector>

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

/// Makes one line of the compiler's messages.
static std::string joinLines(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0'))
    text.pop_back();
  std::string line;
  for (char c : text)
    line += c == '\n' ? std::string("; ") : std::string(1, c);
  return line;
}

Result<CUmodule> Api::loadModule(const void *image) const {
  std::vector<char> log(8192);
  int options[] = {ErrorLogBuffer, ErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  CUmodule module = nullptr;
  CUresult result = moduleLoadDataEx(&module, image, 2, options, values);
  if (Status s = check(result, "cuModuleLoadDataEx"); !s) {
    // The option's value is now the length of what was written.
    size_t length = std::min(reinterpret_cast<size_t>(values[1]), log.size());
    std::string messages = joinLines(std::string(log.data(), length));
    return Error{s.error() + (messages.empty() ? "" : ": " + messages)};
  }
  return module;
}
