//===- TCVerifier.cpp - What a tc.contract must satisfy -------------------===//
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

#include "tc/Dialect/TC/IR/FusedCode.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "tc/Dialect/TC/IR/KernelFields.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <numeric>

using namespace tc;
using model::Tensor;

/// The name by which messages speak of an operand.
static char nameOf(Tensor tensor) {
  return "ABC"[static_cast<unsigned>(tensor)];
}

static LogicalResult verifyKinds(ContractOp op) {
  for (Tensor tensor : {Tensor::A, Tensor::B})
    if (isa<MemRefType>(op.getTypeOf(tensor)) != op.hasBuffers())
      return op.emitOpError("must have either tensors or memrefs only, but ")
             << nameOf(tensor) << " is " << op.getTypeOf(tensor) << " and C is "
             << op.getTypeOf(Tensor::C);
  if (op.hasBuffers() && op.getResult())
    return op.emitOpError("has a result although it writes to a memref");
  return success();
}

/// The name of an operand, by its place in getTensors().
static std::string nameOf(size_t place) {
  if (place < 3)
    return std::string(1, nameOf(model::allTensors[place]));
  return "auxiliary tensor " + std::to_string(place - 3);
}

static LogicalResult verifyElementTypes(ContractOp op) {
  for (auto [place, tensor] : llvm::enumerate(op.getTensors())) {
    Type type = cast<ShapedType>(tensor.getType()).getElementType();
    if (!getModelElementType(type))
      return op.emitOpError("element type of ")
             << nameOf(place) << " must be " << model::elementTypeNames()
             << ", but is " << type;
  }
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
  Type input = op.getFactorType();
  Type output = op.getTypeOf(Tensor::C).getElementType();
  Type accumulator = op.getAccumulatorType();
  if (!op.getEpilogue() && !model::mayStoreAs(*getModelElementType(input),
                                              *getModelElementType(output)))
    return op.emitOpError("element type of C must be ")
           << model::outputTypeNames(*getModelElementType(input))
           << " for factors of " << input << ", but is " << output;
  for (auto [name, scalar] :
       {std::pair("alpha", op.getAlpha()), std::pair("beta", op.getBeta())})
    if (scalar && scalar.getType() != accumulator)
      return op.emitOpError("type of ")
             << name << " must be that of the sums, " << accumulator
             << ", but is " << scalar.getType();
  return success();
}

static LogicalResult verifyPrecision(ContractOp op) {
  Type input = op.getFactorType();
  if (model::appliesTo(op.getPrecision(), *getModelElementType(input)))
    return success();
  return op.emitOpError("precision ")
         << StringRef(model::stringify(op.getPrecision()))
         << " applies to factors of f32, but they have " << input;
}

static LogicalResult verifySemiring(ContractOp op) {
  Type input = op.getFactorType();
  if (!model::appliesTo(op.getSemiring(), *getModelElementType(input)))
    return op.emitOpError("semiring ")
           << StringRef(model::stringify(op.getSemiring())) << " applies to "
           << StringRef(model::typesOf(op.getSemiring()))
           << ", but the factors have " << input;
  if (op.getSemiring() != model::Semiring::PlusTimes &&
      op.getPrecision() != model::Precision::IEEE)
    return op.emitOpError("precision ")
           << StringRef(model::stringify(op.getPrecision()))
           << " applies to semiring plus_times, but it is "
           << StringRef(model::stringify(op.getSemiring()));
  return success();
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
/// What lies beyond the tensors is computed with, too.
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
    if (isa<MemRefType>(op.getTensors()[place].getType()) != op.hasBuffers())
      return op.emitOpError("must have either tensors or memrefs only, but ")
             << nameOf(place) << " is " << op.getTensors()[place].getType()
             << " and C is " << op.getTypeOf(Tensor::C);
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

static LogicalResult verifyRanks(ContractOp op) {
  for (auto [place, tensor, indices] :
       llvm::enumerate(op.getTensors(), op.getIndexLists())) {
    int64_t labels = indices.size();
    int64_t rank = cast<ShapedType>(tensor.getType()).getRank();
    if (labels != rank)
      return op.emitOpError("index list of ")
             << nameOf(place) << " has " << labels
             << " labels, but its rank is " << rank;
  }
  return success();
}

static LogicalResult verifyOutputLabels(ContractOp op) {
  DenseSet<StringAttr> seen;
  for (StringAttr label : op.getCIndices()) {
    if (!op.getAIndices().contains(label) && !op.getBIndices().contains(label))
      return op.emitOpError("index '")
             << label.getValue() << "' of C is in neither A nor B";
    if (!seen.insert(label).second)
      return op.emitOpError("index '")
             << label.getValue() << "' is in the index list of C twice";
  }
  return success();
}

static LogicalResult verifyExtents(ContractOp op) {
  struct Source {
    size_t place;
    int64_t extent;
  };
  DenseMap<StringAttr, Source> sources;
  for (auto [place, tensor, indices] :
       llvm::enumerate(op.getTensors(), op.getIndexLists())) {
    auto type = cast<ShapedType>(tensor.getType());
    for (auto [dim, label] : llvm::enumerate(indices)) {
      if (type.isDynamicDim(dim))
        continue;
      int64_t extent = type.getDimSize(dim);
      const Source &first =
          sources.try_emplace(label, Source{place, extent}).first->second;
      if (first.extent != extent)
        return op.emitOpError("index '")
               << label.getValue() << "' has extent " << first.extent << " in "
               << nameOf(first.place) << " and " << extent << " in "
               << nameOf(place);
    }
  }
  return success();
}

static LogicalResult verifyLayouts(ContractOp op) {
  for (auto [place, tensor] : llvm::enumerate(op.getTensors())) {
    Type type = tensor.getType();
    if (auto ranked = dyn_cast<RankedTensorType>(type)) {
      if (ranked.getEncoding())
        return op.emitOpError()
               << nameOf(place)
               << " must be a dense tensor, but has the encoding "
               << ranked.getEncoding();
      continue;
    }
    if (!cast<MemRefType>(type).isStrided())
      return op.emitOpError("layout of ")
             << nameOf(place) << " must be strided, but its type is " << type;
  }
  return success();
}

/// Bytes from an operand's base to its last element, or from its lowest one if
/// its offset is unknown; `saturated` if they exceed 64 bits, or nothing if
/// they are unknown.
static std::optional<int64_t> getBytes(ShapedType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  int64_t elements = 1;
  auto memref = dyn_cast<MemRefType>(type);
  if (memref && !memref.getLayout().isIdentity()) {
    auto [strides, offset] = memref.getStridesAndOffset();
    if (!ShapedType::isDynamic(offset))
      elements = saturatingAdd(elements, magnitude(offset));
    for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides)) {
      if (extent > 1 && ShapedType::isDynamic(stride))
        return std::nullopt;
      elements = saturatingAdd(
          elements, saturatingMultiply(extent - 1, magnitude(stride)));
    }
  } else {
    for (int64_t extent : type.getShape())
      elements = saturatingMultiply(elements, extent);
  }
  model::ElementType elementType = *getModelElementType(type.getElementType());
  return saturatingMultiply(elements, model::byteWidth(elementType));
}

