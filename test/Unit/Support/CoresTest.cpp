//===- CoresTest.cpp - Tests of tc/Support/Cores.h ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Cores.h"
#include "Support/TemporaryFolder.h"

#include "gtest/gtest.h"

#include <thread>

using namespace tc;

namespace {
/// Files of a machine, below a folder of the test's own.
class Machine {
public:
  Machine &with(const std::string &path, const std::string &text) {
    root.write(path.substr(1), text);
    return *this;
  }

  std::optional<unsigned> quota() const { return quotaOfCores(root.name()); }

private:
  TemporaryFolder root;
};
} // namespace

static const char *const unified =
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

TEST(Cores, NoControlGroups) { EXPECT_EQ(Machine().quota(), std::nullopt); }

TEST(Cores, QuotasAreRoundedUp) {
  Machine machine;
  machine.with("/proc/self/mountinfo", unified)
      .with("/proc/self/cgroup", "0::/a/b\n");
  const std::string file = "/sys/fs/cgroup/a/b/cpu.max";
  for (const auto &[text, cores] :
       {std::pair("max 100000\n", 0u), std::pair("200000 100000\n", 2u),
        std::pair("150000 100000\n", 2u), std::pair("1000 100000\n", 1u),
        std::pair("\n", 0u), std::pair("0 0\n", 0u)})
    EXPECT_EQ(machine.with(file, text).quota().value_or(0), cores) << text;
}

TEST(Cores, GroupsAroundBoundIt) {
  Machine machine;
  machine.with("/proc/self/mountinfo", unified)
      .with("/proc/self/cgroup", "0::/a/b\n")
      .with("/sys/fs/cgroup/a/b/cpu.max", "800000 100000\n")
      .with("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  EXPECT_EQ(machine.quota(), 3u);
}

TEST(Cores, ContainersSeeTheirOwnGroupAsTheRoot) {
  Machine machine;
  machine
      .with("/proc/self/mountinfo", "30 24 0:26 /docker/x /sys/fs/cgroup rw - "
                                    "cgroup2 cgroup2 rw\n")
      .with("/proc/self/cgroup", "0::/docker/x/y\n")
      .with("/sys/fs/cgroup/y/cpu.max", "500000 100000\n")
      .with("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(machine.quota(), 4u);
}

TEST(Cores, TheFirstVersion) {
  Machine machine;
  machine
      .with("/proc/self/mountinfo",
            "31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup "
            "cgroup rw,cpu,cpuacct\n"
            "32 30 0:28 / /sys/fs/cgroup/cpuset rw shared:10 - cgroup cgroup "
            "rw,cpuset\n")
      .with("/proc/self/cgroup", "5:cpuset:/job\n4:cpu,cpuacct:/job\n0::/\n")
      .with("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n")
      .with("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(machine.quota(), std::nullopt);
  machine.with("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(machine.quota(), 3u);
}

TEST(Cores, OfThisProcess) {
  EXPECT_GE(coresOfProcess(), 1u);
  EXPECT_LE(coresOfProcess(), std::thread::hardware_concurrency());
}
