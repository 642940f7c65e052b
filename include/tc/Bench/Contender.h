//===- Contender.h - Contenders of a benchmark ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contender computes a contraction on tensors that lie on the device.
// NVIDIA's libraries are loaded when they are first needed; building needs
// neither them nor their headers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCH_CONTENDER_H
#define TC_BENCH_CONTENDER_H

#include "tc/Bench/Results.h"
#include "tc/Bench/Suite.h"
#include "tc/Driver/DeviceMemory.h"

#include <functional>
#include <memory>

namespace tc::bench {

/// Device addresses of A, B and C.
using Operands = std::array<runtime::DeviceAddress, 3>;

/// Seconds of one run of the work that the function queues, measured as all
/// runs are.
using Stopwatch =
    std::function<Result<double>(const std::function<Status()> &enqueue)>;

class Contender {
public:
  virtual ~Contender() = default;

  const std::string &name() const { return title; }
  /// The contraction that it computes, on buffers of the case's sizes.
  const runtime::Kernel &definition() const { return contraction; }
  /// Returns true if that is the case itself, and not a matrix product of its
  /// size.
  virtual bool computesTheCase() const { return true; }
  /// Queues one run.
  virtual Status launch(const Operands &operands) = 0;
  /// Chooses among its own ways by timing them, if it does that. It may
  /// overwrite C.
  virtual Status tune(const Operands &operands, const Stopwatch &stopwatch) {
    return {};
  }
  /// An object with the details that only this contender has.
  virtual Json details() const { return Json::object(); }

protected:
  Contender(std::string name, runtime::Kernel contraction)
      : title(std::move(name)), contraction(std::move(contraction)) {}

private:
  std::string title;
  runtime::Kernel contraction;
};

/// The description of a case that a peer is given.
struct Task {
  runtime::Kernel definition;
  model::Precision precision = model::Precision::IEEE;
};

/// A library that computes contractions, or matrix products of their size.
class Peer {
public:
  virtual ~Peer() = default;

  /// As in "13.1.0".
  virtual std::string version() const = 0;
  /// The name that the library was found by.
  virtual std::string file() const = 0;
  /// A contender for a case. Its error says why there is none.
  virtual Result<std::unique_ptr<Contender>> prepare(const Task &task) = 0;
};

/// cuBLAS, on the equal-size matrix product. `path` is where the library is; an
/// empty one means that it is searched for.
Result<std::unique_ptr<Peer>> openCublas(const runtime::Device &device,
                                         const std::string &path);

/// cuTENSOR 2, with the plan that its model prefers or, with `tunes`, with the
/// fastest of those that it offers, each timed on the case at hand.
Result<std::unique_ptr<Peer>> openCutensor(const runtime::Device &device,
                                           const std::string &path, bool tunes);

} // namespace tc::bench

#endif // TC_BENCH_CONTENDER_H
