//===- Conditions.h - The state that a device is in -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clocks, power and temperature, as the NVIDIA Management Library reports them.
// The library is loaded when it is first needed; where it is missing, nothing
// is known, and that is no error.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_CONDITIONS_H
#define TC_PACKAGE_CONDITIONS_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tc::runtime {

/// Conditions; unknown ones are absent.
struct Conditions {
  std::optional<unsigned> multiprocessorMegahertz, memoryMegahertz;
  std::optional<unsigned> celsius;
  std::optional<double> powerWatts, powerLimitWatts;
  /// Reasons for which the clocks are lower than they could be: bits of
  /// nvmlClocksEventReasons.
  std::optional<uint64_t> throttleBits;

  /// The names of the bits that are set, as in "software power cap".
  std::vector<std::string> throttleReasons() const;
};

/// Reads the conditions of one device as often as it is asked to.
class ConditionsMonitor {
public:
  explicit ConditionsMonitor(const std::string &pciBusId);

  Conditions read() const;
  /// The version of the kernel's driver, as in "580.159.04"; empty if unknown.
  std::string driverVersion() const;

private:
  struct Library;
  std::shared_ptr<const Library> library;
  /// NVML's handle of the device.
  void *device = nullptr;
};

} // namespace tc::runtime

#endif // TC_PACKAGE_CONDITIONS_H
