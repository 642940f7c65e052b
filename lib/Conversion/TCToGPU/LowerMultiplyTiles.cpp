//===- LowerMultiplyTiles.cpp - Expand the product of shared tiles --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.multiply_tiles into outer products of fused multiply-adds, or
// into mma.sync by the intrinsics: the operations of the NVVM dialect take f64
// in the smallest shape only.
//
//===----------------------------------------------------------------------===//

#include "TileFragments.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/FormatVariadic.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERMULTIPLYTILES
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::VectorType;

namespace {

/// The multiplication of one pair of shared tiles by one thread.
class TileProduct {
public:
  TileProduct(MultiplyTilesOp op, const KernelInfo &kernel)
      : layout(kernel.layout), contraction(kernel.contraction),
        target(kernel.target), shape(kernel, op), builder(op),
        loc(nameStep(op, "multiply tiles")),
        index(builder, loc, builder.getI32Type()),
        a(std::in_place, builder, loc, kernel, op.getLhs(), /*ofN=*/false),
        b(builder, loc, kernel, op.getRhs(), /*ofN=*/true),
        sumType(cast<VectorType>(op.getAccumulators().front().getType())),
        semiring(contraction.semiring), kOrigins(op.getKOrigins()) {
    if (op.getSemiring().empty())
      return;
    semiring.product = &op.getSemiring().front();
    semiring.combine = &op.getSemiring().back();
  }

  TileProduct(MultiplyFactorsOp op, const KernelInfo &kernel)
      : layout(kernel.layout), contraction(kernel.contraction),
        target(kernel.target), shape(kernel, op), builder(op),
        loc(nameStep(op, "multiply tiles")),
        index(builder, loc, builder.getI32Type()),
        b(builder, loc, kernel, op.getRhs(), /*ofN=*/true),
        sumType(cast<VectorType>(op.getAccumulators().front().getType())),
        semiring(contraction.semiring), held(op.getFactors()) {}

  SmallVector<Value> build(mlir::ValueRange sums, int64_t maxUnrolled);

private:
  int64_t stepsUnrolled(int64_t maxUnrolled) const;
  void addStep(SplitIndex k, SmallVector<Value> &sums);
  Fragments heldFragments(SplitIndex k);
  Value liesInTensors(SplitIndex k);
  void addOuterProducts(SplitIndex k, SmallVector<Value> &sums);
  void addMatrixProducts(SplitIndex k, SmallVector<Value> &sums);
  void addMatrixProducts(const Fragments &ofRows, const Fragments &ofColumns,
                         SmallVector<Value> &sums);
  SmallVector<Value> multiplyMatrices(mlir::ValueRange rows,
                                      mlir::ValueRange columns,
                                      mlir::ValueRange sums);

  const model::KernelLayout &layout;
  const model::Contraction &contraction;
  const model::Target &target;
  ShapeValues shape;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  /// Of A unless the thread has its factors.
  std::optional<TileFragments> a;
  TileFragments b;
  VectorType sumType;
  SemiringCode semiring;
  /// Of the shared tiles, if products may have to be left out.
  mlir::ValueRange kOrigins;
  /// The factors of A that the thread multiplies: the pairs along K of its
  /// rows, those of a row next to each other.
  mlir::ValueRange held;
};

} // namespace

/// The condition that a value of k of the shared tiles stands for one of the
/// tensors, null if it always does.
Value TileProduct::liesInTensors(SplitIndex k) {
  if (kOrigins.empty())
    return {};
  IndexBuilder coordinate(builder, loc, kOrigins.front().getType());
  SmallVector<int64_t> radices;
  for (const model::TileDim &dim : llvm::reverse(layout.k))
    radices.push_back(dim.tile);
  Value number = index.add(k.value, index.constant(k.constant));
  SmallVector<Value> conditions;
  for (auto [dim, origin, local] : llvm::zip_equal(
           llvm::reverse(layout.k), llvm::reverse(kOrigins),
           digits(index, number, layout.blockK, /*round=*/0, radices)))
    if (dim.ragged())
      conditions.push_back(coordinate.lessThan(
          {coordinate.add(origin, coordinate.extend(local.value)),
           local.constant},
          shape.extent(dim.index)));
  return conjunction(builder, loc, conditions);
}

