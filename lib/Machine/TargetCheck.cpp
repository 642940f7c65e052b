//===- TargetCheck.cpp - Checks of targets --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/TargetCheck.h"

#include "tc/Machine/TargetFigures.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <optional>

using namespace tc;
using namespace tc::model;

namespace {

std::string format(int64_t value) { return std::to_string(value); }

std::string format(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Collects the first complaint.
class Checker {
public:
  /// Checks a figure by itself.
  template <typename T> void operator()(const Figure &figure, const T &value) {
    if constexpr (std::is_same_v<T, std::string>)
      checkText(figure, value);
    else if constexpr (std::is_floating_point_v<T>)
      checkRange(figure, value);
    else
      checkRange(figure, static_cast<int64_t>(value));
  }

  /// Complains unless `holds`.
  void require(bool holds, const std::string &complaint) {
    if (!holds && !first)
      first = Error{complaint};
  }

  /// `a` must not exceed `b`.
  template <typename T>
  void requireAtMost(std::string_view part, std::string_view a, T aValue,
                     std::string_view b, T bValue) {
    require(aValue <= bValue, std::string(a) + " (" + std::string(part) +
                                  ") is " + format(aValue) + ", more than " +
                                  std::string(b) + ", " + format(bValue));
  }

  /// `a` must be a multiple of `b`.
  void requireMultiple(std::string_view part, std::string_view a,
                       int64_t aValue, std::string_view b, int64_t bValue) {
    require(aValue % bValue == 0, std::string(a) + " (" + std::string(part) +
                                      ") is " + format(aValue) +
                                      ", not a multiple of " + std::string(b) +
                                      ", " + format(bValue));
  }

  void requirePowerOfTwo(std::string_view part, std::string_view a,
                         int64_t value) {
    require((value & (value - 1)) == 0,
            std::string(a) + " (" + std::string(part) + ") is " +
                format(value) + ", not a power of two");
  }

  /// Returns true if rules that relate figures may divide by them.
  bool isFine() const { return !first; }

  Status status() const { return first ? Status(*first) : Status(); }

private:
  static std::string nameOf(const Figure &figure) {
    return std::string(figure.key) + " (" + std::string(figure.part) + ")";
  }

  void checkText(const Figure &figure, const std::string &text) {
    require(!text.empty(), nameOf(figure) + " is missing");
    bool isPrintable = std::all_of(text.begin(), text.end(), [](char c) {
      return std::isprint(static_cast<unsigned char>(c));
    });
    require(text.size() <= 128 && isPrintable,
            nameOf(figure) + " is not a line of at most 128 ASCII characters");
    require(figure.key != "name" || isTargetName(text),
            nameOf(figure) + " is '" + text +
                "'; expected at most 64 letters, digits, '_', '-' and '.'");
  }

  template <typename T> void checkRange(const Figure &figure, T value) {
    if constexpr (std::is_floating_point_v<T>)
      require(std::isfinite(value), nameOf(figure) + " is not finite");
    if (value == 0 && figure.least > 0)
      return require(false, nameOf(figure) + " is missing or zero");
    require(value >= 0, nameOf(figure) + " is negative: " + format(value));
    // Integers up to the largest figure are exact in a double.
    auto least = static_cast<T>(figure.least);
    auto largest = static_cast<T>(figure.largest);
    require(value >= least, nameOf(figure) + " is " + format(value) +
                                "; expected at least " + format(least));
    require(value <= largest, nameOf(figure) + " is " + format(value) +
                                  "; expected at most " + format(largest));
  }

  std::optional<Error> first;
};

/// The number in "sm_90", "sm_90a" or "sm_100f", if it is such a name.
std::optional<unsigned> computeCapabilityOf(std::string_view chip) {
  if (chip.substr(0, 3) != "sm_")
    return std::nullopt;
  std::string_view digits = chip.substr(3);
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f'))
    digits.remove_suffix(1);
  if (digits.empty() || digits.size() > 4)
    return std::nullopt;
  unsigned number = 0;
  for (char c : digits) {
    if (c < '0' || c > '9')
      return std::nullopt;
    number = 10 * number + static_cast<unsigned>(c - '0');
  }
  return number;
}

/// The version of PTX that introduced a chip (PTX ISA, release notes); none if
/// that is not known. With earlier ones, LLVM ends the process.
std::optional<unsigned> leastPtxVersionOf(std::string_view chip) {
  struct Introduced {
    unsigned capability, version;
  };
  constexpr Introduced table[] = {{70, 60},  {72, 61},  {75, 63},  {80, 70},
                                  {86, 71},  {87, 74},  {88, 90},  {89, 78},
                                  {90, 78},  {100, 86}, {101, 86}, {103, 88},
                                  {107, 94}, {110, 90}, {120, 87}, {121, 88}};
  std::optional<unsigned> capability = computeCapabilityOf(chip);
  for (auto [known, version] : table) {
    if (capability != known)
      continue;
    constexpr unsigned families = 88, specific = 80;
    return chip.back() == 'f'   ? std::max(version, families)
           : chip.back() == 'a' ? std::max(version, specific)
                                : version;
  }
  return std::nullopt;
}

void checkChip(const Target &target, Checker &checker) {
  std::optional<unsigned> capability = computeCapabilityOf(target.chip);
  checker.require(capability.has_value(),
                  "chip (chip) is '" + target.chip +
                      "'; expected a name that ptxas knows, as 'sm_90'");
  checker.require(capability == target.computeCapability,
                  "compute_capability (chip) is " +
                      format(int64_t(target.computeCapability)) +
                      ", but chip is '" + target.chip + "'");
  if (std::optional<unsigned> least = leastPtxVersionOf(target.chip))
    checker.require(target.ptxVersion >= *least,
                    "ptx_version (chip) is " +
                        format(int64_t(target.ptxVersion)) + ", but '" +
                        target.chip + "' came with " + format(int64_t(*least)));
}

void checkShared(const Target &target, Checker &checker) {
  const MultiprocessorLimits &limits = target.multiprocessor;
  constexpr std::string_view part = "shared memory";
  checker.requireAtMost(part,
                        "shared_bytes_per_block plus "
                        "reserved_shared_bytes_per_block",
                        limits.sharedBytesPerBlock +
                            limits.reservedSharedBytesPerBlock,
                        "shared_bytes_per_multiprocessor", limits.sharedBytes);
  checker.requireAtMost(part, "static_shared_bytes_per_block",
                        limits.staticSharedBytesPerBlock,
                        "shared_bytes_per_block", limits.sharedBytesPerBlock);
  checker.requireMultiple(part, "shared_bytes_per_multiprocessor",
                          limits.sharedBytes, "shared_granule_bytes",
                          limits.sharedGranule);
}

void checkThreads(const Target &target, Checker &checker) {
  const MultiprocessorLimits &limits = target.multiprocessor;
  constexpr std::string_view part = "multiprocessor";
  checker.requirePowerOfTwo(part, "threads_per_warp", target.warpSize);
  checker.requireMultiple(part, "threads_per_block", limits.threadsPerBlock,
                          "threads_per_warp", target.warpSize);
  checker.requireMultiple(part, "threads_per_multiprocessor", limits.threads,
                          "threads_per_warp", target.warpSize);
  checker.requireAtMost(part, "threads_per_block", limits.threadsPerBlock,
                        "threads_per_multiprocessor", limits.threads);
  checker.requireAtMost(part, "blocks_per_multiprocessor", limits.blocks,
                        "threads_per_multiprocessor over threads_per_warp",
                        limits.threads / target.warpSize);
  checker.requireAtMost(part, "fma_per_cycle_f64", target.fmaPerCycleF64,
                        "fma_per_cycle_f32", target.fmaPerCycleF32);
}

void checkRegisters(const Target &target, Checker &checker) {
  const MultiprocessorLimits &limits = target.multiprocessor;
  constexpr std::string_view part = "registers";
  checker.requireMultiple(part, "register_granule", limits.registerGranule,
                          "threads_per_warp", target.warpSize);
  checker.requireMultiple(
      part, "registers_per_multiprocessor", limits.registers,
      "partitions_per_multiprocessor times register_granule",
      limits.partitions * limits.registerGranule);
  checker.requireAtMost(
      part, "registers_per_thread times threads_per_warp, in granules,",
      roundUp(limits.registersPerThread * target.warpSize,
              limits.registerGranule),
      "registers_per_multiprocessor over partitions_per_multiprocessor",
      limits.registers / limits.partitions);
}

void checkMemory(const Target &target, Checker &checker) {
  checker.requirePowerOfTwo("DRAM", "sector_bytes", target.sectorBytes);
  checker.requireMultiple("L2", "line_bytes", target.lineBytes, "sector_bytes",
                          target.sectorBytes);
  checker.requireMultiple("L2", "l2_bytes", target.l2Bytes, "line_bytes",
                          target.lineBytes);
  checker.requirePowerOfTwo("multiprocessor", "widest_access_bytes",
                            target.widestAccessBytes);
  checker.requireAtMost("multiprocessor", "widest_access_bytes",
                        target.widestAccessBytes, "sector_bytes",
                        target.sectorBytes);
  checker.requireAtMost("DRAM", "memory_bytes_per_second",
                        target.memoryBytesPerSecond, "l2_bytes_per_second",
                        target.l2BytesPerSecond);
  checker.requireAtMost("DRAM", "memory_copy_part",
                        target.attainable.memoryCopies,
                        "what leaves writes some time beside memory_read_part",
                        1.9 * target.attainable.memoryReads);
  checker.requireAtMost("L2", "l2_latency_cycles", target.l2LatencyCycles,
                        "memory_latency_cycles", target.memoryLatencyCycles);
  checker.requireAtMost("shared memory", "shared_latency_cycles",
                        target.sharedLatencyCycles, "barrier_cycles",
                        target.barrierCycles);
  checker.requireAtMost("L2", "l2_bytes_per_second", target.l2BytesPerSecond,
                        "what shared_bytes_per_cycle, clock_hertz and "
                        "multiprocessors give",
                        static_cast<double>(target.sharedBytesPerCycle) *
                            target.clockHertz * target.multiprocessors);
}

/// Types that tensor cores learnt with a compute capability.
void checkTensorCores(const Target &target, Checker &checker) {
  const TensorCoreRates &rates = target.tensorFmaPerCycle;
  auto requireFeature = [&](std::string_view type, int64_t rate,
                            Feature feature) {
    checker.require(
        rate == 0 || target.has(feature),
        "tensor_fma_per_cycle_" + std::string(type) + " (tensor cores) is " +
            format(rate) + ", but compute_capability is " +
            format(int64_t(target.computeCapability)) + "; these came with " +
            format(int64_t(rowOf(feature).chips.least)));
  };
  requireFeature("f64", rates.f64, Feature::TensorF64);
  requireFeature("tf32", rates.tf32, Feature::TensorTF32);
  requireFeature("bf16", rates.bf16, Feature::TensorBF16);
  requireFeature("f8", rates.f8, Feature::TensorF8);
}

} // namespace

bool tc::model::isTargetName(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                  c == '-' || c == '.';
         });
}

