//===- Device.h - Kernels on a CUDA device ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs and times packages through the CUDA driver, which is loaded when it is
// first needed. No CUDA header or library takes part in the build.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DRIVER_DEVICE_H
#define TC_DRIVER_DEVICE_H

#include "tc/Buffers/Problem.h"

#include <memory>

namespace tc::runtime {

namespace cuda {
struct Api;
} // namespace cuda

class DeviceBuffer;

/// An address in a device's memory.
using DeviceAddress = unsigned long long;

/// A CUDA device with its primary context, which is current in the thread that
/// opened it.
class Device {
public:
  /// Loads the driver and opens a device. Without a driver the error names
  /// libcuda.so.1.
  static Result<Device> open(int ordinal);
  /// The same, but leaves the context that is current as it is.
  static Result<Device> retain(int ordinal);

  int ordinal() const;
  const std::string &name() const;
  /// Ten times major plus minor.
  unsigned computeCapability() const;
  int64_t l2Bytes() const;
  int64_t multiprocessors() const;
  /// The highest clock of the multiprocessors.
  double clockHertz() const;
  /// As in "0000:3B:00.0".
  const std::string &pciBusId() const;
  /// The CUDA version of the driver: 1000 times major plus 10 times minor.
  int driverVersion() const;

  /// State of a device that the runtime needs; defined by its source.
  struct State;
  const std::shared_ptr<const State> &state() const { return shared; }

private:
  explicit Device(std::shared_ptr<const State> state)
      : shared(std::move(state)) {}
  std::shared_ptr<const State> shared;
};

/// Checks that the code of a package runs on a device: PTX runs on its
/// architecture and newer ones, a cubin on its own major version, from its
/// minor version on (CUDA C++ Programming Guide, binary and PTX compatibility),
/// and code for features of an architecture (sm_90a) or a family (sm_100f)
/// there only.
Status checkCompatible(const Device &device, const Package &package);

/// The code of a package, loaded on a device.
class DeviceModule {
public:
  /// Fails if the code is not for the device; the compiler's messages are part
  /// of the error if PTX does not compile.
  static Result<DeviceModule> load(const Device &device,
                                   const LoadedPackage &package);

  struct State;
  const std::shared_ptr<const State> &state() const { return shared; }

private:
  explicit DeviceModule(std::shared_ptr<const State> state)
      : shared(std::move(state)) {}
  std::shared_ptr<const State> shared;
};

/// The times of one kernel.
struct Timing {
  /// In seconds, ascending.
  std::vector<double> samples;
  /// Clocks just after the last run, in MHz; zero if unknown.
  unsigned multiprocessorClock = 0, memoryClock = 0;

  double median() const;
};

/// A kernel and its operands on a device.
class DeviceKernel {
public:
  /// Finds the kernel, copies the problem's tensors to the device and makes
  /// its workspace there.
  static Result<DeviceKernel> prepare(const DeviceModule &module,
                                      const Kernel &kernel,
                                      const Problem &problem);

  int64_t registersPerThread() const { return registers; }
  /// Bytes of local memory a thread; more than zero means spills.
  int64_t localBytesPerThread() const { return localBytes; }

  /// Runs the kernel once and waits for it.
  Status run();
  /// Queues one run.
  Status launch();
  /// Copies C back into the problem.
  Status fetch(Problem &problem) const;
  /// Copies the problem's C to the device again.
  Status restore(const Problem &problem);
  /// Addresses of A, B and C.
  const std::array<DeviceAddress, 3> &tensors() const { return addresses; }
  /// Times `repeats` runs with events, after some that warm up. Before each
  /// run a buffer twice as large as the L2 cache is written, so that no operand
  /// is in the cache.
  Result<Timing> time(int repeats);

private:
  DeviceKernel(std::shared_ptr<const DeviceModule::State> module,
               const Kernel &kernel)
      : module(std::move(module)), kernel(kernel) {}

  std::shared_ptr<const DeviceModule::State> module;
  Kernel kernel;
  /// The driver's handle.
  void *function = nullptr;
  int64_t registers = 0, localBytes = 0;
  /// Of the tensors, then of the workspace if there is one.
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  std::array<DeviceAddress, 3> addresses = {};
  std::vector<DeviceAddress> auxiliaryAddresses;
  std::vector<std::vector<std::byte>> scalars;
  DeviceAddress workspace = 0;
};

} // namespace tc::runtime

#endif // TC_DRIVER_DEVICE_H
