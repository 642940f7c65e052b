//===- Files.cpp - Whole files as text --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

using namespace tc;

Result<std::string> tc::readFile(const std::string &path) {
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

Status tc::replaceFile(const std::string &path, std::string_view content) {
  std::string draft = path + ".part";
  std::FILE *file = std::fopen(draft.c_str(), "wb");
  if (!file)
    return Error{path + ": " + std::strerror(errno)};
  bool written =
      std::fwrite(content.data(), 1, content.size(), file) == content.size();
  written = std::fclose(file) == 0 && written;
  if (!written || std::rename(draft.c_str(), path.c_str()) != 0) {
    Error error{path + ": " + std::strerror(errno)};
    std::remove(draft.c_str());
    return error;
  }
  return {};
}
