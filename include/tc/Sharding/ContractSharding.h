//===- ContractSharding.h - Contractions over grids of devices --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The implementation of tc.contract for upstream's passes
// --sharding-propagation and --shard-partition.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SHARDING_CONTRACTSHARDING_H
#define TC_SHARDING_CONTRACTSHARDING_H

#include "tc/Support/MLIR/LLVM.h"

namespace tc {

/// Attaches upstream's sharding interface to tc.contract, in contexts made from
/// the registry, once they have loaded the tc and the shard dialect.
///
/// A loop is a label, in the order of ContractOp::getLabels(). Where a summed
/// label is cut, each part of it makes a summand of the result: the old
/// contents of C are added by the first of the devices that share a sum, and an
/// all-reduce by the semiring's sum follows. Partition refuses, with an error
/// on the operation:
/// - memrefs, halos and parts with offsets;
/// - a label that is cut in one operand otherwise than in another, and a
///   dimension of the grid that cuts two labels;
/// - an extent that its parts do not divide;
/// - where a summed label is cut, an epilogue, a semiring that the user
///   defines, and an alpha that does not distribute over the semiring's sums.
void registerContractSharding(DialectRegistry &registry);

} // namespace tc

#endif // TC_SHARDING_CONTRACTSHARDING_H
