//===- ProducerConsumer.cpp - Producers and consumers in one kernel -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/ProducerConsumer.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "llvm/ADT/DenseSet.h"

using namespace tc;
namespace linalg = mlir::linalg;
namespace memref = mlir::memref;
using model::Tensor;

ContractOp tc::getConsumer(ContractOp op) {
  if (op.hasBuffers() || !op.getResult().hasOneUse())
    return {};
  Operation *user = *op.getResult().user_begin();
  if (isa<linalg::SoftmaxOp>(user) && user->getBlock() == op->getBlock() &&
      user->hasOneUse())
    user = *user->user_begin();
  auto next = dyn_cast<ContractOp>(user);
  bool isConsumer =
      next && next->getBlock() == op->getBlock() && getProducedInput(op, next);
  return isConsumer ? next : ContractOp();
}

/// The reason why such a contraction can neither be the producer of another one
/// in a kernel nor share an input with it, if there is one.
static std::optional<std::string> findObstacle(ContractOp op) {
  if (op.getSemiring() != model::Semiring::PlusTimes)
    return "its semiring is not plus_times";
  Type sums = op.getAccumulatorType();
  if (!isa<FloatType, mlir::ComplexType>(sums))
    return "its numbers are integers";
  if (isa<mlir::ComplexType>(sums) &&
      !isa<mlir::ComplexType>(op.getTypeOf(Tensor::B).getElementType()))
    return "its A is complex and its B is not: swap them";
  if (op.hasZeroExtent())
    return "it has an index of extent zero";
  if (op.getDynamicShape() || !llvm::all_of(op.getTensors(), [](Value tensor) {
        return cast<ShapedType>(tensor.getType()).hasStaticShape();
      }))
    return "it takes its shape at run time";
  return std::nullopt;
}

/// The buffer in which a consumer finds what its producer computes: that of the
/// softmax of it, if there is one.
static Value getBufferBetween(ContractOp op, ContractOp next) {
  std::optional<Tensor> sink = getProducedInput(op, next);
  return sink ? next.getOperandOf(*sink) : Value();
}

/// Returns true if the operation, which uses the buffer, is the producer or the
/// consumer in a chain of what it holds, or the softmax between them.
static bool usesBetween(Value buffer, ArrayRef<ContractOp> chain,
                        Operation *user) {
  for (auto [number, op] : llvm::enumerate(chain)) {
    ContractOp producer = op;
    ContractOp next = number + 1 < chain.size() ? chain[number + 1] : op;
    if (op == user && producer.getC() == buffer)
      return next != op && getProducedInput(producer, next).has_value();
    if (next == op)
      continue;
    Value between = getBufferBetween(producer, next);
    if (user == getSoftmaxBetween(producer, next))
      return buffer == producer.getC() || buffer == between;
    if (user == next.getOperation() && next.getC() != buffer)
      return buffer == between;
  }
  return false;
}

/// Returns true if an operation stores to all of a buffer what is not in it
/// before: a contraction, a softmax, or the kernel of a group: a chain stores
/// what its last contraction computes, a sum what begins with its first term.
static bool overwrites(Operation *op, Value buffer) {
  if (auto writer = dyn_cast<ContractOp>(op))
    return writer.getC() == buffer && !writer.readsC();
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return softmax.getOutput() == buffer;
  auto group = dyn_cast<FusedOp>(op);
  if (!group || group.getContractions().empty())
    return false;
  SmallVector<ContractOp> stored = group.getContractions();
  if (group.getGroup().has(model::EdgeKind::Feed))
    stored = {stored.back()};
  return llvm::any_of(
      stored, [&](ContractOp output) { return overwrites(output, buffer); });
}

/// Returns true if an operation of the reader's block, or of one around it up
/// to that of the chain of `op`, has written the buffer anew since that chain,
/// so that the reader finds nothing of it.
static bool isWrittenAnew(Value buffer, ContractOp op, Operation *reader) {
  for (Operation *place = reader;; place = place->getParentOp()) {
    if (!place || place->isAncestor(op))
      return false;
    for (Operation *before = place->getPrevNode(); before;
         before = before->getPrevNode()) {
      if (before->isAncestor(op))
        return false;
      if (overwrites(before, buffer))
        return true;
    }
    // An operation around a group runs as often as the group.
    if (!llvm::isa_and_present<FusedOp>(place->getParentOp()))
      return false;
  }
}

/// Returns true if another user of the buffer, which it may see through a view,
/// does without what the chain of `op` leaves in the buffer.
static bool doesWithout(Value buffer, ContractOp op, Operation *user,
                        Value seen) {
  // Views that nothing needs are left behind when tensors become buffers.
  if (isa<memref::DeallocOp>(user) || mlir::isOpTriviallyDead(user))
    return true;
  bool reads;
  if (auto other = dyn_cast<ContractOp>(user))
    reads = llvm::is_contained(other.getTensors(), seen) &&
            (other.getC() != seen || other.readsC());
  else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(user))
    reads = softmax.getInput() == seen;
  else if (auto copy = dyn_cast<memref::CopyOp>(user))
    reads = copy.getSource() == seen;
  else if (user->hasTrait<mlir::OpTrait::ReturnLike>())
    reads = true;
  else if (isa<mlir::ViewLikeOpInterface>(user) && user->getNumResults() == 1)
    return llvm::all_of(user->getUsers(), [&](Operation *behind) {
      return doesWithout(buffer, op, behind, user->getResult(0));
    });
  else
    return false;
  return !reads || isWrittenAnew(buffer, op, user);
}

