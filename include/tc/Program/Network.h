//===- Network.h - A product of many tensors --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record of a contraction of any number of tensors, and the trees of
// contractions of two that compute it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROGRAM_NETWORK_H
#define TC_PROGRAM_NETWORK_H

#include "tc/Problem/Contraction.h"
#include "tc/Support/Result.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tc::model {

/// Positions of indices in `Network::indices`; as those of a tensor, in the
/// order of its memory, the last with stride one.
using IndexList = std::vector<unsigned>;

inline bool contains(const IndexList &list, unsigned index) {
  return std::find(list.begin(), list.end(), index) != list.end();
}

/// The contraction D = sum of the inputs' products. An index that the output
/// does not hold is summed, and one that an input holds twice runs along that
/// input's diagonal.
struct Network {
  struct Index {
    std::string label;
    int64_t extent = 1;
  };
  std::vector<Index> indices;
  std::vector<IndexList> inputs;
  IndexList output;
  /// Of the inputs, of temporaries, and of what is stored at the end.
  ElementType type = ElementType::F64, temporaryType = ElementType::F64,
              outputType = ElementType::F64;
  Precision precision = Precision::IEEE;
  Semiring semiring = Semiring::PlusTimes;

  /// The product of the indices' extents; infinite rather than wrong.
  double elements(const IndexList &list) const;
  /// Bytes of an element of the inputs, and of a temporary.
  double inputWidth() const { return static_cast<double>(byteWidth(type)); }
  double temporaryWidth() const {
    return static_cast<double>(byteWidth(temporaryType));
  }
  /// Of a step's result.
  ElementType resultType(bool isLast) const {
    return isLast ? outputType : temporaryType;
  }
};

/// A network of contiguous tensors that lists of labels and extents describe.
/// Fails, naming the label, on a label without an extent or with two, on an
/// extent below one, on a label of the output that is in no input or twice in
/// the output, and without inputs.
Result<Network>
makeNetwork(const std::vector<std::vector<std::string>> &inputs,
            const std::vector<std::string> &output,
            const std::vector<std::pair<std::string, int64_t>> &extents,
            ElementType type);

/// An input, or the contraction of two nodes before it.
struct TreeNode {
  /// Positions of nodes; none of an input.
  std::vector<unsigned> operands;
  /// Of the result. Each index once, but for an input with diagonals.
  IndexList indices;

  bool isInput() const { return operands.empty(); }
};

/// The inputs in their order, then a step for each contraction of two, in the
/// order in which they are done. The last one makes the output. A network of
/// one input has one step with one operand.
struct ContractionTree {
  std::vector<TreeNode> nodes;

  bool operator==(const ContractionTree &other) const;
};

/// The operands that each step takes, by their positions in the list of those
/// that there are: they are removed from it, and the result is appended (the
/// convention of opt_einsum and of numpy.einsum_path).
using ContractionPath = std::vector<std::vector<unsigned>>;

/// The tree that a path describes. More than two operands of a step are
/// multiplied from the left to the right, and a step of one moves it to the
/// end. Fails, naming the step, on a position that is not in the list or that a
/// step names twice, and if more or less than one operand is left.
Result<ContractionTree> treeOf(const Network &network,
                               const ContractionPath &path);

ContractionPath pathOf(const ContractionTree &tree);

/// The indices of the product of inputs or steps that hold `first` and `second`
/// after summation over those that no other input and no output holds: first's,
/// then second's, each once. `isHeld` tells of an index whether it is held
/// elsewhere.
template <typename IsHeld>
IndexList productIndices(const IndexList &first, const IndexList &second,
                         IsHeld isHeld) {
  IndexList result;
  for (const IndexList *list : {&first, &second})
    for (unsigned index : *list) {
      bool isNew = true;
      for (unsigned other : result)
        isNew &= other != index;
      if (isNew && isHeld(index))
        result.push_back(index);
    }
  return result;
}

/// (2n - 3)!!, the number of trees of n inputs in which the order of the
/// operands of a step does not count; infinite where a double has no such
/// number.
double countTrees(size_t inputs);

/// All of them, by algorithm 1 of Nelson et al., "Generating Efficient Tensor
/// Contractions for GPUs" (ICPP 2015): every pair of those that there are is
/// contracted, and the rest is done in all ways. Trees that differ only in the
/// order of independent steps are listed once.
std::vector<ContractionTree> listTrees(const Network &network);

/// Multiplications of a step, and its operands' and result's bytes.
double productsOf(const Network &network, const ContractionTree &tree,
                  unsigned step);
double bytesOf(const Network &network, const ContractionTree &tree,
               unsigned step);

} // namespace tc::model

#endif // TC_PROGRAM_NETWORK_H
