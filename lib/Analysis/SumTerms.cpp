//===- SumTerms.cpp - Contractions that add to one output -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/SumTerms.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>

using namespace tc;

FusedOp tc::getGroup(ContractOp op) {
  return dyn_cast_or_null<FusedOp>(op->getParentOp());
}

FusedOp tc::groupContractions(ArrayRef<ContractOp> ops) {
  ContractOp last = ops.back();
  SmallVector<Operation *> members;
  for (auto [number, op] : llvm::enumerate(ops)) {
    members.push_back(op);
    if (op == last)
      continue;
    if (Operation *softmax = getSoftmaxBetween(op, ops[number + 1]))
      members.push_back(softmax);
  }
  OpBuilder builder(last);
  auto group = FusedOp::create(builder, last.getLoc(), last->getResultTypes());
  group.setDissolvable(true);
  last->replaceAllUsesWith(group->getResults());
  for (Operation *member : members)
    member->moveBefore(group.getBody(), group.getBody()->end());
  builder.setInsertionPointToEnd(group.getBody());
  FusedYieldOp::create(builder, last.getLoc(), last->getResults());
  return group;
}

FusedOp tc::groupProductsOfInput(ArrayRef<ContractOp> ops) {
  ContractOp last = ops.back();
  SmallVector<Value> results;
  for (ContractOp op : ops)
    results.push_back(op.getResult());
  OpBuilder builder(last);
  auto group = FusedOp::create(builder, last.getLoc(),
                               mlir::ValueRange(results).getTypes());
  group.setDissolvable(true);
  for (auto [result, grouped] : llvm::zip_equal(results, group.getResults()))
    result.replaceAllUsesWith(grouped);
  for (ContractOp op : ops)
    op->moveBefore(group.getBody(), group.getBody()->end());
  builder.setInsertionPointToEnd(group.getBody());
  FusedYieldOp::create(builder, last.getLoc(), results);
  return group;
}

SmallVector<ContractOp> tc::getTermsUpTo(ContractOp last) {
  if (FusedOp group = getGroup(last)) {
    SmallVector<ContractOp> terms = group.getContractions();
    if (terms.back() == last &&
        group.getGroup().hasOnly(model::EdgeKind::Accumulate))
      return terms;
  }
  return {last};
}

ContractOp tc::getNextTerm(ContractOp op) {
  if (!op.hasBuffers()) {
    if (!op.getResult().hasOneUse())
      return {};
    auto next = dyn_cast<ContractOp>(*op.getResult().user_begin());
    bool adds = next && next->getBlock() == op->getBlock() &&
                next.getC() == op.getResult();
    return adds ? next : ContractOp();
  }
  for (Operation *other = op->getNextNode(); other;
       other = other->getNextNode()) {
    if (auto next = dyn_cast<ContractOp>(other))
      return next.hasBuffers() && next.getC() == op.getC() ? next
                                                           : ContractOp();
    if (!mlir::isMemoryEffectFree(other))
      return {};
  }
  return {};
}

/// The number that alpha is, one if it is absent; none if it is not known.
static mlir::TypedAttr getAlpha(ContractOp op) {
  return op.getAlpha()
             ? getConstantNumber(op.getAlpha())
             : getOne(model::Semiring::PlusTimes, op.getAccumulatorType());
}

static std::optional<std::string> findObstacle(ContractOp op) {
  if (op.getSemiring() != model::Semiring::PlusTimes)
    return "its semiring is not plus_times";
  if (isa<mlir::ComplexType>(op.getAccumulatorType()))
    return "it is of complex numbers";
  if (op.hasZeroExtent())
    return "it has an index of extent zero";
  if (op.getDynamicShape())
    return "it takes its shape at run time";
  mlir::TypedAttr alpha = getAlpha(op);
  if (!alpha)
    return "its alpha is not a constant";
  if (isZero(model::Semiring::PlusTimes, alpha))
    return "its alpha is zero";
  return std::nullopt;
}

std::optional<std::string> tc::findSumObstacle(ContractOp op, ContractOp next) {
  for (ContractOp term : {op, next})
    if (std::optional<std::string> obstacle = findObstacle(term))
      return obstacle;
  if (op.getAccumulatorType() != next.getAccumulatorType())
    return "the types of sums differ";
  if (op.getAccumulate() || op.getHasEpilogue())
    return "an earlier term has an epilogue or accumulates";
  if (!next.getAccumulate() &&
      !(next.getBeta() && isOne(next.getSemiring(), next.getBeta())))
    return "beta of a later term is not the constant one";
  // Then the epilogue would see what the other terms have made of C.
  if (mlir::Region *epilogue = next.getEpilogue();
      epilogue && !epilogue->getArgument(1).use_empty())
    return "the epilogue uses the old elements of C";
  if (next.getAccumulate())
    return "a later term accumulates";
  double ratio = getRatio(getAlpha(op), getAlpha(next));
  if (isa<mlir::IntegerType>(op.getAccumulatorType()) && std::isnan(ratio))
    return "factors alpha of integers differ in size";
  if (!std::isnormal(static_cast<float>(ratio)))
    return "the ratio of factors alpha is out of range";
  return std::nullopt;
}
