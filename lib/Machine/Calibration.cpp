//===- Calibration.cpp - Measured figures of the CPU at hand --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/Calibration.h"

#include "tc/Machine/TargetFile.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>

using namespace tc;
using namespace tc::model;
namespace fs = std::filesystem;

/// "amd-epyc-512-1024k": the product, bits of a vector, and the second cache,
/// which distinguishes machines whose products have a name for several of them.
static std::string kindOf(const CpuTarget &cpu) {
  std::string kind;
  for (char c : cpu.product) {
    auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter))
      kind += static_cast<char>(std::tolower(letter));
    else if (!kind.empty() && kind.back() != '-')
      kind += '-';
  }
  if (!kind.empty() && kind.back() != '-')
    kind += '-';
  kind += std::to_string(8 * cpu.vectorBytes);
  if (cpu.caches.size() > 1)
    kind += "-" + std::to_string(cpu.caches[1].bytes / 1024) + "k";
  return kind;
}

std::string tc::model::defaultCalibrationFile(const CpuTarget &cpu) {
  auto at = [&](const char *variable, const char *below) -> std::string {
    const char *value = std::getenv(variable);
    // The XDG base directory specification has relative paths ignored.
    if (!value || value[0] != '/')
      return "";
    return (fs::path(value) / below / ("cpu-" + kindOf(cpu) + ".json"))
        .string();
  };
  std::string file = at("XDG_CONFIG_HOME", "tc");
  return file.empty() ? at("HOME", ".config/tc") : file;
}

Status tc::model::takeMeasured(CpuTarget &cpu, const CpuTarget &measured) {
  if (cpu.product != measured.product)
    return Error{"it was made on '" + measured.product +
                 "', but this machine has '" + cpu.product + "'"};
  if (cpu.vectorBytes != measured.vectorBytes)
    return Error{
        "it was made with vectors of " + std::to_string(measured.vectorBytes) +
        " B, but this machine has " + std::to_string(cpu.vectorBytes) + " B"};
  if (cpu.caches.size() != measured.caches.size())
    return Error{"it was made with " + std::to_string(measured.caches.size()) +
                 " caches, but this machine has " +
                 std::to_string(cpu.caches.size())};
  cpu.clockHertz = measured.clockHertz;
  cpu.fmaPerCycleF32 = measured.fmaPerCycleF32;
  cpu.fmaPerCycleF64 = measured.fmaPerCycleF64;
  cpu.memoryBytesPerSecond = measured.memoryBytesPerSecond;
  cpu.costs = measured.costs;
  for (size_t i = 0; i < cpu.caches.size(); ++i)
    cpu.caches[i].bytesPerSecond = measured.caches[i].bytesPerSecond;
  return {};
}

Status tc::model::applyCalibration(CpuTarget &cpu) {
  const char *variable = std::getenv("TC_CALIBRATION");
  std::string named = variable ? variable : "";
  if (named == "off")
    return {};
  std::string path = named.empty() ? defaultCalibrationFile(cpu) : named;
  std::error_code code;
  if (path.empty() || (named.empty() && !fs::exists(path, code)))
    return {};
  auto error = [&](const std::string &why) {
    return Error{(named.empty() ? "calibration " : "TC_CALIBRATION: ") + why +
                 "; make it anew with tc-calibrate, or set TC_CALIBRATION=off"};
  };
  Result<CpuTarget> measured = loadCpuTarget(path);
  if (!measured)
    return error(measured.error());
  if (Status status = takeMeasured(cpu, *measured); !status)
    return error(path + ": " + status.error());
  cpu.calibration = path;
  return {};
}
