//===- Report.cpp - Reports of runs -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Report/Report.h"

#include "tc/Reference/CheckFields.h"
#include "tc/Support/FieldJson.h"

#include <cstdio>

using namespace tc;
using namespace tc::runtime;

void Report::note(const std::string &name, const CheckReport &check) {
  if (!check.passed() && failure.empty())
    failure = name + ": check " + check.summary();
}

std::string Report::render(bool asJson) {
  if (!asJson)
    return text;
  json["passed"] = failure.empty();
  return dump(json);
}

Json tc::runtime::checkToJson(const CheckReport &report) {
  Json json;
  json["passed"] = report.passed();
  visitFields(report, Overloaded{[&](const auto &field, const Fault &fault) {
                                   json[std::string(field.name)] = fault.count;
                                 },
                                 [&](const auto &field, const auto &value) {
                                   writeField(json, field, value);
                                 }});
  return json;
}

static std::string format(const char *pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), pattern, value);
  return buffer;
}

static Json clockToJson(unsigned megahertz) {
  return megahertz ? Json(megahertz) : Json();
}

Json tc::runtime::timingToJson(const Timing &timing, const Kernel &kernel) {
  Work work = workOf(kernel);
  Json json;
  json["median_seconds"] = timing.median();
  json["repeats"] = timing.samples.size();
  json["samples_seconds"] = timing.samples;
  json["flops_per_second"] = work.flops / timing.median();
  json["compulsory_bytes_per_second"] = work.bytes / timing.median();
  json["multiprocessor_clock_mhz"] = clockToJson(timing.multiprocessorClock);
  json["memory_clock_mhz"] = clockToJson(timing.memoryClock);
  return json;
}

static std::string clockText(unsigned megahertz) {
  return megahertz ? std::to_string(megahertz) + " MHz" : "unknown";
}

std::string tc::runtime::timingSummary(const Timing &timing,
                                       const Kernel &kernel) {
  Work work = workOf(kernel);
  double seconds = timing.median();
  return "median " + format("%.3f", timing.median() * 1e6) + " us of " +
         std::to_string(timing.samples.size()) + " (" +
         format("%.3f", timing.samples.front() * 1e6) + " to " +
         format("%.3f", timing.samples.back() * 1e6) + "), " +
         format("%.4g", work.flops / seconds * 1e-9) + " GFLOP/s, " +
         format("%.4g", work.bytes / seconds * 1e-9) +
         " GB/s of compulsory traffic, clocks: multiprocessors " +
         clockText(timing.multiprocessorClock) + ", memory " +
         clockText(timing.memoryClock);
}

std::string tc::runtime::deviceRunText(const DeviceRun &run,
                                       const Kernel &kernel) {
  std::string text =
      reportLine("registers", std::to_string(run.registersPerThread) + ", " +
                                  std::to_string(run.localBytesPerThread) +
                                  " B of local memory a thread");
  if (run.check)
    text += reportLine("check", run.check->summary());
  if (run.timing)
    text += reportLine("time", timingSummary(*run.timing, kernel));
  return text;
}

void tc::runtime::addDeviceRun(const DeviceRun &run, const Kernel &kernel,
                               Json &json) {
  json["registers"] = run.registersPerThread;
  json["local_bytes"] = run.localBytesPerThread;
  if (run.check)
    json["check"] = checkToJson(*run.check);
  if (run.timing)
    json["time"] = timingToJson(*run.timing, kernel);
}

std::string tc::runtime::deviceText(const Device &device) {
  return "device " + std::to_string(device.ordinal()) + ", " + device.name() +
         ", sm_" + std::to_string(device.computeCapability()) + "\n";
}

Json tc::runtime::deviceToJson(const Device &device) {
  Json json;
  json["name"] = device.name();
  json["compute_capability"] = device.computeCapability();
  json["multiprocessors"] = device.multiprocessors();
  json["l2_bytes"] = device.l2Bytes();
  return json;
}

std::string tc::runtime::shapedKernelsText(const ShapedKernels &shaped) {
  std::string text;
  for (const auto &[entry, reason] : shaped.refused)
    text += reportLine("not run", entry + ": " + reason);
  for (const std::string &entry : shaped.chosen)
    text += reportLine("launches take", entry);
  return text;
}

void tc::runtime::addShapedKernels(const ShapedKernels &shaped, Json &json) {
  json["chosen"] = shaped.chosen;
  json["not_run"] = Json::array();
  for (const auto &[entry, reason] : shaped.refused)
    json["not_run"].push_back({{"entry", entry}, {"reason", reason}});
}
