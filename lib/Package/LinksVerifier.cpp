//===- LinksVerifier.cpp - Chains of contractions in packages -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierSupport.h"

#include "tc/Package/PackageFormat.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;

/// What a kernel that computes a chain must not have.
static Status verifyChain(const std::string &path, const Kernel &kernel) {
  for (size_t i = 0; i <= kernel.links.size(); ++i) {
    const std::optional<size_t> &input = i < kernel.links.size()
                                             ? kernel.links[i].chainedInput
                                             : kernel.chainedInput;
    if (input.has_value() != (i > 0) || input.value_or(0) > 1)
      return fault(path + ".links",
                   "each but the first must compute with what the one before "
                   "does, as A or as B");
  }

  model::GridMapping plain;
  plain.rasterM = kernel.mapping.rasterM;
  if (!kernel.terms.empty())
    return fault(path + ".terms", "cannot be beside links");
  if (!(kernel.mapping == plain) || kernel.workspace)
    return fault(path + ".mapping", "must neither loop over tiles nor split K "
                                    "where there are links");
  if (kernel.semiring != model::Semiring::PlusTimes)
    return fault(path + ".semiring",
                 "must be plus_times where there are links");
  if (kernel.reduces)
    return fault(path + ".reduce", "is not for kernels with links");
  if (kernel.dynamicShape)
    return fault(path + ".dynamic_shape", "is not for kernels with links");
  return {};
}

/// The output's indices are in the inputs, once each.
static Status verifyOutput(const std::string &path, const Kernel &link,
                           const ExtentOfLabel &extents) {
  const std::vector<std::string> &labels = link.tensors[2].labels;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!extents.count(labels[i]))
      return fault(at(path, i), "index \"" + labels[i] +
                                    "\" is in neither input of the link");
    for (size_t j = 0; j < i; ++j)
      if (labels[j] == labels[i])
        return fault(at(path, i), "\"" + labels[i] + "\" occurs twice");
  }
  return {};
}

static Status verifyLink(const std::string &path,
                         const std::string &argumentsPath, const Kernel &kernel,
                         size_t number) {
  const Kernel &link = kernel.links[number];
  std::string suffix = std::to_string(number + 1);
  ExtentOfLabel extents;
  for (size_t i = 0; i < 2; ++i) {
    bool isChained = link.chainedInput == i;
    size_t place = number == 0 && i == 0
                       ? *kernel.chainedInput
                       : 3 + kernel.auxiliaries.size() + number;
    std::string where =
        isChained ? at(path, number - 1) + ".feeds" : at(argumentsPath, place);
    if (Status s = verifyTensor(where, link.tensors[i],
                                nameOfTensor[i] + suffix, extents);
        !s)
      return s;
    if (!isChained && accessOf(link.tensors[i]) != "read")
      return fault(where + ".access", "expected \"read\"");
  }
  std::string own = at(path, number);
  if (Status s = verifyOutput(own + ".output", link, extents); !s)
    return s;
  if (Status s = verifyFusedCode(own, link); !s)
    return s;
  std::optional<model::Expression> epilogue = epilogueOf(link);
  if (epilogue && (epilogueReadsC(link) || !epilogue->auxiliaries().empty()))
    return fault(own + ".epilogue", "must only use x in a link");
  for (const TensorArgument &tensor : link.tensors)
    if (model::isInteger(tensor.type))
      return fault(own, "must be of floating-point numbers, but " +
                            tensor.name + " has " +
                            std::string(model::stringify(tensor.type)));
  if (!model::isComplex(link.accumulatorType) &&
      model::accumulatorTypeOf(factorTypeOf(link)) != link.accumulatorType)
    return fault(own + ".accumulator",
                 "is not the type of sums of products of " +
                     std::string(model::stringify(factorTypeOf(link))));
  return verifyArithmetic(own, link);
}

/// A softmax is along what the kernel sums over, and of no link.
static Status verifySoftmax(const std::string &path, const Kernel &kernel) {
  for (size_t i = 0; i < kernel.links.size(); ++i)
    if (kernel.links[i].softmax)
      return fault(at(path + ".links", i), "must not take a softmax");
  if (!kernel.softmax)
    return {};
  if (model::isComplex(kernel.accumulatorType))
    return fault(at(path + ".links", kernel.links.size() - 1) + ".feeds",
                 "passes through a softmax, but its numbers are complex");
  const std::vector<std::string> &kept = kernel.tensors[2].labels;
  const std::vector<std::string> &labels =
      kernel.tensors[*kernel.chainedInput].labels;
  bool isSummed =
      std::any_of(labels.begin(), labels.end(), [&](const std::string &label) {
        return std::find(kept.begin(), kept.end(), label) == kept.end();
      });
  if (!isSummed)
    return fault(at(path + ".links", kernel.links.size() - 1) + ".feeds",
                 "passes through a softmax, but none of its indices is summed "
                 "over");
  return {};
}

Status tc::runtime::verifyLinks(const std::string &path, const Kernel &kernel) {
  if (kernel.links.empty())
    return kernel.softmax ? fault(path + ".links",
                                  "must compute what a softmax is taken of")
                          : Status();
  if (Status s = verifyChain(path, kernel); !s)
    return s;
  if (Status s = verifySoftmax(path, kernel); !s)
    return s;
  for (size_t i = 0; i < kernel.links.size(); ++i)
    if (Status s = verifyLink(path + ".links", path + ".arguments", kernel, i);
        !s)
      return s;
  return {};
}
