//===- Launch.h - Kernels on a caller's tensors -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches the kernels of a package on tensors that lie on a device already, in
// the order of the caller's streams. tc/Driver/Device.h makes its own tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DRIVER_LAUNCH_H
#define TC_DRIVER_LAUNCH_H

#include "tc/Package/ProgramShape.h"

#include <cstddef>
#include <memory>

namespace tc::runtime {

/// Reason for a failure. The driver's kind is that of calls that failed, and of
/// a driver that is not there.
struct LaunchError {
  enum Kind { InvalidArgument, Unsupported, Driver, OutOfMemory };
  Kind kind;
  std::string message;
};

/// Nothing, if it succeeded.
using LaunchStatus = std::optional<LaunchError>;

/// The device on which memory lies.
struct DeviceOfPointer {
  int ordinal = 0;
  /// Ten times major plus minor.
  unsigned computeCapability = 0;
};

/// Finds the device; fails for the host's memory. `what` names the pointer.
LaunchStatus findDevice(const void *pointer, const std::string &what,
                        DeviceOfPointer &device);

/// Lets what is queued on the stream `later` from now on wait for all that is
/// queued on `earlier` by now. Both are of that device.
LaunchStatus orderStreams(int ordinal, void *earlier, void *later);

/// Queues filling memory with zeros; `what` names it.
LaunchStatus clear(void *begin, size_t bytes, const std::string &what,
                   void *stream);

/// Arguments of a launch of a kernel.
struct LaunchArguments {
  /// The base pointers of A, B and C and of the auxiliary tensors. B is null if
  /// it is the launcher's.
  const void *const *tensors = nullptr;
  size_t count = 0;
  /// Numbers of the accumulator's type on the host, null unless the kernel
  /// takes them.
  const void *alpha = nullptr, *beta = nullptr;
  /// For kernels that take their shape at run time: that of A, B and C. Null
  /// for the shape that the package says.
  const KernelShape *shape = nullptr;
  /// The driver's handle; null is the default stream.
  void *stream = nullptr;
};

/// Arguments of a run of a program.
struct ProgramArguments {
  /// The base pointers of its parameters.
  const void *const *tensors = nullptr;
  size_t count = 0;
  /// For a program that takes extents: these.
  std::vector<int64_t> extents;
  /// Memory of the program's workspace, which no other run uses at the same
  /// time; null for one that the launcher has for each stream.
  void *workspace = nullptr;
  /// The driver's handle; null is the default stream.
  void *stream = nullptr;
};

struct ProgramLaunch;
struct ProgramRun;

/// A package that any number of threads may launch, on any device that its code
/// is for. On each it is loaded at the first launch.
class PackageLauncher {
public:
  /// `names` is what messages call the tensors, in place of their names in the
  /// package.
  explicit PackageLauncher(LoadedPackage package,
                           std::vector<std::string> names = {});
  PackageLauncher(const PackageLauncher &) = delete;
  PackageLauncher &operator=(const PackageLauncher &) = delete;
  /// Waits until all that was launched is done.
  ~PackageLauncher();

  const LoadedPackage &package() const { return loaded; }

  /// Queues one run of a kernel. When this fails, nothing is queued.
  LaunchStatus launch(size_t number, const LaunchArguments &arguments) const;

  /// Queues one run of a program. When this fails for another reason than the
  /// driver, nothing is queued.
  LaunchStatus runProgram(size_t number,
                          const ProgramArguments &arguments) const;

  /// The size of the workspace of a program for these extents.
  LaunchStatus findWorkspaceBytes(size_t number,
                                  const std::vector<int64_t> &extents,
                                  int64_t &bytes) const;

private:
  friend class ProgramGraph;
  friend struct ProgramRun;
  class OnDevice;
  struct State;

  std::string nameOf(const Kernel &kernel, size_t tensor) const;
  /// The first of a kernel and its versions that takes pointers of such
  /// alignment; the kernel itself if none does.
  size_t chooseVersion(size_t number, const LaunchArguments &arguments) const;
  /// A version that takes a shape, and what it is launched with.
  struct ShapedVersion {
    size_t number;
    Kernel kernel;
    std::vector<std::vector<std::byte>> arguments;
  };
  /// Those that are tuned for the nearest shape come first.
  using ShapedVersions = std::vector<ShapedVersion>;
  /// Finds the versions that take a shape, one at least. What has been worked
  /// out once is kept.
  LaunchStatus
  findVersions(size_t number, const KernelShape &shape,
               std::shared_ptr<const ShapedVersions> &versions) const;
  /// The first of them that takes pointers of such alignment; the first if none
  /// does.
  static const ShapedVersion &chooseAligned(const ShapedVersions &versions,
                                            const LaunchArguments &arguments);
  LaunchStatus check(const Kernel &kernel,
                     const LaunchArguments &arguments) const;
  /// The code on a device, where it is loaded if it was not before.
  LaunchStatus loadOn(int ordinal, OnDevice *&onDevice) const;
  /// A program of the package for the extents of a run, if it takes any. What
  /// has been worked out once is kept.
  LaunchStatus bind(size_t number, const std::vector<int64_t> &extents,
                    std::shared_ptr<const BoundProgram> &bound) const;
  /// Checks a run of a program, and finds its device.
  LaunchStatus prepareProgram(size_t number, const ProgramArguments &arguments,
                              ProgramRun &run) const;
  LaunchStatus prepareStep(const BoundProgram &bound, size_t step,
                           const ProgramArguments &arguments,
                           ProgramLaunch &launch) const;

  LoadedPackage loaded;
  std::vector<std::string> names;
  std::unique_ptr<State> state;
};

/// A run of a program on the tensors that it was made for, as a CUDA graph: all
/// of its launches are one call of the driver.
class ProgramGraph {
public:
  ProgramGraph();
  ProgramGraph(const ProgramGraph &) = delete;
  ProgramGraph &operator=(const ProgramGraph &) = delete;
  /// Waits until all that was launched on the device is done.
  ~ProgramGraph();

  /// Makes it of a package that outlives it. Without a workspace, it has its
  /// own; the stream is of no interest. It is to be called once.
  LaunchStatus make(const PackageLauncher &launcher, size_t program,
                    const ProgramArguments &arguments);

  /// Queues one run. Two must not run at the same time.
  LaunchStatus launch(void *stream) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tc::runtime

#endif // TC_DRIVER_LAUNCH_H
