//===- CutensorApi.cpp - The part of cuTENSOR in use ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CutensorApi.h"

using namespace tc;
using namespace tc::bench;

Result<CutensorApi> CutensorApi::load(const std::string &path) {
  Result<DynamicLibrary> library = DynamicLibrary::open(
      path.empty()
          ? std::vector<std::string>{"libcutensor.so.2", "libcutensor.so"}
          : std::vector<std::string>{path});
  if (!library)
    return Error{library.error()};
  CutensorApi api;
  api.file = library->name();
#define TC_CUTENSOR_LOAD(member, symbol, parameters)                           \
  api.member = reinterpret_cast<decltype(api.member)>(library->find(#symbol)); \
  if (!api.member)                                                             \
    return Error{api.file + ": has no " #symbol "; cuTENSOR 2 has"};
  TC_CUTENSOR_FUNCTIONS(TC_CUTENSOR_LOAD)
#undef TC_CUTENSOR_LOAD
  api.getVersion = reinterpret_cast<decltype(api.getVersion)>(
      library->find("cutensorGetVersion"));
  api.getErrorString = reinterpret_cast<decltype(api.getErrorString)>(
      library->find("cutensorGetErrorString"));
  const std::pair<const char *, void **> descriptors[] = {
      {"CUTENSOR_COMPUTE_DESC_64F", &api.compute64F},
      {"CUTENSOR_COMPUTE_DESC_32F", &api.compute32F},
      {"CUTENSOR_COMPUTE_DESC_TF32", &api.computeTF32},
      {"CUTENSOR_COMPUTE_DESC_3XTF32", &api.compute3xTF32}};
  for (auto [symbol, descriptor] : descriptors) {
    void *variable = library->find(symbol);
    if (!variable)
      return Error{api.file + ": has no " + symbol + "; cuTENSOR 2 has"};
    *descriptor = *static_cast<void **>(variable);
  }
  return api;
}

Status CutensorApi::check(int status, const char *call) const {
  if (status == 0)
    return {};
  std::string text = std::string(call) + ": ";
  if (const char *name = getErrorString ? getErrorString(status) : nullptr)
    return Error{text + name};
  return Error{text + "status " + std::to_string(status)};
}
