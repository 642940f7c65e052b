//===- WidenInputs.cpp - Factors of one type ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes down in prologues that factors of different types are widened, so that
// no later pass has to know of it.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tc {
#define GEN_PASS_DEF_WIDENINPUTSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
using model::Tensor;

/// Makes a prologue, which may still be empty, yield that type.
static void widen(mlir::Region &prologue, Location loc, Type elementType,
                  Type factorType) {
  if (prologue.empty()) {
    mlir::Block &block = prologue.emplaceBlock();
    block.addArgument(elementType, loc);
    // The region is in no operation yet, of which to ask for the context.
    OpBuilder builder(loc.getContext());
    builder.setInsertionPointToEnd(&block);
    YieldOp::create(builder, loc, block.getArgument(0));
  }
  auto yield = cast<YieldOp>(prologue.front().getTerminator());
  OpBuilder builder(yield);
  Value factor = yield.getValue();
  // Not every machine converts 16 bits to 64 in one step.
  if (isa<FloatType>(factorType) && factorType.getIntOrFloatBitWidth() == 64)
    factor = convertElements(builder, loc, factor, builder.getF32Type());
  yield->setOperand(0, convertElements(builder, loc, factor, factorType));
}

/// Replaces a contraction by one with the prologues that it lacks.
static void widenInputs(ContractOp op) {
  Type factorType = op.getFactorType();
  mlir::OperationState state(op.getLoc(), ContractOp::getOperationName(),
                             op->getOperands(), op->getResultTypes());
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  ContractOp::Properties properties = op.getProperties();
  for (auto [tensor, isThere] :
       {std::pair(Tensor::A, &properties.has_prologue_a),
        std::pair(Tensor::B, &properties.has_prologue_b)}) {
    mlir::Region *prologue = op.getPrologue(tensor);
    bool widens = op.getFactorTypeOf(tensor) != factorType;
    if (!prologue && !widens)
      continue;
    *isThere = mlir::UnitAttr::get(op.getContext());
    mlir::Region &region = *state.addRegion();
    if (prologue)
      region.takeBody(*prologue);
    if (widens)
      widen(region, op.getLoc(), op.getTypeOf(tensor).getElementType(),
            factorType);
  }
  for (mlir::Region *region :
       {op.getProduct(), op.getCombine(), op.getEpilogue()})
    if (region)
      state.addRegion()->takeBody(*region);
  OpBuilder builder(op);
  auto widened = cast<ContractOp>(builder.create(state));
  widened.getProperties() = properties;
  op->replaceAllUsesWith(widened->getResults());
  op.erase();
}

namespace {

struct WidenInputsPass : public tc::impl::WidenInputsPassBase<WidenInputsPass> {
  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) {
      if (!op.hasEqualFactors())
        ops.push_back(op);
    });
    for (ContractOp op : ops)
      widenInputs(op);
  }
};

} // namespace
