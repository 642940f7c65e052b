//===- Reductions.cpp - Contractions that are added up --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Reductions.h"
#include "tc/Analysis/SumTerms.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tc;
namespace linalg = mlir::linalg;
namespace memref = mlir::memref;

bool tc::isReduced(ContractOp op) {
  FusedOp group = getGroup(op);
  return group && group.getReduction() &&
         !group.getGroup().has(model::EdgeKind::Feed);
}

linalg::FillOp tc::findZeroFill(linalg::LinalgOp reduction) {
  Value output = reduction.getDpsInitOperand(0)->get();
  linalg::FillOp fill;
  if (isa<mlir::TensorType>(output.getType())) {
    fill = output.getDefiningOp<linalg::FillOp>();
  } else {
    // The last of what is done to the buffer before.
    mlir::Block *block = reduction->getBlock();
    for (Operation *user : output.getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (!ancestor)
        return {};
      if (ancestor == reduction || !ancestor->isBeforeInBlock(reduction))
        continue;
      if (fill || ancestor != user)
        return {};
      fill = dyn_cast<linalg::FillOp>(user);
      if (!fill)
        return {};
    }
  }
  if (!fill)
    return {};
  Value value = fill.getInputs().front();
  bool isZero = mlir::matchPattern(value, mlir::m_AnyZeroFloat()) ||
                mlir::matchPattern(value, mlir::m_Zero());
  return isZero ? fill : linalg::FillOp();
}

/// The operation that reads C's buffer, if it is the only one but contractions
/// that write it and what allocates and frees it. `place` is the group or, if
/// there is none, the contraction.
static linalg::LinalgOp findOnlyReader(ContractOp op, Operation *place) {
  Value buffer = op.getC();
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return {};
  linalg::LinalgOp reader;
  for (Operation *user : buffer.getUsers()) {
    if (isa<memref::DeallocOp>(user))
      continue;
    if (auto contraction = dyn_cast<ContractOp>(user)) {
      bool onlyWrites = contraction.getC() == buffer &&
                        llvm::count(contraction->getOperands(), buffer) == 1;
      Operation *ancestor = place->getBlock()->findAncestorOpInBlock(*user);
      if (!onlyWrites || !ancestor ||
          (ancestor != place && place->isBeforeInBlock(ancestor)))
        return {};
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    if (reader || !linalgOp || user->getBlock() != place->getBlock() ||
        !place->isBeforeInBlock(user))
      return {};
    reader = linalgOp;
  }
  return reader;
}

/// Returns true if the output of a reduction is there before the contraction or
/// its group, and nothing between the two reads or writes memory.
static bool followsAtOnce(linalg::LinalgOp reduction, Operation *op) {
  Operation *output = reduction.getDpsInitOperand(0)->get().getDefiningOp();
  if (output && output->getBlock() == op->getBlock() &&
      !output->isBeforeInBlock(op))
    return false;
  for (Operation *between = op->getNextNode(); between != reduction;
       between = between->getNextNode())
    if (!mlir::isMemoryEffectFree(between) &&
        !isa<memref::AllocOp, memref::DeallocOp>(between))
      return false;
  return true;
}

linalg::LinalgOp tc::findReduction(ContractOp op, bool addsTerms) {
  auto type = cast<ShapedType>(op.getC().getType());
  bool readsC = op.readsC() && !addsTerms;
  if (!type.hasStaticShape() || type.getRank() == 0 || readsC ||
      op.hasZeroExtent() || isa<mlir::ComplexType>(type.getElementType()))
    return {};
  FusedOp group = getGroup(op);
  if (group && (group.getReduction() ||
                !group.getGroup().hasOnly(model::EdgeKind::Accumulate) ||
                group.getContractions().back() != op))
    return {};
  Operation *place = group ? group.getOperation() : op.getOperation();
  Value sum = op.hasBuffers() ? op.getC() : Value(place->getResult(0));
  linalg::LinalgOp reduction;
  if (op.hasBuffers())
    reduction = findOnlyReader(op, place);
  else if (sum.hasOneUse())
    reduction = dyn_cast<linalg::LinalgOp>(*sum.user_begin());
  if (!reduction || !addsAllElements(reduction) || !findZeroFill(reduction) ||
      reduction->getBlock() != place->getBlock())
    return {};
  if (op.hasBuffers() && !followsAtOnce(reduction, place))
    return {};
  Value input = reduction.getDpsInputOperand(0)->get();
  return input == sum ? reduction : linalg::LinalgOp();
}
