//===- TileIndexing.h - Coordinates and offsets within tiles ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index arithmetic that the tile passes share. Every quantity is kept as a
// value that depends on the thread and a constant, apart from each other, so
// that what differs between two accesses of a thread ends up in an
// instruction's immediate offset instead of in a register.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_TILEINDEXING_H
#define TC_LIB_CONVERSION_TCTOGPU_TILEINDEXING_H

#include "tc/Conversion/TCToGPU/KernelPlan.h"
#include "tc/Problem/ComplexParts.h"

#include "mlir/IR/Builders.h"

namespace tc {

/// The location of what a step of the lowering makes of an operation: the
/// step's name, over where the operation is from.
Location nameStep(Operation *op, const llvm::Twine &name);

/// A number `value + constant`; a null value is zero. If there is a condition,
/// the constant is another one where that does not hold.
struct SplitIndex {
  Value value;
  int64_t constant = 0;
  Value condition = Value();
  int64_t otherwise = 0;
};

/// A number that is the same for all threads: a constant or, if not null, a
/// value.
struct UniformNumber {
  int64_t constant = 0;
  Value value;
};

/// A number to divide by, as i32, and its reciprocal as model/DynamicShape.h
/// has it, as i64.
struct Divisor {
  Value value, reciprocal;
};

/// Builds integer arithmetic of one type and folds what is constant.
class IndexBuilder {
public:
  IndexBuilder(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Type getType() const { return type; }

  Value constant(int64_t value);
  /// A null value, which is zero.
  Value zero() { return Value(); }
  /// Sums and products; a null operand of a sum is zero.
  Value add(Value lhs, Value rhs);
  Value multiply(Value lhs, int64_t factor);
  Value multiply(Value lhs, UniformNumber factor);
  /// The offset of coordinate `lhs`, of this type or a narrower one, along an
  /// index of that stride.
  SplitIndex scale(SplitIndex lhs, UniformNumber stride);
  /// Quotient and remainder of a number that is not negative and, if that is
  /// not null, less than `bound`.
  Value divide(Value lhs, int64_t divisor, int64_t bound = 0);
  Value remainder(Value lhs, int64_t divisor, int64_t bound = 0);
  /// The quotient, rounded up.
  Value ceilDivide(Value lhs, int64_t divisor);
  /// The same of an i32 below 2^31 by numbers that the launch knows.
  Value divide(Value lhs, const Divisor &divisor);
  Value remainder(Value lhs, const Divisor &divisor);
  Value multiply(Value lhs, const Divisor &factor) {
    return multiply(lhs, UniformNumber{0, factor.value});
  }
  Value exclusiveOr(Value lhs, Value rhs);
  /// Sign-extends or keeps a value of a narrower or equal type.
  Value extend(Value value);
  /// lhs < bound, as i1.
  Value lessThan(Value lhs, int64_t bound);
  Value lessThan(Value lhs, Value bound);
  Value lessThan(SplitIndex lhs, UniformNumber bound);
  /// lhs < bound ? yes : no; null operands are zero.
  Value selectLess(Value lhs, int64_t bound, Value yes, Value no);
  Value selectLess(Value lhs, Value bound, Value yes, Value no);

  /// The same number without a condition.
  SplitIndex resolve(SplitIndex index);
  /// The sum of two numbers.
  SplitIndex sum(SplitIndex lhs, SplitIndex rhs);

  /// `index + constant` as a value of index type, the constant added last.
  Value toIndex(SplitIndex index);

private:
  OpBuilder &builder;
  Location loc;
  Type type;
};

/// The conjunction of conditions, null if there are none.
Value conjunction(OpBuilder &builder, Location loc, ArrayRef<Value> conditions);

/// The digits, fastest first, of `number + round * period` in mixed radix, for
/// 0 <= number < period. Where the period splits the radices evenly, the digits
/// of `number` and of `round` don't mix, and the latter's part is constant.
/// Where one digit's sum may carry, two have constants by a condition; where
/// more may, all of it is in the value.
SmallVector<SplitIndex> digits(IndexBuilder &index, Value number,
                               int64_t period, int64_t round,
                               ArrayRef<int64_t> radices);

/// The type for coordinates along the kernel's indices: i32 where all extents
/// and the tiles that stick out of them fit, else i64.
Type coordinateType(const KernelInfo &kernel, mlir::MLIRContext *context);

/// The type for offsets in elements into a tensor: i32 where its span fits.
Type offsetType(const KernelInfo &kernel, model::Tensor tensor,
                mlir::MLIRContext *context);

/// The shape of a kernel's tensors: constants, or its arguments.
class ShapeValues {
public:
  ShapeValues(const KernelInfo &kernel, Operation *inKernel);

  UniformNumber extent(unsigned index) const;
  /// In real numbers, as flat tensors of complex ones count.
  UniformNumber stride(model::Tensor tensor, unsigned index) const;
  UniformNumber offset(model::Tensor tensor) const;
  /// The same of an auxiliary tensor, in its elements.
  UniformNumber auxiliaryStride(unsigned number, unsigned index) const;
  UniformNumber auxiliaryOffset(unsigned number) const;
  /// An argument, or a divisor that two of them are; null if there is none.
  Value argument(model::RunTimeQuantity quantity, unsigned index = 0,
                 unsigned tensor = 0, bool isReciprocal = false) const;
  Divisor divisor(model::RunTimeQuantity quantity, unsigned index = 0) const;
  bool isKnown() const { return !kernel.contraction.runTime; }
  /// Returns true if an index runs over the parts of complex numbers.
  bool isOfParts(unsigned index) const {
    return model::isPart(kernel.contraction, index);
  }

private:
  const KernelInfo &kernel;
  mlir::gpu::GPUFuncOp function;
};

/// The calling thread's number in its block, in the builder's type.
Value threadNumber(OpBuilder &builder, Location loc, Type type);

/// The calling thread's warp among those of its block, and its lane among those
/// of its warp, along the rows and the columns of matrix instructions.
struct WarpPosition {
  Value warpRow, warpColumn, laneRow, laneColumn;
};
WarpPosition warpPosition(OpBuilder &builder, Location loc,
                          const model::KernelLayout &layout);

/// The calling thread's position along M and along N; see model::positionOf.
struct ThreadPosition {
  Value m, n;
};
ThreadPosition threadPosition(OpBuilder &builder, Location loc,
                              const model::KernelLayout &layout);

/// The place of a thread's accumulator number `element` along N or M in the
/// block tile: its coordinates along the side's dimensions, last dimension
/// first.
SmallVector<SplitIndex> localCoordinates(OpBuilder &builder, Location loc,
                                         const model::KernelLayout &layout,
                                         bool ofN, const ThreadPosition &thread,
                                         int64_t element);

/// The same number of 32 or 64 bits, computed here: LLVM does not move what it
/// is made of below this. That is inline PTX without an instruction. Values of
/// other types are returned as they are.
Value keepInPlace(OpBuilder &builder, Location loc, Value number);

/// The shared tile as a flat buffer, whose element [k][i] is at k * rowLength +
/// i.
Value flattenSharedTile(OpBuilder &builder, Location loc, Value sharedTile);

/// Bytes of a vector, for the alignment of its accesses.
int64_t vectorBytes(mlir::VectorType type);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_TILEINDEXING_H
