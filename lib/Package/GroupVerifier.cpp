//===- GroupVerifier.cpp - Contractions of a kernel, verified -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc/Problem/Group.h has the rules of groups. Here they are held against a
// description, with what a launch adds to them.
//
//===----------------------------------------------------------------------===//

#include "VerifierSupport.h"

#include "tc/Package/KernelRecord.h"
#include "tc/Package/PackageFormat.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;
using model::EdgeKind;
using model::GroupTensor;
using model::Tensor;

namespace {

/// A kernel with several contractions, and where it stands.
class GroupVerifier {
public:
  GroupVerifier(const std::string &path, const Kernel &kernel)
      : path(path), kernel(kernel), group(groupOf(kernel)),
        operands(group.operands()) {}

  Status verify() const;

private:
  Status verifyLaunch() const;
  Status verifyOther(unsigned node) const;
  Status verifyTiles(const model::GroupEdge &edge) const;

  std::string pathOf(unsigned node) const {
    return node == 0 ? path : at(path + ".contractions", node - 1);
  }
  std::string pathOf(const GroupTensor &tensor) const;
  Error faultOf(const model::GroupFault &found) const {
    if (!found.tensor)
      return fault(pathOf(found.node), found.message);
    return fault(pathOf(*found.tensor),
                 model::nameOf(*found.tensor) + " " + found.message);
  }
  const TensorArgument &tensorOf(const GroupTensor &tensor) const {
    return contractionAt(kernel, tensor.node)
        .tensors[static_cast<size_t>(tensor.tensor)];
  }

  const std::string &path;
  const Kernel &kernel;
  model::Group group;
  std::vector<GroupTensor> operands;
};

} // namespace

/// An argument, or the edge that says what is no argument.
std::string GroupVerifier::pathOf(const GroupTensor &tensor) const {
  if (group.isOperand(tensor)) {
    auto number = static_cast<size_t>(
        std::find(operands.begin(), operands.end(), tensor) - operands.begin());
    return at(path + ".arguments",
              number < 3 ? number : number + kernel.auxiliaries.size());
  }
  const model::GroupEdge *edge =
      tensor.tensor == Tensor::C ? group.edgeFromOutput(tensor.node)
                                 : group.edgeInto(tensor.node, tensor.tensor);
  return at(path + ".edges", static_cast<size_t>(edge - group.edges.data()));
}

/// Blocks compute tiles of all contractions without waiting for one another.
Status GroupVerifier::verifyLaunch() const {
  bool isShared = group.has(EdgeKind::Share);
  model::GridMapping plain;
  if (!isShared)
    plain.rasterM = kernel.mapping.rasterM;
  if (!(kernel.mapping == plain) || (kernel.workspace && !kernel.reduces))
    return fault(path + ".mapping",
                 "must neither loop over tiles nor split K where there are "
                 "several contractions" +
                     std::string(isShared ? ", and be plain where they share "
                                            "an input"
                                          : ""));
  if (isShared && !kernel.auxiliaries.empty())
    return fault(path, "must have no auxiliary tensors where contractions "
                       "share an input");
  return {};
}

Status GroupVerifier::verifyOther(unsigned node) const {
  const KernelContraction &other = contractionAt(kernel, node);
  std::string own = pathOf(node);
  ExtentOfLabel extents;
  std::array<std::string, 3> paths;
  for (Tensor each : model::allTensors) {
    GroupTensor tensor{node, each};
    auto number = static_cast<size_t>(each);
    const TensorArgument &argument = other.tensors[number];
    bool isOperand = group.isOperand(tensor);
    paths[number] = pathOf(tensor);
    if (Status s = verifyTensor(
            paths[number], argument,
            isOperand ? model::nameOf(tensor) : argument.name, extents);
        !s)
      return s;
    std::string_view expected = each == Tensor::C ? "write" : "read";
    if (isOperand && accessOf(argument) != expected)
      return fault(paths[number] + ".access",
                   "expected \"" + std::string(expected) + "\"");
  }
  if (group.isOperand({node, Tensor::C}))
    if (Status s = verifyOutput(paths[2], other, /*reduces=*/false); !s)
      return s;
  if (Status s = verifyFusedCode(own, other); !s)
    return s;
  std::optional<model::Expression> epilogue = epilogueOf(other);
  if (epilogue && (epilogueReadsC(other) || !epilogue->auxiliaries().empty()))
    return fault(own + ".epilogue", "must only use x: it is that of the "
                                    "kernel's own contraction that may use "
                                    "other elements");
  if (!model::isComplex(other.accumulatorType) &&
      model::accumulatorTypeOf(factorTypeOf(other)) != other.accumulatorType)
    return fault(own + ".accumulator",
                 "is not the type of sums of products of " +
                     std::string(model::stringify(factorTypeOf(other))));
  return verifyArithmetic(own, other, paths);
}

/// The tile that a block computes of each contraction must follow from the
/// input that they share.
Status GroupVerifier::verifyTiles(const model::GroupEdge &edge) const {
  GroupTensor sink{edge.to, edge.sink};
  const std::vector<std::string> &here =
      tensorOf({edge.from, edge.source}).labels;
  const std::vector<std::string> &there = tensorOf(sink).labels;
  const std::vector<std::string> &output =
      tensorOf({edge.to, Tensor::C}).labels;
  for (const GridDim &dim : kernel.gridDims) {
    if (dim.tiles() == 1)
      continue;
    auto found = std::find(here.begin(), here.end(), dim.label);
    bool isTaken = found != here.end() &&
                   std::find(output.begin(), output.end(),
                             there[found - here.begin()]) != output.end();
    if (!isTaken)
      return fault(pathOf(sink),
                   "index \"" + dim.label +
                       "\" of the kernel has several tiles, so it must be one "
                       "of the input in common, and of " +
                       model::nameOf({edge.to, Tensor::C}));
    const std::string &inOther = there[found - here.begin()];
    if (std::count(here.begin(), here.end(), dim.label) > 1 ||
        std::count(there.begin(), there.end(), inOther) > 1)
      return fault(pathOf(sink),
                   "index \"" + dim.label +
                       "\" of the kernel has several tiles, so it must be "
                       "once in the input in common, here and there");
  }
  return {};
}

Status GroupVerifier::verify() const {
  if (std::optional<model::GroupFault> found = model::findFault(group))
    return faultOf(*found);
  if (group.size == 1)
    return {};
  for (unsigned node = 1; node < group.size; ++node)
    if (Status s = verifyOther(node); !s)
      return s;
  std::vector<model::ContractionRecord> records = {recordOf(kernel)};
  for (const KernelContraction &other : kernel.others)
    records.push_back(recordOf(other));
  if (std::optional<model::GroupFault> found = model::findFault(
          group, [&](unsigned node) -> const model::ContractionRecord & {
            return records[node];
          }))
    return faultOf(*found);
  if (Status s = verifyLaunch(); !s)
    return s;
  for (const model::GroupEdge &edge : group.edges)
    if (model::kindOf(edge) == EdgeKind::Share)
      if (Status s = verifyTiles(edge); !s)
        return s;
  return {};
}

Status tc::runtime::verifyGroup(const std::string &path, const Kernel &kernel) {
  return GroupVerifier(path, kernel).verify();
}
