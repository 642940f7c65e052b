//===- FuseReductions.cpp - Contractions that need not be stored ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups contractions with what adds all their elements up to one number, so
// that one kernel does both.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/Reductions.h"
#include "tc/Analysis/SumTerms.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Gpu/Layout/KernelLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tc {
#define GEN_PASS_DEF_FUSEREDUCTIONSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

/// Returns true if the schedules that terms carry fit kernels that add C up.
static bool schedulesFit(ArrayRef<ContractOp> terms) {
  mlir::ScopedDiagnosticHandler silence(
      ContractOp(terms.front()).getContext(),
      [](mlir::Diagnostic &) { return success(); });
  for (ContractOp term : terms) {
    ScheduleAttr schedule = term.getScheduleAttr();
    if (!schedule)
      continue;
    FailureOr<model::Contraction> contraction = toContraction(term);
    if (succeeded(contraction))
      contraction->isTerm = terms.size() > 1;
    Result<model::Target> target =
        lookUpTarget(term, schedule.getValue().target);
    if (failed(contraction) || !target ||
        !model::layOut(model::reduceOutput(std::move(*contraction)),
                       schedule.getValue(), *target))
      return false;
  }
  return true;
}

/// A tensor of that type that holds nothing.
static Value makeEmpty(OpBuilder &builder, Location loc, Type type) {
  auto ranked = cast<mlir::RankedTensorType>(type);
  return tensor::EmptyOp::create(builder, loc, ranked.getShape(),
                                 ranked.getElementType());
}

/// The group of a contraction or, if there is none, the contraction.
static Operation *getPlace(ContractOp op) {
  FusedOp group = getGroup(op);
  return group ? group.getOperation() : op.getOperation();
}

/// Moves the reduction to its contraction, so that what lies between cannot
/// come between them when both work on buffers, and gives them a C of their
/// own, whose buffer nobody else sees.
static void moveTogether(ContractOp first, ContractOp last,
                         linalg::LinalgOp reduction) {
  linalg::FillOp fill = findZeroFill(reduction);
  OpBuilder builder(getPlace(last));
  Location loc = reduction.getLoc();
  Value output = fill.getOutputs().front();
  // A buffer that the caller gives stays what it is.
  if (!isa<mlir::BlockArgument>(output))
    output = makeEmpty(builder, loc, output.getType());
  Type elementType = cast<ShapedType>(output.getType()).getElementType();
  Value zero = mlir::arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(elementType));
  Value init = linalg::FillOp::create(builder, loc, zero, output).getResult(0);
  reduction.getDpsInitOperand(0)->set(init);
  first.getCMutable().assign(makeEmpty(builder, loc, first.getC().getType()));
  reduction->moveAfter(getPlace(last));
  if (fill->use_empty())
    fill->erase();
}

/// Puts the terms and their reduction into one group, in the place of the
/// terms.
static void makeGroup(ArrayRef<ContractOp> terms, linalg::LinalgOp reduction) {
  ContractOp last = terms.back();
  FusedOp before = getGroup(last);
  OpBuilder builder(getPlace(last));
  auto group =
      FusedOp::create(builder, reduction.getLoc(), reduction->getResultTypes());
  group.setDissolvable(!before || before.getDissolvable());
  reduction->replaceAllUsesWith(group->getResults());
  mlir::Block *body = group.getBody();
  if (before) {
    group->setDiscardableAttrs(before->getDiscardableAttrDictionary());
    before.getYield()->erase();
    body->getOperations().splice(body->end(),
                                 before.getBody()->getOperations());
    before->replaceAllUsesWith(last->getResults());
    before->erase();
  } else {
    last->moveBefore(body, body->end());
  }
  reduction->moveBefore(body, body->end());
  builder.setInsertionPointToEnd(body);
  FusedYieldOp::create(builder, reduction.getLoc(), reduction->getResults());
}

namespace {
struct FuseReductionsPass
    : public tc::impl::FuseReductionsPassBase<FuseReductionsPass> {
  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    for (ContractOp op : ops) {
      SmallVector<ContractOp> terms = getTermsUpTo(op);
      bool addsTerms = terms.size() > 1 && !terms.front().readsC();
      // Only what is right behind a contraction can be added up with it.
      if (op.hasBuffers() && getGroup(op))
        continue;
      // The number takes the place of a C whose extents types say.
      if (op.getDynamicShape() && hasUnknownShape(op))
        continue;
      linalg::LinalgOp reduction = findReduction(op, addsTerms);
      if (!reduction || !schedulesFit(terms))
        continue;
      if (!op.hasBuffers())
        moveTogether(terms.front(), op, reduction);
      makeGroup(terms, reduction);
      ++numReductions;
    }
  }
};
} // namespace
