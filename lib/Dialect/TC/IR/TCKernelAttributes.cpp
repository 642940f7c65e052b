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
#include "tc/Problem/ComplexParts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>

using namespace tc;
using model::Tensor;

/// What an epilogue does to C.
static constexpr StringLiteral writes = "write", readsAndWrites = "read_write";

static ParseResult parseOneOf(AsmParser &parser, StringRef &keyword,
                              StringRef one, StringRef other) {
  if (succeeded(parser.parseOptionalKeyword(&keyword, {one, other})))
    return success();
  return parser.emitError(parser.getCurrentLocation(), "expected '")
         << one << "' or '" << other << "'";
}

/// Parses what the panels of A and of B hold beyond the tensors.
static ParseResult parsePadding(AsmParser &parser,
                                SmallVectorImpl<model::Fill> &padding) {
  auto place = parser.getCurrentLocation();
  auto parseFill = [&]() -> ParseResult {
    StringRef name;
    auto at = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<model::Fill> fill = model::symbolizeFill(name.str());
    if (!fill)
      return parser.emitError(at, "'")
             << name << "' is none of zero, one, least and greatest";
    padding.push_back(*fill);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseFill))
    return failure();
  if (padding.size() != 2)
    return parser.emitError(place, "expected the padding of A and of B");
  return success();
}

Attribute KernelAttr::parse(AsmParser &parser, Type) {
  IndexListAttr a, b, c;
  mlir::TypedAttr alpha, beta, identity;
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
      (parser.parseEqual() || parseSemiring(parser, semiring, identity) ||
       parser.parseComma()))
    return {};
  int64_t operations = model::UserSemiring().operations;
  if (succeeded(parser.parseOptionalKeyword("operations")) &&
      (parser.parseEqual() || parser.parseInteger(operations) ||
       parser.parseComma()))
    return {};
  SmallVector<model::Fill, 2> padding;
  if (succeeded(parser.parseOptionalKeyword("padding")) &&
      (parser.parseEqual() || parsePadding(parser, padding) ||
       parser.parseComma()))
    return {};
  bool conjugateA = succeeded(parser.parseOptionalKeyword("conjugate_a"));
  if (conjugateA && parser.parseComma())
    return {};
  bool conjugateB = succeeded(parser.parseOptionalKeyword("conjugate_b"));
  if (conjugateB && parser.parseComma())
    return {};
  Type prologueA, prologueB;
  for (auto [keyword, type] : {std::pair("prologue_a", &prologueA),
                               std::pair("prologue_b", &prologueB)})
    if (succeeded(parser.parseOptionalKeyword(keyword)) &&
        (parser.parseEqual() || parser.parseType(*type) || parser.parseComma()))
      return {};
  StringRef access;
  if (succeeded(parser.parseOptionalKeyword("epilogue")) &&
      (parser.parseEqual() ||
       parseOneOf(parser, access, writes, readsAndWrites) ||
       parser.parseComma()))
    return {};
  SmallVector<IndexListAttr> sides;
  if (succeeded(parser.parseOptionalKeyword("sides")) &&
      (parser.parseEqual() ||
       parser.parseCommaSeparatedList(
           AsmParser::Delimiter::Square,
           [&] { return parseIndexList(parser, sides.emplace_back()); }) ||
       parser.parseComma()))
    return {};
  bool reduces = succeeded(parser.parseOptionalKeyword("reduce"));
  if (reduces && parser.parseComma())
    return {};
  SmallVector<int64_t> alignment;
  if (succeeded(parser.parseOptionalKeyword("alignment")) &&
      (parser.parseEqual() ||
       parser.parseCommaSeparatedList(
           AsmParser::Delimiter::Square,
           [&] { return parser.parseInteger(alignment.emplace_back()); }) ||
       parser.parseComma()))
    return {};
  RunTimeShapeAttr runTimeShape;
  if (succeeded(parser.parseOptionalKeyword("run_time_shape")) &&
      (parser.parseEqual() || parser.parseAttribute(runTimeShape) ||
       parser.parseComma()))
    return {};
  if (parser.parseKeyword("schedule") || parser.parseEqual() ||
      parser.parseAttribute(schedule) || parser.parseGreater())
    return {};
  return KernelAttr::get(parser.getContext(), a, b, c, alpha, beta, precision,
                         semiring, identity, operations, padding, conjugateA,
                         conjugateB, prologueA, prologueB, sides,
                         /*hasEpilogue=*/!access.empty(),
                         /*epilogueReadsC=*/access == readsAndWrites, reduces,
                         alignment, runTimeShape, schedule);
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
    printSemiring(printer, getSemiring(), getIdentity());
  }
  if (getSemiring().getValue() == model::Semiring::UserDefined)
    printer << ", operations = " << getOperations();
  if (!getPadding().empty()) {
    printer << ", padding = [";
    llvm::interleaveComma(getPadding(), printer, [&](model::Fill fill) {
      printer << StringRef(model::stringify(fill));
    });
    printer << "]";
  }
  for (auto [tensor, keyword] : {std::pair(Tensor::A, "conjugate_a"),
                                 std::pair(Tensor::B, "conjugate_b")})
    if (getConjugates(tensor))
      printer << ", " << keyword;
  if (getPrologueA())
    printer << ", prologue_a = " << getPrologueA();
  if (getPrologueB())
    printer << ", prologue_b = " << getPrologueB();
  if (getHasEpilogue())
    printer << ", epilogue = "
            << (getEpilogueReadsC() ? readsAndWrites : writes);
  if (!getSides().empty()) {
    printer << ", sides = [";
    llvm::interleaveComma(getSides(), printer, [&](IndexListAttr list) {
      printIndexList(printer, list);
    });
    printer << "]";
  }
  if (getReduces())
    printer << ", reduce";
  if (!getAlignment().empty()) {
    printer << ", alignment = [";
    llvm::interleaveComma(getAlignment(), printer);
    printer << "]";
  }
  if (getRunTimeShape())
    printer << ", run_time_shape = " << getRunTimeShape();
  printer << ", schedule = " << getSchedule() << ">";
}

