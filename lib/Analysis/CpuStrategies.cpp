//===- CpuStrategies.cpp - Strategies of an operation on CPUs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/CpuStrategies.h"

#include "tc/Analysis/ContractionDims.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tc;
using model::Contraction;
using model::StrategyChoice;
using model::Tensor;

/// Returns true if a region yields its argument in a wider type.
static bool onlyWidens(mlir::Region &region) {
  mlir::Block &block = region.front();
  Value value = cast<YieldOp>(block.getTerminator()).getValue();
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<mlir::arith::ExtFOp, mlir::arith::ExtSIOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return value == block.getArgument(0);
}

bool tc::needsPrologues(ContractOp op) {
  auto element = [&](Tensor tensor) {
    return *getModelElementType(op.getTypeOf(tensor).getElementType());
  };
  for (Tensor tensor : {Tensor::A, Tensor::B})
    if (mlir::Region *prologue = op.getPrologue(tensor))
      if (!onlyWidens(*prologue))
        return true;
  std::optional<model::ElementType> factors =
      model::commonTypeOf(element(Tensor::A), element(Tensor::B));
  return !factors || model::accumulatorTypeOf(*factors) !=
                         *getModelElementType(op.getAccumulatorType());
}

Status tc::checkLibraryComputes(ContractOp op) {
  if (op.getSemiring() != model::Semiring::PlusTimes)
    return Error{"the library has no semiring " +
                 std::string(model::stringify(op.getSemiring()))};
  if (needsPrologues(op))
    return Error{"the library has no prologues"};
  if (op.getEpilogue())
    return Error{"the library has no epilogue"};
  return {};
}

/// The contraction as the library takes it.
static Result<Contraction> libraryProblemOf(ContractOp op) {
  if (Status status = checkLibraryComputes(op); !status)
    return Error{status.error()};
  FailureOr<model::ContractionRecord> record = toRecord(op);
  if (failed(record))
    return Error{"its shape is unknown"};
  record->hasPrologue = {};
  return model::contractionOf(*record);
}

FailureOr<Result<std::vector<StrategyChoice>>>
tc::considerStrategies(ContractOp op, const model::CpuTarget &target,
                       const CpuStrategyLimits &limits) {
  FailureOr<std::vector<Contraction>> forms = toCpuForms(op);
  if (failed(forms))
    return failure();
  Result<std::vector<StrategyChoice>> choices = model::considerStrategies(
      *forms, target, limits.workspace, limits.threads);
  if (!choices)
    return choices;
  std::string objection;
  if (!limits.callsLibrary)
    objection = "code may not call the library without option 'library-calls'";
  else if (!limits.isForThisCpu)
    objection = "times of the library are known for this machine only";
  choices->push_back(model::considerLibrary(libraryProblemOf(op), target,
                                            limits.threads, objection));
  return choices;
}
