//===- FuseElementwise.cpp - Elementwise code into contractions -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves the payloads of elementwise linalg operations into the prologues and
// the epilogue of the contractions beside them.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Dialect/TC/IR/FusedCode.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace tc {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
using mlir::AffineDimExpr;
using mlir::AffineMap;
using model::Tensor;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

/// The place of C in lists of all tensors, before the auxiliary tensors.
static constexpr unsigned placeOfC = 2;

/// Returns true if an operation is elementwise, as it is if every loop leads to
/// elements of its own of the result, with a payload that a region of a
/// contraction may hold, and constants from outside.
static bool isElementwise(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation())
    return false;
  mlir::Block &body = *op.getBlock();
  for (Operation &nested : body.without_terminator()) {
    if (!isAllowedInRegion(&nested))
      return false;
    for (Value operand : nested.getOperands())
      if (operand.getParentBlock() != &body &&
          !(operand.getType().isIntOrFloat() &&
            matchPattern(operand, mlir::m_Constant())))
        return false;
  }
  Value yielded = body.getTerminator()->getOperand(0);
  return yielded.getParentBlock() == &body;
}

/// The element of an operand in the payload; null for the destination of
/// linalg.map, whose payload does not get to see it.
static Value getElement(linalg::LinalgOp op, OpOperand *operand) {
  mlir::Block &body = *op.getBlock();
  unsigned position = operand->getOperandNumber();
  return position < body.getNumArguments() ? body.getArgument(position)
                                           : Value();
}

/// Returns true if the payload uses the old element of the destination.
static bool readsDestination(linalg::LinalgOp op) {
  Value element = getElement(op, op.getDpsInitOperand(0));
  return element && !element.use_empty();
}

/// The constant that all elements of an operand are, if there is one.
static mlir::TypedAttr findConstantElement(Value operand) {
  Type type = mlir::getElementTypeOrSelf(operand);
  if (auto fill = operand.getDefiningOp<linalg::FillOp>())
    operand = fill.getInputs().front();
  Attribute constant;
  if (!matchPattern(operand, mlir::m_Constant(&constant)))
    return {};
  if (auto elements = dyn_cast<mlir::SplatElementsAttr>(constant))
    constant = elements.getSplatValue<Attribute>();
  auto element = dyn_cast<mlir::TypedAttr>(constant);
  // Elements that differ are one attribute of a tensor's type.
  return element && element.getType() == type ? element : mlir::TypedAttr();
}

/// The labels of an operand's dimensions, given those of the loops.
static IndexListAttr getLabels(MLIRContext *context, AffineMap map,
                               ArrayRef<StringAttr> loops) {
  return IndexListAttr::get(
      context,
      llvm::map_to_vector(map.getResults(), [&](mlir::AffineExpr expr) {
        return loops[cast<AffineDimExpr>(expr).getPosition()];
      }));
}

/// The labels of the loops, given those of the dimensions of an operand whose
/// map is a permutation.
static SmallVector<StringAttr> nameLoops(AffineMap map,
                                         IndexListAttr dimensions) {
  SmallVector<StringAttr> loops(map.getNumDims());
  for (auto [expr, label] : llvm::zip_equal(map.getResults(), dimensions))
    loops[cast<AffineDimExpr>(expr).getPosition()] = label;
  return loops;
}

/// Returns true if a payload yields the element that it is given, as a
/// transposition's.
static bool isIdentity(linalg::LinalgOp op) {
  return op.getBlock()->without_terminator().empty();
}

