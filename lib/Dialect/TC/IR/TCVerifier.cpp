//===- TCVerifier.cpp - Verifier of tc.contract ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a rule, each with one message that names the operand, the label
// and the figures at fault.
//
//===----------------------------------------------------------------------===//

#include "LabelledTensors.h"

#include "tc/Dialect/TC/IR/FusedCode.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "tc/Dialect/TC/IR/KernelFields.h"
#include "tc/Problem/ComplexParts.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace tc;
using model::Tensor;

/// The name by which messages speak of an operand.
static char nameOf(Tensor tensor) {
  return "ABC"[static_cast<unsigned>(tensor)];
}

/// The name of an operand, by its place in getTensors().
static std::string nameOf(size_t place) {
  if (place < 3)
    return std::string(1, nameOf(model::allTensors[place]));
  return "auxiliary tensor " + std::to_string(place - 3);
}

static LabelledTensor labelTensor(ContractOp op, size_t place) {
  return {op.getTensors()[place], op.getIndexLists()[place], nameOf(place)};
}

static SmallVector<LabelledTensor> labelTensors(ContractOp op) {
  return llvm::map_to_vector(
      llvm::seq(op.getTensors().size()),
      [&](size_t place) { return labelTensor(op, place); });
}

static LogicalResult verifyFactors(ContractOp op) {
  model::PerTensor<model::ElementType> factors;
  for (Tensor tensor : {Tensor::A, Tensor::B}) {
    Type type = op.getFactorTypeOf(tensor);
    std::optional<model::ElementType> known = getModelElementType(type);
    if (!known)
      return op.emitOpError("prologues must yield ")
             << model::elementTypeNames() << ", but yield " << type;
    factors[tensor] = *known;
  }
  if (!model::commonTypeOf(factors[Tensor::A], factors[Tensor::B]))
    return op.emitOpError(
               "no type holds the factors of both A and B, which are ")
           << op.getFactorTypeOf(Tensor::A) << " and "
           << op.getFactorTypeOf(Tensor::B)
           << ": convert the elements of one in its prologue";
  if (!op.getEpilogue() &&
      failed(verifyOutputType(op, labelTensor(op, 2), op.getFactorType())))
    return failure();
  return verifyScalars(op, op.getAlpha(), op.getBeta(),
                       op.getAccumulatorType());
}

/// Complex elements are multiplied as their parts, which no code could tell
/// apart.
static LogicalResult verifyNoComplexCode(ContractOp op) {
  if (!op.getHasPrologueA() && !op.getHasPrologueB() && !op.getHasEpilogue())
    return success();
  for (auto [place, tensor] : llvm::enumerate(op.getTensors())) {
    Type type = cast<ShapedType>(tensor.getType()).getElementType();
    if (isa<mlir::ComplexType>(type))
      return op.emitOpError(
                 "prologues and epilogues apply to real numbers, but "
                 "the elements of ")
             << nameOf(place) << " are " << type;
  }
  return success();
}

static LogicalResult verifyConjugates(ContractOp op) {
  for (auto [tensor, name] : {std::pair(Tensor::A, "conjugate_a"),
                              std::pair(Tensor::B, "conjugate_b")})
    if (op.conjugates(tensor) &&
        !model::isComplex(*getModelElementType(op.getFactorTypeOf(tensor))))
      return op.emitOpError(name)
             << " applies to complex numbers, but the factors of "
             << nameOf(tensor) << " have " << op.getFactorTypeOf(tensor);
  return success();
}

static LogicalResult verifyThreeProducts(ContractOp op) {
  for (Tensor tensor : {Tensor::A, Tensor::B})
    if (op.getAllowThreeProducts() &&
        !model::isComplex(*getModelElementType(op.getFactorTypeOf(tensor))))
      return op.emitOpError("allow_three_products applies to complex numbers, "
                            "but the factors of ")
             << nameOf(tensor) << " have " << op.getFactorTypeOf(tensor);
  return success();
}

bool tc::isAllowedInRegion(Operation *op) {
  bool isElementwise = op->hasTrait<mlir::OpTrait::Elementwise>() ||
                       op->hasTrait<mlir::OpTrait::ConstantLike>();
  return isElementwise && mlir::isMemoryEffectFree(op) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrFloat(); });
}

mlir::TypedAttr tc::foldRegion(mlir::Region &region,
                               ArrayRef<mlir::TypedAttr> arguments) {
  mlir::Block &block = region.front();
  DenseMap<Value, Attribute> known;
  for (auto [argument, number] :
       llvm::zip_equal(block.getArguments(), arguments))
    known[argument] = number;
  for (Operation &op : block.without_terminator()) {
    SmallVector<Attribute> operands = llvm::map_to_vector(
        op.getOperands(), [&](Value operand) { return known.lookup(operand); });
    SmallVector<OpFoldResult> results;
    if (failed(op.fold(operands, results)) || results.size() != 1)
      return {};
    auto value = dyn_cast<Value>(results.front());
    Attribute number =
        value ? known.lookup(value) : cast<Attribute>(results.front());
    if (!number)
      return {};
    known[op.getResult(0)] = number;
  }
  return dyn_cast_or_null<mlir::TypedAttr>(
      known.lookup(block.getTerminator()->getOperand(0)));
}