void TileProduct::addOuterProducts(SplitIndex k, SmallVector<Value> &sums) {
  int64_t columns = layout.registerN / layout.groupN;
  auto extend = [&](Value factor) {
    return convertElements(builder, loc, factor, sumType.getElementType());
  };
  Fragments ofA, ofB;
  for (int64_t j = 0; j < layout.laneDepth; ++j) {
    if (j % a->depth() == 0)
      a->load(k, j, ofA);
    if (j % b.depth() == 0)
      b.load(k, j, ofB);
    Value inside = liesInTensors({k.value, k.constant + j});
    SmallVector<Value> factors, row;
    for (Value factor : ofB[j])
      factors.push_back(extend(factor));
    for (int64_t n = 0; n < columns; ++n)
      row.push_back(vector::FromElementsOp::create(
          builder, loc, sumType,
          ArrayRef(factors).slice(n * layout.groupN, layout.groupN)));
    for (int64_t m = 0; m < layout.registerM; ++m) {
      Value factor =
          vector::BroadcastOp::create(builder, loc, sumType, extend(ofA[j][m]));
      for (int64_t n = 0; n < columns; ++n) {
        Value &sum = sums[m * columns + n];
        Value added =
            multiplyAndCombine(builder, loc, semiring, factor, row[n], sum);
        sum = inside ? arith::SelectOp::create(builder, loc, inside, added, sum)
                           .getResult()
                     : added;
      }
    }
  }
}

/// Calls the intrinsic for one instruction of the layout's shape.
SmallVector<Value> TileProduct::multiplyMatrices(mlir::ValueRange rows,
                                                 mlir::ValueRange columns,
                                                 mlir::ValueRange sums) {
  StringRef types;
  switch (layout.a.elementType) {
  case model::ElementType::F64:
    types = "f64";
    break;
  case model::ElementType::F32:
    types = contraction.precision == model::Precision::BF16x3 ? "bf16" : "tf32";
    break;
  case model::ElementType::F16:
    types = "f32.f32";
    break;
  case model::ElementType::BF16:
    types = "bf16";
    break;
  case model::ElementType::F8E4M3FN:
    types = "f32.e4m3.e4m3.f32";
    break;
  case model::ElementType::F8E5M2:
    types = "f32.e5m2.e5m2.f32";
    break;
  case model::ElementType::I8:
  case model::ElementType::I32:
  case model::ElementType::I64:
  case model::ElementType::C32:
  case model::ElementType::C64:
    llvm_unreachable("schedules have these matrix instructions for real "
                     "floating-point numbers alone");
  }
  const model::InstructionShape &instruction = layout.atom().shape;
  std::string name =
      llvm::formatv("llvm.nvvm.mma.m{0}n{1}k{2}.row.col.{3}", instruction.rows,
                    instruction.columns, instruction.depth, types);
  SmallVector<Value> operands;
  for (mlir::ValueRange values : {rows, columns, sums})
    llvm::append_range(operands, values);
  SmallVector<Type> resultTypes(sums.getTypes());
  auto resultType =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), resultTypes);
  auto call = LLVM::CallIntrinsicOp::create(
      builder, loc, resultType, builder.getStringAttr(name), operands);
  SmallVector<Value> results;
  for (size_t i = 0; i < sums.size(); ++i)
    results.push_back(LLVM::ExtractValueOp::create(
        builder, loc, call.getResult(0), static_cast<int64_t>(i)));
  return results;
}

