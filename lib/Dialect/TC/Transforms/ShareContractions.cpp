//===- ShareContractions.cpp - Computes equal contractions once -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common subexpressions, up to the names of indices, the order of operands and,
// where uses can take it, of the result's indices: what upstream's pass does
// not see.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

namespace tc {
#define GEN_PASS_DEF_SHARECONTRACTIONSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
using model::Tensor;

namespace {

/// Of one contraction's labels, those of another one.
using Renaming = llvm::SmallDenseMap<StringAttr, StringAttr, 8>;

/// For each dimension of a new tensor, that of the old one.
using Permutation = SmallVector<unsigned, 4>;

struct ShareContractionsPass
    : public tc::impl::ShareContractionsPassBase<ShareContractionsPass> {
  void runOnOperation() override;

private:
  bool share(ContractOp known, ContractOp op, mlir::DominanceInfo &dominance);
};

} // namespace

/// Returns true if what it computes depends on its operands and index lists
/// only, in ways that are compared here.
static bool isSharable(ContractOp op) {
  return !op.hasBuffers() && !op.readsC() && op.getFused().empty() &&
         !op.getScheduleAttr() && !op.getCpuScheduleAttr() &&
         !op.getDynamicShapeAttr() && !isa<FusedOp>(op->getParentOp());
}

/// The same for equal constants.
static const void *identify(Value value) {
  Attribute constant;
  if (value && matchPattern(value, mlir::m_Constant(&constant)))
    return constant.getAsOpaquePointer();
  return value.getAsOpaquePointer();
}

static bool haveEqualSettings(ContractOp a, ContractOp b) {
  return a.getPrecision() == b.getPrecision() &&
         a.getSemiring() == b.getSemiring() &&
         a.getAllowThreeProducts() == b.getAllowThreeProducts() &&
         identify(a.getAlpha()) == identify(b.getAlpha()) &&
         a->getDiscardableAttrDictionary() ==
             b->getDiscardableAttrDictionary() &&
         mlir::getElementTypeOrSelf(a.getC().getType()) ==
             mlir::getElementTypeOrSelf(b.getC().getType());
}

/// The labels of `known` by those of `op`, if both multiply the same and sum
/// over the same indices. Operands are exchanged if that is asked for.
static std::optional<Renaming> rename(ContractOp known, ContractOp op,
                                      bool exchanges) {
  Renaming renaming;
  llvm::SmallDenseSet<StringAttr, 8> taken;
  for (auto [left, right] :
       {std::pair(Tensor::A, Tensor::B), std::pair(Tensor::B, Tensor::A)}) {
    Tensor own = exchanges ? right : left;
    IndexListAttr from = op.getIndices(own), to = known.getIndices(left);
    if (identify(op.getOperandOf(own)) != identify(known.getOperandOf(left)) ||
        op.conjugates(own) != known.conjugates(left) ||
        from.size() != to.size())
      return std::nullopt;
    for (auto [label, name] : llvm::zip_equal(from, to)) {
      auto [found, isNew] = renaming.try_emplace(label, name);
      if (found->second != name || (isNew && !taken.insert(name).second))
        return std::nullopt;
    }
  }
  IndexListAttr from = op.getCIndices(), to = known.getCIndices();
  if (from.size() != to.size() || llvm::any_of(from, [&](StringAttr label) {
        return !to.contains(renaming.at(label));
      }))
    return std::nullopt;
  return renaming;
}

/// Returns true if an operation names the dimensions of an operand, so that
/// their order is free.
static bool takesAnyOrder(OpOperand &use) {
  if (auto op = dyn_cast<EinsumOp>(use.getOwner()))
    return use.getOperandNumber() < op.getInputs().size();
  auto op = dyn_cast<ContractOp>(use.getOwner());
  return op && !op.getScheduleAttr() && !op.getCpuScheduleAttr() &&
         (&use == &op.getAMutable() || &use == &op.getBMutable());
}

static bool takesAnyOrder(Value value) {
  return llvm::all_of(value.getUses(),
                      [](OpOperand &use) { return takesAnyOrder(use); });
}

static IndexListAttr permute(IndexListAttr list,
                             ArrayRef<unsigned> permutation) {
  SmallVector<StringAttr> labels(list.begin(), list.end()), permuted;
  for (unsigned dimension : permutation)
    permuted.push_back(labels[dimension]);
  return IndexListAttr::get(list.getContext(), permuted);
}

/// Lets the use of a tensor be one of its dimensions in another order.
static void reorder(OpOperand &use, ArrayRef<unsigned> permutation) {
  if (auto op = dyn_cast<EinsumOp>(use.getOwner())) {
    SmallVector<Attribute> lists(op.getInputIndices().getValue());
    Attribute &list = lists[use.getOperandNumber()];
    list = permute(cast<IndexListAttr>(list), permutation);
    op.setInputIndicesAttr(mlir::ArrayAttr::get(op.getContext(), lists));
    return;
  }
  auto op = cast<ContractOp>(use.getOwner());
  if (&use == &op.getAMutable())
    op.setAIndicesAttr(permute(op.getAIndices(), permutation));
  else
    op.setBIndicesAttr(permute(op.getBIndices(), permutation));
}

static void reorderUses(Value value, ArrayRef<unsigned> permutation) {
  for (OpOperand &use : value.getUses())
    reorder(use, permutation);
}

/// Gives a contraction and all that uses it another order of its result's
/// indices.
static void reorderResult(ContractOp op, ArrayRef<unsigned> permutation) {
  OpBuilder builder(op);
  SmallVector<OpFoldResult> extents, permuted;
  extents = mlir::tensor::getMixedSizes(builder, op.getLoc(), op.getC());
  for (unsigned dimension : permutation)
    permuted.push_back(extents[dimension]);
  Value destination = mlir::tensor::EmptyOp::create(
      builder, op.getLoc(), permuted,
      mlir::getElementTypeOrSelf(op.getC().getType()));
  op.getCMutable().assign(destination);
  op.setCIndicesAttr(permute(op.getCIndices(), permutation));
  op.getResult().setType(cast<RankedTensorType>(destination.getType()));
  reorderUses(op.getResult(), permutation);
}

/// Of each label of a list, where it is in another one.
static Permutation findAll(IndexListAttr list, IndexListAttr in) {
  Permutation permutation;
  for (StringAttr label : list)
    permutation.push_back(*in.find(label));
  return permutation;
}

static RankedTensorType permute(Type type, ArrayRef<unsigned> permutation) {
  auto tensorType = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape;
  for (unsigned dimension : permutation)
    shape.push_back(tensorType.getDimSize(dimension));
  return RankedTensorType::get(shape, tensorType.getElementType());
}

/// Lets uses of `op` use `known`, if both compute the same.
bool ShareContractionsPass::share(ContractOp known, ContractOp op,
                                  mlir::DominanceInfo &dominance) {
  if (!haveEqualSettings(known, op) ||
      !dominance.properlyDominates(known.getOperation(), op))
    return false;
  std::optional<Renaming> renaming = rename(known, op, /*exchanges=*/false);
  if (!renaming)
    renaming = rename(known, op, /*exchanges=*/true);
  if (!renaming)
    return false;
  SmallVector<StringAttr> names;
  for (StringAttr label : op.getCIndices())
    names.push_back(renaming->at(label));
  auto wanted = IndexListAttr::get(op.getContext(), names);
  Permutation toKnown = findAll(known.getCIndices(), wanted);
  bool isSameOrder =
      std::is_sorted(toKnown.begin(), toKnown.end(), std::less<>());
  // Of unknown extents, one type may say more than the other.
  if (permute(op.getResult().getType(), toKnown) != known.getResult().getType())
    return false;
  if (!isSameOrder) {
    if (takesAnyOrder(op.getResult()))
      reorderUses(op.getResult(), toKnown);
    else if (takesAnyOrder(known.getResult()))
      reorderResult(known, findAll(wanted, known.getCIndices()));
    else
      return false;
  }
  op.getResult().replaceAllUsesWith(known.getResult());
  auto destination = op.getC().getDefiningOp<mlir::tensor::EmptyOp>();
  op.erase();
  if (destination && destination->use_empty())
    destination.erase();
  return true;
}

void ShareContractionsPass::runOnOperation() {
  SmallVector<ContractOp> operations;
  getOperation()->walk([&](ContractOp op) { operations.push_back(op); });
  auto &dominance = getAnalysis<mlir::DominanceInfo>();
  // By what they multiply, in either order.
  llvm::DenseMap<std::pair<const void *, const void *>,
                 SmallVector<ContractOp, 1>>
      known;
  for (ContractOp op : operations) {
    if (!isSharable(op))
      continue;
    // Values: std::minmax returns references, here to temporaries.
    std::pair<const void *, const void *> operands =
        std::minmax(identify(op.getA()), identify(op.getB()));
    SmallVector<ContractOp, 1> &candidates = known[operands];
    if (llvm::any_of(candidates, [&](ContractOp candidate) {
          return share(candidate, op, dominance);
        }))
      ++numShared;
    else
      candidates.push_back(op);
  }
}
