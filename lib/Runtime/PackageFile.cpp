//===- PackageFile.cpp - Packages from files --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Package.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

using namespace tc;
using namespace tc::runtime;

static Result<std::string> readFile(const std::string &path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{path + ": is a directory"};
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
      std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file)
    return Error{path + ": " + std::strerror(errno)};
  std::string content;
  char chunk[1 << 16];
  while (size_t read = std::fread(chunk, 1, sizeof(chunk), file.get()))
    content.append(chunk, read);
  if (std::ferror(file.get()))
    return Error{path + ": cannot be read"};
  return content;
}

Result<LoadedPackage> tc::runtime::loadPackage(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return Error{text.error()};
  Result<Package> package = fromJson(*text);
  if (!package)
    return Error{path + ": " + package.error()};

  LoadedPackage loaded;
  loaded.codePath =
      (std::filesystem::path(path).parent_path() / package->codeFile).string();
  Result<std::string> code = readFile(loaded.codePath);
  if (!code)
    return Error{path + ": $.code.file: " + code.error()};
  loaded.code = std::move(*code);
  loaded.package = std::move(*package);
  return loaded;
}
