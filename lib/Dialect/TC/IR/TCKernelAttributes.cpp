//===- TCKernelAttributes.cpp - What a kernel computes --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing and printing of #tc.kernel.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCAttributes.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/IR/DialectImplementation.h"

using namespace tc;

Attribute KernelAttr::parse(AsmParser &parser, Type) {
  IndexListAttr a, b, c;
  FloatAttr alpha, beta;
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
  if (parser.parseKeyword("schedule") || parser.parseEqual() ||
      parser.parseAttribute(schedule) || parser.parseGreater())
    return {};
  return KernelAttr::get(parser.getContext(), a, b, c, alpha, beta, schedule);
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
  printer << ", schedule = " << getSchedule() << ">";
}
