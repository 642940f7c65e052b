//===- DeviceMemory.h - Memory and events of a device -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the CUDA driver that timing needs beside kernels. All work is queued
// on the default stream, so that it runs in the order of the calls.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DRIVER_DEVICEMEMORY_H
#define TC_DRIVER_DEVICEMEMORY_H

#include "tc/Driver/Device.h"

namespace tc::runtime {

/// An allocation on a device; freed when the object dies.
class DeviceBuffer {
public:
  /// `what` names the use in the error: "tensor A".
  static Result<DeviceBuffer> allocate(const Device &device, size_t bytes,
                                       const std::string &what);
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  DeviceAddress address() const { return start; }
  size_t bytes() const { return size; }

  /// Copies the first `count` bytes from or to the host, and waits for it.
  Status upload(const void *from, size_t count);
  Status download(void *to, size_t count) const;
  /// Queues writing a word to the whole buffer, up to a multiple of 4 bytes.
  Status fill(unsigned word);
  /// Queues copying from a buffer of at least this one's size.
  Status copyFrom(const DeviceBuffer &other);

private:
  explicit DeviceBuffer(const Device &device) : device(device) {}

  Device device;
  DeviceAddress start = 0;
  size_t size = 0;
};

/// A point in the queue that knows its time.
class DeviceEvent {
public:
  static Result<DeviceEvent> create(const Device &device);
  DeviceEvent(DeviceEvent &&other) noexcept;
  DeviceEvent &operator=(DeviceEvent &&) = delete;
  ~DeviceEvent();

  Status record();
  /// Waits for this event; the time since `start`, in seconds. Errors of
  /// kernels before the event are reported here.
  Result<double> secondsSince(const DeviceEvent &start);

private:
  explicit DeviceEvent(const Device &device) : device(device) {}

  Device device;
  /// The driver's handle.
  void *event = nullptr;
};

/// Waits for all that is queued on the device.
Status synchronize(const Device &device);

} // namespace tc::runtime

#endif // TC_DRIVER_DEVICEMEMORY_H
