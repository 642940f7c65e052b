//===- LowerTileWaits.cpp - Waits for shared tiles ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands waits for shared tiles, after the operations that read the tiles.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERTILEWAITS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
using mlir::ConversionPatternRewriter;
using mlir::OpConversionPattern;
namespace gpu = mlir::gpu;
namespace nvgpu = mlir::nvgpu;
namespace scf = mlir::scf;
namespace NVVM = mlir::NVVM;

namespace {

struct LowerGroup : OpConversionPattern<GroupCopiesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GroupCopiesOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::CpAsyncCommitGroupOp::create(rewriter, op.getLoc());
    rewriter.replaceOpWithMultiple(op, {mlir::ValueRange()});
    return success();
  }
};

struct LowerWait : OpConversionPattern<WaitForTilesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitForTilesOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getGroup())
      NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(),
                                       static_cast<int32_t>(op.getLater()));
    gpu::BarrierOp::create(rewriter, op.getLoc());
    rewriter.replaceOp(op, op.getSharedTiles());
    return success();
  }
};

/// Refuses tokens in operations that do not lose them here.
LogicalResult checkTokens(Operation *op) {
  auto isToken = llvm::IsaPred<nvgpu::DeviceAsyncTokenType>;
  bool hasTokens = llvm::any_of(op->getOperandTypes(), isToken) ||
                   llvm::any_of(op->getResultTypes(), isToken);
  if (auto function = dyn_cast<mlir::FunctionOpInterface>(op))
    hasTokens |= llvm::any_of(function.getArgumentTypes(), isToken);
  if (!hasTokens ||
      isa<CopyTileOp, GroupCopiesOp, WaitForTilesOp, nvgpu::DeviceAsyncCopyOp,
          scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp, scf::YieldOp,
          scf::ConditionOp>(op))
    return success();
  return op->emitOpError(
      "has a token of copies, which only loops and "
      "conditions of 'scf' may carry to 'tc.wait_for_tiles'");
}

struct LowerTileWaits : public tc::impl::TCLowerTileWaitsBase<LowerTileWaits> {
  void runOnOperation() override {
    auto checked = getOperation()->walk(
        [](Operation *op) { return mlir::WalkResult(checkTokens(op)); });
    if (checked.wasInterrupted())
      return signalPassFailure();
    mlir::MLIRContext *context = &getContext();
    mlir::TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](nvgpu::DeviceAsyncTokenType,
                               SmallVectorImpl<Type> &) { return success(); });
    mlir::ConversionTarget target(*context);
    mlir::RewritePatternSet patterns(context);
    patterns.add<LowerGroup, LowerWait>(converter, context);
    mlir::scf::populateSCFStructuralTypeConversionsAndLegality(
        converter, patterns, target);
    target.addIllegalOp<GroupCopiesOp, WaitForTilesOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(mlir::applyPartialConversion(getOperation(), target,
                                            std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
