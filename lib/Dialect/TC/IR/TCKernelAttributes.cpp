//===- TCKernelAttributes.cpp - What a kernel computes --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, printing and verification of #tc.kernel.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCAttributes.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace tc;

Attribute KernelAttr::parse(AsmParser &parser, Type) {
  IndexListAttr a, b, c;
  mlir::TypedAttr alpha, beta;
  auto precision =
      PrecisionAttr::get(parser.getContext(), model::Precision::IEEE);
  auto semiring =
      SemiringAttr::get(parser.getContext(), model::Semiring::PlusTimes);
  ScheduleAttr schedule;
  if (parser.parseLess() || parser.parseKeyword("a") || parser.parseEqual() ||
      parseIndexList(parser, a) || parser.parseComma() ||
      parser.parseKeyword("b") || parser.parseEqual() ||
      parseIndexList(parser, b) || parser.parseComma() ||
      parser.parseKeyword("c") || parser.parseEqual() ||
      parseIndexList(parser, c) || parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("alpha")) &&
      (parser.parseEqual() || parser.parseAttribute(alpha) ||
       parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("beta")) &&
      (parser.parseEqual() || parser.parseAttribute(beta) ||
       parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("precision")) &&
      (parser.parseEqual() || parsePrecision(parser, precision) ||
       parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("semiring")) &&
      (parser.parseEqual() || parseSemiring(parser, semiring) ||
       parser.parseComma()))
    return {};
  if (parser.parseKeyword("schedule") || parser.parseEqual() ||
      parser.parseAttribute(schedule) || parser.parseGreater())
    return {};
  return KernelAttr::get(parser.getContext(), a, b, c, alpha, beta, precision,
                         semiring, schedule);
}

void KernelAttr::print(AsmPrinter &printer) const {
  printer << "<a = ";
  printIndexList(printer, getA());
  printer << ", b = ";
  printIndexList(printer, getB());
  printer << ", c = ";
  printIndexList(printer, getC());
  if (getAlpha())
    printer << ", alpha = " << getAlpha();
  if (getBeta())
    printer << ", beta = " << getBeta();
  if (getPrecision().getValue() != model::Precision::IEEE) {
    printer << ", precision = ";
    printPrecision(printer, getPrecision());
  }
  if (getSemiring().getValue() != model::Semiring::PlusTimes) {
    printer << ", semiring = ";
    printSemiring(printer, getSemiring());
  }
  printer << ", schedule = " << getSchedule() << ">";
}

/// A function with #tc.kernel takes A, B and C, then the scalars that the
/// attribute leaves open, and the four make up a valid contraction.
static LogicalResult verifyKernel(Operation *op, KernelAttr kernel) {
  auto function = dyn_cast<mlir::FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("is no function, so it cannot carry '")
           << KernelAttr::attrName << "'";
  unsigned scalars = !kernel.getAlpha() + !kernel.getBeta();
  if (function.getNumArguments() < 3 + scalars)
    return op->emitOpError("must have the arguments A, B and C")
           << (scalars ? " and a scalar for each of alpha and beta that is "
                         "missing in '"
                       : " for '")
           << KernelAttr::attrName << "'";

  if (kernel.getSchedule().getValue().mapping.splitK > 1) {
    Type type;
    if (function.getNumArguments() > 3 + scalars)
      type = function.getArgumentTypes()[3 + scalars];
    auto workspace = dyn_cast_or_null<MemRefType>(type);
    if (!workspace || workspace.getRank() != 1 ||
        !workspace.getElementType().isInteger(8) || !workspace.hasStaticShape())
      return op->emitOpError("must have a workspace as argument ")
             << 3 + scalars
             << ", a memref of one dimension of i8, because its schedule "
                "splits K";
  }

  // The contraction's own verifier judges whether it is one.
  mlir::Block block;
  for (unsigned i = 0; i < 3 + scalars; ++i) {
    Type type = function.getArgumentTypes()[i];
    if (i < 3 && !isa<MemRefType>(type))
      return op->emitOpError("argument ")
             << i << " must be a memref, but is " << type;
    block.addArgument(type, op->getLoc());
  }
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  unsigned next = 3;
  auto scalar = [&](mlir::TypedAttr constant) {
    return constant ? Value() : Value(block.getArgument(next++));
  };
  Value alpha = scalar(kernel.getAlpha()), beta = scalar(kernel.getBeta());
  auto contract = ContractOp::create(
      builder, op->getLoc(), block.getArgument(0), block.getArgument(1),
      block.getArgument(2), kernel.getA(), kernel.getB(), kernel.getC(), alpha,
      beta, kernel.getSchedule(), kernel.getPrecision().getValue(),
      kernel.getSemiring().getValue());
  return contract.verify();
}

LogicalResult TCDialect::verifyOperationAttribute(Operation *op,
                                                  mlir::NamedAttribute named) {
  if (named.getName() == CpuScheduleAttr::attrName) {
    if (isa<ContractOp>(op) && isa<CpuScheduleAttr>(named.getValue()))
      return success();
    return op->emitOpError("attribute '")
           << CpuScheduleAttr::attrName
           << "' must be a #tc.cpu_schedule on a tc.contract, but is "
           << named.getValue() << " on " << op->getName();
  }
  if (named.getName() != KernelAttr::attrName)
    return success();
  auto kernel = dyn_cast<KernelAttr>(named.getValue());
  if (!kernel)
    return op->emitOpError("attribute '")
           << KernelAttr::attrName << "' must be a #tc.kernel, but is "
           << named.getValue();
  return verifyKernel(op, kernel);
}
