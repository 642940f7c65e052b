//===- LinalgToTC.cpp - From linalg to contractions -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raises structured operations that are contractions to tc.contract. Maps and
// payload decide, not the operation's name. Upstream's own test of whether
// something is a contraction asks for rows, columns and a summed loop, none of
// which need be there here.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/LinalgToTC/Passes.h"

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Result.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTLINALGTOTC
#include "tc/Conversion/LinalgToTC/Passes.h.inc"
} // namespace tc

using namespace tc;
using mlir::AffineDimExpr;
using mlir::AffineMap;
using mlir::BlockArgument;
using model::Tensor;
namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

namespace {
/// The computation of a payload: the elements of two inputs, by their position,
/// are multiplied and added to the element of C, as a semiring does.
struct Payload {
  model::Semiring semiring;
  unsigned a, b;
  /// True if the elements of A, or those of B, are conjugated.
  bool conjugatesA = false, conjugatesB = false;
};

/// An element of an input, by the input's position.
struct Factor {
  unsigned input;
  bool isConjugated = false;
};
} // namespace

/// Maxima and minima of floating-point numbers leave NaN out, as tc.contract
/// does, or may do as they please about it.
template <typename Op> static bool ignoresNaN(Op op) {
  return arith::bitEnumContainsAll(op.getFastmath(),
                                   arith::FastMathFlags::nnan);
}

static bool isMaximum(Operation *op) {
  if (auto maximum = dyn_cast<arith::MaximumFOp>(op))
    return ignoresNaN(maximum);
  return isa<arith::MaxNumFOp, arith::MaxSIOp>(op);
}

static bool isMinimum(Operation *op) {
  if (auto minimum = dyn_cast<arith::MinimumFOp>(op))
    return ignoresNaN(minimum);
  return isa<arith::MinNumFOp, arith::MinSIOp>(op);
}

static bool isCombine(Operation *op, model::Combine combine) {
  switch (combine) {
  case model::Combine::Add:
    return isa<arith::AddFOp, arith::AddIOp, complex::AddOp>(op);
  case model::Combine::Max:
    return isMaximum(op);
  case model::Combine::Min:
    return isMinimum(op);
  case model::Combine::Or:
    return isa<arith::OrIOp>(op);
  case model::Combine::Xor:
    return isa<arith::XOrIOp>(op);
  }
  llvm_unreachable("unknown combination");
}

static bool isProduct(Operation *op, model::Product product) {
  switch (product) {
  case model::Product::Multiply:
    return isa<arith::MulFOp, arith::MulIOp, complex::MulOp>(op);
  case model::Product::Add:
    return isa<arith::AddFOp, arith::AddIOp>(op);
  case model::Product::And:
    return isa<arith::AndIOp>(op);
  case model::Product::Max:
    return isMaximum(op);
  case model::Product::Min:
    return isMinimum(op);
  }
  llvm_unreachable("unknown product");
}

static std::optional<model::Semiring> matchSemiring(Operation *combine,
                                                    Operation *product) {
  for (model::Semiring semiring : model::allSemirings)
    if (isCombine(combine, model::combineOf(semiring)) &&
        isProduct(product, model::productOf(semiring)))
      return semiring;
  return std::nullopt;
}

/// The input that a factor is an element of, as it is, extended or conjugated.
static std::optional<Factor> matchFactor(Value factor, unsigned numInputs) {
  Operation *conversion = factor.getDefiningOp();
  bool isConjugated = llvm::isa_and_present<complex::ConjOp>(conversion);
  if (isConjugated ||
      llvm::isa_and_present<arith::ExtFOp, arith::ExtSIOp>(conversion))
    factor = conversion->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(factor);
  if (!argument || argument.getArgNumber() >= numInputs)
    return std::nullopt;
  return Factor{argument.getArgNumber(), isConjugated};
}

/// Matches `yield c + a * b`, and nothing else in the payload that matters.
static std::optional<Payload> matchPayload(linalg::LinalgOp op) {
  mlir::Block &body = *op.getBlock();
  auto yield = dyn_cast<linalg::YieldOp>(body.getTerminator());
  if (!yield || !llvm::all_of(body, [](Operation &op) {
        return mlir::isMemoryEffectFree(&op);
      }))
    return std::nullopt;
  unsigned numInputs = op.getNumDpsInputs();
  // The payload of linalg.map does not get to see C.
  if (body.getNumArguments() != numInputs + 1)
    return std::nullopt;
  Value old = body.getArgument(numInputs);
  Operation *sum = yield.getOperand(0).getDefiningOp();
  if (!sum || sum->getNumOperands() != 2 ||
      !llvm::is_contained(sum->getOperands(), old))
    return std::nullopt;
  Value added = sum->getOperand(sum->getOperand(0) == old ? 1 : 0);
  Operation *product = added.getDefiningOp();
  if (!product || product->getNumOperands() != 2)
    return std::nullopt;
  auto semiring = matchSemiring(sum, product);
  auto left = matchFactor(product->getOperand(0), numInputs);
  auto right = matchFactor(product->getOperand(1), numInputs);
  if (!semiring || !left || !right)
    return std::nullopt;
  // An input that is no factor may still decide how often loops run.
  bool usesAll = left->input == right->input ? numInputs == 1 : numInputs == 2;
  if (!usesAll)
    return std::nullopt;
  if (right->input < left->input)
    std::swap(left, right);
  return Payload{*semiring, left->input, right->input, left->isConjugated,
                 right->isConjugated};
}

