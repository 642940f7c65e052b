//===- ProcessMemory.cpp - Memory that this process may use ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/ProcessMemory.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

using namespace tc;

/// Lowers `bytes` to the limits in a file of a control group and of those that
/// it is in. A group without a limit says "max", or has a huge number.
static void lowerToGroups(const std::string &mount, std::string group,
                          const std::string &file, int64_t &bytes) {
  while (true) {
    std::ifstream stream(mount + group + "/" + file);
    int64_t limit = 0;
    if (stream >> limit && limit > 0)
      bytes = std::min(bytes, limit);
    const size_t end = group.rfind('/');
    if (end == std::string::npos)
      return;
    group.resize(end);
  }
}

int64_t tc::memoryOfProcess(const std::string &root) {
  int64_t bytes =
      saturatingMultiply(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE));
  rlimit addresses{};
  if (getrlimit(RLIMIT_AS, &addresses) == 0 &&
      addresses.rlim_cur < static_cast<rlim_t>(bytes))
    bytes = static_cast<int64_t>(addresses.rlim_cur);
  // Lines are "number:controllers:group", without controllers in version 2.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    const std::string controllers =
        "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,")
      lowerToGroups(root + "/sys/fs/cgroup", group, "memory.max", bytes);
    else if (controllers.find(",memory,") != std::string::npos)
      lowerToGroups(root + "/sys/fs/cgroup/memory", group,
                    "memory.limit_in_bytes", bytes);
  }
  return bytes;
}