/// Neighbours along K of 8 bits, four in a register.
static Fragments packBytes(OpBuilder &builder, Location loc,
                           const Fragments &fragments) {
  constexpr int64_t inRegister = 4;
  auto type = VectorType::get(inRegister, fragments[0][0].getType());
  auto word = VectorType::get(1, builder.getI32Type());
  Fragments registers;
  for (size_t j = 0; j < fragments.size(); j += inRegister) {
    registers.emplace_back();
    for (size_t position = 0; position < fragments[j].size(); ++position) {
      SmallVector<Value> bytes;
      for (int64_t i = 0; i < inRegister; ++i)
        bytes.push_back(fragments[j + i][position]);
      Value packed = vector::FromElementsOp::create(builder, loc, type, bytes);
      packed = vector::BitCastOp::create(builder, loc, word, packed);
      registers.back().push_back(
          vector::ExtractOp::create(builder, loc, packed, 0));
    }
  }
  return registers;
}

/// The registers of matrix instructions are 64 bits of f64 or 32 bits.
static Fragments toRegisters(OpBuilder &builder, Location loc,
                             const Fragments &fragments) {
  if (fragments[0][0].getType().isIntOrFloat() &&
      fragments[0][0].getType().getIntOrFloatBitWidth() == 8)
    return packBytes(builder, loc, fragments);
  Fragments registers;
  for (const SmallVector<Value> &row : fragments) {
    registers.emplace_back();
    for (Value value : row) {
      auto pair = dyn_cast<VectorType>(value.getType());
      registers.back().push_back(
          pair && pair.getElementType().isBF16()
              ? LLVM::BitcastOp::create(builder, loc, builder.getI32Type(),
                                        value)
              : value);
    }
  }
  return registers;
}

/// Rounds a number of f32 to TF32, to nearest, ties to even if the target can:
/// of ties away from zero, ptxas makes at least two instructions.
static Value roundToTF32(OpBuilder &builder, Location loc,
                         const model::Target &target, Value value) {
  return LLVM::CallIntrinsicOp::create(
             builder, loc, builder.getI32Type(),
             builder.getStringAttr(target.has(model::Feature::TF32RoundToEven)
                                       ? "llvm.nvvm.f2tf32.rn"
                                       : "llvm.nvvm.f2tf32.rna"),
             value)
      .getResult(0);
}

/// A factor of f32 as TF32, in the bits of f32, and what rounding left of it.
static std::pair<Value, Value> splitFactor(OpBuilder &builder, Location loc,
                                           const model::Target &target,
                                           Value factor, bool needsRest) {
  auto round = [&](Value value) {
    return roundToTF32(builder, loc, target, value);
  };
  Value large = round(factor);
  if (!needsRest)
    return {large, Value()};
  Value rounded =
      arith::BitcastOp::create(builder, loc, factor.getType(), large);
  Value rest = arith::SubFOp::create(builder, loc, factor, rounded);
  return {large, round(rest)};
}

/// Two factors of f32 as BF16 in one register, the first in its lower half, and
/// what rounding left of them.
static std::pair<Value, Value> splitPair(OpBuilder &builder, Location loc,
                                         Value first, Value second) {
  Type word = builder.getI32Type(), type = first.getType();
  auto pairType = VectorType::get(2, builder.getBF16Type());
  auto round = [&](Value low, Value high) -> Value {
    Value pair =
        LLVM::CallIntrinsicOp::create(
            builder, loc, pairType,
            builder.getStringAttr("llvm.nvvm.ff2bf16x2.rn"), {high, low})
            .getResult(0);
    return LLVM::BitcastOp::create(builder, loc, word, pair);
  };
  auto constant = [&](int64_t bits) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(word, bits));
  };
  auto leftOf = [&](Value factor, Value bits) -> Value {
    Value rounded = arith::BitcastOp::create(builder, loc, type, bits);
    return arith::SubFOp::create(builder, loc, factor, rounded);
  };
  // BF16 is the upper half of f32.
  Value large = round(first, second);
  Value low = arith::ShLIOp::create(builder, loc, large, constant(16));
  Value high =
      arith::AndIOp::create(builder, loc, large, constant(-(int64_t(1) << 16)));
  return {large, round(leftOf(first, low), leftOf(second, high))};
}