/// Checks that a region is a block of elementwise operations with arguments of
/// those types, and ends in tc.yield.
static LogicalResult verifyRegion(ContractOp op, mlir::Region &region,
                                  StringRef name, ArrayRef<Type> arguments) {
  if (!region.hasOneBlock())
    return op.emitOpError() << name << " must have one block, but has "
                            << region.getBlocks().size();
  mlir::Block &block = region.front();
  if (block.getNumArguments() != arguments.size())
    return op.emitOpError()
           << name << " must have " << arguments.size()
           << " arguments, but has " << block.getNumArguments();
  for (auto [argument, type] : llvm::zip_equal(block.getArguments(), arguments))
    if (argument.getType() != type)
      return op.emitOpError()
             << "argument " << argument.getArgNumber() << " of " << name
             << " must be " << type << ", but is " << argument.getType();
  if (block.empty() || !isa<YieldOp>(block.back()))
    return op.emitOpError() << name << " must end in tc.yield";
  for (Operation &nested : block.without_terminator()) {
    if (isAllowedInRegion(&nested))
      continue;
    InFlightDiagnostic error = op.emitOpError()
                               << name << " may only have elementwise "
                               << "operations on numbers, but has "
                               << nested.getName();
    error.attachNote(nested.getLoc()) << "this one";
    return error;
  }
  return success();
}

/// Comes before all that looks for a region by its name.
static LogicalResult verifyRegionNames(ContractOp op) {
  bool isUserDefined = op.getSemiring() == model::Semiring::UserDefined;
  unsigned named = op.getHasPrologueA() + op.getHasPrologueB() +
                   2 * isUserDefined + op.getHasEpilogue();
  if (isUserDefined && op->getNumRegions() + 2 == named)
    return op.emitOpError("semiring user_defined needs product and combine");
  if (!isUserDefined && op->getNumRegions() == named + 2)
    return op.emitOpError("product and combine need semiring user_defined");
  if (op->getNumRegions() != named)
    return op.emitOpError("has ")
           << op->getNumRegions() << " regions, but names " << named;
  return success();
}

/// Comes before all that asks for the types of factors.
static LogicalResult verifyFusedCode(ContractOp op) {
  for (auto [tensor, name] :
       {std::pair(Tensor::A, "prologue_a"), std::pair(Tensor::B, "prologue_b")})
    if (mlir::Region *prologue = op.getPrologue(tensor))
      if (failed(verifyRegion(op, *prologue, name,
                              op.getTypeOf(tensor).getElementType())))
        return failure();
  if (!op.getEpilogue())
    return success();
  Type elementOfC = op.getTypeOf(Tensor::C).getElementType();
  Type factor = op.getFactorType();
  if (!getModelElementType(factor))
    return success(); // which is reported with the element types
  SmallVector<Type> arguments = {op.getAccumulatorType(), elementOfC};
  for (Value auxiliary : op.getAuxiliaries())
    arguments.push_back(cast<ShapedType>(auxiliary.getType()).getElementType());
  if (failed(verifyRegion(op, *op.getEpilogue(), "epilogue", arguments)))
    return failure();
  auto yield = cast<YieldOp>(op.getEpilogue()->front().getTerminator());
  if (yield.getValue().getType() != elementOfC)
    return op.emitOpError("epilogue must yield the element type of C, ")
           << elementOfC << ", but yields " << yield.getValue().getType();
  return success();
}

/// Checks a region of a user-defined semiring, which makes one number of two.
/// Elements beyond the tensors are computed with, too.
static LogicalResult verifyOperation(ContractOp op, mlir::Region &region,
                                     StringRef name) {
  Type type = op.getAccumulatorType();
  if (failed(verifyRegion(op, region, name, {type, type})))
    return failure();
  auto yield = cast<YieldOp>(region.front().getTerminator());
  if (yield.getValue().getType() != type)
    return op.emitOpError() << name << " must yield the type of sums, " << type
                            << ", but yields " << yield.getValue().getType();
  for (Operation &nested : region.front())
    if (!mlir::isSpeculatable(&nested))
      return op.emitOpError()
             << name << " may only have operations that are defined for all "
             << "numbers, but has " << nested.getName();
  return success();
}

