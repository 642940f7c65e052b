//===- TC.td - The tc dialect ------------------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The umbrella from which everything is generated: it only includes the parts.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TC_TD
#define TC_DIALECT_TC_IR_TC_TD

include "tc/Dialect/TC/IR/TCDialect.td"
include "tc/Dialect/TC/IR/TCAttributes.td"
include "tc/Dialect/TC/IR/TCCpuAttributes.td"
include "tc/Dialect/TC/IR/TCKernelAttributes.td"
include "tc/Dialect/TC/IR/TCOps.td"
include "tc/Dialect/TC/IR/TCEinsumOp.td"
include "tc/Dialect/TC/IR/TCFusedOps.td"
include "tc/Dialect/TC/IR/TCTileOps.td"

#endif // TC_DIALECT_TC_IR_TC_TD