/// Fragments of f32 as pairs of BF16 along K, and what rounding left of them.
static std::pair<Fragments, Fragments>
splitIntoPairs(OpBuilder &builder, Location loc, const Fragments &fragments) {
  Fragments large, rest;
  for (size_t j = 0; j < fragments.size(); j += 2) {
    large.emplace_back();
    rest.emplace_back();
    for (auto [first, second] :
         llvm::zip_equal(fragments[j], fragments[j + 1])) {
      auto [value, left] = splitPair(builder, loc, first, second);
      large.back().push_back(value);
      rest.back().push_back(left);
    }
  }
  return {large, rest};
}

/// Fragments of f32 as TF32, and what rounding left of them.
static std::pair<Fragments, Fragments>
splitFactors(OpBuilder &builder, Location loc, const model::Target &target,
             const Fragments &fragments, bool needsRest) {
  Fragments large, rest;
  for (const SmallVector<Value> &row : fragments) {
    large.emplace_back();
    rest.emplace_back();
    for (Value factor : row) {
      auto [value, left] = splitFactor(builder, loc, target, factor, needsRest);
      large.back().push_back(value);
      if (needsRest)
        rest.back().push_back(left);
    }
  }
  return {large, rest};
}

/// The accumulators are [m][n] scalars here. Those of one instruction are two
/// along the columns for each of its 8 lanes' rows; `laneColumns` apart, for
/// so many instructions share two groups.
void TileProduct::addMatrixProducts(const Fragments &ofRows,
                                    const Fragments &ofColumns,
                                    SmallVector<Value> &sums) {
  bool rowsAlongM = layout.rowsAlongM();
  int64_t rows = layout.atom().sumRows();
  int64_t columns = layout.atom().sumColumns();
  int64_t inRegister = contraction.precision == model::Precision::BF16x3
                           ? 2
                           : layout.factorsPerRegister();
  int64_t depth = layout.atom().laneDepth() / inRegister;
  auto sumAt = [&](int64_t row, int64_t column) -> Value & {
    int64_t m = rowsAlongM ? row : column, n = rowsAlongM ? column : row;
    return sums[m * layout.registerN + n];
  };

  int64_t together = layout.laneColumns;
  auto columnOf = [&](int64_t fragment, int64_t c) {
    return (fragment / together * columns + c) * together + fragment % together;
  };
  int64_t allDepth = ofRows.size(), allRows = ofRows.front().size(),
          fragments = ofColumns.front().size();
  for (int64_t j = 0; j < allDepth; j += depth)
    for (int64_t row = 0; row < allRows; row += rows)
      for (int64_t column = 0; column < fragments; ++column) {
        SmallVector<Value> left, right, before;
        for (int64_t d = 0; d < depth; ++d) {
          for (int64_t r = 0; r < rows; ++r)
            left.push_back(ofRows[j + d][row + r]);
          right.push_back(ofColumns[j + d][column]);
        }
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < columns; ++c)
            before.push_back(sumAt(row + r, columnOf(column, c)));
        SmallVector<Value> after = multiplyMatrices(left, right, before);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < columns; ++c)
            sumAt(row + r, columnOf(column, c)) = after[r * columns + c];
      }
}

/// Factors of f32 are rounded to TF32 or, to keep most of what rounding loses,
/// split in two of TF32 or BF16, of whose products the smallest is dropped; the
/// small ones are added up first.
void TileProduct::addMatrixProducts(SplitIndex k, SmallVector<Value> &sums) {
  Fragments ofA = a ? a->loadStep(k) : heldFragments(k), ofB = b.loadStep(k);
  bool rowsAlongM = layout.rowsAlongM();
  const Fragments &ofRows = rowsAlongM ? ofA : ofB;
  const Fragments &ofColumns = rowsAlongM ? ofB : ofA;
  if (contraction.precision == model::Precision::IEEE)
    return addMatrixProducts(toRegisters(builder, loc, ofRows),
                             toRegisters(builder, loc, ofColumns), sums);
  bool isSplit = model::partProducts(contraction.precision) > 1;
  auto split = [&](const Fragments &fragments) {
    return contraction.precision == model::Precision::BF16x3
               ? splitIntoPairs(builder, loc, fragments)
               : splitFactors(builder, loc, target, fragments, isSplit);
  };
  auto [rows, restOfRows] = split(ofRows);
  auto [columns, restOfColumns] = split(ofColumns);
  if (isSplit) {
    addMatrixProducts(restOfRows, columns, sums);
    addMatrixProducts(rows, restOfColumns, sums);
  }
  addMatrixProducts(rows, columns, sums);
}

