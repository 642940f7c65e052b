//===- DetectCpu.cpp - The CPU of this machine ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/DetectCpu.h"

#include "tc/Machine/CpuCycles.h"
#include "tc/Machine/TargetCheck.h"
#include "tc/Support/Files.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <sys/resource.h>

using namespace tc;
using namespace tc::model;
namespace fs = std::filesystem;

namespace {

/// Bytes a cycle of one core: of the last cache and of memory, the mean of the
/// two machines in table 3 of Li et al., Analytical Cache Modeling and Tilesize
/// Optimization for Tensor Contractions (SC 2019); of the inner ones, which are
/// a half there, fitted to a Xeon with AVX-512 (2026-11-26).
constexpr double l1BytesPerCycle = 40, l2BytesPerCycle = 36,
                 l3BytesPerCycle = 12.12, memoryBytesPerCycle = 6.24;

constexpr double assumedClockHertz = 2.5e9;

/// The ratio of the clock at which processors run under load to that which
/// their name or a hypervisor tells, which is the guaranteed one: measured on
/// an AMD EPYC (Zen 4) 1.42, on an Intel Xeon (Emerald Rapids) 1.30.
constexpr double boost = 1.35;
constexpr int64_t assumedWays = 8;

/// The first line of a file; empty if there is none.
std::string firstLine(const fs::path &path) {
  Result<std::string> text = readFile(path);
  std::string line = text ? text->substr(0, text->find('\n')) : "";
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
    line.pop_back();
  return line;
}

/// The number that a text starts with; zero if it does not start with one.
int64_t numberOf(const std::string &text) {
  return std::strtoll(text.c_str(), nullptr, 10);
}

/// The CPUs of a list as in "0-3,8".
std::vector<int64_t> parseList(const std::string &text) {
  std::vector<int64_t> cpus;
  std::stringstream stream(text);
  for (std::string range; std::getline(stream, range, ',');) {
    int64_t first = numberOf(range), last = first;
    if (size_t dash = range.find('-'); dash != std::string::npos)
      last = numberOf(range.substr(dash + 1));
    for (int64_t cpu = first; cpu <= last && cpus.size() < 65536; ++cpu)
      cpus.push_back(cpu);
  }
  return cpus;
}

/// The keys and values of /proc/cpuinfo for the first CPU that has them.
using CpuInfo = std::map<std::string, std::string>;

/// Of all of them, or of the first one only, up to an empty line.
CpuInfo parseCpuInfo(std::istream &file, bool firstOnly = false) {
  CpuInfo info;
  for (std::string line; std::getline(file, line);) {
    if (firstOnly && line.empty() && !info.empty())
      break;
    size_t colon = line.find(':');
    if (colon == std::string::npos)
      continue;
    size_t keyEnd = line.find_last_not_of(" \t", colon - (colon > 0));
    size_t valueStart = line.find_first_not_of(" \t", colon + 1);
    if (colon == 0 || keyEnd == std::string::npos)
      continue;
    info.emplace(line.substr(0, keyEnd + 1), valueStart == std::string::npos
                                                 ? ""
                                                 : line.substr(valueStart));
  }
  return info;
}

class Detector {
public:
  Detector(const std::string &root, const CpuInfo &info)
      : cpuDir(fs::path(root + "/sys/devices/system/cpu")),
        memoryFile(fs::path(root + "/proc/meminfo")), info(info) {}

  DetectedCpu run() {
    CpuTarget &cpu = result.target;
    cpu.name = "host";
    cpu.product = detectProduct();
    detectCores();
    detectClock();
    detectVectors();
    detectCaches();
    assumeBandwidths();
    detectMemory();
    return std::move(result);
  }

  /// The figures that need no look at the other CPUs.
  CpuTarget runCore() {
    CpuTarget &cpu = result.target;
    cpu.name = "host";
    detectClock();
    detectVectors();
    detectCaches();
    assumeBandwidths();
    cpu.cores = 1;
    for (const CpuCache &cache : cpu.caches)
      cpu.cores = std::max(cpu.cores, cache.sharedByCores);
    return std::move(cpu);
  }

private:
  /// Package and core.
  using Core = std::pair<std::string, std::string>;

  std::string text(const char *key) const {
    auto found = info.find(key);
    return found == info.end() ? "" : found->second;
  }

  std::set<std::string> flags() const {
    std::set<std::string> all;
    std::stringstream stream(text("flags") + " " + text("Features"));
    for (std::string flag; stream >> flag;)
      all.insert(flag);
    return all;
  }

