//===- CalibrationTest.cpp - Tests of measured figures of a CPU -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/TemporaryFolder.h"
#include "TestTargets.h"

#include "tc/Machine/Calibration.h"
#include "tc/Machine/TargetFile.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace tc;
using namespace tc::model;
namespace fs = std::filesystem;

namespace {

/// Sets a variable of the environment for the time of a test.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    set(value);
  }
  ~Variable() { set(before ? before->c_str() : nullptr); }

private:
  void set(const char *value) {
    if (value)
      setenv(name, value, /*overwrite=*/1);
    else
      unsetenv(name);
  }

  const char *name;
  std::optional<std::string> before;
};

class Calibration : public testing::Test {
protected:
  Calibration()
      : home("HOME", folder.name().c_str()), config("XDG_CONFIG_HOME", nullptr),
        named("TC_CALIBRATION", nullptr) {
    fs::create_directories(folder.path(".config/tc"));
  }

  static CpuTarget cpu() {
    CpuTarget cpu;
    cpu.name = "host";
    cpu.product = "ACME(R) Vector CPU @ 3.00GHz";
    cpu.cores = 2;
    cpu.clockHertz = 3e9;
    cpu.vectorBytes = 32;
    cpu.vectorRegisters = 16;
    cpu.fmaPerCycleF32 = 16;
    cpu.fmaPerCycleF64 = 8;
    cpu.memoryBytesPerSecond = 20e9;
    cpu.caches = {{"L1", 32768, 8, 64, 1, 80e9},
                  {"L2", 1 << 20, 16, 64, 1, 70e9}};
    return cpu;
  }

  /// Other figures of that CPU.
  static CpuTarget measured() {
    CpuTarget cpu = Calibration::cpu();
    cpu.name = "elsewhere";
    cpu.cores = 64;
    cpu.clockHertz = 3.5e9;
    cpu.fmaPerCycleF32 = 8;
    cpu.fmaPerCycleF64 = 4;
    cpu.memoryBytesPerSecond = 10e9;
    cpu.caches[0].bytesPerSecond = 90e9;
    cpu.caches[1].bytesPerSecond = 60e9;
    cpu.caches[1].bytes = 1 << 21;
    cpu.costs.tileCycles = 77;
    return cpu;
  }

  static void write(const fs::path &path, const std::string &text) {
    std::ofstream(path) << text;
  }

  /// The file that is looked for where no other is named.
  fs::path defaultFile() const {
    return folder.path(
        ".config/tc/cpu-acme-r-vector-cpu-3-00ghz-256-1024k.json");
  }

  static std::string complaint() {
    CpuTarget target = cpu();
    Status status = applyCalibration(target);
    return status ? "" : status.error();
  }

  TemporaryFolder folder;
  Variable home, config, named;
};

constexpr const char *anew =
    "; make it anew with tc-calibrate, or set TC_CALIBRATION=off";

TEST_F(Calibration, TheDefaultFileIsOfTheCpusKind) {
  EXPECT_EQ(defaultCalibrationFile(cpu()), defaultFile().string());
  {
    Variable settings("XDG_CONFIG_HOME", "/etc/xdg");
    EXPECT_EQ(defaultCalibrationFile(cpu()),
              "/etc/xdg/tc/cpu-acme-r-vector-cpu-3-00ghz-256-1024k.json");
  }
  Variable relative("XDG_CONFIG_HOME", "relative");
  EXPECT_EQ(defaultCalibrationFile(cpu()), defaultFile().string());
  Variable none("HOME", nullptr);
  EXPECT_EQ(defaultCalibrationFile(cpu()), "");
  EXPECT_EQ(complaint(), "");
}

TEST_F(Calibration, MeasuredFiguresAreTaken) {
  CpuTarget target = cpu();
  ASSERT_TRUE(applyCalibration(target));
  EXPECT_EQ(writeTarget(target), writeTarget(cpu()));
  EXPECT_EQ(target.calibration, "");

  write(defaultFile(), writeTarget(measured(), {"measured", "today"}));
  Status status = applyCalibration(target);
  ASSERT_TRUE(status) << status.error();
  EXPECT_EQ(target.calibration, defaultFile().string());
  // Values that Linux gives are left alone.
  CpuTarget expected = measured();
  expected.name = "host";
  expected.cores = 2;
  expected.caches[1].bytes = 1 << 20;
  EXPECT_EQ(writeTarget(target), writeTarget(expected));
}

TEST_F(Calibration, TheVariableDecides) {
  write(defaultFile(), writeTarget(measured()));
  CpuTarget target = cpu();
  {
    Variable off("TC_CALIBRATION", "off");
    ASSERT_TRUE(applyCalibration(target));
    EXPECT_EQ(target.calibration, "");
    EXPECT_EQ(target.costs.tileCycles, CpuCosts().tileCycles);
  }
  std::string other = folder.path("other.json");
  CpuTarget slow = measured();
  slow.costs.tileCycles = 500;
  write(other, writeTarget(slow));
  Variable variable("TC_CALIBRATION", other.c_str());
  ASSERT_TRUE(applyCalibration(target));
  EXPECT_EQ(target.calibration, other);
  EXPECT_EQ(target.costs.tileCycles, 500);
}

TEST_F(Calibration, WhatCannotBeUsedIsAnError) {
  std::string path = defaultFile().string();
  write(path, "{\n  \"kind\": cpu}");
  EXPECT_EQ(complaint(), "calibration " + path +
                             ": line 2, column 11: malformed JSON" + anew);
  CpuTarget bad = measured();
  bad.costs.kernelPart = 3;
  write(path, writeTarget(bad));
  EXPECT_EQ(complaint(), "calibration " + path +
                             ": kernel_part (costs) is 3; expected at most 1" +
                             anew);
  write(path, writeTarget(test::target("sm_90")));
  EXPECT_EQ(complaint(),
            "calibration " + path + ": describes a GPU; expected a CPU" + anew);
  Variable variable("TC_CALIBRATION", "/nonexistent/cpu.json");
  EXPECT_EQ(complaint(), std::string("TC_CALIBRATION: /nonexistent/cpu.json: "
                                     "No such file or directory") +
                             anew);
}

TEST_F(Calibration, FilesOfOtherMachinesAreErrors) {
  std::string path = defaultFile().string();
  CpuTarget other = measured();
  other.product = "ACME Scalar CPU";
  write(path, writeTarget(other));
  EXPECT_EQ(complaint(),
            "calibration " + path +
                ": it was made on 'ACME Scalar CPU', but this machine has "
                "'ACME(R) Vector CPU @ 3.00GHz'" +
                anew);
  other = measured();
  other.vectorBytes = 16;
  write(path, writeTarget(other));
  EXPECT_EQ(complaint(), "calibration " + path +
                             ": it was made with vectors of 16 B, but this "
                             "machine has 32 B" +
                             anew);
  other = measured();
  other.caches.pop_back();
  write(path, writeTarget(other));
  EXPECT_EQ(complaint(), "calibration " + path +
                             ": it was made with 1 caches, but this machine "
                             "has 2" +
                             anew);
}

} // namespace
