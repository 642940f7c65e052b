//===- WorkspacePool.cpp - A workspace for each stream ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle does not distinguish streams for ever: that of a destroyed stream
// may become another's, and the default stream of a thread has the same in
// each. So every launch waits for the event of the one before it, which costs
// nothing in the same stream.
//
//===----------------------------------------------------------------------===//

#include "LaunchSupport.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::cuda;

/// Workspaces of a kernel or a program on a device at most.
static constexpr size_t maxEntries = 16;

WorkspacePool::~WorkspacePool() {
  for (const Entry &entry : entries)
    destroy(entry);
}

void WorkspacePool::destroy(const Entry &entry) {
  if (entry.event)
    device->api->eventDestroy(entry.event);
  if (entry.address)
    device->api->memFree(entry.address);
}

LaunchStatus WorkspacePool::make(CUstream stream, Entry &entry) {
  const Api &api = *device->api;
  entry.stream = stream;
  if (LaunchStatus s = statusOf(
          api,
          api.memAlloc(&entry.address, static_cast<size_t>(workspace.bytes)),
          "cuMemAlloc",
          "cannot allocate " + std::to_string(workspace.bytes) +
              " bytes on the device for the workspace of " + owner))
    return s;
  if (entry.address % static_cast<DeviceAddress>(workspace.alignment) != 0)
    return LaunchError{LaunchError::Unsupported,
                       "the device's memory is not aligned to the " +
                           std::to_string(workspace.alignment) +
                           " bytes of the workspace of " + owner};
  if (LaunchStatus s = statusOf(
          api, api.eventCreate(&entry.event, DisableTiming), "cuEventCreate"))
    return s;
  auto zeros = static_cast<size_t>(workspace.zeroedBytes);
  if (zeros > 0)
    if (LaunchStatus s =
            statusOf(api, api.memsetD8Async(entry.address, 0, zeros, stream),
                     "cuMemsetD8Async"))
      return s;
  // If the first launch fails, the next one still waits for the zeros.
  return statusOf(api, api.eventRecord(entry.event, stream), "cuEventRecord");
}

LaunchStatus WorkspacePool::find(CUstream stream, Entry *&entry) {
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry &e) { return e.stream == stream; });
  if (found == entries.end() && entries.size() >= maxEntries)
    found = std::min_element(
        entries.begin(), entries.end(),
        [](const Entry &a, const Entry &b) { return a.lastUse < b.lastUse; });
  if (found == entries.end()) {
    Entry made;
    if (LaunchStatus s = make(stream, made)) {
      destroy(made);
      return s;
    }
    found = entries.insert(found, made);
  } else if (LaunchStatus s =
                 statusOf(*device->api,
                          device->api->streamWaitEvent(stream, found->event, 0),
                          "cuStreamWaitEvent")) {
    return s;
  }
  found->stream = stream;
  found->lastUse = ++uses;
  entry = &*found;
  return {};
}

LaunchStatus
WorkspacePool::use(CUstream stream,
                   const std::function<LaunchStatus(DeviceAddress)> &launch) {
  const Api &api = *device->api;
  int isCaptured = 0;
  if (LaunchStatus s = statusOf(api, api.streamIsCapturing(stream, &isCaptured),
                                "cuStreamIsCapturing"))
    return s;
  // A graph may be launched at any time, on any stream.
  if (isCaptured)
    return LaunchError{
        LaunchError::Unsupported,
        owner + " has a workspace, and cannot be captured in a graph"};
  // Between the wait and the record, no other thread may use the entry.
  std::lock_guard<std::mutex> lock(mutex);
  Entry *entry = nullptr;
  if (LaunchStatus s = find(stream, entry))
    return s;
  if (LaunchStatus s = launch(entry->address))
    return s;
  return statusOf(api, api.eventRecord(entry->event, stream), "cuEventRecord");
}

WorkspacePool &WorkspacePools::find(const Device &device,
                                    const Workspace &workspace,
                                    const std::string &owner, bool varies) {
  std::lock_guard<std::mutex> lock(mutex);
  Workspace room = workspace;
  if (varies) {
    room.zeroedBytes = 0;
    room.bytes = room.alignment;
    while (room.bytes < workspace.bytes && room.bytes <= saturated / 2)
      room.bytes *= 2;
    room.bytes = std::max(room.bytes, workspace.bytes);
  }
  std::unique_ptr<WorkspacePool> &pool = pools[room.bytes];
  if (!pool)
    pool = std::make_unique<WorkspacePool>(device.state(), room, owner);
  return *pool;
}