  void assume(std::string what) {
    result.assumptions.push_back(std::move(what));
  }

  std::string detectProduct() const {
    std::string name = text("model name");
    std::string clean;
    for (char c : name)
      if (std::isprint(static_cast<unsigned char>(c)) && clean.size() < 128)
        clean += c;
    return clean.empty() ? "unknown" : clean;
  }

  void detectCores() {
    std::error_code error;
    std::set<Core> cores;
    for (const fs::directory_entry &entry :
         fs::directory_iterator(cpuDir, error)) {
      std::string name = entry.path().filename().string();
      if (name.size() < 4 || name.substr(0, 3) != "cpu" ||
          name.find_first_not_of("0123456789", 3) != std::string::npos)
        continue;
      if (const std::optional<Core> &core = coreOf(numberOf(name.substr(3))))
        cores.insert(*core);
    }
    result.target.cores = std::max<int64_t>(1, int64_t(cores.size()));
    if (cores.empty())
      assume("cores: one, as no topology is reported");
  }

  /// The core of a CPU that the system schedules on.
  const std::optional<Core> &coreOf(int64_t cpu) {
    auto [known, isNew] = knownCores.try_emplace(cpu);
    if (isNew) {
      fs::path topology = cpuDir / ("cpu" + std::to_string(cpu)) / "topology";
      if (std::string core = firstLine(topology / "core_id"); !core.empty())
        known->second = {firstLine(topology / "physical_package_id"), core};
    }
    return known->second;
  }

  void detectClock() {
    double &clock = result.target.clockHertz;
    std::string kilohertz =
        firstLine(cpuDir / "cpu0" / "cpufreq" / "cpuinfo_max_freq");
    std::string product = text("model name");
    size_t at = product.find("@ ");
    if (!kilohertz.empty())
      clock = static_cast<double>(numberOf(kilohertz)) * 1e3;
    else if (at != std::string::npos)
      clock = std::strtod(product.c_str() + at + 2, nullptr) * 1e9;
    else
      clock = std::strtod(text("cpu MHz").c_str(), nullptr) * 1e6;
    if (clock > 0) {
      bool isGuaranteed = kilohertz.empty() && (at != std::string::npos ||
                                                flags().count("hypervisor"));
      if (isGuaranteed) {
        clock *= boost;
        assume("clock_hertz: 1.35 times the clock that is reported, as "
               "processors run faster than it");
      }
      return;
    }
    clock = assumedClockHertz;
    assume("clock_hertz: 2.5 GHz, as no clock is reported");
  }

  void detectVectors() {
    CpuTarget &cpu = result.target;
    std::set<std::string> all = flags();
    auto has = [&](std::string_view flag) {
      return all.count(std::string(flag)) > 0;
    };

    CpuIsaRow chosen = {"", "", 8, 16, false};
    for (CpuIsa isa : allCpuIsas)
      if (has(rowOf(isa).flag)) {
        chosen = rowOf(isa);
        break;
      }
    if (chosen.flag.empty())
      assume("vector_bytes: 8, as no vector unit is reported");
    cpu.vectorBytes = chosen.vectorBytes;
    cpu.vectorRegisters = chosen.vectorRegisters;
    bool fuses = has("fma") || has("asimd");
    int64_t perCycle = vectorsPerCycle(fuses);
    // Zen 4 has units of half its vectors.
    bool halves = text("vendor_id") == "AuthenticAMD" &&
                  text("cpu family") == "25" && has("avx512f");
    int64_t unitBytes = halves ? cpu.vectorBytes / 2 : cpu.vectorBytes;
    cpu.fmaPerCycleF64 = perCycle * unitBytes / 8;
    cpu.fmaPerCycleF32 = perCycle * unitBytes / 4;
    assume(halves  ? "fma_per_cycle: two units of half a vector that multiply "
                     "and add"
           : fuses ? "fma_per_cycle: two vector units that multiply and add"
                   : "fma_per_cycle: one vector unit that multiplies, one that "
                     "adds");
  }

