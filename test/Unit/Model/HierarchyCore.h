//===- HierarchyCore.h - A core with three levels of cache ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hierarchy with which the search is tried on the benchmark.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_MODEL_HIERARCHYCORE_H
#define TC_TEST_UNIT_MODEL_HIERARCHYCORE_H

#include "tc/Hierarchy/HierarchySearch.h"

namespace tc::model::test {

/// Three levels of cache and the registers of a core with 256-bit vectors.
inline Hierarchy core() {
  return {{"registers", 512, 32, 0, 0},
          {"L1", 32768, 64, 8, 100e9},
          {"L2", 262144, 64, 8, 60e9},
          {"L3", 8 * 1024 * 1024, 64, 16, 30e9},
          {"memory", 0, 64, 0, 15e9}};
}

/// A micro-kernel of six rows and two vectors.
inline TileConstraints coreConstraints(ElementType type) {
  TileConstraints constraints;
  constraints.registerTile = RegisterTile{6, 2 * 32 / byteWidth(type)};
  return constraints;
}

} // namespace tc::model::test

#endif // TC_TEST_UNIT_MODEL_HIERARCHYCORE_H