/// A contraction with other operands, in the order of getTensors(), and with
/// copies of the regions. Those of `prologue` and of the epilogue exist even if
/// they have nothing to copy.
static ContractOp recreate(OpBuilder &builder, ContractOp op,
                           ArrayRef<Value> tensors,
                           ArrayRef<IndexListAttr> indices,
                           std::optional<Tensor> prologue, bool hasEpilogue) {
  auto auxiliaries =
      llvm::map_to_vector(indices.drop_front(placeOfC + 1),
                          [](IndexListAttr list) -> Attribute { return list; });
  bool hasPrologueA = op.getHasPrologueA() || prologue == Tensor::A;
  bool hasPrologueB = op.getHasPrologueB() || prologue == Tensor::B;
  hasEpilogue |= op.getHasEpilogue();
  auto created = ContractOp::create(
      builder, op.getLoc(), tensors[placeOfC].getType(), tensors[0], tensors[1],
      tensors[placeOfC], op.getAlpha(), op.getBeta(),
      tensors.drop_front(placeOfC + 1), indices[0], indices[1],
      indices[placeOfC], /*schedule=*/ScheduleAttr(),
      /*cpu_schedule=*/CpuScheduleAttr(), /*dynamic_shape=*/DynamicShapeAttr(),
      op.getPrecision(), op.getSemiring(), op.getIdentityAttr(),
      op.getAccumulate(), op.getConjugateA(), op.getConjugateB(),
      op.getAllowThreeProducts(),
      auxiliaries.empty() ? ArrayAttr() : builder.getArrayAttr(auxiliaries),
      hasPrologueA, hasPrologueB, hasEpilogue,
      hasPrologueA + hasPrologueB + (op.getProduct() ? 2 : 0) + hasEpilogue);
  auto copy = [](mlir::Region *from, mlir::Region *to) {
    mlir::IRMapping mapping;
    if (from)
      from->cloneInto(to, mapping);
  };
  for (Tensor tensor : {Tensor::A, Tensor::B})
    copy(op.getPrologue(tensor), created.getPrologue(tensor));
  copy(op.getProduct(), created.getProduct());
  copy(op.getCombine(), created.getCombine());
  copy(op.getEpilogue(), created.getEpilogue());
  return created;
}

