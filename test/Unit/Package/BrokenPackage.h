//===- BrokenPackage.h - Descriptions with a fault --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_PACKAGE_BROKENPACKAGE_H
#define TC_TEST_UNIT_PACKAGE_BROKENPACKAGE_H

#include "TestKernels.h"

#include <nlohmann/json.hpp>

namespace tc::runtime::test {

/// The error about a kernel's description if the value at a path, of keys and
/// of numbers in arrays, is another or, without one, is not there.
inline std::string errorWith(const Kernel &kernel,
                             const std::vector<std::string> &path,
                             const char *value) {
  using Json = nlohmann::ordered_json;
  auto step = [](Json &json, const std::string &name) -> Json & {
    return json.is_array() ? json[std::stoul(name)] : json[name];
  };
  Json json = Json::parse(toJson(makePackage(kernel)));
  Json *parent = &json["kernels"][0];
  for (size_t i = 0; i + 1 < path.size(); ++i)
    parent = &step(*parent, path[i]);
  if (value)
    step(*parent, path.back()) = Json::parse(value);
  else if (parent->is_array())
    parent->erase(std::stoul(path.back()));
  else
    parent->erase(path.back());
  Result<Package> package = fromJson(json.dump());
  return package ? "" : package.error();
}

} // namespace tc::runtime::test

#endif // TC_TEST_UNIT_PACKAGE_BROKENPACKAGE_H
