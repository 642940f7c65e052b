//===- LowerLoops.cpp - From loops to branches ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerLoops.h"

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace tc;
namespace arith = mlir::arith;
namespace cf = mlir::cf;
namespace scf = mlir::scf;

/// Returns true if a number is known to be a multiple of another one.
static bool isMultiple(Value value, int64_t of) {
  if (std::optional<int64_t> constant = mlir::getConstantIntValue(value))
    return *constant % of == 0;
  auto product = value.getDefiningOp<arith::MulIOp>();
  return product && llvm::any_of(product->getOperands(), [&](Value factor) {
           std::optional<int64_t> constant = mlir::getConstantIntValue(factor);
           return constant && *constant % of == 0;
         });
}

/// Returns true if a loop that makes a trip is known to come to its upper
/// bound.
static bool hitsUpperBound(scf::ForOp loop) {
  std::optional<int64_t> step = mlir::getConstantIntValue(loop.getStep());
  return step && (*step == 1 || (isMultiple(loop.getLowerBound(), *step) &&
                                 isMultiple(loop.getUpperBound(), *step)));
}

namespace {

struct LowerFor : public mlir::OpConversionPattern<scf::ForOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(scf::ForOp loop, OpAdaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    if (loop.getUnsignedCmp())
      return failure();
    Location loc = loop.getLoc();
    Value lower = adaptor.getLowerBound(), upper = adaptor.getUpperBound();
    mlir::Block *before = rewriter.getInsertionBlock();
    mlir::Block *after =
        rewriter.splitBlock(before, rewriter.getInsertionPoint());
    mlir::Block *exit = after;
    if (loop.getNumResults() > 0) {
      SmallVector<Location> locations(loop.getNumResults(), loc);
      exit = rewriter.createBlock(after, loop.getResultTypes(), locations);
      cf::BranchOp::create(rewriter, loc, after);
    }

    mlir::Block *first = &loop.getRegion().front();
    mlir::Block *last = &loop.getRegion().back();
    rewriter.inlineRegionBefore(loop.getRegion(), exit);
    Operation *yield = last->getTerminator();
    rewriter.setInsertionPointToEnd(last);
    bool hits = hitsUpperBound(loop);
    auto next = arith::AddIOp::create(rewriter, loc, first->getArgument(0),
                                      adaptor.getStep(),
                                      hits ? arith::IntegerOverflowFlags::nsw
                                           : arith::IntegerOverflowFlags::none);
    Value goesOn = arith::CmpIOp::create(rewriter, loc,
                                         hits ? arith::CmpIPredicate::ne
                                              : arith::CmpIPredicate::slt,
                                         next, upper);
    SmallVector<Value> carried = {next};
    llvm::append_range(carried, yield->getOperands());
    cf::CondBranchOp::create(rewriter, loc, goesOn, first, carried, exit,
                             yield->getOperands());
    rewriter.eraseOp(yield);

    rewriter.setInsertionPointToEnd(before);
    SmallVector<Value> begin = {lower};
    llvm::append_range(begin, adaptor.getInitArgs());
    std::optional<int64_t> from = mlir::getConstantIntValue(lower);
    std::optional<int64_t> to = mlir::getConstantIntValue(upper);
    if (from && to && *from < *to) {
      cf::BranchOp::create(rewriter, loc, first, begin);
    } else {
      Value any = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::slt, lower, upper);
      cf::CondBranchOp::create(rewriter, loc, any, first, begin, exit,
                               adaptor.getInitArgs());
    }
    rewriter.replaceOp(loop,
                       exit->getArguments().take_front(loop.getNumResults()));
    return success();
  }
};

struct LowerLoops
    : public mlir::PassWrapper<LowerLoops, mlir::OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerLoops)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect>();
  }

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    mlir::populateSCFToControlFlowConversionPatterns(patterns);
    patterns.add<LowerFor>(&getContext(), /*benefit=*/2);
    mlir::ConversionTarget target(getContext());
    target.addIllegalDialect<scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    mlir::ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(mlir::applyPartialConversion(getOperation(), target,
                                            std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<mlir::Pass> tc::createLowerLoopsPass() {
  return std::make_unique<LowerLoops>();
}
