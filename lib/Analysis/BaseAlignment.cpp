//===- BaseAlignment.cpp - Alignment of buffers' base pointers ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds divisors of offsets that are known at run time only. Zero is divided by
// every number, so that a divisor of zero stands for an offset of zero.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/BaseAlignment.h"

#include "tc/Dialect/TC/IR/TCDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <limits>
#include <numeric>

using namespace tc;
namespace affine = mlir::affine;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
using mlir::ShapedType;

/// The deepest expression that is looked at.
static constexpr unsigned maxDepth = 16;

static int64_t getDivisor(OpFoldResult number, unsigned depth);

/// A divisor of all values of an induction variable.
static int64_t getDivisorOfInduction(mlir::BlockArgument argument,
                                     unsigned depth) {
  auto loop = dyn_cast_or_null<mlir::LoopLikeOpInterface>(
      argument.getOwner()->getParentOp());
  if (!loop)
    return 1;
  auto variables = loop.getLoopInductionVars();
  auto lower = loop.getLoopLowerBounds(), steps = loop.getLoopSteps();
  if (!variables || !lower || !steps)
    return 1;
  for (auto [variable, begin, step] :
       llvm::zip_equal(*variables, *lower, *steps))
    if (variable == argument)
      return std::gcd(getDivisor(begin, depth), getDivisor(step, depth));
  return 1;
}

/// A number that divides one in all executions.
static int64_t getDivisor(OpFoldResult number, unsigned depth) {
  if (std::optional<int64_t> known = mlir::getConstantIntValue(number))
    // The least number has no magnitude of that type.
    return *known == std::numeric_limits<int64_t>::min() ? 1 : std::abs(*known);
  auto value = dyn_cast<Value>(number);
  if (!value || depth == 0)
    return 1;
  if (auto argument = dyn_cast<mlir::BlockArgument>(value))
    return getDivisorOfInduction(argument, depth - 1);
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return std::gcd(getDivisor(sum.getLhs(), depth - 1),
                    getDivisor(sum.getRhs(), depth - 1));
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    int64_t result;
    bool overflows =
        llvm::MulOverflow(getDivisor(product.getLhs(), depth - 1),
                          getDivisor(product.getRhs(), depth - 1), result);
    return overflows ? 1 : result;
  }
  // As upstream's tiling makes them.
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>()) {
    mlir::AffineExpr expression = apply.getAffineMap().getResult(0);
    if (auto dim = dyn_cast<mlir::AffineDimExpr>(expression))
      return getDivisor(OpFoldResult(apply.getMapOperands()[dim.getPosition()]),
                        depth - 1);
    return expression.getLargestKnownDivisor();
  }
  return 1;
}

/// The alignment that a function states of the argument that a buffer is a view
/// of; zero if it states none.
static int64_t getStatedAlignment(Value buffer) {
  bool beginsAtBase = false;
  while (auto view = buffer.getDefiningOp<mlir::ViewLikeOpInterface>()) {
    // It moves the base pointer.
    if (isa<memref::ViewOp>(view))
      return 0;
    beginsAtBase |= isa<memref::ReinterpretCastOp>(view);
    buffer = view.getViewSource();
  }
  auto argument = dyn_cast<mlir::BlockArgument>(buffer);
  auto function = argument ? dyn_cast_or_null<mlir::FunctionOpInterface>(
                                 argument.getOwner()->getParentOp())
                           : mlir::FunctionOpInterface();
  if (!function || !argument.getOwner()->isEntryBlock())
    return 0;
  auto stated = function.getArgAttrOfType<mlir::IntegerAttr>(
      argument.getArgNumber(), TCDialect::baseAlignmentAttrName);
  if (!stated)
    return 0;
  // A statement about a first element says nothing of the base pointer.
  auto type = cast<MemRefType>(argument.getType());
  if (beginsAtBase && ShapedType::isDynamic(type.getStridesAndOffset().second))
    return 1;
  return stated.getValue().getSExtValue();
}

/// A number that divides the distance from what is aligned to a buffer's first
/// element.
static int64_t getDivisorOfOffset(Value buffer, unsigned depth) {
  auto [strides, offset] =
      cast<MemRefType>(buffer.getType()).getStridesAndOffset();
  if (!ShapedType::isDynamic(offset))
    return std::abs(offset);
  if (depth == 0)
    return 1;
  // The statement about it is about its first element.
  if (isa<mlir::BlockArgument>(buffer) && getStatedAlignment(buffer) != 0)
    return 0;
  if (auto cast = buffer.getDefiningOp<memref::ReinterpretCastOp>())
    return getDivisor(cast.getMixedOffsets().front(), depth - 1);
  if (auto cast = buffer.getDefiningOp<memref::CastOp>())
    if (isa<MemRefType>(cast.getSource().getType()))
      return getDivisorOfOffset(cast.getSource(), depth - 1);
  auto view = buffer.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return 1;
  int64_t divisor = getDivisorOfOffset(view.getSource(), depth - 1);
  for (auto [first, stride] :
       llvm::zip_equal(view.getMixedOffsets(),
                       view.getSourceType().getStridesAndOffset().first)) {
    int64_t distance;
    if (llvm::MulOverflow(getDivisor(first, depth - 1),
                          ShapedType::isDynamic(stride) ? 1 : std::abs(stride),
                          distance))
      return 1;
    divisor = std::gcd(divisor, distance);
  }
  return divisor;
}

bool tc::isInUnalignedVersion(Operation *op) {
  while (op && !isa<mlir::FunctionOpInterface>(op))
    op = op->getParentOp();
  return op && op->hasAttr(unalignedAttrName);
}

int64_t tc::getBaseAlignment(Value buffer) {
  if (isInUnalignedVersion(buffer.getParentRegion()->getParentOp()))
    return 1;
  auto type = cast<MemRefType>(buffer.getType());
  int64_t stated = getStatedAlignment(buffer);
  auto [strides, offset] = type.getStridesAndOffset();
  if (!ShapedType::isDynamic(offset))
    return stated;
  // Nothing says how far the lowest element is from the first.
  if (!type.hasStaticShape() || ShapedType::isDynamicShape(strides))
    return 1;
  return std::gcd(std::gcd(getDivisorOfOffset(buffer, maxDepth), stated),
                  offsetFromLowest(type));
}

int64_t tc::offsetFromLowest(MemRefType type) {
  int64_t distance = 0;
  for (auto [extent, stride] :
       llvm::zip_equal(type.getShape(), type.getStridesAndOffset().first))
    if (extent > 1)
      distance += std::max<int64_t>(0, -stride * (extent - 1));
  return distance;
}
