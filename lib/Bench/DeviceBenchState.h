//===- DeviceBenchState.h - A device made ready for measuring ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_BENCH_DEVICEBENCHSTATE_H
#define TC_LIB_BENCH_DEVICEBENCHSTATE_H

#include "CacheFlush.h"
#include "tc/Bench/DeviceBench.h"

namespace tc::bench {

/// A peer by the name that its rows have, or why there is none.
struct NamedPeer {
  std::string name;
  std::unique_ptr<Peer> peer;
  std::string unavailable;
};

struct DeviceBench::State {
  State(const runtime::Device &device, CacheFlush flush,
        runtime::DeviceEvent start, runtime::DeviceEvent stop,
        const DeviceBenchOptions &options)
      : device(device), flush(std::move(flush)), start(std::move(start)),
        stop(std::move(stop)), options(options), monitor(device.pciBusId()) {}

  runtime::Device device;
  CacheFlush flush;
  runtime::DeviceEvent start, stop;
  DeviceBenchOptions options;
  runtime::ConditionsMonitor monitor;
  std::vector<NamedPeer> peers;
  double copyBytesPerSecond = 0;
  int64_t copyBytes = 0;

  /// The time of the work that the function queues, the cache flushed before
  /// it.
  Result<double> measure(const std::function<Status()> &enqueue);
  Status measureCopy();
  /// Of this device, see peakFlops.
  double peak(const model::Target &target, model::ElementType type,
              model::Precision precision) const;
};

/// An object; unknown values are null.
Json conditionsToJson(const runtime::Conditions &conditions);

} // namespace tc::bench

#endif // TC_LIB_BENCH_DEVICEBENCHSTATE_H
