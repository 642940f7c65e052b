//===- KernelResults.h - Inputs of later kernels ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_KERNELRESULTS_H
#define TC_LIB_RUN_KERNELRESULTS_H

#include "tc/Buffers/Problem.h"
#include "tc/Compiler/Definition.h"
#include "tc/Package/KernelText.h"

#include <map>

namespace tc::run {

/// The results of kernels that later ones read.
class KernelResults {
public:
  explicit KernelResults(std::vector<TensorSources> sources)
      : sources(std::move(sources)) {}

  /// Puts what earlier kernels have computed, and constants, into the tensors
  /// that a kernel reads. "A of kernel 0, B is 1" says which; it is empty if
  /// nothing is known of any, or the result was not computed whole.
  std::string feed(size_t kernel, const runtime::Kernel &definition,
                   runtime::Problem &problem) const;

  /// Keeps what a kernel has computed, if a later one reads it.
  void keep(size_t kernel, const runtime::Problem &problem);

private:
  /// Puts what a tensor holds into it; whether that is known.
  bool feed(const TensorSource &source, runtime::HostTensor &tensor) const;

  std::vector<TensorSources> sources;
  std::map<int64_t, std::vector<std::byte>> results;
};

/// Adds `results_of` if a kernel reads results: the kernels that have computed
/// A and B, or null, and any other tensor.
void addSources(const runtime::Kernel &definition, const TensorSources &sources,
                runtime::Json &json);

} // namespace tc::run

#endif // TC_LIB_RUN_KERNELRESULTS_H
