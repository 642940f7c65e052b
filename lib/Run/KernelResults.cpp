//===- KernelResults.cpp - What later kernels read --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelResults.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <tuple>

using namespace tc;
using namespace tc::run;

Producers KernelResults::producersOf(size_t kernel) const {
  return kernel < producers.size() ? producers[kernel] : Producers();
}

std::string KernelResults::feed(size_t kernel,
                                runtime::Problem &problem) const {
  Producers from = producersOf(kernel);
  std::string fed;
  for (auto [input, name, producer] :
       {std::tuple(0, "A", from.ofA), std::tuple(1, "B", from.ofB)}) {
    if (!producer)
      continue;
    auto result = results.find(*producer);
    runtime::HostTensor &tensor = problem.tensors[input];
    if (result == results.end() || result->second.size() != tensor.bytes())
      continue;
    std::memcpy(tensor.data(), result->second.data(), tensor.bytes());
    tensor.keepAsInitial();
    fed += (fed.empty() ? "" : ", ") + std::string(name) + " of kernel " +
           std::to_string(*producer);
  }
  return fed;
}

void KernelResults::keep(size_t kernel, const runtime::Problem &problem) {
  auto number = static_cast<int64_t>(kernel);
  bool isRead = llvm::any_of(producers, [&](const Producers &from) {
    return from.ofA == number || from.ofB == number;
  });
  if (isRead)
    results[number].assign(problem.c().data(),
                           problem.c().data() + problem.c().bytes());
}

void run::addProducers(const Producers &producers, runtime::Json &json) {
  if (!producers.ofA && !producers.ofB)
    return;
  auto number = [](const std::optional<int64_t> &producer) {
    return producer ? runtime::Json(*producer) : runtime::Json();
  };
  json["results_of"] = {{"a", number(producers.ofA)},
                        {"b", number(producers.ofB)}};
}
