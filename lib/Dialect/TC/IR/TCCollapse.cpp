//===- TCCollapse.cpp - Fewer and longer indices --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drops indices of extent one and merges indices that move together. Operands
// are only looked at through another shape; no data moves.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tc;
using mlir::ReassociationIndices;
using model::Tensor;

//===----------------------------------------------------------------------===//
// Rebuilding a contraction on reshaped operands
//===----------------------------------------------------------------------===//

/// A contraction's index lists after a change, with the dimensions of the old
/// operands that make up each new dimension.
struct Reshape {
  struct Operand {
    SmallVector<StringAttr> labels;
    SmallVector<ReassociationIndices> groups;
  };
  /// In the order of getTensors().
  SmallVector<Operand> operands;
};

/// A view of a memref without the dimensions that are in no group, which have
/// extent one; all others are groups of one. It asks nothing of the strides.
static Value dropDims(PatternRewriter &rewriter, Location loc, Value memref,
                      ArrayRef<ReassociationIndices> groups) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> sizes =
      mlir::memref::getMixedSizes(rewriter, loc, memref);
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
  SmallVector<int64_t> shape =
      llvm::map_to_vector(groups, [&](const ReassociationIndices &group) {
        return type.getDimSize(group.front());
      });
  MemRefType reduced = mlir::memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return mlir::memref::SubViewOp::create(rewriter, loc, reduced, memref,
                                         offsets, sizes, strides);
}

/// Gives every dimension that is in no group to a neighbouring group, so that
/// the groups cover all dimensions. Dimensions beside no group leave none.
static SmallVector<ReassociationIndices>
cover(ArrayRef<ReassociationIndices> groups, int64_t rank) {
  SmallVector<ReassociationIndices> covering(groups.size());
  for (auto [position, group] : llvm::enumerate(covering)) {
    int64_t begin = position == 0 ? 0 : groups[position].front();
    int64_t end =
        position + 1 == groups.size() ? rank : groups[position + 1].front();
    llvm::append_range(group, llvm::seq(begin, end));
  }
  return covering;
}

static Value reshape(PatternRewriter &rewriter, Location loc, Value operand,
                     ArrayRef<ReassociationIndices> groups) {
  auto type = cast<ShapedType>(operand.getType());
  if (static_cast<int64_t>(groups.size()) == type.getRank())
    return operand;
  SmallVector<ReassociationIndices> covering = cover(groups, type.getRank());
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return mlir::tensor::CollapseShapeOp::create(rewriter, loc, operand,
                                                 covering);
  bool collapses = memref.getLayout().isIdentity() ||
                   (!groups.empty() &&
                    mlir::memref::CollapseShapeOp::isGuaranteedCollapsible(
                        memref, covering));
  return collapses ? mlir::memref::CollapseShapeOp::create(rewriter, loc,
                                                           operand, covering)
                   : dropDims(rewriter, loc, operand, groups);
}

/// Replaces the contraction by one on reshaped operands.
static void rewriteReshaped(PatternRewriter &rewriter, ContractOp op,
                            const Reshape &change) {
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  SmallVector<IndexListAttr> indices;
  for (auto [tensor, operand] :
       llvm::zip_equal(op.getTensors(), change.operands)) {
    operands.push_back(reshape(rewriter, loc, tensor, operand.groups));
    indices.push_back(IndexListAttr::get(op.getContext(), operand.labels));
  }
  ContractOp reshaped = op.recreate(rewriter, loc, operands, indices);
  reshaped->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  if (op.hasBuffers())
    return rewriter.eraseOp(op);

  Value result = reshaped.getResult();
  auto type = cast<RankedTensorType>(op.getC().getType());
  if (result.getType() != type)
    result = mlir::tensor::ExpandShapeOp::create(
        rewriter, loc, type, result,
        cover(change.operands[2].groups, type.getRank()),
        mlir::tensor::getMixedSizes(rewriter, loc, op.getC()));
  rewriter.replaceOp(op, result);
}

//===----------------------------------------------------------------------===//
// Indices of extent one
//===----------------------------------------------------------------------===//

/// Returns true if every operand that holds the label says that its extent is
/// one.
static bool isUnit(ContractOp op, StringAttr label) {
  for (auto [tensor, indices] :
       llvm::zip_equal(op.getTensors(), op.getIndexLists()))
    for (auto [dim, other] : llvm::enumerate(indices))
      if (other == label &&
          cast<ShapedType>(tensor.getType()).getDimSize(dim) != 1)
        return false;
  return true;
}

namespace {

struct DropUnitExtents : public mlir::OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSchedule() || op.getCpuSchedule())
      return rewriter.notifyMatchFailure(op, "a schedule names its indices");
    if (llvm::isa_and_nonnull<FusedOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "C is that of its group");
    if (op.getDynamicShape())
      return rewriter.notifyMatchFailure(op, "other shapes may not allow it");
    Reshape change;
    bool dropsAny = false;
    for (IndexListAttr indices : op.getIndexLists()) {
      Reshape::Operand &operand = change.operands.emplace_back();
      for (auto [dim, label] : llvm::enumerate(indices)) {
        if (isUnit(op, label)) {
          dropsAny = true;
          continue;
        }
        operand.labels.push_back(label);
        operand.groups.push_back({static_cast<int64_t>(dim)});
      }
    }
    if (!dropsAny)
      return rewriter.notifyMatchFailure(op, "no index has extent one");
    rewriteReshaped(rewriter, op, change);
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Super-indices
//===----------------------------------------------------------------------===//