static LogicalResult verifyUserSemiring(ContractOp op) {
  mlir::TypedAttr identity = op.getIdentityAttr();
  if (op.getSemiring() != model::Semiring::UserDefined) {
    if (identity)
      return op.emitOpError("identity applies to semiring user_defined");
    if (op.getAccumulate())
      return op.emitOpError("accumulate applies to semiring user_defined; "
                            "others have beta");
    return success();
  }
  Type type = op.getAccumulatorType();
  if (!identity || identity.getType() != type) {
    InFlightDiagnostic error = op.emitOpError("identity must be ")
                               << type << ", the type of sums, but ";
    if (!identity)
      return error << "there is none";
    return error << "is " << identity.getType();
  }
  for (auto [name, factor] :
       {std::pair("alpha", op.getAlpha()), std::pair("beta", op.getBeta())})
    if (factor)
      return op.emitOpError("semiring user_defined has no ") << name;
  if (failed(verifyOperation(op, *op.getProduct(), "product")) ||
      failed(verifyOperation(op, *op.getCombine(), "combine")))
    return failure();
  mlir::TypedAttr combined = foldRegion(*op.getCombine(), {identity, identity});
  if (combined && !areEqual(combined, identity))
    return op.emitOpError("combine must leave the identity, ")
           << identity << ", as it is, but makes " << combined
           << " of it and itself";
  return success();
}

static LogicalResult verifyAuxiliaries(ContractOp op) {
  size_t lists =
      op.getAuxiliaryIndicesAttr() ? op.getAuxiliaryIndicesAttr().size() : 0;
  if (lists != op.getAuxiliaries().size())
    return op.emitOpError("has ")
           << op.getAuxiliaries().size()
           << " auxiliary tensors, but index lists for " << lists;
  if (lists > 0 && !op.getEpilogue())
    return op.emitOpError(
        "has auxiliary tensors, but no epilogue that reads them");
  SmallVector<IndexListAttr> indices = op.getIndexLists();
  for (size_t place = 3; place < indices.size(); ++place) {
    if (failed(verifyKinds(op, labelTensor(op, place), labelTensor(op, 2))))
      return failure();
    DenseSet<StringAttr> seen;
    for (StringAttr label : indices[place]) {
      if (!op.getCIndices().contains(label))
        return op.emitOpError("index '") << label.getValue() << "' of "
                                         << nameOf(place) << " is not in C";
      if (!seen.insert(label).second)
        return op.emitOpError("index '")
               << label.getValue() << "' is in the index list of "
               << nameOf(place) << " twice";
    }
  }
  return success();
}

/// Returns true if the contraction is in a kernel that adds all elements of C
/// up, whose strides are zero.
static bool isReduced(ContractOp op) {
  auto function = op->getParentOfType<mlir::FunctionOpInterface>();
  auto kernel = function
                    ? function->getAttrOfType<KernelAttr>(KernelAttr::attrName)
                    : KernelAttr();
  return kernel && kernel->reduces;
}

static LogicalResult verifySchedule(ContractOp op) {
  if (!op.getSchedule())
    return success();
  SmallVector<StringAttr> labels = op.getLabels();
  bool isComplex = isa<mlir::ComplexType>(op.getFactorType());
  const model::Schedule &schedule = op.getSchedule()->getValue();
  for (const auto *tiles : {&schedule.m, &schedule.n, &schedule.k})
    for (const model::TileExtent &tile : *tiles) {
      if (llvm::any_of(labels, [&](StringAttr label) {
            return label.getValue() == tile.label;
          }))
        continue;
      if (!isComplex || !model::isPartLabel(tile.label))
        return op.emitOpError("schedule: index '")
               << tile.label << "' is in no operand";
      if (model::isProductsLabel(tile.label) && !op.getAllowThreeProducts())
        return op.emitOpError("schedule: index '")
               << tile.label << "' needs allow_three_products";
    }
  return success();
}

LogicalResult ContractOp::verifyRegions() {
  using Rule = LogicalResult (*)(ContractOp);
  auto hold = [&](std::initializer_list<Rule> rules) {
    return llvm::all_of(rules,
                        [&](Rule rule) { return succeeded(rule(*this)); });
  };
  if (!hold({verifyRegionNames}) ||
      failed(verifyKinds(*this, {labelTensor(*this, 0), labelTensor(*this, 1)},
                         labelTensor(*this, 2))) ||
      !hold({verifyAuxiliaries}))
    return failure();
  // All have index lists.
  SmallVector<LabelledTensor> tensors = labelTensors(*this);
  ArrayRef<LabelledTensor> inputs = ArrayRef(tensors).take_front(2);
  const LabelledTensor &c = tensors[2];
  return success(
      succeeded(verifyRanks(*this, tensors)) &&
      hold({verifyNoComplexCode, verifyFusedCode}) &&
      succeeded(verifyElementTypes(*this, tensors)) && hold({verifyFactors}) &&
      succeeded(verifyArithmetic(*this, getPrecision(), getSemiring(),
                                 getFactorType())) &&
      hold({verifyUserSemiring, verifyConjugates, verifyThreeProducts}) &&
      succeeded(verifyLayouts(*this, tensors)) &&
      succeeded(verifyOutputLabels(*this, inputs, c, "in neither A nor B")) &&
      succeeded(verifyExtents(*this, tensors)) &&
      succeeded(verifySizes(*this, tensors)) &&
      (isReduced(*this) || succeeded(verifyNoOverlap(*this, c))) &&
      hold({verifySchedule}));
}
