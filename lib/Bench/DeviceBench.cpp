//===- DeviceBench.cpp - Measuring on a device ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBenchState.h"
#include "tc/Bench/Statistics.h"
#include "tc/Report/Report.h"

using namespace tc;
using namespace tc::bench;
using namespace tc::runtime;

Result<double>
DeviceBench::State::measure(const std::function<Status()> &enqueue) {
  if (Status s = flush.enqueue(); !s)
    return Error{s.error()};
  if (Status s = start.record(); !s)
    return Error{s.error()};
  if (Status s = enqueue(); !s)
    return Error{s.error()};
  if (Status s = stop.record(); !s)
    return Error{s.error()};
  return stop.secondsSince(start);
}

/// The bandwidth of a copy within the device's memory, bytes read and bytes
/// written: large beside the cache, the median of several.
Status DeviceBench::State::measureCopy() {
  constexpr int copies = 11;
  copyBytes = 16 * std::max<int64_t>(device.l2Bytes(), 1);
  Result<DeviceBuffer> from =
      DeviceBuffer::allocate(device, copyBytes, "measuring copies");
  Result<DeviceBuffer> to =
      DeviceBuffer::allocate(device, copyBytes, "measuring copies");
  for (Result<DeviceBuffer> *buffer : {&from, &to})
    if (!*buffer)
      return Error{buffer->error()};
  if (Status s = from->fill(0x3F8CCCCD); !s)
    return s;
  std::vector<double> samples;
  for (int i = 0; i < copies; ++i) {
    Result<double> seconds = measure([&] { return to->copyFrom(*from); });
    if (!seconds)
      return Error{seconds.error()};
    if (i > 0)
      samples.push_back(*seconds);
  }
  copyBytesPerSecond =
      2 * static_cast<double>(copyBytes) / summarize(samples).median;
  return {};
}

static NamedPeer openPeer(const Device &device, const std::string &name,
                          const DeviceBenchOptions &options) {
  Result<std::unique_ptr<Peer>> peer =
      name == "cublas" ? openCublas(device, options.cublasPath)
                       : openCutensor(device, options.cutensorPath,
                                      /*tunes=*/name == "cutensor-best");
  if (!peer)
    return {name, nullptr, peer.error()};
  return {name, std::move(*peer), ""};
}

Result<DeviceBench> DeviceBench::open(const DeviceBenchOptions &options) {
  Result<Device> device = Device::open(options.device);
  if (!device)
    return Error{device.error()};
  Result<CacheFlush> flush = CacheFlush::create(*device, options.flush);
  if (!flush)
    return Error{flush.error()};
  Result<DeviceEvent> start = DeviceEvent::create(*device);
  if (!start)
    return Error{start.error()};
  Result<DeviceEvent> stop = DeviceEvent::create(*device);
  if (!stop)
    return Error{stop.error()};
  auto state = std::make_shared<State>(
      *device, std::move(*flush), std::move(*start), std::move(*stop), options);
  if (Status s = state->measureCopy(); !s)
    return Error{s.error()};
  for (const std::string &name : options.peers)
    state->peers.push_back(openPeer(*device, name, options));
  return DeviceBench(std::move(state));
}

Json bench::conditionsToJson(const Conditions &conditions) {
  Json json = Json::object();
  auto add = [&](const char *key, const auto &value) {
    json[key] = value ? Json(*value) : Json();
  };
  add("multiprocessor_mhz", conditions.multiprocessorMegahertz);
  add("memory_mhz", conditions.memoryMegahertz);
  add("celsius", conditions.celsius);
  add("power_watts", conditions.powerWatts);
  add("power_limit_watts", conditions.powerLimitWatts);
  json["throttled_by"] =
      conditions.throttleBits ? Json(conditions.throttleReasons()) : Json();
  return json;
}

double DeviceBench::State::peak(const model::Target &target,
                                model::ElementType type,
                                model::Precision precision) const {
  double clock =
      device.clockHertz() > 0 ? device.clockHertz() : target.clockHertz;
  return peakFlops(target, type, precision, device.multiprocessors(), clock);
}

Status DeviceBench::check() const { return synchronize(state->device); }

void DeviceBench::describe(Results &results) const {
  const Device &device = state->device;
  const DeviceBenchOptions &options = state->options;
  results.machine = "cuda";
  results.device = deviceToJson(device);
  results.device["max_clock_hertz"] = device.clockHertz();
  results.device["conditions_at_start"] =
      conditionsToJson(state->monitor.read());
  results.options = {{"seed", options.seed},
                     {"repeats", options.repeats},
                     {"warm_ups", options.warmUps},
                     {"flush", options.flush == Flush::Read ? "read" : "write"},
                     {"flush_bytes", state->flush.bytes()}};
  results.options["samples"] =
      options.samples ? Json(*options.samples) : Json();
  results.versions["cuda_driver_api"] =
      std::to_string(device.driverVersion() / 1000) + "." +
      std::to_string(device.driverVersion() % 1000 / 10);
  results.versions["driver"] = state->monitor.driverVersion();
  for (const NamedPeer &peer : state->peers) {
    if (peer.peer)
      results.versions[peer.name] = peer.peer->version();
    else
      results.unavailable.emplace_back(peer.name, peer.unavailable);
  }
  results.ceilings["copy_bytes_per_second"] = state->copyBytesPerSecond;
  results.ceilings["copy_bytes"] = state->copyBytes;
  Json &flops = results.ceilings["flops_per_second"] = Json::object();
  if (const model::Target *target = targetOf(device.computeCapability()))
    for (model::ElementType type : model::allElementTypes)
      flops[model::stringify(type)] =
          state->peak(*target, type, model::Precision::IEEE);
}