Status tc::model::checkTarget(const Target &target) {
  Checker checker;
  visitGpuFigures(target, checker);
  if (!checker.isFine())
    return checker.status();
  checkChip(target, checker);
  checkThreads(target, checker);
  checkShared(target, checker);
  checkRegisters(target, checker);
  checkMemory(target, checker);
  checkTensorCores(target, checker);
  return checker.status();
}

/// Holds a cache against the next inner one, if any.
static void checkCaches(const CpuTarget &target, Checker &checker) {
  const CpuCache *inner = nullptr;
  for (const CpuCache &cache : target.caches) {
    checker.requireMultiple(cache.name, "bytes", cache.bytes,
                            "ways times line_bytes",
                            saturatingMultiply(cache.ways, cache.lineBytes));
    checker.requirePowerOfTwo(cache.name, "line_bytes", cache.lineBytes);
    checker.requireAtMost(cache.name, "shared_by_cores", cache.sharedByCores,
                          "cores", target.cores);
    if (inner) {
      checker.require(inner->name != cache.name,
                      "name (cache) is '" + cache.name + "' twice");
      checker.requireAtMost(inner->name, "bytes", inner->bytes,
                            "bytes of " + cache.name, cache.bytes);
      checker.requireMultiple(cache.name, "line_bytes", cache.lineBytes,
                              "line_bytes of " + inner->name, inner->lineBytes);
      checker.requireAtMost(
          inner->name, "shared_by_cores", inner->sharedByCores,
          "shared_by_cores of " + cache.name, cache.sharedByCores);
      checker.requireAtMost(
          cache.name, "bytes_per_second", cache.bytesPerSecond,
          "bytes_per_second of " + inner->name, inner->bytesPerSecond);
    }
    inner = &cache;
  }
  if (inner)
    checker.requireAtMost(
        "memory", "memory_bytes_per_second", target.memoryBytesPerSecond,
        "bytes_per_second of " + inner->name, inner->bytesPerSecond);
}

Status tc::model::checkCpuTarget(const CpuTarget &target) {
  Checker checker;
  visitCpuFigures(target, checker);
  checker.require(!target.caches.empty(), "caches (CPU) is missing or empty");
  checker.require(target.caches.size() <= 8,
                  "caches (CPU) are " + format(int64_t(target.caches.size())) +
                      "; expected at most 8");
  for (const CpuCache &cache : target.caches)
    visitCacheFigures(cache, checker);
  if (!checker.isFine())
    return checker.status();
  checker.requirePowerOfTwo("core", "vector_bytes", target.vectorBytes);
  checker.requireAtMost("core", "fma_per_cycle_f64", target.fmaPerCycleF64,
                        "fma_per_cycle_f32", target.fmaPerCycleF32);
  checkCaches(target, checker);
  return checker.status();
}
