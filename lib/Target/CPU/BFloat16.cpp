//===- BFloat16.cpp - Numbers of bf16 on any CPU --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BFloat16.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace tc;
using mlir::ValueRange;

namespace arith = mlir::arith;

static bool isBFloat16(Type type) {
  return mlir::getElementTypeOrSelf(type).isBF16();
}

/// The type with other elements.
static Type withElements(Type type, Type elements) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(elements)) : elements;
}

/// An integer as a constant of its type or of a vector of it.
static mlir::TypedAttr getSplat(mlir::OpBuilder &builder, Type type,
                                uint64_t value) {
  auto number = builder.getIntegerAttr(mlir::getElementTypeOrSelf(type),
                                       static_cast<int64_t>(value));
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? mlir::TypedAttr(mlir::DenseElementsAttr::get(
                      shaped, mlir::ArrayRef<Attribute>(number)))
                : number;
}

/// f64 as f32 such that rounding that to bf16 gives what rounding the first
/// does: of the two numbers of f32 that it is between, the one whose
/// significand is odd (Boldo and Melquiond, "Emulation of a FMA and Correctly
/// Rounded Sums: Proved Algorithms Using Rounding to Odd", IEEE Trans.
/// Computers 57, 2008).
static Value roundToOdd(mlir::OpBuilder &builder, Location loc, Value number) {
  Type wide = number.getType();
  Type narrow = withElements(wide, builder.getF32Type());
  Type bitsType = withElements(wide, builder.getI32Type());
  Value one =
      arith::ConstantOp::create(builder, loc, getSplat(builder, bitsType, 1));
  Value nearest = arith::TruncFOp::create(builder, loc, narrow, number);
  Value again = arith::ExtFOp::create(builder, loc, wide, nearest);
  // Magnitudes are in the order of their bits.
  Type wideBits = withElements(wide, builder.getI64Type());
  Value rest = arith::ConstantOp::create(
      builder, loc, getSplat(builder, wideBits, ~(uint64_t(1) << 63)));
  auto magnitude = [&](Value value) -> Value {
    Value all = arith::BitcastOp::create(builder, loc, wideBits, value);
    return arith::AndIOp::create(builder, loc, all, rest);
  };
  Value isLarger =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                            magnitude(again), magnitude(number));
  Value differs = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                        again, number);
  Value bits = arith::BitcastOp::create(builder, loc, bitsType, nearest);
  Value smaller = arith::SubIOp::create(builder, loc, bits, one);
  Value towardsZero =
      arith::SelectOp::create(builder, loc, isLarger, smaller, bits);
  Value odd = arith::OrIOp::create(builder, loc, towardsZero, one);
  Value result = arith::SelectOp::create(builder, loc, differs, odd, bits);
  return arith::BitcastOp::create(builder, loc, narrow, result);
}

/// Goes by way of f32 between f64 and bf16. Returns the operation that is left
/// between f32 and bf16.
static Operation *goByF32(Operation *op) {
  mlir::OpBuilder builder(op);
  Location loc = op->getLoc();
  Value from = op->getOperand(0);
  Type type = op->getResult(0).getType();
  if (isa<arith::ExtFOp>(op) && mlir::getElementTypeOrSelf(type).isF64()) {
    auto narrow = arith::ExtFOp::create(
        builder, loc, withElements(type, builder.getF32Type()), from);
    Value wide = arith::ExtFOp::create(builder, loc, type, narrow.getResult());
    op->replaceAllUsesWith(ValueRange(wide));
    op->erase();
    return narrow;
  }
  if (isa<arith::TruncFOp>(op) &&
      mlir::getElementTypeOrSelf(from.getType()).isF64()) {
    auto rounded = arith::TruncFOp::create(builder, loc, type,
                                           roundToOdd(builder, loc, from));
    op->replaceAllUsesWith(rounded);
    op->erase();
    return rounded;
  }
  return op;
}

namespace {

/// Expands conversions from and to bf16.
struct ExpandBFloat16
    : public mlir::PassWrapper<ExpandBFloat16, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandBFloat16)

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    mlir::FrozenRewritePatternSet frozen(std::move(patterns));
    SmallVector<Operation *> conversions;
    getOperation()->walk([&](Operation *op) {
      if ((isa<arith::ExtFOp>(op) && isBFloat16(op->getOperand(0).getType())) ||
          (isa<arith::TruncFOp>(op) && isBFloat16(op->getResult(0).getType())))
        conversions.push_back(op);
    });
    for (Operation *&op : conversions)
      op = goByF32(op);
    (void)mlir::applyOpPatternsGreedily(conversions, frozen);
  }
};

} // namespace

bool tc::usesBFloat16(ModuleOp module) {
  return module
      .walk([&](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isBFloat16) ||
                       llvm::any_of(op->getResultTypes(), isBFloat16)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

void tc::addBFloat16Arithmetic(mlir::OpPassManager &manager) {
  mlir::math::MathExtendToSupportedTypesOptions math;
  math.extraTypeStrs = {"f16"};
  manager.addPass(mlir::math::createMathExtendToSupportedTypes(math));
  arith::ArithEmulateUnsupportedFloatsOptions arithmetic;
  arithmetic.sourceTypeStrs = {"bf16"};
  arithmetic.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(arithmetic));
  manager.addPass(std::make_unique<ExpandBFloat16>());
}

void tc::replaceBFloat16ByBits(ModuleOp module) {
  Type bits = mlir::IntegerType::get(module.getContext(), 16);
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](mlir::BFloat16Type) -> std::optional<Type> { return bits; });
  using Replacement = std::optional<std::pair<Attribute, mlir::WalkResult>>;
  replacer.addReplacement([&](mlir::FloatAttr number) -> Replacement {
    if (!number.getType().isBF16())
      return std::nullopt;
    return {{mlir::IntegerAttr::get(bits, number.getValue().bitcastToAPInt()),
             mlir::WalkResult::skip()}};
  });
  replacer.addReplacement([&](mlir::DenseElementsAttr numbers) -> Replacement {
    if (!numbers.getElementType().isBF16())
      return std::nullopt;
    return {{numbers.bitcast(bits), mlir::WalkResult::skip()}};
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
