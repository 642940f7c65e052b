//===- DeviceMemory.cpp - Memory and events of a device ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Driver/DeviceMemory.h"
#include "tc/Driver/DeviceState.h"

#include <utility>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::cuda;

static const Api &apiOf(const Device &device) { return *device.state()->api; }

//===----------------------------------------------------------------------===//
// DeviceBuffer
//===----------------------------------------------------------------------===//

Result<DeviceBuffer> DeviceBuffer::allocate(const Device &device, size_t bytes,
                                            const std::string &what) {
  DeviceBuffer buffer(device);
  const Api &api = apiOf(device);
  if (Status s = api.check(api.memAlloc(&buffer.start, bytes), "cuMemAlloc");
      !s) {
    buffer.start = 0;
    return Error{"cannot allocate " + std::to_string(bytes) +
                 " bytes on the device for " + what + ": " + s.error()};
  }
  buffer.size = bytes;
  return buffer;
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : device(std::move(other.device)), start(std::exchange(other.start, 0)),
      size(other.size) {}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(start, other.start);
  std::swap(size, other.size);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (start)
    apiOf(device).memFree(start);
}

Status DeviceBuffer::upload(const void *from, size_t count) {
  const Api &api = apiOf(device);
  return api.check(api.memcpyHtoD(start, from, count), "cuMemcpyHtoD");
}

Status DeviceBuffer::download(void *to, size_t count) const {
  const Api &api = apiOf(device);
  return api.check(api.memcpyDtoH(to, start, count), "cuMemcpyDtoH");
}

Status DeviceBuffer::fill(unsigned word) {
  const Api &api = apiOf(device);
  return api.check(api.memsetD32Async(start, word, size / 4,
                                      /*stream=*/nullptr),
                   "cuMemsetD32Async");
}

Status DeviceBuffer::copyFrom(const DeviceBuffer &other) {
  const Api &api = apiOf(device);
  return api.check(api.memcpyDtoDAsync(start, other.start, size,
                                       /*stream=*/nullptr),
                   "cuMemcpyDtoDAsync");
}

//===----------------------------------------------------------------------===//
// DeviceEvent
//===----------------------------------------------------------------------===//

static CUevent handleOf(void *event) { return static_cast<CUevent>(event); }

Result<DeviceEvent> DeviceEvent::create(const Device &device) {
  DeviceEvent result(device);
  const Api &api = apiOf(device);
  CUevent event = nullptr;
  if (Status s =
          api.check(api.eventCreate(&event, /*Flags=*/0), "cuEventCreate");
      !s)
    return Error{s.error()};
  result.event = event;
  return result;
}

DeviceEvent::DeviceEvent(DeviceEvent &&other) noexcept
    : device(std::move(other.device)),
      event(std::exchange(other.event, nullptr)) {}

DeviceEvent::~DeviceEvent() {
  if (event)
    apiOf(device).eventDestroy(handleOf(event));
}

Status DeviceEvent::record() {
  const Api &api = apiOf(device);
  return api.check(api.eventRecord(handleOf(event), /*stream=*/nullptr),
                   "cuEventRecord");
}

Result<double> DeviceEvent::secondsSince(const DeviceEvent &start) {
  const Api &api = apiOf(device);
  if (Status s = api.check(api.eventSynchronize(handleOf(event)),
                           "cuEventSynchronize");
      !s)
    return Error{s.error()};
  float milliseconds = 0;
  if (Status s =
          api.check(api.eventElapsedTime(&milliseconds, handleOf(start.event),
                                         handleOf(event)),
                    "cuEventElapsedTime");
      !s)
    return Error{s.error()};
  return milliseconds * 1e-3;
}

Status tc::runtime::synchronize(const Device &device) {
  const Api &api = apiOf(device);
  return api.check(api.ctxSynchronize(), "cuCtxSynchronize");
}