/// Returns true if the memref's dimension `dim` continues where `dim + 1` ends.
static bool areContiguous(ShapedType type, int64_t dim) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return true;
  auto [strides, offset] = memref.getStridesAndOffset();
  int64_t expected;
  return !ShapedType::isDynamic(strides[dim]) &&
         !ShapedType::isDynamic(strides[dim + 1]) &&
         !memref.isDynamicDim(dim + 1) &&
         !llvm::MulOverflow(strides[dim + 1], memref.getDimSize(dim + 1),
                            expected) &&
         strides[dim] == expected;
}

/// Returns true if the label `second` follows directly on `first`,
/// contiguously, wherever either occurs.
static bool moveTogether(ContractOp op, StringAttr first, StringAttr second) {
  for (auto [tensor, indices] :
       llvm::zip_equal(op.getTensors(), op.getIndexLists())) {
    auto type = cast<ShapedType>(tensor.getType());
    int64_t firsts = llvm::count(indices, first);
    int64_t seconds = llvm::count(indices, second);
    if (firsts == 0 && seconds == 0)
      continue;
    if (firsts != 1 || seconds != 1)
      return false;
    std::optional<unsigned> dim = indices.find(first);
    if (!dim || *dim + 1 == indices.size() || indices[*dim + 1] != second ||
        !areContiguous(type, *dim))
      return false;
  }
  return true;
}

/// Returns true if the product of all extents fits 64 bits. Where a stride is
/// zero, the size of the operand does not imply it.
static bool fitTogether(ContractOp op, ArrayRef<StringAttr> run,
                        StringAttr next) {
  int64_t product = 1;
  auto multiply = [&](StringAttr label) {
    int64_t extent = op.getExtent(label);
    return ShapedType::isDynamic(extent) ||
           !llvm::MulOverflow(product, extent, product);
  };
  return llvm::all_of(run, multiply) && multiply(next);
}

/// The maximal runs of at least two labels that move together. No label is in
/// two of them.
static SmallVector<SmallVector<StringAttr>> findRuns(ContractOp op) {
  SmallVector<SmallVector<StringAttr>> runs;
  DenseSet<StringAttr> seen;
  for (Tensor tensor : model::allTensors) {
    SmallVector<StringAttr> run;
    auto endRun = [&] {
      if (run.size() > 1 && seen.insert(run.front()).second)
        runs.push_back(run);
      run.clear();
    };
    for (StringAttr label : op.getIndices(tensor)) {
      if (!run.empty() &&
          !(moveTogether(op, run.back(), label) && fitTogether(op, run, label)))
        endRun();
      run.push_back(label);
    }
    endRun();
  }
  return runs;
}

/// A name for merged labels that is not in use yet.
static StringAttr nameMerged(ArrayRef<StringAttr> parts,
                             const DenseSet<StringAttr> &used) {
  MLIRContext *context = parts.front().getContext();
  auto join = [&](StringRef separator) {
    auto names = llvm::map_range(
        parts, [](StringAttr label) { return label.getValue(); });
    return StringAttr::get(context, llvm::join(names, separator));
  };
  bool isShort = llvm::all_of(
      parts, [](StringAttr label) { return label.getValue().size() == 1; });
  if (isShort && !used.contains(join("")))
    return join("");
  StringAttr name = join("_");
  for (unsigned suffix = 0; used.contains(name); ++suffix)
    name = StringAttr::get(context, join("_").getValue() + "_" + Twine(suffix));
  return name;
}

namespace {

struct MergeIndices : public mlir::OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSchedule() || op.getCpuSchedule())
      return rewriter.notifyMatchFailure(op, "a schedule names its indices");
    if (llvm::isa_and_nonnull<FusedOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "C is that of its group");
    if (op.getDynamicShape())
      return rewriter.notifyMatchFailure(op, "other shapes may not allow it");
    SmallVector<SmallVector<StringAttr>> runs = findRuns(op);
    if (runs.empty())
      return rewriter.notifyMatchFailure(op, "no indices move together");

    // The first label of a run becomes the merged one, the others vanish.
    SmallVector<StringAttr> labels = op.getLabels();
    DenseSet<StringAttr> used(labels.begin(), labels.end());
    DenseMap<StringAttr, StringAttr> renamed;
    DenseSet<StringAttr> absorbed;
    for (ArrayRef<StringAttr> run : runs) {
      StringAttr name = nameMerged(run, used);
      used.insert(name);
      renamed[run.front()] = name;
      absorbed.insert_range(run.drop_front());
    }
    Reshape change;
    for (IndexListAttr indices : op.getIndexLists()) {
      Reshape::Operand &operand = change.operands.emplace_back();
      for (auto [dim, label] : llvm::enumerate(indices)) {
        if (absorbed.contains(label)) {
          operand.groups.back().push_back(dim);
          continue;
        }
        StringAttr name = renamed.lookup(label);
        operand.labels.push_back(name ? name : label);
        operand.groups.push_back({static_cast<int64_t>(dim)});
      }
    }
    rewriteReshaped(rewriter, op, change);
    return success();
  }
};

} // namespace

void tc::populateCollapseIndicesPatterns(RewritePatternSet &patterns) {
  // Indices of extent one go first, so that they leave no trace in names.
  patterns.add<DropUnitExtents>(patterns.getContext(), /*benefit=*/2);
  patterns.add<MergeIndices>(patterns.getContext(), /*benefit=*/1);
}
