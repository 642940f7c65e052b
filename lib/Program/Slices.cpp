//===- Slices.cpp - Parts of a product of many tensors ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Program/Slices.h"

using namespace tc;
using namespace tc::model;

static int64_t extentOf(const Network &network, const Slice &slice) {
  return network.indices[slice.index].extent;
}

int64_t tc::model::countParts(const Network &network, const Slice &slice) {
  int64_t extent = extentOf(network, slice);
  return extent / slice.length + (extent % slice.length != 0);
}

double tc::model::countSlices(const Network &network, const Slices &slices) {
  double count = 1;
  for (const Slice &slice : slices)
    count *= static_cast<double>(countParts(network, slice));
  return count;
}

int64_t tc::model::raggedLength(const Network &network, const Slice &slice) {
  return extentOf(network, slice) % slice.length;
}

std::vector<SliceKind> tc::model::kindsOfSlices(const Network &network,
                                                const Slices &slices) {
  std::vector<SliceKind> kinds = {{network, 1}};
  for (const Slice &slice : slices) {
    int64_t rest = raggedLength(network, slice);
    std::vector<SliceKind> shorter;
    for (SliceKind &kind : kinds) {
      kind.network.indices[slice.index].extent = rest;
      if (rest > 0)
        shorter.push_back(kind);
      kind.network.indices[slice.index].extent = slice.length;
      int64_t whole = extentOf(network, slice) / slice.length;
      kind.count *= static_cast<double>(whole);
    }
    kinds.insert(kinds.end(), shorter.begin(), shorter.end());
  }
  return kinds;
}

Network tc::model::firstSlice(const Network &network, const Slices &slices) {
  Network first = network;
  for (const Slice &slice : slices)
    first.indices[slice.index].extent = slice.length;
  return first;
}
