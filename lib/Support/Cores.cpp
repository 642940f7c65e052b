//===- Cores.cpp - Cores that a process may use ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Cores.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include <sched.h>

using namespace tc;

namespace {
/// A hierarchy of control groups: where it is mounted, and the group that is
/// its root there.
struct Mount {
  std::string folder, group;
  bool isUnified = false;
};
} // namespace

/// True if a list that is separated by commas has the word.
static bool contains(const std::string &list, std::string_view word) {
  std::istringstream words(list);
  for (std::string each; std::getline(words, each, ',');)
    if (each == word)
      return true;
  return false;
}

/// The hierarchies that bound processor time, as /proc/self/mountinfo has them.
static std::vector<Mount> findMounts(const std::string &root) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string skipped, type, options;
    Mount mount;
    words >> skipped >> skipped >> skipped >> mount.group >> mount.folder;
    while (words >> skipped && skipped != "-")
      ;
    words >> type >> skipped >> options;
    mount.isUnified = type == "cgroup2";
    if (mount.isUnified || (type == "cgroup" && contains(options, "cpu")))
      mounts.push_back(std::move(mount));
  }
  return mounts;
}

/// The quota that one group says, in cores; nothing if it has none.
static std::optional<double> quotaOf(const std::string &folder,
                                     bool isUnified) {
  double quota = 0, period = 0;
  if (isUnified) {
    // "max" is no number.
    std::ifstream(folder + "/cpu.max") >> quota >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  if (!(quota > 0) || !(period > 0))
    return std::nullopt;
  return quota / period;
}

std::optional<unsigned> tc::quotaOfCores(const std::string &root) {
  const std::vector<Mount> mounts = findMounts(root);
  std::optional<double> least;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool isUnified = controllers.empty();
    if (!isUnified && !contains(controllers, "cpu"))
      continue;
    for (const Mount &mount : mounts) {
      if (mount.isUnified != isUnified)
        continue;
      std::string group = line.substr(second + 1);
      // In a container, the mount may show that of the process alone.
      if (mount.group != "/")
        group = group.compare(0, mount.group.size(), mount.group) == 0
                    ? group.substr(mount.group.size())
                    : "";
      // Groups around bound it, too.
      for (;; group.resize(group.rfind('/'))) {
        if (auto quota = quotaOf(root + mount.folder + group, isUnified))
          least = std::min(least.value_or(*quota), *quota);
        if (group.find('/') == std::string::npos)
          break;
      }
    }
  }
  if (!least)
    return std::nullopt;
  constexpr double most = 1 << 20;
  const auto whole = static_cast<unsigned>(std::min(*least, most));
  return std::max(1u, whole + (*least > whole ? 1 : 0));
}

unsigned tc::coresOfProcess() {
  static const unsigned cores = [] {
    cpu_set_t set;
    unsigned found = sched_getaffinity(0, sizeof(set), &set) == 0
                         ? static_cast<unsigned>(CPU_COUNT(&set))
                         : std::thread::hardware_concurrency();
    if (std::optional<unsigned> quota = quotaOfCores())
      found = std::min(found, *quota);
    return std::max(1u, found);
  }();
  return cores;
}
