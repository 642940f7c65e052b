//===- PackageFile.cpp - Packages from files --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Package.h"
#include "tc/Support/Files.h"

#include <filesystem>

using namespace tc;
using namespace tc::runtime;

Result<LoadedPackage> tc::runtime::loadPackage(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return Error{text.error()};
  Result<Package> package = fromJson(*text);
  if (!package)
    return Error{path + ": " + package.error()};

  LoadedPackage loaded;
  std::string folder = std::filesystem::path(path).parent_path().string();
  loaded.codePath =
      (std::filesystem::path(folder) / package->codeFile).string();
  // A package that was copied from elsewhere reads no files of this machine.
  Result<std::string> code = readFileBeneath(folder, package->codeFile);
  if (!code)
    return Error{path + ": $.code.file: " + code.error()};
  loaded.code = std::move(*code);
  loaded.package = std::move(*package);
  return loaded;
}