/// The loops that the dimensions of an operand follow, if each follows one.
static std::optional<SmallVector<unsigned>> matchLoops(AffineMap map) {
  SmallVector<unsigned> loops;
  for (mlir::AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return std::nullopt;
    loops.push_back(loop.getPosition());
  }
  return loops;
}

static unsigned positionOf(Tensor tensor, linalg::LinalgOp op,
                           const Payload &payload) {
  switch (tensor) {
  case Tensor::A:
    return payload.a;
  case Tensor::B:
    return payload.b;
  case Tensor::C:
    return op.getNumDpsInputs();
  }
  llvm_unreachable("no such tensor");
}

/// The loops of the three operands, if they are those of a contraction.
static Result<model::PerTensor<SmallVector<unsigned>>>
matchIndices(linalg::LinalgOp op, const Payload &payload) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  model::PerTensor<SmallVector<unsigned>> lists;
  for (Tensor tensor : model::allTensors) {
    auto loops = matchLoops(maps[positionOf(tensor, op, payload)]);
    if (!loops)
      return Error{std::string("a dimension of ") +
                   "ABC"[static_cast<size_t>(tensor)] +
                   " follows no single loop"};
    lists[tensor] = std::move(*loops);
  }
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    auto times = llvm::count(lists[Tensor::C], loop);
    bool isInput = llvm::is_contained(lists[Tensor::A], loop) ||
                   llvm::is_contained(lists[Tensor::B], loop);
    auto expected = times ? mlir::utils::IteratorType::parallel
                          : mlir::utils::IteratorType::reduction;
    std::string number = "loop " + std::to_string(loop);
    if (times > 1)
      return Error{number + " is in C's map twice"};
    if (!isInput)
      return Error{number + " is in the map of no input"};
    if (iterator != expected)
      return Error{times ? number + " is in C's map, but not parallel"
                         : number + " is parallel, but not in C's map"};
  }
  return lists;
}

/// The letter for loops that play the same part.
static char letterOf(unsigned loop,
                     const model::PerTensor<SmallVector<unsigned>> &lists) {
  auto isIn = [&](Tensor tensor) {
    return llvm::is_contained(lists[tensor], loop);
  };
  bool inBoth = isIn(Tensor::A) && isIn(Tensor::B);
  if (isIn(Tensor::C))
    return inBoth ? 'b' : isIn(Tensor::A) ? 'm' : 'n';
  return inBoth ? 'k' : 's';
}

/// Names loops after their roles, and numbers those that share one.
static SmallVector<StringAttr>
nameLoops(MLIRContext *context, unsigned numLoops,
          const model::PerTensor<SmallVector<unsigned>> &lists) {
  SmallVector<char> letters;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    letters.push_back(letterOf(loop, lists));
  SmallVector<StringAttr> names;
  for (auto [loop, letter] : llvm::enumerate(letters)) {
    std::string name(1, letter);
    if (llvm::count(letters, letter) > 1)
      name += std::to_string(
          llvm::count(ArrayRef(letters).take_front(loop), letter));
    names.push_back(StringAttr::get(context, name));
  }
  return names;
}

/// Returns true if tc.contract computes the same from such elements. Linalg
/// computes in C's type, and tc.contract may in a wider one. Of integers it
/// then takes the lowest bits, in which sums and products agree, but not their
/// maxima.
static bool canComputeIn(model::Semiring semiring,
                         std::optional<model::ElementType> from,
                         std::optional<model::ElementType> to) {
  if (!from || !to || !model::appliesTo(semiring, *from) ||
      (*to != *from && *to != model::accumulatorTypeOf(*from)))
    return false;
  model::Combine combine = model::combineOf(semiring);
  model::Product product = model::productOf(semiring);
  bool comparesWrapped =
      (combine == model::Combine::Max || combine == model::Combine::Min) &&
      (product == model::Product::Multiply || product == model::Product::Add);
  return !model::isInteger(*to) || model::accumulatorTypeOf(*from) == *to ||
         !comparesWrapped;
}

