//===- KernelResults.cpp - What later kernels read --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelResults.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace tc;
using namespace tc::run;

Producers KernelResults::producersOf(size_t kernel) const {
  return kernel < producers.size() ? producers[kernel] : Producers();
}

void KernelResults::feed(size_t kernel, runtime::Problem &problem) const {
  Producers from = producersOf(kernel);
  for (auto [input, producer] :
       {std::pair(0, from.ofA), std::pair(1, from.ofB)}) {
    if (!producer)
      continue;
    auto result = results.find(*producer);
    runtime::HostTensor &tensor = problem.tensors[input];
    // A kernel of which only some blocks ran has no result.
    if (result == results.end() || result->second.size() != tensor.bytes())
      continue;
    std::memcpy(tensor.data(), result->second.data(), tensor.bytes());
    tensor.keepAsInitial();
  }
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

std::string KernelResults::describe(size_t kernel) const {
  Producers from = producersOf(kernel);
  std::string text;
  for (auto [name, producer] :
       {std::pair("A", from.ofA), std::pair("B", from.ofB)})
    if (producer)
      text += (text.empty() ? "" : ", ") + std::string(name) + " of kernel " +
              std::to_string(*producer);
  return text;
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