static LogicalResult verifySizes(ContractOp op) {
  for (auto [place, tensor] : llvm::enumerate(op.getTensors()))
    if (getBytes(cast<ShapedType>(tensor.getType())) == saturated)
      return op.emitOpError("the bytes of ")
             << nameOf(place) << ", " << tensor.getType() << ", exceed 64 bits";
  return success();
}

/// Whether the contraction is in a kernel that adds all elements of C up, whose
/// strides are zero.
static bool isReduced(ContractOp op) {
  auto function = op->getParentOfType<mlir::FunctionOpInterface>();
  auto kernel = function
                    ? function->getAttrOfType<KernelAttr>(KernelAttr::attrName)
                    : KernelAttr();
  return kernel && kernel->reduces;
}

/// Rejects destinations in which two elements certainly share an address. It
/// looks at single dimensions and at pairs of them.
static LogicalResult verifyNoOverlap(ContractOp op) {
  auto type = dyn_cast<MemRefType>(op.getTypeOf(Tensor::C));
  if (!type || type.getLayout().isIdentity() ||
      llvm::is_contained(type.getShape(), 0) || isReduced(op))
    return success();
  auto strides = type.getStridesAndOffset().first;
  auto isKnown = [&](int64_t dim) {
    return !type.isDynamicDim(dim) && type.getDimSize(dim) > 1 &&
           !ShapedType::isDynamic(strides[dim]);
  };
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!isKnown(dim))
      continue;
    StringRef label = op.getCIndices()[dim].getValue();
    int64_t stride = magnitude(strides[dim]), extent = type.getDimSize(dim);
    if (stride == 0)
      return op.emitOpError("elements of C overlap: stride 0 along index '")
             << label << "' of extent " << extent;
    for (int64_t other = 0; other < dim; ++other) {
      if (!isKnown(other))
        continue;
      // The least steps along both dimensions that lead to the same address.
      int64_t otherStride = magnitude(strides[other]);
      int64_t divisor = std::gcd(stride, otherStride);
      if (otherStride / divisor < extent &&
          stride / divisor < type.getDimSize(other))
        return op.emitOpError("elements of C overlap: strides ")
               << strides[other] << " along index '"
               << op.getCIndices()[other].getValue() << "' and " << strides[dim]
               << " along index '" << label << "'";
    }
  }
  return success();
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

/// Only what kernels of any shape can be made of may ask for one.
static LogicalResult verifyDynamicShape(ContractOp op) {
  if (!op.getDynamicShape())
    return success();
  auto error = [&] {
    return op.emitOpError("takes its shape at run time, so ");
  };
  if (!op.getAuxiliaries().empty())
    return error() << "it must not have auxiliary tensors";
  for (Tensor tensor : model::allTensors)
    if (isa<mlir::ComplexType>(op.getTypeOf(tensor).getElementType()))
      return error() << "its elements must not be complex";
  return success();
}

LogicalResult ContractOp::verify() {
  for (auto *rule :
       {verifyRegionNames, verifyKinds, verifyAuxiliaries, verifyRanks,
        verifyNoComplexCode, verifyFusedCode, verifyElementTypes,
        verifyPrecision, verifySemiring, verifyUserSemiring, verifyConjugates,
        verifyThreeProducts, verifyLayouts, verifyOutputLabels, verifyExtents,
        verifySizes, verifyNoOverlap, verifySchedule, verifyDynamicShape})
    if (failed(rule(*this)))
      return failure();
  return success();
}
