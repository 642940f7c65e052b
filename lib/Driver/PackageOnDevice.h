//===- PackageOnDevice.h - A package on one device --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DRIVER_PACKAGEONDEVICE_H
#define TC_LIB_DRIVER_PACKAGEONDEVICE_H

#include "LaunchSupport.h"

#include "tc/Package/ProgramShape.h"

#include <array>
#include <map>

namespace tc::runtime {

inline LaunchError invalid(std::string message) {
  return {LaunchError::InvalidArgument, std::move(message)};
}
inline LaunchError driverFailed(std::string message) {
  return {LaunchError::Driver, std::move(message)};
}

inline DeviceAddress addressOf(const void *pointer) {
  return reinterpret_cast<DeviceAddress>(pointer);
}

/// CU_STREAM_LEGACY is the default stream, too.
inline cuda::CUstream streamOf(void *stream) {
  constexpr uintptr_t legacy = 1;
  return reinterpret_cast<uintptr_t>(stream) == legacy
             ? nullptr
             : static_cast<cuda::CUstream>(stream);
}

/// A launch of which all is known.
struct KernelLaunch {
  const Kernel *kernel = nullptr;
  size_t number = 0;
  std::vector<DeviceAddress> addresses;
  /// Null for those that the kernel does not take.
  std::array<const void *, 2> factors = {};
  DeviceAddress workspace = 0;
};

/// A step of a program whose parameters are known.
struct ProgramLaunch {
  const ProgramStep *step = nullptr;
  /// The kernel, or the version of it that takes the pointers; null for a copy.
  const Kernel *kernel = nullptr;
  size_t number = 0;
  /// Of tensors that are parameters.
  std::vector<DeviceAddress> addresses;
  std::array<std::vector<std::byte>, 2> factors;
  /// Of a kernel that takes its shape at run time: the bytes of its arguments.
  std::vector<std::vector<std::byte>> shape;
  /// Owner of the kernel then.
  std::shared_ptr<const void> owner;
};

/// The code, loaded, and what its kernels need besides.
class PackageLauncher::OnDevice {
public:
  explicit OnDevice(Device device) : device(std::move(device)) {}
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;
  ~OnDevice();

  LaunchStatus load(const LoadedPackage &package);
  /// Makes what the steps of a program need.
  LaunchStatus loadProgram(const Package &package, const Program &program);
  /// `shape` has the bytes of the arguments of the kernel's shape.
  LaunchStatus launch(const Kernel &kernel, size_t number,
                      const LaunchArguments &arguments,
                      const std::vector<std::vector<std::byte>> &shape);
  /// Queues all steps of a program. Without a workspace, it has one for each
  /// stream.
  LaunchStatus run(const ProgramRun &run,
                   std::optional<DeviceAddress> workspace, void *stream);

  const Device &get() const { return device; }

private:
  /// Things of a program on the device.
  struct ProgramState {
    ProgramState() = default;
    ProgramState(const ProgramState &) = delete;
    ProgramState &operator=(const ProgramState &) = delete;
    ~ProgramState();

    std::shared_ptr<const cuda::Api> api;
    /// Of each step and tensor, where a constant lies; zero for others.
    std::vector<std::vector<DeviceAddress>> constants;
    /// Addresses to be freed.
    std::vector<DeviceAddress> allocations;
    /// Their size may depend on what the program is bound to.
    WorkspacePools workspaces;
  };

  /// Zeroes what the kernel needs to be zero of its workspace.
  LaunchStatus clearCounters(const KernelLaunch &launch,
                             cuda::CUstream stream) const;
  LaunchStatus queue(const KernelLaunch &launch,
                     const std::vector<std::vector<std::byte>> &shape,
                     cuda::CUstream stream) const;
  LaunchStatus runSteps(const std::vector<ProgramLaunch> &launches,
                        const ProgramState &program, DeviceAddress workspace,
                        cuda::CUstream stream) const;
  const cuda::Api &api() const { return *device.state()->api; }

  Device device;
  std::optional<DeviceModule> module;
  std::vector<cuda::CUfunction> functions;
  /// Of each kernel.
  std::vector<std::unique_ptr<WorkspacePools>> workspaces;
  std::vector<std::unique_ptr<ProgramState>> programs;
  /// Of each kernel that `mayLackB`, the semiring's one; zero for others.
  std::vector<DeviceAddress> ones;
};

/// True if launches of a kernel may give no B, which is the semiring's one
/// then: B is a single number.
bool mayLackB(const Kernel &kernel);

/// A run of a program of which all is known.
struct ProgramRun {
  size_t number = 0;
  std::shared_ptr<const BoundProgram> bound;
  std::vector<ProgramLaunch> launches;
  PackageLauncher::OnDevice *onDevice = nullptr;
};

struct PackageLauncher::State {
  std::mutex mutex;
  /// By the ordinals of the devices.
  std::map<int, std::unique_ptr<OnDevice>> devices;
  /// By the kernels' numbers and shapes.
  std::map<std::vector<int64_t>, std::shared_ptr<const ShapedVersions>> shapes;
  /// Programs by their numbers and extents.
  std::map<std::vector<int64_t>, std::shared_ptr<const BoundProgram>> programs;
};

} // namespace tc::runtime

#endif // TC_LIB_DRIVER_PACKAGEONDEVICE_H