  /// The cache in a folder of sysfs; one without bytes if it holds no data.
  CpuCache readCache(const fs::path &dir) {
    CpuCache cache;
    std::string type = firstLine(dir / "type");
    if (type != "Data" && type != "Unified")
      return cache;
    cache.name = "L" + firstLine(dir / "level");
    std::string size = firstLine(dir / "size");
    char suffix = size.empty() ? ' ' : size.back();
    cache.bytes = numberOf(size) * (suffix == 'M'   ? 1024 * 1024
                                    : suffix == 'K' ? 1024
                                                    : 1);
    cache.lineBytes = numberOf(firstLine(dir / "coherency_line_size"));
    if (cache.lineBytes <= 0) {
      cache.lineBytes = 64;
      assume("line_bytes of " + cache.name + ": 64");
    }
    cache.ways = numberOf(firstLine(dir / "ways_of_associativity"));
    if (cache.ways <= 0) {
      cache.ways = assumedWays;
      assume("ways of " + cache.name + ": 8");
    }
    std::set<Core> cores;
    for (int64_t cpu : parseList(firstLine(dir / "shared_cpu_list")))
      if (const std::optional<Core> &core = coreOf(cpu))
        cores.insert(*core);
    cache.sharedByCores = std::max<int64_t>(1, int64_t(cores.size()));
    return cache;
  }

  void detectCaches() {
    std::vector<CpuCache> &caches = result.target.caches;
    for (int index = 0; index < 16; ++index) {
      CpuCache cache = readCache(cpuDir / "cpu0" / "cache" /
                                 ("index" + std::to_string(index)));
      if (cache.bytes > 0)
        caches.push_back(std::move(cache));
    }
    if (!caches.empty())
      return;
    caches = {{"L1", 32 * 1024, assumedWays, 64, 1, 0},
              {"L2", 256 * 1024, assumedWays, 64, 1, 0}};
    assume("caches: 32 KiB and 256 KiB for each core, as none are reported");
  }

  void assumeBandwidths() {
    CpuTarget &cpu = result.target;
    const double perCycle[] = {l1BytesPerCycle, l2BytesPerCycle,
                               l3BytesPerCycle};
    for (size_t i = 0; i < cpu.caches.size(); ++i)
      cpu.caches[i].bytesPerSecond =
          perCycle[std::min<size_t>(i, 2)] * cpu.clockHertz;
    cpu.memoryBytesPerSecond = memoryBytesPerCycle * cpu.clockHertz;
    assume("bytes_per_second: 40, 36, 12.12 and, of memory, 6.24 bytes a "
           "cycle, as on machines that were measured");
  }

  /// Whole GiB of the memory that is there, as systems keep some for
  /// themselves, not the same each time.
  void detectMemory() {
    constexpr int64_t kib = 1024, gib = int64_t(1) << 30;
    std::ifstream file(memoryFile);
    CpuInfo memory = parseCpuInfo(file);
    auto total = memory.find("MemTotal");
    int64_t &bytes = result.target.memoryBytes;
    if (total != memory.end())
      bytes = numberOf(total->second) * kib;
    if (bytes > gib)
      bytes = bytes / gib * gib;
  }

  fs::path cpuDir, memoryFile;
  const CpuInfo &info;
  /// The cores that have been read.
  std::map<int64_t, std::optional<Core>> knownCores;
  DetectedCpu result;
};

} // namespace

/// Reads a CPU's description from files.
static Result<DetectedCpu> readCpu(const std::string &root) {
  std::string path = root + "/proc/cpuinfo";
  Result<std::string> text = readFile(path);
  if (!text)
    return Error{"the CPU cannot be detected: " + path + " cannot be read"};
  std::istringstream stream(*text);
  CpuInfo info = parseCpuInfo(stream);
  return Detector(root, info).run();
}

/// Lowers the memory to the amount that the process may address, and checks the
/// figures.
static Result<DetectedCpu> withinLimits(Result<DetectedCpu> detected) {
  if (!detected)
    return detected;
  int64_t &bytes = detected->target.memoryBytes;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = static_cast<int64_t>(std::min(
        limit.rlim_cur, static_cast<rlim_t>(bytes > 0 ? bytes : INT64_MAX)));
  if (Status status = checkCpuTarget(detected->target); !status)
    return Error{"the CPU as detected cannot be: " + status.error()};
  return detected;
}

Result<DetectedCpu> tc::model::detectCpu(const std::string &root) {
  return withinLimits(readCpu(root));
}

Result<DetectedCpu> tc::model::thisCpu() {
  static const auto *read = new Result<DetectedCpu>(readCpu(""));
  return withinLimits(*read);
}

CpuTarget tc::model::detectCore(const std::string &root) {
  std::ifstream file(root + "/proc/cpuinfo");
  const CpuInfo info = parseCpuInfo(file, /*firstOnly=*/true);
  return Detector(root, info).runCore();
}

const CpuTarget &tc::model::thisCore() {
  static const auto *core = new CpuTarget(detectCore());
  return *core;
}
