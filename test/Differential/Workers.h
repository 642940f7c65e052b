//===- Workers.h - Cases in processes of their own --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes take chunks of the cases. One that crashes or hangs loses the case
// that it is at; another one goes on behind it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_DIFFERENTIAL_WORKERS_H
#define TC_TEST_DIFFERENTIAL_WORKERS_H

#include "tc/Support/Result.h"

#include <functional>
#include <string>
#include <string_view>

namespace tc::differential {

struct WorkerOptions {
  /// Processes at once.
  unsigned jobs = 1;
  /// The time limit of each of a case's stages.
  unsigned seconds = 60;
};

/// Runs a case, telling which of its stages is next.
using RunNumber = std::function<Status(
    size_t number, const std::function<void(std::string_view)> &enter)>;
/// Is told of a case that has ended, with nothing if it has passed.
using Report = std::function<void(size_t number, const std::string &failure)>;

/// Runs the cases 0 to count - 1, and reports each once, in any order. The
/// process must have one thread only.
Status runInWorkers(size_t count, const WorkerOptions &options,
                    const RunNumber &run, const Report &report);

} // namespace tc::differential

#endif // TC_TEST_DIFFERENTIAL_WORKERS_H
