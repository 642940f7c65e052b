//===- TCToLinalg.cpp - From contractions to linalg -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers tc.contract to a structured operation that sums, and, where linalg has
// no word for the factors or the types, another that scales.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToLinalg/Lowering.h"
#include "tc/Conversion/TCToLinalg/Passes.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"
#include "tc/Dialect/TC/Utils/ScaleOutput.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTTCTOLINALG
#include "tc/Conversion/TCToLinalg/Passes.h.inc"
} // namespace tc

using namespace tc;
using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::utils::IteratorType;
using model::Tensor;
namespace linalg = mlir::linalg;
namespace memref = mlir::memref;
namespace tensor = mlir::tensor;

/// From the loops over the labels, in their order, to a tensor's dimensions.
static AffineMap getMap(ContractOp op, ArrayRef<StringAttr> labels,
                        Tensor tensor) {
  SmallVector<AffineExpr> loops;
  for (StringAttr label : op.getIndices(tensor)) {
    auto loop = std::distance(labels.begin(), llvm::find(labels, label));
    loops.push_back(mlir::getAffineDimExpr(loop, op.getContext()));
  }
  return AffineMap::get(labels.size(), 0, loops, op.getContext());
}

/// Returns true if linalg.contract can express the contraction: elements are
/// multiplied and added up as they are, no label is twice in an input, none
/// summed in one input only, and at least one is summed.
static bool isLinalgContract(ContractOp op, ArrayRef<AffineMap> maps) {
  if (op.getSemiring() != model::Semiring::PlusTimes || op.getHasPrologueA() ||
      op.getHasPrologueB() || op.getConjugateA() || op.getConjugateB())
    return false;
  // It would have to make complex numbers of real ones.
  if (isa<mlir::ComplexType>(op.getFactorType()) &&
      op.getFactorTypeOf(Tensor::A) != op.getFactorTypeOf(Tensor::B))
    return false;
  auto isSummed = [&](StringAttr label) {
    return !op.getCIndices().contains(label);
  };
  auto isInBoth = [&](StringAttr label) {
    return op.getAIndices().contains(label) && op.getBIndices().contains(label);
  };
  SmallVector<StringAttr> summed =
      llvm::filter_to_vector(op.getLabels(), isSummed);
  return llvm::all_of(
             maps,
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         !summed.empty() && llvm::all_of(summed, isInBoth);
}

/// The type that a structured operation with that destination returns, if any.
static SmallVector<Type> getResultTypes(Value destination) {
  if (isa<RankedTensorType>(destination.getType()))
    return {destination.getType()};
  return {};
}

/// The tensor that a structured operation has computed: its result, or the
/// destination.
static Value getComputed(Operation *op, Value destination) {
  return op->getNumResults() ? op->getResult(0) : destination;
}

/// Adds the products to a destination with elements of the sums' type.
static Value addProducts(ImplicitLocOpBuilder &builder, ContractOp op,
                         Value destination) {
  SmallVector<StringAttr> labels = op.getLabels();
  auto maps = llvm::map_to_vector(model::allTensors, [&](Tensor tensor) {
    return getMap(op, labels, tensor);
  });
  SmallVector<Type> results = getResultTypes(destination);
  ValueRange inputs = op->getOperands().take_front(2);
  if (isLinalgContract(op, maps))
    return getComputed(
        linalg::ContractOp::create(builder, results, inputs, destination,
                                   builder.getAffineMapArrayAttr(maps)),
        destination);
  auto iterators = llvm::map_to_vector(labels, [&](StringAttr label) {
    return op.getCIndices().contains(label) ? IteratorType::parallel
                                            : IteratorType::reduction;
  });
  auto generic = linalg::GenericOp::create(
      builder, results, inputs, destination, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Type sumType = args[2].getType();
        SmallVector<Value, 2> factors;
        for (auto [tensor, element] :
             llvm::zip(std::array{Tensor::A, Tensor::B}, args)) {
          if (mlir::Region *prologue = op.getPrologue(tensor))
            element = applyRegion(nested, loc, *prologue, element);
          if (op.conjugates(tensor))
            element = mlir::complex::ConjOp::create(nested, loc, element);
          factors.push_back(convertElements(nested, loc, element, sumType));
        }
        SemiringCode semiring(op);
        Value product = multiply(nested, loc, semiring, factors[0], factors[1]);
        linalg::YieldOp::create(
            nested, loc, combine(nested, loc, semiring, args[2], product));
      });
  return getComputed(generic, destination);
}

