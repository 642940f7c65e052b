//===- OutputFilesTest.cpp - All files or none ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets each call of the system fail in turn, and looks at the files then.
//
//===----------------------------------------------------------------------===//

#include "Support/TemporaryFolder.h"
#include "tc/Support/Files.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tc;
namespace fs = std::filesystem;

/// Calls until one fails, and its error then; below zero, none does.
static int callsLeft = -1;
static int failure = EIO;

static bool fails() {
  if (callsLeft < 0 || callsLeft-- > 0)
    return false;
  errno = failure;
  return true;
}

// These stand before the C library's.
extern "C" {
ssize_t write(int file, const void *bytes, size_t count) {
  static auto real = reinterpret_cast<ssize_t (*)(int, const void *, size_t)>(
      dlsym(RTLD_NEXT, "write"));
  return fails() ? -1 : real(file, bytes, count);
}
int fsync(int file) {
  static auto real = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "fsync"));
  return fails() ? -1 : real(file);
}
int rename(const char *from, const char *to) noexcept {
  static auto real = reinterpret_cast<int (*)(const char *, const char *)>(
      dlsym(RTLD_NEXT, "rename"));
  // Renames that put files back succeed.
  return fails() ? -1 : real(from, to);
}
}

namespace {

class OutputFilesTest : public testing::Test {
protected:
  void TearDown() override { callsLeft = -1; }

  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> found;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
      found[entry.path().filename()] =
          entry.is_regular_file() ? *readFile(entry.path()) : "";
    return found;
  }
  OutputFiles pair() const {
    OutputFiles files;
    files.add(path("p.json"), "new description");
    files.add(path("p.ptx"), "new code");
    return files;
  }

  TemporaryFolder temporary;
  const std::string folder = temporary.name();
};

using Contents = std::map<std::string, std::string>;

TEST_F(OutputFilesTest, AnyCallMayFail) {
  for (bool exists : {true, false}) {
    Contents before;
    if (exists) {
      before = {{"p.json", "old"}, {"p.ptx", "old code"}};
      for (const auto &[name, text] : before)
        ASSERT_TRUE(replaceFile(path(name), text));
    }
    int failed = 0;
    for (;; ++failed) {
      callsLeft = failed;
      Status status = pair().commit();
      // Names that do not reach the disk are there no less.
      bool allCalled = callsLeft >= 0;
      callsLeft = -1;
      if (status) {
        if (allCalled)
          break;
        continue;
      }
      EXPECT_EQ(contents(), before) << "call " << failed;
      EXPECT_EQ(status.error().substr(0, folder.size() + 3), path("p."))
          << status.error();
    }
    // Two are written, brought to the disk and renamed, and their folder, too.
    EXPECT_EQ(failed, 7);
    EXPECT_EQ(contents(),
              (Contents{{"p.json", "new description"}, {"p.ptx", "new code"}}));
    fs::remove_all(folder);
    fs::create_directory(folder);
  }
}