model::UserSemiring KernelAttr::getUserSemiring() const {
  model::UserSemiring semiring;
  semiring.operations = getOperations();
  if (!getPadding().empty()) {
    semiring.padding.emplace();
    (*semiring.padding)[Tensor::A] = getPadding().front();
    (*semiring.padding)[Tensor::B] = getPadding().back();
  }
  return semiring;
}

bool KernelAttr::getConjugates(Tensor tensor) const {
  return tensor == Tensor::A   ? getConjugateA()
         : tensor == Tensor::B ? getConjugateB()
                               : false;
}

Type KernelAttr::getPrologue(Tensor tensor) const {
  switch (tensor) {
  case Tensor::A:
    return getPrologueA();
  case Tensor::B:
    return getPrologueB();
  case Tensor::C:
    return {};
  }
  llvm_unreachable("unknown tensor");
}

/// Fills a contraction's prologue with one that yields that value.
static void fillPrologue(ContractOp op, Tensor tensor, Value yielded) {
  mlir::Block &block = op.getPrologue(tensor)->emplaceBlock();
  block.addArgument(op.getTypeOf(tensor).getElementType(), op.getLoc());
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&block);
  YieldOp::create(builder, op.getLoc(), yielded);
}

/// Fills a region of a user-defined semiring with any code that there may be.
static void fillSemiring(ContractOp op, mlir::Region &region) {
  mlir::Block &block = region.emplaceBlock();
  Type type = op.getIdentityAttr().getType();
  block.addArguments({type, type}, {op.getLoc(), op.getLoc()});
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&block);
  YieldOp::create(builder, op.getLoc(), block.getArgument(0));
}

/// Fills a contraction's epilogue with any that there may be.
static void fillEpilogue(ContractOp op) {
  // Without a type of factors there is none of sums, which is an error.
  Type factor = op.getFactorType();
  SmallVector<Type> types = {
      getModelElementType(factor) ? op.getAccumulatorType() : factor};
  for (Value tensor : llvm::drop_begin(op.getTensors(), 2))
    types.push_back(cast<ShapedType>(tensor.getType()).getElementType());
  mlir::Block &block = op.getEpilogue()->emplaceBlock();
  block.addArguments(types, SmallVector<Location>(types.size(), op.getLoc()));
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&block);
  YieldOp::create(builder, op.getLoc(), block.getArgument(1));
}