static Value fillWithZeros(ImplicitLocOpBuilder &builder, ContractOp op,
                           Value destination) {
  Type type = cast<ShapedType>(destination.getType()).getElementType();
  Value zero =
      createNumber(builder, op.getLoc(), getEmptySum(SemiringCode(op), type));
  return getComputed(linalg::FillOp::create(builder, zero, destination),
                     destination);
}

Value tc::createSums(ImplicitLocOpBuilder &builder, ContractOp op) {
  Value c = op.getC();
  Type type = op.getAccumulatorType();
  if (!op.hasBuffers())
    return tensor::EmptyOp::create(
        builder, tensor::getMixedSizes(builder, op.getLoc(), c), type);
  SmallVector<int64_t> shape;
  SmallVector<Value> extents;
  mlir::dispatchIndexOpFoldResults(
      memref::getMixedSizes(builder, op.getLoc(), c), extents, shape);
  return memref::AllocOp::create(builder, MemRefType::get(shape, type),
                                 extents);
}

Value tc::storeSums(ImplicitLocOpBuilder &builder, ContractOp op, Value sums) {
  Value c = op.getC();
  unsigned rank = op.getCIndices().size();
  SmallVector<AffineMap> maps = getAuxiliaryMaps(op);
  maps.append(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<Value> inputs(op.getAuxiliaries());
  inputs.push_back(sums);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, getResultTypes(c), inputs, c, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Value old = args.back(), result = args.drop_back().back();
        if (Value alpha = op.getAlpha())
          result = multiply(nested, loc, op.getSemiring(), alpha, result);
        if (op.getAccumulate() ||
            (op.getBeta() && !isZero(op.getSemiring(), op.getBeta())))
          result = combine(nested, loc, SemiringCode(op), result,
                           scaleOldElement(nested, loc, op, old));
        if (mlir::Region *epilogue = op.getEpilogue()) {
          SmallVector<Value> arguments = {result, old};
          llvm::append_range(arguments, args.drop_back(2));
          result = applyRegion(nested, loc, *epilogue, arguments);
        } else {
          result = convertElements(nested, loc, result, old.getType());
        }
        linalg::YieldOp::create(nested, loc, result);
      });
  return getComputed(generic, c);
}

void tc::lowerToLinalg(ContractOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  model::Semiring semiring = op.getSemiring();
  bool isPlain =
      (!op.getAlpha() || isOne(semiring, op.getAlpha())) && !op.getEpilogue() &&
      op.getTypeOf(Tensor::C).getElementType() == op.getAccumulatorType();
  Value result;
  if (isPlain && !op.readsC()) {
    result = addProducts(builder, op, fillWithZeros(builder, op, op.getC()));
  } else if (isPlain && op.addsToC()) {
    result = addProducts(builder, op, op.getC());
  } else {
    Value destination = createSums(builder, op);
    Value sums =
        addProducts(builder, op, fillWithZeros(builder, op, destination));
    result = storeSums(builder, op, sums);
    if (op.hasBuffers())
      memref::DeallocOp::create(builder, destination);
  }
  if (op.getResult())
    op.getResult().replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct ConvertTCToLinalg
    : public tc::impl::ConvertTCToLinalgBase<ConvertTCToLinalg> {
  using ConvertTCToLinalgBase::ConvertTCToLinalgBase;

  void runOnOperation() override {
    mlir::IRRewriter rewriter(&getContext());
    getOperation()->walk([&](FusedOp group) { group.dissolve(rewriter); });
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    for (ContractOp op : ops)
      lowerToLinalg(op);
  }
};
} // namespace
