//===- BranchesVerifier.cpp - Fans of contractions in packages ------------===//
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

/// What a kernel that computes a fan must not have.
static Status verifyFan(const std::string &path, const Kernel &kernel) {
  if (!kernel.sharedInput || *kernel.sharedInput > 1)
    return fault(path + ".branches", "must have an input in common");
  if (!kernel.terms.empty() || !kernel.links.empty())
    return fault(path + (kernel.terms.empty() ? ".links" : ".terms"),
                 "cannot be beside branches");
  if (!(kernel.mapping == model::GridMapping()) || kernel.workspace)
    return fault(path + ".mapping", "must be plain where there are branches");
  if (kernel.semiring != model::Semiring::PlusTimes)
    return fault(path + ".semiring",
                 "must be plus_times where there are branches");
  if (kernel.reduces)
    return fault(path + ".reduce", "is not for kernels with branches");
  if (kernel.dynamicShape)
    return fault(path + ".dynamic_shape", "is not for kernels with branches");
  if (kernel.alpha.isArgument || !kernel.auxiliaries.empty() ||
      accessOf(kernel.tensors[2]) != "write")
    return fault(path, "must have an alpha that is a value, no auxiliary "
                       "tensors, and a C that is written and not read, as "
                       "there are branches");
  return {};
}

/// Of which block a tile is must follow from the input that both have.
static Status verifyTiles(const std::string &path, const Kernel &kernel,
                          const Kernel &branch) {
  const std::vector<std::string> &here =
      kernel.tensors[*kernel.sharedInput].labels;
  const std::vector<std::string> &there =
      branch.tensors[*branch.sharedInput].labels;
  const std::vector<std::string> &output = branch.tensors[2].labels;
  for (const GridDim &dim : kernel.gridDims) {
    if (dim.tiles() == 1)
      continue;
    auto found = std::find(here.begin(), here.end(), dim.label);
    bool isTaken = found != here.end() &&
                   std::find(output.begin(), output.end(),
                             there[found - here.begin()]) != output.end();
    if (!isTaken)
      return fault(path + ".shares",
                   "index \"" + dim.label +
                       "\" of the kernel has several tiles, so it must be one "
                       "of the input in common, and of C of the branch");
    const std::string &inBranch = there[found - here.begin()];
    if (std::count(here.begin(), here.end(), dim.label) > 1 ||
        std::count(there.begin(), there.end(), inBranch) > 1)
      return fault(path + ".shares",
                   "index \"" + dim.label +
                       "\" of the kernel has several tiles, so it must be "
                       "once in the input in common, here and there");
  }
  return {};
}

static Status verifyBranch(const std::string &path, const Kernel &kernel,
                           size_t number) {
  const Kernel &branch = kernel.branches[number];
  std::string own = at(path + ".branches", number);
  if (!branch.sharedInput || *branch.sharedInput > 1)
    return fault(own, "must have an input in common with the kernel");
  std::string suffix = std::to_string(number + 1);
  size_t shared = *branch.sharedInput, other = 1 - shared;
  std::array<size_t, 3> places = placesOfBranch(kernel, number);
  ExtentOfLabel extents;
  const TensorArgument &common = branch.tensors[shared];
  if (common.labels.size() != common.extents.size())
    return fault(own + ".shares.indices",
                 "expected as many as the input in common has, " +
                     std::to_string(common.extents.size()));
  if (Status s = verifyTensor(own + ".shares", common, common.name, extents);
      !s)
    return s;
  static constexpr std::array<const char *, 3> names = {"A", "B", "C"};
  for (size_t i : {other, size_t{2}}) {
    std::string where = at(path + ".arguments", places[i]);
    if (Status s =
            verifyTensor(where, branch.tensors[i], names[i] + suffix, extents);
        !s)
      return s;
    std::string_view expected = i == 2 ? "write" : "read";
    if (accessOf(branch.tensors[i]) != expected)
      return fault(where + ".access",
                   "expected \"" + std::string(expected) + "\"");
  }
  if (Status s = verifyOutput(at(path + ".arguments", places[2]), branch); !s)
    return s;
  if (Status s = verifyFusedCode(own, branch); !s)
    return s;
  std::optional<model::Expression> epilogue = epilogueOf(branch);
  if (epilogue && (epilogueReadsC(branch) || !epilogue->auxiliaries().empty()))
    return fault(own + ".epilogue", "must only use x in a branch");
  for (const TensorArgument &tensor : branch.tensors)
    if (model::isInteger(tensor.type))
      return fault(own, "must be of floating-point numbers, but " +
                            tensor.name + " has " +
                            std::string(model::stringify(tensor.type)));
  if (!model::isComplex(branch.accumulatorType) &&
      model::accumulatorTypeOf(factorTypeOf(branch)) != branch.accumulatorType)
    return fault(own + ".accumulator",
                 "is not the type of sums of products of " +
                     std::string(model::stringify(factorTypeOf(branch))));
  if (Status s = verifyArithmetic(own, branch); !s)
    return s;
  return verifyTiles(own, kernel, branch);
}

Status tc::runtime::verifyBranches(const std::string &path,
                                   const Kernel &kernel) {
  if (kernel.branches.empty())
    return {};
  if (Status s = verifyFan(path, kernel); !s)
    return s;
  for (size_t i = 0; i < kernel.branches.size(); ++i)
    if (Status s = verifyBranch(path, kernel, i); !s)
      return s;
  return {};
}