/// The fragments that `ldmatrix` would load of the rows: registers have two
/// factors, and a thread's are as far apart along K as the columns of an
/// instruction.
Fragments TileProduct::heldFragments(SplitIndex k) {
  int64_t pairs = layout.blockK / model::matrixRowElements;
  Fragments fragments(layout.stepDepth() / model::matrixRowElements);
  for (auto [d, ofDepth] : llvm::enumerate(fragments))
    for (int64_t row = 0; row < layout.registerM; ++row)
      ofDepth.push_back(
          held[row * pairs + k.constant / model::matrixRowElements +
               static_cast<int64_t>(d)]);
  return fragments;
}

void TileProduct::addStep(SplitIndex k, SmallVector<Value> &sums) {
  if (!layout.isCollective())
    return addOuterProducts(k, sums);
  SmallVector<Value> scalars;
  for (Value sum : sums)
    for (int64_t i = 0; i < layout.groupN; ++i)
      scalars.push_back(vector::ExtractOp::create(builder, loc, sum, i));
  addMatrixProducts(k, scalars);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = vector::FromElementsOp::create(
        builder, loc, sumType,
        ArrayRef(scalars).slice(i * layout.groupN, layout.groupN));
}

/// The most steps that divide the shared tiles' and whose instructions that
/// multiply do not exceed the limit; at least one.
int64_t TileProduct::stepsUnrolled(int64_t maxUnrolled) const {
  int64_t perStep = model::productInstructions(layout, layout.stepDepth());
  int64_t all = layout.blockK / layout.stepDepth(), steps = all;
  while (steps > 1 && (all % steps != 0 || steps * perStep > maxUnrolled))
    --steps;
  return steps;
}

SmallVector<Value> TileProduct::build(mlir::ValueRange initial,
                                      int64_t maxUnrolled) {
  SmallVector<Value> sums(initial);
  int64_t depth = layout.stepDepth();
  // Registers have no numbers that a loop could work out.
  int64_t unrolled =
      a ? stepsUnrolled(maxUnrolled) : layout.blockK / layout.stepDepth();
  if (unrolled * depth == layout.blockK) {
    for (int64_t k = 0; k < layout.blockK; k += depth)
      addStep({Value(), k}, sums);
    return sums;
  }

  auto loop = scf::ForOp::create(builder, loc, index.constant(0),
                                 index.constant(layout.blockK),
                                 index.constant(unrolled * depth), sums);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  sums.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  for (int64_t step = 0; step < unrolled; ++step)
    addStep({loop.getInductionVar(), step * depth}, sums);
  scf::YieldOp::create(builder, loc, sums);
  return SmallVector<Value>(loop.getResults());
}

