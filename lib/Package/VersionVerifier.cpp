//===- VersionVerifier.cpp - Kernels in place of others -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierSupport.h"

#include <algorithm>
#include <tuple>

using namespace tc;
using namespace tc::runtime;

/// True if two contractions make the same of what is in their tensors.
static bool computesSame(const KernelContraction &one,
                         const KernelContraction &other) {
  auto computed = [](const KernelContraction &contraction) {
    return std::tie(
        contraction.semiring, contraction.product, contraction.combine,
        contraction.identity, contraction.conjugatesA, contraction.conjugatesB,
        contraction.prologueA, contraction.prologueB, contraction.epilogue);
  };
  return computed(one) == computed(other);
}

/// The edges of a kernel, which have no order, in one order.
static std::vector<model::GroupEdge> sortedEdges(const Kernel &kernel) {
  std::vector<model::GroupEdge> edges = kernel.edges;
  std::sort(edges.begin(), edges.end(), [](const auto &one, const auto &other) {
    return std::tie(one.from, one.to) < std::tie(other.from, other.to);
  });
  return edges;
}

/// The same of whole kernels. Their own tensors and factors are told apart
/// before.
static bool computesSame(const Kernel &one, const Kernel &other) {
  auto isSamePart = [](const KernelContraction &part,
                       const KernelContraction &ofOther) {
    auto hasSameIndices = [](const TensorArgument &tensor,
                             const TensorArgument &same) {
      return std::tie(tensor.type, tensor.labels) ==
             std::tie(same.type, same.labels);
    };
    return part.alpha.value == ofOther.alpha.value &&
           std::equal(part.tensors.begin(), part.tensors.end(),
                      ofOther.tensors.begin(), hasSameIndices) &&
           computesSame(part, ofOther);
  };
  return computesSame(static_cast<const KernelContraction &>(one),
                      static_cast<const KernelContraction &>(other)) &&
         std::tie(one.nonsaturating, one.reduces) ==
             std::tie(other.nonsaturating, other.reduces) &&
         sortedEdges(one) == sortedEdges(other) &&
         std::equal(one.others.begin(), one.others.end(), other.others.begin(),
                    other.others.end(), isSamePart);
}

Status tc::runtime::verifyVersion(const std::string &path,
                                  const Package &package, size_t number) {
  const Kernel &kernel = package.kernels[number];
  if (kernel.versionOf.empty())
    return {};
  auto end = package.kernels.begin() + static_cast<ptrdiff_t>(number);
  auto original =
      std::find_if(package.kernels.begin(), end, [&](const Kernel &other) {
        return other.entry == kernel.versionOf;
      });
  if (original == end || !original->versionOf.empty())
    return fault(path + ".version_of",
                 "no earlier kernel that is no version itself is called \"" +
                     kernel.versionOf + "\"");
  std::vector<const TensorArgument *> own = tensorsOf(kernel);
  std::vector<const TensorArgument *> others = tensorsOf(*original);
  auto differ = [&](const std::string &what) {
    return fault(path + ".version_of", "\"" + kernel.versionOf + "\" " + what);
  };
  if (own.size() != others.size())
    return differ("takes " + std::to_string(others.size()) + " tensors, not " +
                  std::to_string(own.size()));
  for (size_t i = 0; i < own.size(); ++i) {
    const TensorArgument &here = *own[i], &there = *others[i];
    // Shapes may differ for which kernels were tuned that take any.
    bool sameShape = std::tie(here.extents, here.strides, here.offset) ==
                     std::tie(there.extents, there.strides, there.offset);
    if (std::tie(here.type, here.labels) !=
            std::tie(there.type, there.labels) ||
        (!sameShape && !kernel.dynamicShape && !original->dynamicShape))
      return differ("has another tensor " + here.name);
  }
  for (auto [name, factor, other] :
       {std::tuple("alpha", &kernel.alpha, &original->alpha),
        std::tuple("beta", &kernel.beta, &original->beta)})
    if (factor->isArgument != other->isArgument ||
        (!factor->isArgument && factor->value != other->value))
      return differ(std::string("has another ") + name);
  if (!computesSame(kernel, *original))
    return differ("computes something else");
  return {};
}
