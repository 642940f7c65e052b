//===- ProducedElements.cpp - Elements of a producer's output -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProducedElements.h"

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ComplexArithmetic.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"
#include "tc/Dialect/TC/Utils/ScaleOutput.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace arith = mlir::arith;
using mlir::VectorType;

namespace tc {

Value scaleSums(OpBuilder &builder, Location loc, const KernelInfo &from,
                Value sums) {
  auto type = cast<VectorType>(sums.getType());
  mlir::TypedAttr alpha = from.attr->alpha;
  if (isOne(model::Semiring::PlusTimes, alpha))
    return sums;
  if (isa<mlir::ComplexType>(alpha.getType())) {
    auto [real, imaginary] =
        splitFactor(builder, loc, createNumber(builder, loc, alpha));
    return scaleNumbers(builder, loc, real, imaginary, sums);
  }
  Value factor = arith::ConstantOp::create(
      builder, loc, mlir::SplatElementsAttr::get(type, cast<Attribute>(alpha)));
  return multiply(builder, loc, model::Semiring::PlusTimes, factor, sums);
}

Value applyCodeBetween(OpBuilder &builder, Location loc, const KernelInfo &from,
                       mlir::RegionRange code, Value sums) {
  // Code is of real numbers only, and parts of complex ones are those.
  Type between = from.types[model::Tensor::C].getElementType();
  if (auto complex = dyn_cast<mlir::ComplexType>(between))
    between = complex.getElementType();
  if (code.empty())
    return convertElements(builder, loc, sums, between);
  // The old element is not used.
  Value old = arith::ConstantOp::create(
      builder, loc,
      builder.getZeroAttr(cast<VectorType>(sums.getType()).clone(between)));
  return applyRegion(builder, loc, *code.front(), {sums, old});
}

Value isWithinSummed(OpBuilder &builder, Location loc, const KernelInfo &to,
                     mlir::ValueRange kOrigins,
                     const model::LinkedIndices &linked,
                     const model::TileDim &dim, SplitIndex local) {
  if (!dim.ragged())
    return {};
  for (auto [one, other] : linked)
    for (auto [stepped, origin] : llvm::zip_equal(to.layout.k, kOrigins)) {
      if (one != dim.index || other != stepped.index)
        continue;
      IndexBuilder coordinate(builder, loc, origin.getType());
      local.value = coordinate.add(coordinate.extend(local.value), origin);
      return coordinate.lessThan(local, {dim.extent, Value()});
    }
  return {};
}

} // namespace tc