static LogicalResult lower(KernelPlans &plans, MultiplyTilesOp op,
                           int64_t maxUnrolled) {
  const KernelInfo *kernel = plans.enclosing(op, op.getTerm());
  if (!kernel)
    return failure();
  const model::KernelLayout &layout = kernel->layout;
  int64_t columns = layout.registerN / layout.groupN;
  auto vectorType = cast<VectorType>(op.getAccumulators().front().getType());
  int64_t shapeA[] = {layout.a.rows, layout.a.rowLength};
  int64_t shapeB[] = {layout.b.rows, layout.b.rowLength};
  auto hasShape = [](Value sharedTile, ArrayRef<int64_t> shape) {
    return cast<MemRefType>(sharedTile.getType()).getShape() == shape;
  };
  if (static_cast<int64_t>(op.getAccumulators().size()) !=
          layout.registerM * columns ||
      vectorType.getNumElements() != layout.groupN ||
      !hasShape(op.getLhs(), shapeA) || !hasShape(op.getRhs(), shapeB))
    return op.emitOpError("doesn't fit the kernel's layout: expected ")
           << layout.registerM * columns << " accumulators of " << layout.groupN
           << ", shared tiles of " << shapeA[0] << "x" << shapeA[1] << " and "
           << shapeB[0] << "x" << shapeB[1];

  bool isUserDefined =
      kernel->contraction.semiring == model::Semiring::UserDefined;
  if (isUserDefined == op.getSemiring().empty())
    return op.emitOpError("doesn't fit its kernel: regions are for a "
                          "user-defined semiring, and it is ")
           << StringRef(model::stringify(kernel->contraction.semiring));
  bool masks = model::masksProducts(kernel->contraction, layout);
  size_t origins = masks ? layout.k.size() : 0;
  if (op.getKOrigins().size() != origins)
    return op.emitOpError("doesn't fit the kernel's layout: expected ")
           << origins << " origins along K, got " << op.getKOrigins().size();

  SmallVector<Value> sums =
      TileProduct(op, *kernel).build(op.getAccumulators(), maxUnrolled);
  op.replaceAllUsesWith(sums);
  op.erase();
  return success();
}

static LogicalResult lower(KernelPlans &plans, MultiplyFactorsOp op) {
  const KernelInfo *kernel = plans.enclosing(op, op.getTerm());
  if (!kernel)
    return failure();
  const model::KernelLayout &layout = kernel->layout;
  int64_t columns = layout.registerN / layout.groupN;
  int64_t pairs = layout.blockK / model::matrixRowElements;
  auto sumType = cast<VectorType>(op.getAccumulators().front().getType());
  auto factorType = cast<VectorType>(op.getFactors().front().getType());
  int64_t shapeB[] = {layout.b.rows, layout.b.rowLength};
  if (!layout.loadsMatrices() || !layout.rowsAlongM())
    return op.emitOpError("doesn't fit the kernel's layout: its instruction, ")
           << StringRef(model::stringify(layout.instruction))
           << ", does not take rows of A from two factors in a register";
  if (static_cast<int64_t>(op.getAccumulators().size()) !=
          layout.registerM * columns ||
      sumType.getNumElements() != layout.groupN ||
      static_cast<int64_t>(op.getFactors().size()) !=
          layout.registerM * pairs ||
      factorType.getNumElements() != 2 ||
      cast<MemRefType>(op.getRhs().getType()).getShape() != ArrayRef(shapeB))
    return op.emitOpError("doesn't fit the kernel's layout: expected ")
           << layout.registerM * columns << " accumulators of " << layout.groupN
           << ", " << layout.registerM * pairs
           << " pairs of factors and a shared tile of " << shapeB[0] << "x"
           << shapeB[1];
  SmallVector<Value> sums =
      TileProduct(op, *kernel).build(op.getAccumulators(), /*maxUnrolled=*/1);
  op.replaceAllUsesWith(sums);
  op.erase();
  return success();
}

namespace {
struct LowerMultiplyTiles
    : public tc::impl::TCLowerMultiplyTilesBase<LowerMultiplyTiles> {
  using TCLowerMultiplyTilesBase::TCLowerMultiplyTilesBase;

  void runOnOperation() override {
    auto &plans = getAnalysis<KernelPlans>();
    SmallVector<MultiplyTilesOp> ops;
    getOperation()->walk([&](MultiplyTilesOp op) { ops.push_back(op); });
    for (MultiplyTilesOp op : ops)
      if (failed(lower(plans, op, maxUnrolled)))
        return signalPassFailure();
    SmallVector<MultiplyFactorsOp> ofFactors;
    getOperation()->walk(
        [&](MultiplyFactorsOp op) { ofFactors.push_back(op); });
    for (MultiplyFactorsOp op : ofFactors)
      if (failed(lower(plans, op)))
        return signalPassFailure();
  }
};
} // namespace
