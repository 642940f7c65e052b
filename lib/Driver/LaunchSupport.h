//===- LaunchSupport.h - Calls of the driver for launches -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DRIVER_LAUNCHSUPPORT_H
#define TC_LIB_DRIVER_LAUNCHSUPPORT_H

#include "tc/Driver/DeviceState.h"
#include "tc/Driver/Launch.h"

#include <functional>
#include <map>
#include <mutex>

namespace tc::runtime {

/// The driver, which is loaded once in a process.
Result<std::shared_ptr<const cuda::Api>> loadDriver();

/// An error that names the call, unless it succeeded.
LaunchStatus statusOf(const cuda::Api &api, cuda::CUresult result,
                      const char *call, const std::string &what = "");

/// Puts bytes into new memory of the device whose context is current; `address`
/// is to be freed if it is not zero, even if this fails.
LaunchStatus upload(const cuda::Api &api, const std::vector<std::byte> &bytes,
                    DeviceAddress &address);

/// A device's context, which is current while this lives.
class ScopedContext {
public:
  explicit ScopedContext(const Device &device)
      : device(*device.state()),
        result(this->device.api->ctxPushCurrent(this->device.context)) {}
  ScopedContext(const ScopedContext &) = delete;
  ScopedContext &operator=(const ScopedContext &) = delete;
  ~ScopedContext() {
    if (result == 0)
      device.api->ctxPopCurrent(nullptr);
  }

  LaunchStatus status() const {
    return statusOf(*device.api, result, "cuCtxPushCurrent");
  }

private:
  const Device::State &device;
  cuda::CUresult result;
};

/// Finds the device on which all memory lies that pointers refer to which are
/// not null. `nameOf` says what messages call them.
LaunchStatus findCommonDevice(const void *const *pointers, size_t count,
                              const std::function<std::string(size_t)> &nameOf,
                              int &ordinal);

/// The workspaces of a kernel or a program on a device: launches that may run
/// at the same time have different ones. Each stream has its own; of very many
/// streams some share one, and then wait for each other.
class WorkspacePool {
public:
  /// For a device whose context is current in all calls. `owner` is what
  /// messages call the kernel or the program.
  WorkspacePool(std::shared_ptr<const Device::State> device,
                const Workspace &workspace, std::string owner)
      : device(std::move(device)), workspace(workspace),
        owner(std::move(owner)) {}
  WorkspacePool(const WorkspacePool &) = delete;
  WorkspacePool &operator=(const WorkspacePool &) = delete;
  ~WorkspacePool();

  /// Calls `launch` with the address of a workspace that it may use on the
  /// stream.
  LaunchStatus use(cuda::CUstream stream,
                   const std::function<LaunchStatus(DeviceAddress)> &launch);

private:
  struct Entry {
    cuda::CUstream stream = nullptr;
    DeviceAddress address = 0;
    /// The end of the last launch that uses it.
    cuda::CUevent event = nullptr;
    uint64_t lastUse = 0;
  };

  LaunchStatus find(cuda::CUstream stream, Entry *&entry);
  LaunchStatus make(cuda::CUstream stream, Entry &entry);
  void destroy(const Entry &entry);

  std::shared_ptr<const Device::State> device;
  Workspace workspace;
  std::string owner;
  std::mutex mutex;
  std::vector<Entry> entries;
  uint64_t uses = 0;
};

/// Pools of workspaces whose size may depend on the extents of a launch.
class WorkspacePools {
public:
  /// The pool of workspaces that have room for such a one. If other launches
  /// have others (`varies`), sizes are powers of two, so that launches of
  /// several extents share them, and no bytes of what comes are zero.
  WorkspacePool &find(const Device &device, const Workspace &workspace,
                      const std::string &owner, bool varies);

private:
  std::mutex mutex;
  std::map<int64_t, std::unique_ptr<WorkspacePool>> pools;
};

} // namespace tc::runtime

#endif // TC_LIB_DRIVER_LAUNCHSUPPORT_H
