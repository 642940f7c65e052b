//===- Files.cpp - Whole files as text --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Files.h"

#include "Descriptor.h"

#include "tc/Support/Message.h"
#include "tc/Support/Suggestion.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

using namespace tc;

/// Without blocking, the opening of a pipe waits for nobody.
static constexpr int readFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

static Error tooLarge(const std::string &name, size_t largest) {
  return Error{name + ": has more than " + std::to_string(largest) + " bytes"};
}

/// All that is left in a file, or an error if that is too much.
static Result<std::string> readAll(int file, const std::string &name,
                                   size_t largest) {
  std::string content;
  constexpr size_t chunk = size_t(1) << 16;
  for (size_t size = 0;;) {
    // One byte more than is accepted shows that there are too many.
    content.resize(size + std::min(chunk, largest + 1 - size));
    ssize_t got = ::read(file, content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(name);
    size += static_cast<size_t>(got);
    if (size > largest)
      return tooLarge(name, largest);
    if (got == 0) {
      content.resize(size);
      return content;
    }
  }
}

static Result<std::string>
readRegular(const Descriptor &file, const std::string &name, size_t largest) {
  struct stat status;
  if (!file.isOpen() || ::fstat(file.get(), &status) != 0)
    return systemError(name);
  if (S_ISDIR(status.st_mode))
    return Error{name + ": is a directory"};
  if (!S_ISREG(status.st_mode))
    return Error{name + ": is not a regular file"};
  if (static_cast<uintmax_t>(status.st_size) > largest)
    return tooLarge(name, largest);
  return readAll(file.get(), name, largest);
}

/// Suggests another name in its folder for a path that is not there.
static std::string suggestFile(const std::filesystem::path &path) {
  constexpr size_t mostEntries = 4096;
  std::filesystem::path folder = path.parent_path();
  std::error_code failure;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator
           entry(folder.empty() ? "." : folder, failure),
       end;
       !failure && entry != end && names.size() < mostEntries;
       entry.increment(failure))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return suggestionFor(path.filename().string(), names);
}

Status tc::checkPath(const std::string &path) {
  if (path.find('\0') == std::string::npos)
    return {};
  return Error{inOneLine(path) + ": has a NUL character, which no name of a "
                                 "file can have"};
}

Result<std::string> tc::readFile(const std::string &path, size_t largest) {
  if (Status status = checkPath(path); !status)
    return Error{status.error()};
  // To open a device may have effects.
  std::string name = inOneLine(path);
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode) &&
      !S_ISREG(status.st_mode))
    return Error{name + ": is not a regular file"};
  Descriptor file(::open(path.c_str(), readFlags));
  if (!file.isOpen() && errno == ENOENT)
    return Error{systemError(name).message + suggestFile(path)};
  return readRegular(file, name, largest);
}

Result<std::string> tc::readStandardInput(size_t largest) {
  return readAll(STDIN_FILENO, "standard input", largest);
}

/// Opens a path beneath a folder step by step.
static Descriptor walkBeneath(Descriptor folder, const std::string &path) {
  std::filesystem::path steps(path);
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    if (*step == ".." || step->is_absolute()) {
      errno = EXDEV;
      return Descriptor();
    }
    int flags = readFlags | O_NOFOLLOW;
    if (std::next(step) != steps.end())
      flags |= O_DIRECTORY;
    Descriptor next(::openat(folder.get(), step->c_str(), flags));
    // A link to a folder counts as no folder.
    struct stat status;
    if (!next.isOpen() && errno == ENOTDIR) {
      bool isLink = ::fstatat(folder.get(), step->c_str(), &status,
                              AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISLNK(status.st_mode);
      errno = isLink ? ELOOP : ENOTDIR;
    }
    folder = std::move(next);
    if (!folder.isOpen())
      break;
  }
  return folder;
}

Result<std::string> tc::readFileBeneath(const std::string &folder,
                                        const std::string &path, size_t largest,
                                        Beneath way) {
  std::string name = (std::filesystem::path(folder) / path).string();
  if (Status status = checkPath(name); !status)
    return Error{status.error()};
  name = inOneLine(name);
  Descriptor top(::open(folder.empty() ? "." : folder.c_str(),
                        O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (!top.isOpen())
    return systemError(name);
  Descriptor file;
  if (way == Beneath::Kernel) {
    open_how how = {};
    how.flags = readFlags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    file = Descriptor(static_cast<int>(
        ::syscall(SYS_openat2, top.get(), path.c_str(), &how, sizeof how)));
    // Kernels before 5.6 lack it, and sandboxes forbid it.
    if (!file.isOpen() && (errno == ENOSYS || errno == EPERM))
      way = Beneath::Walk;
  }
  if (way == Beneath::Walk)
    file = walkBeneath(std::move(top), path);
  if (!file.isOpen() && (errno == EXDEV || errno == ELOOP))
    return Error{name + ": leads out of its folder by a symbolic link"};
  return readRegular(file, name, largest);
}