/// What blocks have to add up is in a workspace, the argument of that number.
static LogicalResult verifyWorkspace(Operation *op, KernelAttr kernel,
                                     ArrayRef<Type> arguments) {
  bool splitsK = kernel.getSchedule().getValue().mapping.splitK > 1;
  if (!splitsK && !kernel.getReduces())
    return success();
  unsigned place =
      kernel.getFirstTermArgument() + !kernel.getAlpha() + !kernel.getBeta();
  Type type = place < arguments.size() ? arguments[place] : Type();
  auto workspace = dyn_cast_or_null<MemRefType>(type);
  if (workspace && workspace.getRank() == 1 &&
      workspace.getElementType().isInteger(8) && workspace.hasStaticShape())
    return success();
  return op->emitOpError("must have a workspace as argument ")
         << place << ", a memref of one dimension of i8, because its "
         << (splitsK ? "schedule splits K" : "output is added up");
}

/// The type of C as it would be stored, where all elements are added up: those
/// strides are zero then, and nothing may depend on what C held.
static FailureOr<MemRefType> verifyReduction(Operation *op, KernelAttr kernel,
                                             MemRefType type) {
  auto error = [&] {
    return op->emitOpError("adds up all elements of its output, so ");
  };
  if (!llvm::all_of(type.getStridesAndOffset().first,
                    [](int64_t stride) { return stride == 0; }))
    return error() << "strides of C must be 0, but its type is " << type;
  if (!kernel.getBeta() ||
      !isZero(kernel.getSemiring().getValue(), kernel.getBeta()))
    return error() << "beta must be the constant zero";
  if (kernel.getEpilogueReadsC())
    return error() << "its epilogue must not use C";
  if (isa<mlir::ComplexType>(type.getElementType()))
    return error() << "they must not be complex";
  return MemRefType::get(type.getShape(), type.getElementType(),
                         mlir::MemRefLayoutAttrInterface(),
                         type.getMemorySpace());
}

