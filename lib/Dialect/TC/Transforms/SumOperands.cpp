//===- SumOperands.cpp - Sums operands before they are multiplied ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index that is summed, and that one operand has alone, is summed by a
// contraction of its own where the model of the target expects that to be
// faster.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "OneTensor.h"
#include "StepMachine.h"
#include "TreeRewriter.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace tc {
#define GEN_PASS_DEF_SUMOPERANDSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
using model::ContractionRecord;
using model::PerTensor;
using model::Tensor;

/// The record of a contraction that may be taken apart.
static std::optional<ContractionRecord> takeRecord(ContractOp op) {
  if (op.hasZeroExtent() || hasUnknownShape(op) || op.getScheduleAttr() ||
      op.getCpuScheduleAttr() || op.getDynamicShapeAttr() ||
      isa<FusedOp>(op->getParentOp()))
    return std::nullopt;
  FailureOr<ContractionRecord> record = toRecord(op);
  if (failed(record) || model::waysToSumFirst(*record).empty())
    return std::nullopt;
  return record;
}

/// The type of the number with which elements of an operand are multiplied to
/// be summed in that type.
static Type typeOfOne(ContractOp op, Tensor operand, model::ElementType sums) {
  Type factors = op.getFactorTypeOf(operand);
  return model::accumulatorTypeOf(*getModelElementType(factors)) == sums
             ? factors
             : getElementType(op.getContext(), sums);
}

namespace {

/// Makes contractions of one.
class Splitter {
public:
  Splitter(mlir::RewriterBase &rewriter, ContractOp op)
      : rewriter(rewriter), op(op) {}

  void split(const model::OperandSums &parts);

private:
  Value createSums(Tensor operand, const model::TensorRecord &left);
  Value createDestination(const model::TensorRecord &left);
  ContractOp createProduct(const PerTensor<Value> &operands,
                           const ContractionRecord &product);

  mlir::RewriterBase &rewriter;
  ContractOp op;
  /// Buffers that are freed after the product.
  SmallVector<Value> temporaries;
};

} // namespace

static IndexListAttr listOf(MLIRContext *context,
                            const model::TensorRecord &tensor) {
  SmallVector<StringRef> labels(tensor.labels.begin(), tensor.labels.end());
  return IndexListAttr::get(context, labels);
}

Value Splitter::createDestination(const model::TensorRecord &left) {
  Type type = getElementType(op.getContext(), left.type);
  if (!op.hasBuffers())
    return mlir::tensor::EmptyOp::create(rewriter, op.getLoc(), left.extents,
                                         type);
  temporaries.push_back(mlir::memref::AllocOp::create(
      rewriter, op.getLoc(), MemRefType::get(left.extents, type),
      rewriter.getI64IntegerAttr(alignmentOfTemporaries)));
  return temporaries.back();
}

/// The sums of an operand, after its prologue.
Value Splitter::createSums(Tensor operand, const model::TensorRecord &left) {
  Location loc = op.getLoc();
  Value one = createOne(rewriter, loc, op.getSemiring(),
                        typeOfOne(op, operand, left.type), op.hasBuffers());
  if (op.hasBuffers())
    temporaries.push_back(one);
  Value destination = createDestination(left);
  mlir::Region *prologue = op.getPrologue(operand);
  auto sums = ContractOp::create(
      rewriter, loc, op.hasBuffers() ? Type() : destination.getType(),
      op.getOperandOf(operand), one, destination, /*alpha=*/Value(),
      /*beta=*/Value(), /*auxiliaries=*/mlir::ValueRange(),
      op.getIndices(operand),
      IndexListAttr::get(op.getContext(), ArrayRef<StringAttr>()),
      listOf(op.getContext(), left), ScheduleAttr(), CpuScheduleAttr(),
      DynamicShapeAttr(), model::Precision::IEEE, op.getSemiring(),
      /*identity=*/mlir::TypedAttr(), /*accumulate=*/false,
      /*conjugate_a=*/false, /*conjugate_b=*/false,
      /*allow_three_products=*/false, /*auxiliary_indices=*/mlir::ArrayAttr(),
      /*has_prologue_a=*/prologue != nullptr, /*has_prologue_b=*/false,
      /*has_epilogue=*/false, /*fusedCount=*/prologue ? 1 : 0);
  if (prologue)
    rewriter.cloneRegionBefore(*prologue, *sums.getPrologue(Tensor::A),
                               sums.getPrologue(Tensor::A)->end());
  return op.hasBuffers() ? destination : Value(sums.getResult());
}