/// Copies a payload to the end of a block. Returns what it yields.
static Value copyPayload(OpBuilder &builder, linalg::LinalgOp op,
                         mlir::IRMapping &mapping) {
  mlir::Block &body = *op.getBlock();
  for (Operation &nested : body.without_terminator()) {
    for (Value operand : nested.getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand,
                    builder.clone(*operand.getDefiningOp())
                        ->getResult(cast<OpResult>(operand).getResultNumber()));
    builder.clone(nested, mapping);
  }
  return mapping.lookup(body.getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

/// The elementwise operation that makes A or B and nothing else, if the
/// contraction can read its input instead.
static linalg::LinalgOp findProducer(ContractOp op, Tensor tensor) {
  Value operand = op.getOperandOf(tensor);
  auto producer = operand.getDefiningOp<linalg::LinalgOp>();
  if (!producer || producer->getBlock() != op->getBlock() ||
      !operand.hasOneUse() || producer.getNumDpsInputs() != 1 ||
      !isElementwise(producer) || readsDestination(producer))
    return {};
  OpOperand *input = producer.getDpsInputOperand(0);
  auto type = dyn_cast<RankedTensorType>(input->get().getType());
  if (!type || type.getEncoding() ||
      !getModelElementType(type.getElementType()) ||
      !producer.getMatchingIndexingMap(input).isPermutation())
    return {};
  return producer;
}

/// Lets a prologue begin with a producer's payload.
static void prependPayload(ImplicitLocOpBuilder &builder,
                           mlir::Region &prologue, linalg::LinalgOp producer,
                           OpOperand *input) {
  mlir::Region old;
  old.takeBody(prologue);
  mlir::Block &block = prologue.emplaceBlock();
  builder.setInsertionPointToStart(&block);
  mlir::IRMapping mapping;
  mapping.map(getElement(producer, input),
              block.addArgument(mlir::getElementTypeOrSelf(input->get()),
                                producer.getLoc()));
  Value result = copyPayload(builder, producer, mapping);
  if (!old.empty())
    result = applyRegion(builder, producer.getLoc(), old, result);
  YieldOp::create(builder, result);
}

/// Lets a contraction read the input of a producer and do its work.
static ContractOp fuseProducer(ContractOp op, Tensor tensor,
                               linalg::LinalgOp producer) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto place = static_cast<unsigned>(tensor);
  OpOperand *input = producer.getDpsInputOperand(0);
  SmallVector<StringAttr> loops =
      nameLoops(producer.getMatchingIndexingMap(producer.getDpsInitOperand(0)),
                op.getIndices(tensor));
  SmallVector<Value> tensors = op.getTensors();
  SmallVector<IndexListAttr> indices = op.getIndexLists();
  tensors[place] = input->get();
  indices[place] =
      getLabels(op.getContext(), producer.getMatchingIndexingMap(input), loops);
  bool isMoved = isIdentity(producer);
  ContractOp fused =
      recreate(builder, op, tensors, indices,
               isMoved ? std::nullopt : std::optional(tensor), false);
  if (!isMoved)
    prependPayload(builder, *fused.getPrologue(tensor), producer, input);
  op.getResult().replaceAllUsesWith(fused.getResult());
  op.erase();
  producer.erase();
  return fused;
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

/// The elementwise operation that is the only one to read the result, if the
/// contraction can compute its result instead.
static linalg::LinalgOp findConsumer(ContractOp op) {
  if (!op.getResult() || !op.getResult().hasOneUse())
    return {};
  OpOperand &use = *op.getResult().use_begin();
  auto consumer = dyn_cast<linalg::LinalgOp>(use.getOwner());
  // In another block it may run more often.
  if (!consumer || consumer->getBlock() != op->getBlock() ||
      !consumer.isDpsInput(&use) || !isElementwise(consumer))
    return {};
  AffineMap map = consumer.getMatchingIndexingMap(&use);
  auto type = cast<RankedTensorType>(consumer->getResult(0).getType());
  if (!map.isPermutation() || type.getEncoding() ||
      !getModelElementType(type.getElementType()))
    return {};
  // C cannot be read in one place and written in another.
  if (op.readsC() &&
      (readsDestination(consumer) || type != op.getResult().getType() ||
       map != consumer.getMatchingIndexingMap(consumer.getDpsInitOperand(0))))
    return {};
  for (OpOperand *input : consumer.getDpsInputOperands()) {
    Type element = mlir::getElementTypeOrSelf(input->get());
    auto auxiliary = dyn_cast<RankedTensorType>(input->get().getType());
    if (!getModelElementType(element) ||
        (auxiliary && auxiliary.getEncoding()) ||
        !consumer.getMatchingIndexingMap(input).isProjectedPermutation())
      return {};
  }
  return consumer;
}

/// Lets the epilogue of `op`, which replaces `unfused`, end with a consumer's
/// payload.
static void appendPayload(ImplicitLocOpBuilder &builder, ContractOp op,
                          ContractOp unfused, linalg::LinalgOp consumer,
                          OpOperand *sum, ArrayRef<OpOperand *> auxiliaries) {
  mlir::Region old;
  old.takeBody(*op.getEpilogue());
  mlir::Block &block = op.getEpilogue()->emplaceBlock();
  block.addArgument(unfused.getAccumulatorType(), op.getLoc());
  SmallVector<Value> tensors = op.getTensors();
  for (Value tensor : ArrayRef(tensors).drop_front(placeOfC))
    block.addArgument(mlir::getElementTypeOrSelf(tensor), op.getLoc());
  builder.setInsertionPointToStart(&block);
  ValueRange arguments = block.getArguments();
  Value result;
  if (old.empty())
    result = convertElements(builder, op.getLoc(), arguments.front(),
                             mlir::getElementTypeOrSelf(unfused.getResult()));
  else
    result = applyRegion(builder, op.getLoc(), old,
                         arguments.take_front(old.getNumArguments()));
  mlir::IRMapping mapping;
  mapping.map(getElement(consumer, sum), result);
  for (auto [auxiliary, argument] :
       llvm::zip_equal(auxiliaries, arguments.take_back(auxiliaries.size())))
    mapping.map(getElement(consumer, auxiliary), argument);
  // All else that the payload may read are constants and old elements of C.
  for (OpOperand &operand : consumer->getOpOperands()) {
    Value element = getElement(consumer, &operand);
    if (!element || element.use_empty() || mapping.contains(element))
      continue;
    mlir::TypedAttr constant = findConstantElement(operand.get());
    mapping.map(element,
                constant ? mlir::arith::ConstantOp::create(builder, constant)
                         : arguments[1]);
  }
  YieldOp::create(builder, copyPayload(builder, consumer, mapping));
}

/// Lets a contraction do the work of a consumer of its result.
static ContractOp fuseConsumer(ContractOp op, linalg::LinalgOp consumer) {
  ImplicitLocOpBuilder builder(consumer.getLoc(), consumer);
  OpOperand *sum = &*op.getResult().use_begin();
  OpOperand *destination = consumer.getDpsInitOperand(0);
  AffineMap destinationMap = consumer.getMatchingIndexingMap(destination);
  SmallVector<StringAttr> loops =
      nameLoops(consumer.getMatchingIndexingMap(sum), op.getCIndices());
  bool readsC = op.readsC();
  SmallVector<Value> tensors = op.getTensors();
  SmallVector<IndexListAttr> indices = op.getIndexLists();
  if (!readsC) {
    tensors[placeOfC] = destination->get();
    indices[placeOfC] = getLabels(op.getContext(), destinationMap, loops);
  }
  // The payload reads the result, old elements, constants, or auxiliary
  // tensors.
  SmallVector<OpOperand *> auxiliaries;
  auto isOldElement = [&](OpOperand *input) {
    return !readsC && input->get() == destination->get() &&
           consumer.getMatchingIndexingMap(input) == destinationMap;
  };
  for (OpOperand *input : consumer.getDpsInputOperands()) {
    if (input == sum || isOldElement(input) ||
        findConstantElement(input->get()))
      continue;
    Value auxiliary = input->get();
    if (!isa<RankedTensorType>(auxiliary.getType()))
      auxiliary = tensor::FromElementsOp::create(
          builder, RankedTensorType::get({}, auxiliary.getType()), auxiliary);
    auxiliaries.push_back(input);
    tensors.push_back(auxiliary);
    indices.push_back(getLabels(op.getContext(),
                                consumer.getMatchingIndexingMap(input), loops));
  }
  bool needsEpilogue = !isIdentity(consumer) || op.getHasEpilogue();
  ContractOp fused =
      recreate(builder, op, tensors, indices, std::nullopt, needsEpilogue);
  if (needsEpilogue)
    appendPayload(builder, fused, op, consumer, sum, auxiliaries);
  consumer->getResult(0).replaceAllUsesWith(fused.getResult());
  consumer.erase();
  op.erase();
  return fused;
}

namespace {
struct FuseElementwisePass
    : public tc::impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) {
      // A schedule speaks of the operation as it is.
      bool isScheduled = op.getSchedule() || op.getCpuSchedule();
      // Tensors that are read beside the operands have a shape, too.
      bool dynamicShapes = op.getDynamicShape().has_value();
      // Complex numbers have no place for code.
      bool isComplex = isa<mlir::ComplexType>(op.getFactorType());
      if (!op.hasBuffers() && !isScheduled && !isComplex && !dynamicShapes)
        ops.push_back(op);
    });
    // Code that could go into two contractions goes where it is done once an
    // element.
    for (ContractOp &op : ops)
      while (linalg::LinalgOp consumer = findConsumer(op)) {
        op = fuseConsumer(op, consumer);
        ++numConsumers;
      }
    for (ContractOp &op : ops)
      for (Tensor tensor : {Tensor::A, Tensor::B})
        while (linalg::LinalgOp producer = findProducer(op, tensor)) {
          op = fuseProducer(op, tensor, producer);
          ++numProducers;
        }
  }
};
} // namespace
