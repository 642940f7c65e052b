//===- IsolateContraction.cpp - A function of one contraction -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/IsolateContraction.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Dialect/TC/IR/TCDialect.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace tc;
namespace func = mlir::func;

IsolatedContraction tc::isolateContraction(OpBuilder &builder, ContractOp op,
                                           StringRef name) {
  IsolatedContraction result;
  result.function = func::FuncOp::create(builder, op.getLoc(), name,
                                         builder.getFunctionType({}, {}));
  func::FuncOp function = result.function;
  if (isInUnalignedVersion(op))
    function->setAttr(unalignedAttrName, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  mlir::IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (mapping.contains(operand))
      continue;
    if (mlir::matchPattern(operand, mlir::m_Constant())) {
      builder.clone(*operand.getDefiningOp(), mapping);
      continue;
    }
    mapping.map(operand, body->addArgument(operand.getType(), op.getLoc()));
    result.arguments.push_back(operand);
  }
  function.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), op->getResultTypes()));
  for (auto [number, argument] : llvm::enumerate(result.arguments)) {
    int64_t alignment =
        isa<MemRefType>(argument.getType()) ? getBaseAlignment(argument) : 0;
    if (alignment != 0)
      function.setArgAttr(number, TCDialect::baseAlignmentAttrName,
                          builder.getI64IntegerAttr(alignment));
  }
  result.op = cast<ContractOp>(builder.clone(*op, mapping));
  func::ReturnOp::create(builder, op.getLoc(), result.op->getResults());
  return result;
}
