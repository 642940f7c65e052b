//===- GroupLayout.h - Layouts of a group's contractions --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each contraction of a group has a layout of its own. One kernel can have them
// all if those at both ends of each edge go together.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_GROUPLAYOUT_H
#define TC_GPU_LAYOUT_GROUPLAYOUT_H

#include "tc/Gpu/Layout/ChainLayout.h"

namespace tc::model {

/// Checks that one kernel can compute the contractions at both ends of an edge:
/// `checkFeed`, `checkShare` or `checkTerms`, as its kind says.
///
/// @return an error about the contraction that is computed later or, if they
///         are in no order, about that which is not the kernel's own
Status checkEdge(const IndexedEdge &edge, const Contraction &from,
                 const KernelLayout &ofFrom, const Contraction &to,
                 const KernelLayout &ofTo);

/// The node that an error of `checkEdge` is about.
unsigned checkedNode(const GroupEdge &edge);

/// The places of the shared tiles of a group's contractions, and what a block
/// of the kernel needs for all of them.
///
/// @param layouts  by the numbers of nodes
ChainPlaces placeGroup(const ContractionGroup &group,
                       const std::vector<const KernelLayout *> &layouts);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_GROUPLAYOUT_H
