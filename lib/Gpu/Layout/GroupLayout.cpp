//===- GroupLayout.cpp - Layouts of a group's contractions ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/GroupLayout.h"

#include "tc/Gpu/Layout/SumExchange.h"

#include <algorithm>

namespace tc::model {

Status checkEdge(const IndexedEdge &edge, const Contraction &from,
                 const KernelLayout &ofFrom, const Contraction &to,
                 const KernelLayout &ofTo) {
  switch (kindOf(edge)) {
  case EdgeKind::Accumulate:
    return checkTerms(to, ofTo, from, ofFrom);
  case EdgeKind::Feed:
    return checkFeed(from, ofFrom, to, ofTo, edge);
  case EdgeKind::Share:
    return checkShare(from, ofFrom, to, ofTo, edge.indices);
  }
  return {};
}

unsigned checkedNode(const GroupEdge &edge) {
  return traitsOf(edge).memory == EdgeMemory::Sink ? edge.from : edge.to;
}

ChainPlaces placeGroup(const ContractionGroup &group,
                       const std::vector<const KernelLayout *> &layouts) {
  if (const IndexedEdge *last = group.producerOf(0)) {
    std::vector<const KernelLayout *> ordered;
    for (unsigned node : group.order())
      ordered.push_back(layouts[node]);
    return placeChain(ordered, group.contractions.front(), *last);
  }
  ChainPlaces places;
  for (const KernelLayout *layout : layouts) {
    places.bytes = std::max(places.bytes, layout->sharedBytes);
    places.registers = std::max(places.registers, layout->registers);
  }
  for (const IndexedEdge &edge : group.edges)
    if (traitsOf(edge).combinesSums)
      places.bytes =
          std::max(places.bytes,
                   exchangeBytes(*layouts[edge.from],
                                 group.contractions.front().accumulatorType));
  return places;
}

} // namespace tc::model
