//===- TemporaryFolder.h - Files of one test --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H
#define TC_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <stdlib.h>

namespace tc {

/// A folder that is there while a test runs. No name is chosen beforehand:
/// tests run side by side, and so may two builds of them.
class TemporaryFolder {
public:
  TemporaryFolder()
      : folder(std::filesystem::temp_directory_path() / "tc-XXXXXX") {
    if (!mkdtemp(folder.data()))
      throw std::runtime_error("no folder can be made like " + folder);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  const std::string &name() const { return folder; }
  std::string path(const std::string &file) const {
    return folder + "/" + file;
  }
  /// Writes a file, and makes the folders that it is in.
  void write(const std::string &file, const std::string &contents) const {
    const std::filesystem::path path = this->path(file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << contents;
  }

private:
  std::string folder;
};

} // namespace tc

#endif // TC_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H
