//===- KernelResults.cpp - Inputs of later kernels --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelResults.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace tc;
using namespace tc::run;

/// Makes all elements of a tensor that number.
static void fill(runtime::HostTensor &tensor, const model::Constant &number) {
  std::vector<std::byte> element = runtime::bytesOf(number, tensor.type());
  for (size_t i = 0; i < tensor.bytes(); ++i)
    tensor.data()[i] = element[i % element.size()];
}

bool KernelResults::feed(const TensorSource &source,
                         runtime::HostTensor &tensor) const {
  // Poison is not read.
  if (tensor.contents() == runtime::Contents::Poison)
    return false;
  if (source.number) {
    fill(tensor, *source.number);
    tensor.keepAsInitial();
    return true;
  }
  auto result = source.kernel ? results.find(*source.kernel) : results.end();
  if (result == results.end() || result->second.size() != tensor.bytes())
    return false;
  std::memcpy(tensor.data(), result->second.data(), tensor.bytes());
  tensor.keepAsInitial();
  return true;
}

std::string KernelResults::feed(size_t kernel,
                                const runtime::Kernel &definition,
                                runtime::Problem &problem) const {
  if (kernel >= sources.size())
    return "";
  std::string given;
  for (auto [source, tensor, argument] : llvm::zip_equal(
           sources[kernel], problem.tensors, runtime::tensorsOf(definition))) {
    if (!feed(source, tensor))
      continue;
    given += (given.empty() ? "" : ", ") + argument->name;
    if (source.kernel)
      given += " of kernel " + std::to_string(*source.kernel);
    else
      given += " is " + stringify(*source.number);
  }
  return given;
}

void KernelResults::keep(size_t kernel, const runtime::Problem &problem) {
  auto number = static_cast<int64_t>(kernel);
  bool isRead = llvm::any_of(sources, [&](const TensorSources &from) {
    return llvm::any_of(from, [&](const TensorSource &source) {
      return source.kernel == number;
    });
  });
  if (isRead)
    results[number].assign(problem.c().data(),
                           problem.c().data() + problem.c().bytes());
}

void run::addSources(const runtime::Kernel &definition,
                     const TensorSources &sources, runtime::Json &json) {
  runtime::Json read = {{"a", nullptr}, {"b", nullptr}};
  bool isAny = false;
  for (auto [source, argument] :
       llvm::zip_equal(sources, runtime::tensorsOf(definition)))
    if (source.kernel) {
      read[llvm::StringRef(argument->name).lower()] = *source.kernel;
      isAny = true;
    }
  if (isAny)
    json["results_of"] = std::move(read);
}