/// The type of the factors of a contraction of two operands, if there is one.
static std::optional<model::ElementType> getFactorType(Value a, Value b) {
  auto ofA = getModelElementType(mlir::getElementTypeOrSelf(a));
  auto ofB = getModelElementType(mlir::getElementTypeOrSelf(b));
  return ofA && ofB ? model::commonTypeOf(*ofA, *ofB) : std::nullopt;
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Checks that tc.contract can have such operands.
static Status checkTypes(linalg::LinalgOp op, const Payload &payload) {
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return Error{"it has tensors and buffers"};
  Value a = op.getDpsInputs()[payload.a], b = op.getDpsInputs()[payload.b];
  Value c = op.getDpsInits()[0];
  for (Value operand : {a, b, c}) {
    Type type = operand.getType();
    auto ranked = dyn_cast<RankedTensorType>(type);
    auto memref = dyn_cast<MemRefType>(type);
    if (!ranked && !memref)
      return Error{toText(type) + " is no tensor or buffer"};
    if (ranked && ranked.getEncoding())
      return Error{toText(type) + " has an encoding"};
    if (memref && !memref.isStrided())
      return Error{toText(type) + " has no strides"};
  }
  auto element = [](Value operand) {
    return mlir::getElementTypeOrSelf(operand);
  };
  if (!canComputeIn(payload.semiring, getFactorType(a, b),
                    getModelElementType(element(c))))
    return Error{"tc.contract has no " +
                 std::string(model::stringify(payload.semiring)) + " of " +
                 toText(element(a)) + " and " + toText(element(b)) + " in " +
                 toText(element(c))};
  if (isa<MemRefType>(c.getType()) && (a == c || b == c))
    return Error{"C is an input, too"};
  return {};
}

/// The zeros that a destination was filled with: on tensors the fill that it is
/// the result of, on buffers the last before `op` that touches memory.
static linalg::FillOp findZeroFill(linalg::LinalgOp op,
                                   model::Semiring semiring) {
  Value c = op.getDpsInits()[0];
  linalg::FillOp fill;
  if (isa<RankedTensorType>(c.getType())) {
    fill = c.getDefiningOp<linalg::FillOp>();
  } else {
    Operation *previous = op->getPrevNode();
    while (previous && mlir::isMemoryEffectFree(previous))
      previous = previous->getPrevNode();
    fill = dyn_cast_or_null<linalg::FillOp>(previous);
    if (fill && fill.getDpsInits()[0] != c)
      return {};
  }
  if (!fill || !isZero(semiring, fill.value()))
    return {};
  return fill;
}

/// Returns true if a destination is a constant that holds nothing but zeros.
static bool isZeroTensor(model::Semiring semiring, Value c) {
  auto type = dyn_cast<RankedTensorType>(c.getType());
  return type && type.hasStaticShape() && isZero(semiring, c);
}

namespace {
/// The contraction that an operation computes.
struct Match {
  Payload payload;
  model::PerTensor<SmallVector<unsigned>> lists;
};
} // namespace

/// The error has a text only where the operation might have been a contraction.
static Result<Match> matchContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return Error{""};
  auto payload = matchPayload(op);
  if (!payload)
    return Error{op.getNumReductionLoops() > 0 && op.getNumDpsInputs() > 1
                     ? "it does not add products of elements of two inputs"
                     : ""};
  if (Status status = checkTypes(op, *payload); !status)
    return Error{status.error()};
  auto lists = matchIndices(op, *payload);
  if (!lists)
    return Error{lists.error()};
  return Match{*payload, std::move(*lists)};
}

static void raiseToContract(linalg::LinalgOp op, const Match &match) {
  const auto &[payload, lists] = match;
  SmallVector<StringAttr> names =
      nameLoops(op.getContext(), op.getNumLoops(), lists);
  model::PerTensor<IndexListAttr> indices;
  for (Tensor tensor : model::allTensors)
    indices[tensor] = IndexListAttr::get(
        op.getContext(),
        llvm::map_to_vector(match.lists[tensor],
                            [&](unsigned loop) { return names[loop]; }));

  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value a = op.getDpsInputs()[payload.a], b = op.getDpsInputs()[payload.b];
  Value c = op.getDpsInits()[0], beta;
  model::Semiring semiring = payload.semiring;
  linalg::FillOp fill = findZeroFill(op, semiring);
  if (fill) {
    c = fill.getDpsInits()[0];
  } else if (isZeroTensor(semiring, c)) {
    c = tensor::EmptyOp::create(builder, c.getType(), ValueRange());
  } else {
    Type sumType = getElementType(
        op.getContext(), model::accumulatorTypeOf(*getFactorType(a, b)));
    beta = createNumber(builder, op.getLoc(), getOne(semiring, sumType));
  }
  auto contract = ContractOp::create(builder, a, b, c, indices[Tensor::A],
                                     indices[Tensor::B], indices[Tensor::C],
                                     /*alpha=*/Value(), beta,
                                     /*schedule=*/ScheduleAttr(),
                                     model::Precision::IEEE, semiring);
  contract.setConjugateA(payload.conjugatesA);
  contract.setConjugateB(payload.conjugatesB);
  op->replaceAllUsesWith(contract->getResults());
  op->erase();
  if (fill && fill->use_empty())
    fill->erase();
}

namespace {
struct ConvertLinalgToTC
    : public tc::impl::ConvertLinalgToTCBase<ConvertLinalgToTC> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      // Fills are erased along the way.
      if (!isa<linalg::FillOp>(op))
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      Result<Match> match = matchContraction(op);
      if (match) {
        raiseToContract(op, *match);
        ++numRaised;
      } else if (!match.error().empty()) {
        op.emitRemark("stays in linalg: ") << match.error();
      }
    }
  }
};
} // namespace
