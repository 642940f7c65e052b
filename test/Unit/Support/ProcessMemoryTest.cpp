//===- ProcessMemoryTest.cpp - Memory that a process may use --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/ProcessMemory.h"
#include "Support/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

using namespace tc;

namespace {

/// A folder with files of the system.
class ProcessMemory : public testing::Test {
protected:
  void write(const std::string &file, const std::string &text) {
    folder.write(file, text);
  }

  TemporaryFolder folder;
  const std::string root = folder.name();
  const int64_t machine =
      int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
};

} // namespace

TEST_F(ProcessMemory, IsTheMachinesWithoutGroups) {
  EXPECT_EQ(memoryOfProcess(root), machine);
  write("proc/self/cgroup", "no line of such a file\n");
  EXPECT_EQ(memoryOfProcess(root), machine);
}

TEST_F(ProcessMemory, IsLoweredByAnyGroupOfVersion2) {
  write("proc/self/cgroup", "0::/user/job\n");
  write("sys/fs/cgroup/user/job/memory.max", "max\n");
  EXPECT_EQ(memoryOfProcess(root), machine);
  write("sys/fs/cgroup/user/memory.max", "1048576\n");
  EXPECT_EQ(memoryOfProcess(root), 1048576);
  write("sys/fs/cgroup/user/job/memory.max", "4096\n");
  EXPECT_EQ(memoryOfProcess(root), 4096);
}

TEST_F(ProcessMemory, IsLoweredByTheRootOfAContainer) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "2097152\n");
  EXPECT_EQ(memoryOfProcess(root), 2097152);
}

TEST_F(ProcessMemory, IsLoweredByAGroupOfVersion1) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/c\n9:memory:/job\n0::/\n");
  write("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "1\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memoryOfProcess(root), machine);
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "65536\n");
  EXPECT_EQ(memoryOfProcess(root), 65536);
}

TEST_F(ProcessMemory, IsLoweredByTheLimitOfAddresses) {
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  const rlimit lower{static_cast<rlim_t>(machine / 2), old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &lower), 0);
  EXPECT_EQ(memoryOfProcess(root), machine / 2);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &old), 0);
}
