//===- ExpandFloat8.cpp - Arithmetic on 8-bit floats ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands conversions from and to 8-bit floats into instructions of GPUs, or
// into arithmetic on the fields of f32.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/ExpandFloat8/Passes.h"

#include "tc/Analysis/TargetLookup.h"
#include "tc/Dialect/TC/IR/KernelFields.h"
#include "tc/Dialect/TC/IR/Saturation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc {
#define GEN_PASS_DEF_TCEXPANDFLOAT8
#include "tc/Conversion/ExpandFloat8/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace NVVM = mlir::NVVM;
namespace vector = mlir::vector;
using mlir::ImplicitLocOpBuilder;
using mlir::VectorType;

static bool isFloat8(Type type) {
  return isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(
      mlir::getElementTypeOrSelf(type));
}

/// A type with another element type.
static Type withElementType(Type type, Type elementType) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(elementType);
  return elementType;
}

/// The least version of the PTX ISA with conversions of pairs of 8-bit floats.
static constexpr unsigned minPtxVersion = 81;

namespace {

/// The fields of a format, in the places of those of f32 behind a shift.
struct Format {
  explicit Format(Type type) {
    const llvm::fltSemantics &semantics =
        cast<FloatType>(mlir::getElementTypeOrSelf(type)).getFloatSemantics();
    auto bitsOf = [](const llvm::APFloat &number) {
      return static_cast<int64_t>(number.bitcastToAPInt().getZExtValue());
    };
    auto inFloat = [&](llvm::APFloat number) {
      bool losesInfo;
      number.convert(llvm::APFloat::IEEEsingle(),
                     llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      return bitsOf(number);
    };
    auto largest = llvm::APFloat::getLargest(semantics);
    greatest = inFloat(largest);
    // Half a step beyond the largest number is a tie, which goes to the even
    // one.
    int64_t halfStep = int64_t(1)
                       << (floatFraction -
                           llvm::APFloat::semanticsPrecision(semantics));
    leastOverflow = greatest + halfStep + (bitsOf(largest) % 2 == 0);
    minNormal = inFloat(llvm::APFloat::getSmallestNormalized(semantics));
    special = bitsOf(largest) + 1;
    int64_t fraction = llvm::APFloat::semanticsPrecision(semantics) - 1;
    shift = floatFraction - fraction;
    minExponent = llvm::APFloat::semanticsMinExponent(semantics);
    // The exponents' fields differ by so much.
    rebias = (floatBias + minExponent - 1) << fraction;
  }

  static constexpr int64_t floatFraction = 23, floatBias = 127;
  static constexpr int64_t floatInfinity = 0x7F80'0000, sign = 0x80,
                           canonicalNaN = 0x7F;

  /// The largest number and the least that has all bits of its significand, as
  /// f32.
  int64_t greatest, minNormal;
  /// The least number that is rounded to one beyond the largest, as f32.
  int64_t leastOverflow;
  /// The bits from which on there are no numbers: an infinity, or NaN in a
  /// format without infinities.
  int64_t special;
  int64_t shift, minExponent, rebias;
};

/// Builds arithmetic on numbers or vectors that have the shape of one.
class Arithmetic {
public:
  Arithmetic(ImplicitLocOpBuilder &builder, Type shape)
      : builder(builder), shape(shape) {}

  Type type(Type elementType) const {
    return withElementType(shape, elementType);
  }
  Type words() const { return type(builder.getI32Type()); }
  Type floats() const { return type(builder.getF32Type()); }

