//===- KernelResults.h - What later kernels read ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_KERNELRESULTS_H
#define TC_LIB_RUN_KERNELRESULTS_H

#include "tc/Compiler/Definition.h"
#include "tc/Driver/Report.h"
#include "tc/Reference/Problem.h"

#include <map>

namespace tc::run {

/// The results of kernels that are inputs of later ones.
class KernelResults {
public:
  explicit KernelResults(std::vector<Producers> producers)
      : producers(std::move(producers)) {}

  /// Puts what earlier kernels have computed into the operands of one. "A of
  /// kernel 0, B of kernel 1" says which; it is empty if none is a result that
  /// was computed whole.
  std::string feed(size_t kernel, runtime::Problem &problem) const;

  /// Keeps what a kernel has computed, if a later one reads it.
  void keep(size_t kernel, const runtime::Problem &problem);

private:
  /// Of a kernel; none if nothing is known of it.
  Producers producersOf(size_t kernel) const;

  std::vector<Producers> producers;
  std::map<int64_t, std::vector<std::byte>> results;
};

/// Adds `results_of`, with the kernels whose results its operands are, or null.
void addProducers(const Producers &producers, runtime::Json &json);

} // namespace tc::run

#endif // TC_LIB_RUN_KERNELRESULTS_H