/// All of the chain that two contractions on buffers are in.
static SmallVector<ContractOp> chainOf(ContractOp op, ContractOp next) {
  if (auto group = dyn_cast_or_null<FusedOp>(op->getParentOp()))
    return group.getContractions();
  return {op, next};
}

/// Returns true if a chain's output is in the buffer of an input that no
/// contraction of the chain computes: one block of a kernel would store there
/// what another reads.
static bool overwritesInput(ArrayRef<ContractOp> chain) {
  ContractOp first = chain.front(), last = chain.back();
  if (getInputThatIs(first, last.getC()))
    return true;
  for (auto [number, each] : llvm::enumerate(chain.drop_front())) {
    ContractOp consumer = each;
    std::optional<Tensor> sink = getProducedInput(chain[number], consumer);
    if (sink && consumer.getOperandOf(
                    sink == Tensor::A ? Tensor::B : Tensor::A) == last.getC())
      return true;
  }
  return false;
}

/// The use of the buffer between two contractions by others than producers and
/// consumers in their chain, if any. Several pairs may have the same buffer.
static std::optional<std::string> findUse(Value buffer, ContractOp op,
                                          ContractOp next) {
  SmallVector<ContractOp> chain = chainOf(op, next);
  // Nobody else sees what the producer left in it if the chain's output
  // overwrites it.
  if (chain.back().getC() == buffer)
    return std::nullopt;
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return "the buffer between them is not allocated for that";
  for (Operation *user : buffer.getUsers())
    if (!usesBetween(buffer, chain, user) &&
        !doesWithout(buffer, op, user, buffer))
      return "something else uses the buffer between them";
  return std::nullopt;
}

/// The reason why a kernel does not take the softmax between two contractions,
/// if there is one.
static std::optional<std::string>
findSoftmaxObstacle(ContractOp op, ContractOp next, Tensor sink) {
  auto softmax =
      llvm::cast_or_null<linalg::SoftmaxOp>(getSoftmaxBetween(op, next));
  if (!softmax)
    return std::nullopt;
  if (isa<mlir::ComplexType>(op.getAccumulatorType()))
    return "the softmax between them is of complex numbers";
  IndexListAttr labels = next.getIndices(sink);
  for (auto [place, label] : llvm::enumerate(labels))
    if ((place == softmax.getDimension()) ==
        llvm::is_contained(next.getCIndices(), label))
      return "the softmax between them is along index " +
             labels.getLabels()[softmax.getDimension()].str() +
             ", which is not the one of its indices that is summed over";
  return std::nullopt;
}

/// Returns true if a contraction takes a diagonal of an input.
static bool takesDiagonal(ContractOp op, Tensor input) {
  llvm::SmallDenseSet<StringAttr> seen;
  return !llvm::all_of(op.getIndices(input), [&](StringAttr label) {
    return seen.insert(label).second;
  });
}

std::optional<std::string> tc::findChainObstacle(ContractOp op,
                                                 ContractOp next) {
  for (ContractOp each : {op, next})
    if (std::optional<std::string> obstacle = findObstacle(each))
      return obstacle;
  std::optional<Tensor> sink = getProducedInput(op, next);
  if (!sink)
    return "the one before computes neither A nor B";
  if (op.getAlpha() && !getConstantNumber(op.getAlpha()))
    return "alpha of the one before is not a constant";
  if (op.readsC())
    return "the one before uses what its C held";
  if (!op.getAuxiliaries().empty())
    return "the epilogue of the one before reads auxiliary tensors";
  if (model::isFloat8(
          *getModelElementType(op.getTypeOf(Tensor::C).getElementType())))
    return "the tensor between them is of 8-bit floats";
  if (takesDiagonal(next, *sink))
    return "it takes a diagonal of what the one before computes";
  for (StringAttr label : next.getLabels())
    if (!next.getCIndices().contains(label) &&
        !next.getIndices(*sink).contains(label) && next.getExtent(label) != 1)
      return "it sums over index " + label.str() +
             ", which what the one before computes does not have";
  if (std::optional<std::string> obstacle =
          findSoftmaxObstacle(op, next, *sink))
    return obstacle;
  if (!op.hasBuffers())
    return std::nullopt;
  if (overwritesInput(chainOf(op, next)))
    return "the output is in the buffer of an input";
  for (Value buffer : {op.getC(), next.getOperandOf(*sink)})
    if (std::optional<std::string> use = findUse(buffer, op, next))
      return use;
  return std::nullopt;
}

std::optional<std::string> tc::findSharingObstacle(ContractOp op,
                                                   ContractOp other) {
  for (ContractOp each : {op, other}) {
    if (std::optional<std::string> obstacle = findObstacle(each))
      return obstacle;
    if (each.getAlpha() && !getConstantNumber(each.getAlpha()))
      return "an alpha is not a constant";
    if (each.readsC())
      return "one of them uses what its C held";
    if (!each.getAuxiliaries().empty())
      return "an epilogue reads auxiliary tensors";
  }
  if (op == other)
    return std::nullopt;
  // The tiles of one contraction do not follow from those of the other.
  for (Tensor input : {Tensor::A, Tensor::B})
    if (std::optional<Tensor> same =
            getInputThatIs(other, op.getOperandOf(input));
        same && (takesDiagonal(op, input) || takesDiagonal(other, *same)))
      return "one of them takes a diagonal of an input that both take";
  return std::nullopt;
}