  Value constant(int64_t value) const {
    return splat(words(),
                 builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value floatOfBits(int64_t bits) const { return asFloats(constant(bits)); }
  Value asWords(Value value) const {
    return builder.createOrFold<arith::BitcastOp>(words(), value);
  }
  Value asFloats(Value value) const {
    return builder.createOrFold<arith::BitcastOp>(floats(), value);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) const {
    return arith::CmpIOp::create(builder, predicate, a, constant(b));
  }
  template <typename Op> Value apply(Value a, int64_t b) const {
    return Op::create(builder, a, constant(b));
  }
  /// The power of two, as a float.
  Value powerOfTwo(int64_t exponent) const {
    return floatOfBits((exponent + Format::floatBias) << Format::floatFraction);
  }

private:
  Value splat(Type type, mlir::TypedAttr number) const {
    if (auto shaped = dyn_cast<ShapedType>(type))
      number = mlir::DenseElementsAttr::get(shaped, Attribute(number));
    return arith::ConstantOp::create(builder, number);
  }

  ImplicitLocOpBuilder &builder;
  Type shape;
};

/// Converts by instructions of GPUs, in pairs.
class PairConversion {
public:
  explicit PairConversion(ImplicitLocOpBuilder &builder) : builder(builder) {}

  Value extend(Value value) {
    SmallVector<Value> results;
    Type type = mlir::getElementTypeOrSelf(value);
    SmallVector<Value> numbers = elementsOf(value);
    forPairs(
        numbers,
        [&](Value low, Value high) {
          auto pairOf = [&](Type element) {
            return VectorType::get(2, element);
          };
          Value pair = vector::FromElementsOp::create(
              builder, pairOf(type), mlir::ValueRange{low, high});
          Value bytes = arith::BitcastOp::create(
              builder, pairOf(builder.getI8Type()), pair);
          Value wide = NVVM::ConvertF8x2ToF16x2Op::create(
              builder, pairOf(builder.getF16Type()), bytes, /*relu=*/false,
              type);
          return wide;
        },
        results);
    return join(value.getType(), builder.getF16Type(), results);
  }

  Value truncate(Value value, Type type) {
    SmallVector<Value> results;
    SmallVector<Value> numbers = elementsOf(value);
    forPairs(
        numbers,
        [&](Value low, Value high) {
          Value bytes = NVVM::ConvertF32x2ToF8x2Op::create(
              builder, VectorType::get(2, builder.getI8Type()), high, low,
              NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
              /*relu=*/false, type);
          Value pair = arith::BitcastOp::create(
              builder, VectorType::get(2, type), bytes);
          return pair;
        },
        results);
    return join(value.getType(), type, results);
  }

private:
  SmallVector<Value> elementsOf(Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type)
      return {value};
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(vector::ExtractOp::create(builder, value, i));
    return elements;
  }

  /// Appends both results of each pair; a number that is left over makes one
  /// with itself.
  void forPairs(ArrayRef<Value> numbers,
                llvm::function_ref<Value(Value, Value)> convert,
                SmallVectorImpl<Value> &results) {
    for (size_t i = 0; i < numbers.size(); i += 2) {
      bool isPair = i + 1 < numbers.size();
      Value pair = convert(numbers[i], numbers[isPair ? i + 1 : i]);
      for (int64_t part = 0; part <= isPair; ++part)
        results.push_back(vector::ExtractOp::create(builder, pair, part));
    }
  }

  Value join(Type shape, Type elementType, ArrayRef<Value> elements) {
    if (!isa<ShapedType>(shape))
      return elements.front();
    return vector::FromElementsOp::create(
        builder, cast<VectorType>(withElementType(shape, elementType)),
        elements);
  }

  ImplicitLocOpBuilder &builder;
};

} // namespace

/// Converts to another floating-point type by upstream's operations.
static Value convert(ImplicitLocOpBuilder &builder, Value value,
                     Type elementType) {
  Type type = withElementType(value.getType(), elementType);
  if (type == value.getType())
    return value;
  unsigned width = mlir::getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  if (width < elementType.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, type, value);
  return arith::TruncFOp::create(builder, type, value);
}

/// A number of f64 as one of f32 that has the same neighbours in all narrower
/// formats: cut off, with the lowest bit set if that has lost something.
static Value roundToOdd(ImplicitLocOpBuilder &builder, Value value) {
  Arithmetic arithmetic(builder, value.getType());
  Type wide = value.getType();
  Value nearest = arith::TruncFOp::create(builder, arithmetic.floats(), value);
  Value again = arith::ExtFOp::create(builder, wide, nearest);
  auto size = [&](Value number) -> Value {
    return mlir::math::AbsFOp::create(builder, number);
  };
  auto test = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    Value holds = arith::CmpFOp::create(builder, predicate, a, b);
    return arith::ExtUIOp::create(builder, arithmetic.words(), holds);
  };
  Value bits = arithmetic.asWords(nearest);
  bits = arith::SubIOp::create(
      builder, bits, test(arith::CmpFPredicate::OGT, size(again), size(value)));
  bits = arith::OrIOp::create(builder, bits,
                              test(arith::CmpFPredicate::UNE, again, value));
  return arithmetic.asFloats(bits);
}

/// The numbers as f32.
static Value extendByIntegers(ImplicitLocOpBuilder &builder, Value value) {
  Format format(value.getType());
  Arithmetic arithmetic(builder, value.getType());
  Value bytes = arith::BitcastOp::create(
      builder, arithmetic.type(builder.getI8Type()), value);
  Value bits = arith::ExtUIOp::create(builder, arithmetic.words(), bytes);
  Value size = arithmetic.apply<arith::AndIOp>(bits, Format::sign - 1);
  // The same fields in f32 mean a number that is smaller by a power of two,
  // subnormal ones included.
  Value fields = arithmetic.apply<arith::ShLIOp>(size, format.shift);
  Value number = arith::MulFOp::create(
      builder, arithmetic.asFloats(fields),
      arithmetic.powerOfTwo(Format::floatBias + format.minExponent - 1));
  Value none = arithmetic.apply<arith::OrIOp>(fields, Format::floatInfinity);
  Value result = arith::SelectOp::create(
      builder,
      arithmetic.compare(arith::CmpIPredicate::uge, size, format.special), none,
      arithmetic.asWords(number));
  Value sign = arithmetic.apply<arith::AndIOp>(bits, Format::sign);
  result = arith::OrIOp::create(builder, result,
                                arithmetic.apply<arith::ShLIOp>(sign, 24));
  return arithmetic.asFloats(result);
}

/// Rounds numbers of f32.
static Value truncateByIntegers(ImplicitLocOpBuilder &builder, Value value,
                                Type type) {
  Format format(type);
  Arithmetic arithmetic(builder, value.getType());
  Value bits = arithmetic.asWords(value);
  Value size = arithmetic.apply<arith::AndIOp>(bits, 0x7FFF'FFFF);
  Value clamped = arithmetic.apply<arith::MinUIOp>(size, format.greatest);
  // Half a step less one, and one more where the last bit that stays is odd.
  Value odd = arithmetic.apply<arith::AndIOp>(
      arithmetic.apply<arith::ShRUIOp>(clamped, format.shift), 1);
  Value rounded = arithmetic.apply<arith::AddIOp>(
      clamped, (int64_t(1) << (format.shift - 1)) - 1);
  rounded = arith::AddIOp::create(builder, rounded, odd);
  Value normal = arithmetic.apply<arith::SubIOp>(
      arithmetic.apply<arith::ShRUIOp>(rounded, format.shift), format.rebias);
  // The sum with a number whose steps are those of subnormal numbers is rounded
  // to these.
  Value steps = arithmetic.powerOfTwo(format.minExponent + format.shift);
  Value sum =
      arith::AddFOp::create(builder, arithmetic.asFloats(clamped), steps);
  Value subnormal = arith::SubIOp::create(builder, arithmetic.asWords(sum),
                                          arithmetic.asWords(steps));
  Value result = arith::SelectOp::create(
      builder,
      arithmetic.compare(arith::CmpIPredicate::ult, clamped, format.minNormal),
      subnormal, normal);
  Value sign = arithmetic.apply<arith::AndIOp>(
      arithmetic.apply<arith::ShRUIOp>(bits, 24), Format::sign);
  result = arith::OrIOp::create(builder, result, sign);
  result = arith::SelectOp::create(
      builder,
      arithmetic.compare(arith::CmpIPredicate::ugt, size,
                         Format::floatInfinity),
      arithmetic.constant(Format::canonicalNaN), result);
  Value bytes = arith::TruncIOp::create(
      builder, arithmetic.type(builder.getI8Type()), result);
  return arith::BitcastOp::create(builder, arithmetic.type(type), bytes);
}

/// The result for numbers of f32 that do not saturate, where those beyond the
/// range of 8-bit floats were rounded to the largest ones.
static Value overflow(ImplicitLocOpBuilder &builder, Value value,
                      Value saturated) {
  Format format(saturated.getType());
  Arithmetic arithmetic(builder, value.getType());
  Type bytes = arithmetic.type(builder.getI8Type());
  Value bits = arithmetic.asWords(value);
  Value size = arithmetic.apply<arith::AndIOp>(bits, 0x7FFF'FFFF);
  // NaN stays what it is.
  Value isBeyond = arithmetic.compare(
      arith::CmpIPredicate::ule,
      arithmetic.apply<arith::SubIOp>(size, format.leastOverflow),
      Format::floatInfinity - format.leastOverflow);
  Value special = arithmetic.apply<arith::OrIOp>(
      arithmetic.apply<arith::AndIOp>(
          arithmetic.apply<arith::ShRUIOp>(bits, 24), Format::sign),
      format.special);
  Value result = arith::SelectOp::create(
      builder, isBeyond, arith::TruncIOp::create(builder, bytes, special),
      arith::BitcastOp::create(builder, bytes, saturated));
  return arith::BitcastOp::create(builder, saturated.getType(), result);
}

/// Vectors of other ranks are none that kernels have.
static bool isNumberOrRow(Type type) {
  auto vectorType = dyn_cast<VectorType>(type);
  return !vectorType || vectorType.getRank() == 1;
}

static void expand(arith::ExtFOp op, bool byInstructions) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value wide = byInstructions && isNumberOrRow(op.getType())
                   ? PairConversion(builder).extend(op.getIn())
                   : extendByIntegers(builder, op.getIn());
  Type type = mlir::getElementTypeOrSelf(op.getType());
  // f16 and bf16 are converted to each other, and f16 to f64, by way of f32.
  if (type != mlir::getElementTypeOrSelf(wide))
    wide = convert(builder, wide, builder.getF32Type());
  op.replaceAllUsesWith(convert(builder, wide, type));
  op.erase();
}

static void expand(arith::TruncFOp op, bool byInstructions) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Type from = mlir::getElementTypeOrSelf(op.getIn());
  Value value = from.isF64()
                    ? roundToOdd(builder, op.getIn())
                    : convert(builder, op.getIn(), builder.getF32Type());
  Type type = mlir::getElementTypeOrSelf(op.getType());
  Value result = byInstructions && isNumberOrRow(op.getType())
                     ? PairConversion(builder).truncate(value, type)
                     : truncateByIntegers(builder, value, type);
  if (!saturates(op))
    result = overflow(builder, value, result);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Does all other arithmetic in f32.
static LogicalResult widenArithmetic(Operation *root) {
  MLIRContext *context = root->getContext();
  mlir::TypeConverter converter;
  Type narrow[] = {mlir::Float8E4M3FNType::get(context),
                   mlir::Float8E5M2Type::get(context)};
  arith::populateEmulateUnsupportedFloatsConversions(
      converter, narrow, mlir::Float32Type::get(context));
  mlir::RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  mlir::ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  target.addDynamicallyLegalDialect<mlir::math::MathDialect>(
      [&](Operation *op) { return converter.isLegal(op); });
  return mlir::applyPartialConversion(root, target, std::move(patterns));
}

namespace {
struct ExpandFloat8 : public tc::impl::TCExpandFloat8Base<ExpandFloat8> {
  void runOnOperation() override {
    auto hasFloat8 = [](Operation *op) {
      return llvm::any_of(op->getOperandTypes(), isFloat8) ||
             llvm::any_of(op->getResultTypes(), isFloat8);
    };
    auto isArithmetic = [](Operation *op) {
      return llvm::isa_and_nonnull<arith::ArithDialect,
                                   mlir::math::MathDialect>(op->getDialect());
    };
    bool isThere = getOperation()
                       ->walk([&](Operation *op) {
                         return isArithmetic(op) && hasFloat8(op)
                                    ? mlir::WalkResult::interrupt()
                                    : mlir::WalkResult::advance();
                       })
                       .wasInterrupted();
    if (!isThere)
      return;
    if (failed(widenArithmetic(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> conversions;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op) && hasFloat8(op))
        conversions.push_back(op);
    });
    for (Operation *op : conversions) {
      bool byInstructions =
          hasInstructions(op->getParentOfType<gpu::GPUFuncOp>());
      if (auto extension = dyn_cast<arith::ExtFOp>(op))
        expand(extension, byInstructions);
      else
        expand(cast<arith::TruncFOp>(op), byInstructions);
    }
  }

private:
  /// Returns true if the kernel's target can convert; a function that is no
  /// kernel's has none.
  bool hasInstructions(gpu::GPUFuncOp function) {
    auto kernel =
        function ? function->getAttrOfType<KernelAttr>(KernelAttr::attrName)
                 : KernelAttr();
    if (!kernel)
      return false;
    auto [entry, isNew] = known.try_emplace(function, false);
    if (isNew)
      if (Result<model::Target> target =
              lookUpTarget(function, kernel->schedule.getValue().target))
        entry->second = target->has(model::Feature::Float8PairConversions) &&
                        target->ptxVersion >= minPtxVersion;
    return entry->second;
  }

  DenseMap<gpu::GPUFuncOp, bool> known;
};
} // namespace
