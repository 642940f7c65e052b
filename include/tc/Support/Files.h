//===- Files.h - Whole files as text ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All files are read and written through these functions. Input is a regular
// file of a bounded size, so that no pipe or device can hang a program or fill
// its memory; output appears whole or not at all.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_FILES_H
#define TC_SUPPORT_FILES_H

#include "tc/Support/Result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tc {

/// The most bytes that are read of any input.
inline constexpr size_t largestInput = size_t(256) << 20;

/// Checks that a path has no NUL character, at which the system would take it
/// to end. All functions here do so.
Status checkPath(const std::string &path);

/// The bytes of a regular file that has `largest` of them at most. Errors name
/// the path.
Result<std::string> readFile(const std::string &path,
                             size_t largest = largestInput);

/// The way in which a file beneath a folder is found.
enum class Beneath {
  /// By the kernel, which follows symbolic links as long as they stay beneath
  /// the folder; by `Walk` where the kernel cannot.
  Kernel,
  /// Step by step, where no step may be a symbolic link.
  Walk
};

/// The same for a file beneath a folder, which `path` is relative to: neither
/// ".." nor a symbolic link leads out of the folder.
Result<std::string> readFileBeneath(const std::string &folder,
                                    const std::string &path,
                                    size_t largest = largestInput,
                                    Beneath way = Beneath::Kernel);

/// The same for all that standard input has.
Result<std::string> readStandardInput(size_t largest = largestInput);

/// Files that are written together. They are written beside their places and
/// brought to the disk, then take their names one after the other; if anything
/// fails, all are as they were. So they are after a crash, unless it falls
/// between two of these last steps, which signals cannot interrupt.
class OutputFiles {
public:
  /// Adds a file, which is not touched before `commit`.
  void add(std::string path, std::string content) {
    files.emplace_back(std::move(path), std::move(content));
  }
  /// Writes all files. Errors name the path at fault. A character device is
  /// written to; whatever else is no regular file is an error.
  Status commit() const;

private:
  std::vector<std::pair<std::string, std::string>> files;
};

/// Writes one file anew, as `OutputFiles` does.
Status replaceFile(const std::string &path, std::string_view content);

} // namespace tc

#endif // TC_SUPPORT_FILES_H