ContractOp Splitter::createProduct(const PerTensor<Value> &operands,
                                   const ContractionRecord &product) {
  PerTensor<mlir::Region *> prologues = {};
  for (Tensor operand : {Tensor::A, Tensor::B})
    if (product.hasPrologue[operand])
      prologues[operand] = op.getPrologue(operand);
  const unsigned regions = (prologues[Tensor::A] ? 1 : 0) +
                           (prologues[Tensor::B] ? 1 : 0) +
                           (op.getHasEpilogue() ? 1 : 0);
  auto made = ContractOp::create(
      rewriter, op.getLoc(), op.hasBuffers() ? Type() : op.getC().getType(),
      operands[Tensor::A], operands[Tensor::B], op.getC(), op.getAlpha(),
      op.getBeta(), op.getAuxiliaries(),
      listOf(op.getContext(), product.tensors[Tensor::A]),
      listOf(op.getContext(), product.tensors[Tensor::B]), op.getCIndices(),
      ScheduleAttr(), CpuScheduleAttr(), DynamicShapeAttr(), op.getPrecision(),
      op.getSemiring(), /*identity=*/mlir::TypedAttr(), /*accumulate=*/false,
      product.conjugates[Tensor::A], product.conjugates[Tensor::B],
      op.getAllowThreeProducts(), op.getAuxiliaryIndicesAttr(),
      prologues[Tensor::A] != nullptr, prologues[Tensor::B] != nullptr,
      op.getHasEpilogue(), regions);
  for (Tensor operand : {Tensor::A, Tensor::B})
    if (prologues[operand])
      rewriter.cloneRegionBefore(*prologues[operand],
                                 *made.getPrologue(operand),
                                 made.getPrologue(operand)->end());
  if (op.getHasEpilogue())
    rewriter.cloneRegionBefore(*op.getEpilogue(), *made.getEpilogue(),
                               made.getEpilogue()->end());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return made;
}

void Splitter::split(const model::OperandSums &parts) {
  rewriter.setInsertionPoint(op);
  PerTensor<Value> operands;
  for (Tensor operand : {Tensor::A, Tensor::B})
    operands[operand] =
        parts.sums[operand]
            ? createSums(operand, parts.sums[operand]->tensors[Tensor::C])
            : op.getOperandOf(operand);
  ContractOp product = createProduct(operands, parts.product);
  for (Value temporary : temporaries)
    mlir::memref::DeallocOp::create(rewriter, op.getLoc(), temporary);
  if (op.hasBuffers())
    rewriter.eraseOp(op);
  else
    rewriter.replaceOp(op, product);
}

namespace {

struct SumOperandsPass : public tc::impl::SumOperandsPassBase<SumOperandsPass> {
  using SumOperandsPassBase::SumOperandsPassBase;

  void runOnOperation() override {
    std::vector<std::pair<ContractOp, ContractionRecord>> candidates;
    getOperation()->walk([&](ContractOp op) {
      if (std::optional<ContractionRecord> record = takeRecord(op))
        candidates.push_back({op, std::move(*record)});
    });
    // Pipelines have the pass whether or not there is something to sum.
    if (candidates.empty())
      return;
    Result<StepMachine> machine =
        findStepMachine(getOperation(), target, targetFile, /*threads=*/1);
    if (!machine) {
      emitError(getOperation()->getLoc()) << machine.error();
      return signalPassFailure();
    }
    mlir::IRRewriter rewriter(&getContext());
    for (auto &[op, record] : candidates) {
      const model::SumsFirst chosen =
          machine->makeTimes(record.factorType, record.precision)
              ->chooseSums(record);
      if (explain)
        print(record, chosen, machine->name());
      if (!chosen.any())
        continue;
      Splitter(rewriter, op).split(model::sumFirst(record, chosen.operands));
      ++numSplit;
    }
  }

  static void print(const ContractionRecord &record,
                    const model::SumsFirst &chosen, const std::string &name) {
    llvm::raw_ostream &out = llvm::errs();
    StringRef names[] = {"A", "B"};
    auto list = [&](const model::TensorRecord &tensor) {
      out << '[';
      llvm::interleaveComma(tensor.labels, out);
      out << ']';
    };
    list(record.tensors[Tensor::A]);
    out << ", ";
    list(record.tensors[Tensor::B]);
    out << " -> ";
    list(record.tensors[Tensor::C]);
    out << " for " << name << ": ";
    if (!chosen.any()) {
      out << "all products take "
          << llvm::formatv("{0:f3}", chosen.seconds * 1e6)
          << " us, sums of operands first no less\n";
      return;
    }
    out << "sums of ";
    bool isFirst = true;
    for (Tensor operand : {Tensor::A, Tensor::B})
      if (chosen.operands[operand]) {
        out << (isFirst ? "" : " and ") << names[static_cast<size_t>(operand)];
        isFirst = false;
      }
    out << " first take " << llvm::formatv("{0:f3}", chosen.seconds * 1e6)
        << " us in place of "
        << llvm::formatv("{0:f3}", chosen.secondsOfAll * 1e6) << " us\n";
  }
};

} // namespace