/// A function with #tc.kernel takes A, B and C and the side tensors, then the
/// scalars that the attribute leaves open, and all of them make up a valid
/// contraction.
static LogicalResult verifyKernel(Operation *op, KernelAttr kernel,
                                  ArrayRef<Type> arguments) {
  unsigned sides = kernel.getSides().size(), tensors = 3 + sides;
  unsigned scalars = !kernel.getAlpha() + !kernel.getBeta();
  if (arguments.size() < tensors + scalars) {
    InFlightDiagnostic error =
        op->emitOpError("must have the arguments A, B and C");
    if (sides)
      error << ", " << sides << " side tensors";
    return error << (scalars ? " and a scalar for each of alpha and beta that "
                               "is missing in '"
                             : " for '")
                 << KernelAttr::attrName << "'";
  }

  if (kernel.getRunTimeShape() &&
      (sides || kernel.getReduces() || op->hasAttr(KernelAttr::termsAttrName) ||
       llvm::any_of(arguments.take_front(3), [](Type type) {
         auto memref = dyn_cast<MemRefType>(type);
         return memref && isa<mlir::ComplexType>(memref.getElementType());
       })))
    return op->emitOpError("takes its shape at run time, so it must have "
                           "neither side tensors nor terms nor complex "
                           "elements, nor add up its output");
  ArrayRef<int64_t> alignment = kernel.getAlignment();
  if (!alignment.empty() && alignment.size() != tensors)
    return op->emitOpError("'alignment' is of ")
           << alignment.size() << " tensors, but there are " << tensors;
  if (llvm::any_of(alignment, [](int64_t elements) { return elements < 0; }))
    return op->emitOpError("'alignment' must not be negative");

  // The contraction's own verifier judges whether it is one.
  mlir::Block block;
  for (unsigned i = 0; i < tensors + scalars; ++i) {
    Type type = arguments[i];
    if (i < tensors && !isa<MemRefType>(type))
      return op->emitOpError("argument ")
             << i << " must be a memref, but is " << type;
    if (i == 2 && kernel.getReduces()) {
      FailureOr<MemRefType> stored =
          verifyReduction(op, kernel, cast<MemRefType>(type));
      if (failed(stored))
        return failure();
      type = *stored;
    }
    block.addArgument(type, op->getLoc());
  }
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  unsigned next = tensors;
  auto scalar = [&](mlir::TypedAttr constant) {
    return constant ? Value() : Value(block.getArgument(next++));
  };
  Value alpha = scalar(kernel.getAlpha()), beta = scalar(kernel.getBeta());
  SmallVector<Attribute> lists(kernel.getSides().begin(),
                               kernel.getSides().end());
  bool hasPrologueA(kernel.getPrologueA()), hasPrologueB(kernel.getPrologueB());
  bool hasEpilogue = kernel.getHasEpilogue();
  // The schedule says what is done, the operation what is allowed.
  bool allowsThreeProducts =
      llvm::any_of(kernel.getSchedule().getValue().k, [](const auto &tile) {
        return model::isProductsLabel(tile.label);
      });
  bool isUserDefined =
      kernel.getSemiring().getValue() == model::Semiring::UserDefined;
  auto contract = ContractOp::create(
      builder, op->getLoc(), /*result=*/Type(), block.getArgument(0),
      block.getArgument(1), block.getArgument(2), alpha, beta,
      ValueRange(block.getArguments()).slice(3, sides), kernel.getA(),
      kernel.getB(), kernel.getC(), kernel.getSchedule(),
      kernel.getPrecision().getValue(), kernel.getSemiring().getValue(),
      kernel.getIdentity(), /*accumulate=*/false,
      kernel.getConjugates(Tensor::A), kernel.getConjugates(Tensor::B),
      allowsThreeProducts,
      lists.empty() ? mlir::ArrayAttr() : builder.getArrayAttr(lists),
      hasPrologueA, hasPrologueB, hasEpilogue,
      /*fusedCount=*/hasPrologueA + hasPrologueB + 2 * isUserDefined +
          hasEpilogue);
  for (Tensor tensor : {Tensor::A, Tensor::B})
    if (Type yielded = kernel.getPrologue(tensor))
      fillPrologue(contract, tensor, block.addArgument(yielded, op->getLoc()));
  if (isUserDefined)
    for (mlir::Region *region : {contract.getProduct(), contract.getCombine()})
      fillSemiring(contract, *region);
  if (hasEpilogue)
    fillEpilogue(contract);
  return contract.verify();
}

