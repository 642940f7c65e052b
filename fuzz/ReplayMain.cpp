//===- ReplayMain.cpp - Runs a fuzz target over files -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for libFuzzer in ordinary builds: runs the target once on every
// file that the command line names, or that is in a folder that it names. So
// inputs that once failed stay tested everywhere, by any compiler.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fs = std::filesystem;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const fs::directory_entry &entry : fs::directory_iterator(argv[i]))
      files.push_back(entry.path());
  }
  if (files.empty()) {
    std::fprintf(stderr, "error: no inputs to replay\n");
    return 1;
  }

  std::sort(files.begin(), files.end());
  for (const fs::path &path : files) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "error: cannot read '%s'\n", path.c_str());
      return 1;
    }
    // Flushed first, so that the file is known if the target ends the program.
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    std::string text((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
    (void)LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()),
                                 text.size());
  }
  return 0;
}
