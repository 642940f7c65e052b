//===- OutputFiles.cpp - Files that are written whole -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Files.h"

#include "Descriptor.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/stat.h>

using namespace tc;
namespace fs = std::filesystem;

namespace {

/// Keeps signals that end a process away. A file that grows beyond the limit of
/// the process fails to be written instead.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ})
      sigaddset(&blocked, number);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
  }
  BlockedSignals(const BlockedSignals &) = delete;
  ~BlockedSignals() {
    sigset_t tooLarge;
    sigemptyset(&tooLarge);
    sigaddset(&tooLarge, SIGXFSZ);
    timespec none = {0, 0};
    while (sigtimedwait(&tooLarge, nullptr, &none) == SIGXFSZ) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  sigset_t before;
};

/// A name beside a file that nothing has yet.
std::string nameBeside(const fs::path &place) {
  static std::atomic<unsigned> count{0};
  std::string name =
      ".tc-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
  return (place.parent_path() / name).string();
}

/// One file on its way.
class PendingFile {
public:
  explicit PendingFile(const std::string &path) : path(path), place(path) {}
  PendingFile(PendingFile &&) = default;
  ~PendingFile() {
    for (const std::string &name : {draft, old})
      if (!name.empty())
        ::unlink(name.c_str());
  }

  /// Writes the draft, or the device that has the place.
  Status write(std::string_view content);
  bool isDevice() const { return device.isOpen(); }
  Status writeDevice(std::string_view content) { return fill(device, content); }
  /// Keeps the file that has the place, and takes the place.
  Status take();
  /// Puts back the file that had the place.
  void restore();

  fs::path folder() const {
    return place.has_parent_path() ? place.parent_path() : fs::path(".");
  }

private:
  Status fill(const Descriptor &file, std::string_view content) const;

  /// As the caller named it; where it is.
  std::string path;
  fs::path place;
  bool exists = false;
  Descriptor device;
  /// Names beside it of the new content and of the old, which are removed.
  std::string draft, old;
};

} // namespace

Status PendingFile::fill(const Descriptor &file,
                         std::string_view content) const {
  while (!content.empty()) {
    ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return systemError(path);
    content.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Status PendingFile::write(std::string_view content) {
  if (Status status = checkPath(path); !status)
    return status;
  struct stat status;
  exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISCHR(status.st_mode)) {
    device = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    return device.isOpen() ? Status() : systemError(path);
  }
  if (exists && !S_ISREG(status.st_mode))
    return Error{inOneLine(path) + ": is not a regular file"};
  if (exists && ::access(path.c_str(), W_OK) != 0)
    return systemError(path);
  // A symbolic link stays, and leads to the new content.
  std::error_code error;
  if (exists)
    place = fs::canonical(path, error);
  if (error)
    return Error{inOneLine(path) + ": " + error.message()};

  Descriptor file;
  do {
    draft = nameBeside(place);
    file = Descriptor(
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  } while (!file.isOpen() && errno == EEXIST);
  if (!file.isOpen()) {
    draft.clear();
    return systemError(path);
  }
  if (Status filled = fill(file, content); !filled)
    return filled;
  if ((exists && ::fchmod(file.get(), status.st_mode & 07777) != 0) ||
      ::fsync(file.get()) != 0 || !file.close())
    return systemError(path);
  return {};
}

Status PendingFile::take() {
  if (exists) {
    old = nameBeside(place);
    // If the file system has no links, it cannot be put back.
    if (::link(place.c_str(), old.c_str()) != 0)
      old.clear();
  }
  if (::rename(draft.c_str(), place.c_str()) != 0)
    return systemError(path);
  draft.clear();
  return {};
}

void PendingFile::restore() {
  if (!exists)
    ::unlink(place.c_str());
  else if (!old.empty() && ::rename(old.c_str(), place.c_str()) == 0)
    old.clear();
}

/// Brings the names in a folder to the disk. A file system that cannot do so
/// has them no less.
static void syncFolder(const fs::path &folder) {
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (opened.isOpen())
    (void)::fsync(opened.get());
}

Status OutputFiles::commit() const {
  BlockedSignals blocked;
  std::vector<PendingFile> pending;
  pending.reserve(files.size());
  for (const auto &[path, content] : files)
    if (Status status = pending.emplace_back(path).write(content); !status)
      return status;
  for (size_t i = 0; i < files.size(); ++i)
    if (pending[i].isDevice())
      if (Status status = pending[i].writeDevice(files[i].second); !status)
        return status;
  std::set<fs::path> folders;
  for (size_t i = 0; i < files.size(); ++i) {
    if (pending[i].isDevice())
      continue;
    folders.insert(pending[i].folder());
    Status taken = pending[i].take();
    if (taken)
      continue;
    while (i-- > 0)
      if (!pending[i].isDevice())
        pending[i].restore();
    return taken;
  }
  for (const fs::path &folder : folders)
    syncFolder(folder);
  return {};
}

Status tc::replaceFile(const std::string &path, std::string_view content) {
  OutputFiles files;
  files.add(path, std::string(content));
  return files.commit();
}