/// Holds the terms of a sum, beside that of `tc.kernel`, against the arguments
/// after its tensors: an A and a B for each.
static LogicalResult verifyTerms(Operation *op, Attribute attribute) {
  auto function = dyn_cast<mlir::FunctionOpInterface>(op);
  auto kernel = op->getAttrOfType<KernelAttr>(KernelAttr::attrName);
  if (!function || !kernel)
    return op->emitOpError("is no function with '")
           << KernelAttr::attrName << "', so it cannot carry '"
           << KernelAttr::termsAttrName << "'";
  auto terms = dyn_cast<mlir::ArrayAttr>(attribute);
  if (!terms || !llvm::all_of(terms, llvm::IsaPred<KernelAttr>))
    return op->emitOpError("attribute '")
           << KernelAttr::termsAttrName
           << "' must be an array of #tc.kernel, but is " << attribute;
  unsigned first = kernel.getFirstTermArgument();
  if (kernel.getSemiring().getValue() != model::Semiring::PlusTimes)
    return op->emitOpError("has '")
           << KernelAttr::termsAttrName << "', so the semiring of '"
           << KernelAttr::attrName << "' must be plus_times";
  if (!kernel.getAlpha() ||
      isZero(model::Semiring::PlusTimes, kernel.getAlpha()))
    return op->emitOpError("has '")
           << KernelAttr::termsAttrName << "', so alpha of '"
           << KernelAttr::attrName << "' must be a constant other than zero";
  ArrayRef<Type> arguments = function.getArgumentTypes();
  if (arguments.size() < first + 2 * terms.size())
    return op->emitOpError("must have an A and a B for each of '")
           << KernelAttr::termsAttrName << "' after argument " << first - 1
           << ", but has " << arguments.size() << " arguments";
  for (size_t number = 0; number < terms.size(); ++number) {
    auto term = cast<KernelAttr>(terms[number]);
    auto error = [&]() {
      return op->emitOpError("term ")
             << number + 1 << " of '" << KernelAttr::termsAttrName << "' ";
    };
    if (term.getSemiring() != kernel.getSemiring())
      return error() << "must have the semiring plus_times";
    if (!term.getAlpha() ||
        isZero(model::Semiring::PlusTimes, term.getAlpha()) ||
        !term.getBeta() || !isZero(model::Semiring::PlusTimes, term.getBeta()))
      return error() << "must have a constant alpha other than zero and a beta "
                        "of zero";
    if (isa<mlir::ComplexType>(term.getAlpha().getType()))
      return error() << "must not be of complex numbers";
    if (isa<mlir::IntegerType>(term.getAlpha().getType()) &&
        std::isnan(getRatio(kernel.getAlpha(), term.getAlpha())))
      return error() << "must have the alpha of '" << KernelAttr::attrName
                     << "', of either sign, as sums are integers";
    if (term.getReduces() != kernel.getReduces())
      return error() << "must reduce C where '" << KernelAttr::attrName
                     << "' does, and nowhere else";
    if (term.getSchedule().getValue().mapping.splitK > 1)
      return error() << "must not split K";
    if (term.getHasEpilogue() || !term.getSides().empty())
      return error() << "must have neither epilogue nor side tensors, which "
                        "are those of '"
                     << KernelAttr::attrName << "'";
    Type own[] = {arguments[first + 2 * number],
                  arguments[first + 2 * number + 1], arguments[2]};
    if (failed(verifyKernel(op, term, own)))
      return failure();
  }
  return success();
}

/// Only what kernels of any shape can be made of may ask for one.
static LogicalResult verifyRunTimeShape(Operation *op, Attribute attribute) {
  auto contract = dyn_cast<ContractOp>(op);
  if (!contract || !isa<RunTimeShapeAttr>(attribute))
    return op->emitOpError("attribute '")
           << RunTimeShapeAttr::attrName
           << "' must be a #tc.run_time_shape on a tc.contract, but is "
           << attribute << " on " << op->getName();
  auto error = [&] {
    return op->emitOpError("takes its shape at run time, so ");
  };
  if (!contract.getSides().empty())
    return error() << "it must not have side tensors";
  for (Tensor tensor : model::allTensors)
    if (isa<mlir::ComplexType>(contract.getTypeOf(tensor).getElementType()))
      return error() << "its elements must not be complex";
  return success();
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
  if (named.getName() == RunTimeShapeAttr::attrName)
    return verifyRunTimeShape(op, named.getValue());
  if (named.getName() == KernelAttr::termsAttrName)
    return verifyTerms(op, named.getValue());
  if (named.getName() != KernelAttr::attrName)
    return success();
  auto kernel = dyn_cast<KernelAttr>(named.getValue());
  if (!kernel)
    return op->emitOpError("attribute '")
           << KernelAttr::attrName << "' must be a #tc.kernel, but is "
           << named.getValue();
  auto function = dyn_cast<mlir::FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("is no function, so it cannot carry '")
           << KernelAttr::attrName << "'";
  SmallVector<Type> arguments(function.getArgumentTypes());
  if (auto terms =
          op->getAttrOfType<mlir::ArrayAttr>(KernelAttr::termsAttrName)) {
    // The inputs of the other terms are between the tensors and the scalars.
    size_t first =
        std::min<size_t>(kernel.getFirstTermArgument(), arguments.size());
    size_t last = std::min(first + 2 * terms.size(), arguments.size());
    arguments.erase(arguments.begin() + first, arguments.begin() + last);
  }
  if (failed(verifyKernel(op, kernel, arguments)))
    return failure();
  return verifyWorkspace(op, kernel, arguments);
}