TEST_F(OutputFilesTest, FilesBeyondTheLimitOfTheProcess) {
  ASSERT_TRUE(replaceFile(path("p.json"), "old"));
  pid_t child = fork();
  if (child == 0) {
    rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    OutputFiles files;
    files.add(path("p.json"), "new");
    files.add(path("p.ptx"), std::string(5000, 'x'));
    Status status = files.commit();
    _exit(!status && status.error() == path("p.ptx") + ": File too large" ? 0
                                                                          : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(), (Contents{{"p.json", "old"}}));
}

TEST_F(OutputFilesTest, KilledAtAnyTime) {
  // Large enough that most of the time goes into writing.
  const std::string texts[] = {std::string(1 << 21, 'a'),
                               std::string(1 << 21, 'b')};
  auto write = [&](const std::string &text) {
    OutputFiles files;
    files.add(path("p.json"), text);
    files.add(path("p.ptx"), text);
    return files.commit();
  };
  ASSERT_TRUE(write(texts[0]));
  for (int round = 0; round < 40; ++round) {
    pid_t child = fork();
    if (child == 0) {
      for (int i = 0;; ++i)
        (void)write(texts[i % 2]);
    }
    usleep(1000 + round * 731 % 20000);
    kill(child, SIGTERM);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    Contents found = contents();
    ASSERT_EQ(found.size(), 2u) << "round " << round;
    EXPECT_TRUE(found["p.json"] == texts[0] || found["p.json"] == texts[1]);
    EXPECT_TRUE(found["p.ptx"] == found["p.json"]) << "round " << round;
  }
}

TEST_F(OutputFilesTest, WhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  OutputFiles files = pair();
  files.add(path("pipe"), "x");
  EXPECT_EQ(files.commit().error(), path("pipe") + ": is not a regular file");
  EXPECT_EQ(contents(), (Contents{{"pipe", ""}}));
  EXPECT_EQ(replaceFile(folder, "x").error(),
            folder + ": is not a regular file");
  EXPECT_TRUE(replaceFile("/dev/null", "x"));
  EXPECT_EQ(replaceFile("/dev/full", "x").error(),
            "/dev/full: No space left on device");
}

TEST_F(OutputFilesTest, KeepsModeAndLinks) {
  ASSERT_TRUE(replaceFile(path("real"), "old"));
  ASSERT_EQ(chmod(path("real").c_str(), 0640), 0);
  fs::create_symlink("real", path("link"));
  ASSERT_TRUE(replaceFile(path("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(*readFile(path("real")), "new");
  struct stat status;
  ASSERT_EQ(stat(path("real").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(OutputFilesTest, ReadsRegularFilesOnly) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(readFile(path("pipe")).error(),
            path("pipe") + ": is not a regular file");
  EXPECT_EQ(readFile("/dev/zero").error(), "/dev/zero: is not a regular file");
  ASSERT_TRUE(replaceFile(path("ten"), "0123456789"));
  EXPECT_EQ(*readFile(path("ten"), 10), "0123456789");
  EXPECT_EQ(readFile(path("ten"), 9).error(),
            path("ten") + ": has more than 9 bytes");
  // Files of the system say that they have no bytes.
  EXPECT_FALSE(readFile("/proc/self/status")->empty());
}

TEST_F(OutputFilesTest, StaysBeneathTheFolder) {
  fs::create_directories(path("package/inner"));
  ASSERT_TRUE(replaceFile(path("package/inner/code"), "code"));
  ASSERT_TRUE(replaceFile(path("secret"), "secret"));
  fs::create_symlink("../secret", path("package/out"));
  fs::create_symlink("/etc/passwd", path("package/absolute"));
  fs::create_directory_symlink("..", path("package/up"));
  fs::create_symlink("round", path("package/round"));
  fs::create_symlink("inner/code", path("package/within"));
  ASSERT_EQ(mkfifo(path("package/pipe").c_str(), 0600), 0);
  for (Beneath way : {Beneath::Kernel, Beneath::Walk}) {
    auto read = [&](const std::string &name) {
      return readFileBeneath(path("package"), name, 100, way);
    };
    ASSERT_TRUE(read("inner/code")) << read("inner/code").error();
    EXPECT_EQ(*read("inner/code"), "code");
    EXPECT_EQ(*read("./inner/code"), "code");
    for (const char *name :
         {"out", "absolute", "up/secret", "round", "../secret"})
      EXPECT_EQ(read(name).error(), path("package/") + name +
                                        ": leads out of its folder by a "
                                        "symbolic link");
    EXPECT_EQ(read("pipe").error(),
              path("package/pipe") + ": is not a regular file");
    EXPECT_EQ(read("inner").error(),
              path("package/inner") + ": is a directory");
    EXPECT_EQ(read("none").error(),
              path("package/none") + ": No such file or directory");
    EXPECT_EQ(bool(read("within")), way == Beneath::Kernel);
  }
}

} // namespace
