//===- TCOps.cpp - Operations of the tc dialect ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders, accessors and the simple interfaces of the operations. Verifiers,
// folds, bufferization and tiling have files of their own.
//
//===----------------------------------------------------------------------===//

#include "LabelledTensors.h"

#include "tc/Dialect/TC/IR/TCOps.h"

#include "tc/Problem/Semiring.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace tc;
using model::Tensor;

#define GET_OP_CLASSES
#include "tc/Dialect/TC/IR/TCOps.cpp.inc"

void TCDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "tc/Dialect/TC/IR/TCOps.cpp.inc"
      >();
}

std::optional<model::ElementType> tc::getModelElementType(Type type) {
  for (model::ElementType known : model::allElementTypes)
    if (type == getElementType(type.getContext(), known))
      return known;
  return std::nullopt;
}

template <typename MlirType>
static Type makeType(MLIRContext *context, model::ElementType type) {
  if constexpr (std::is_same_v<MlirType, mlir::IntegerType>)
    return mlir::IntegerType::get(context, 8 * model::byteWidth(type));
  else if constexpr (std::is_same_v<MlirType, mlir::ComplexType>)
    return mlir::ComplexType::get(
        tc::getElementType(context, model::realTypeOf(type)));
  else
    return MlirType::get(context);
}

Type tc::getElementType(MLIRContext *context, model::ElementType type) {
  switch (type) {
#define TC_ELEMENT_TYPE(TYPE, NAME, CXX, C, MLIR, ...)                         \
  case model::ElementType::TYPE:                                               \
    return makeType<mlir::MLIR##Type>(context, type);
#include "tc/Problem/ElementTypes.def"
  }
  llvm_unreachable("unknown element type");
}

//===----------------------------------------------------------------------===//
// Auxiliary tensors
//===----------------------------------------------------------------------===//

ParseResult tc::parseAuxiliaries(
    mlir::OpAsmParser &parser,
    SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &auxiliaries,
    SmallVectorImpl<Type> &types, mlir::ArrayAttr &indices) {
  SmallVector<Attribute> lists;
  if (parser.parseCommaSeparatedList([&]() -> ParseResult {
        IndexListAttr list;
        if (parser.parseOperand(auxiliaries.emplace_back()) ||
            parseIndexList(parser, list) ||
            parser.parseColonType(types.emplace_back()))
          return failure();
        lists.push_back(list);
        return success();
      }))
    return failure();
  indices = mlir::ArrayAttr::get(parser.getContext(), lists);
  return success();
}

void tc::printAuxiliaries(mlir::OpAsmPrinter &printer, Operation *,
                          mlir::OperandRange auxiliaries, mlir::TypeRange types,
                          mlir::ArrayAttr indices) {
  llvm::interleaveComma(
      llvm::zip_equal(auxiliaries, types, indices.getAsRange<IndexListAttr>()),
      printer, [&](auto auxiliary) {
        auto [value, type, list] = auxiliary;
        printer << value << ' ';
        printIndexList(printer, list);
        printer << " : " << type;
      });
}

//===----------------------------------------------------------------------===//
// Fused code
//===----------------------------------------------------------------------===//

mlir::OptionalParseResult
tc::parseFusedCode(mlir::OpAsmParser &parser,
                   SmallVectorImpl<std::unique_ptr<mlir::Region>> &regions,
                   mlir::UnitAttr &hasPrologueA, mlir::UnitAttr &hasPrologueB,
                   mlir::UnitAttr &hasEpilogue) {
  auto parseRegion = [&] {
    return parser.parseRegion(
        *regions.emplace_back(std::make_unique<mlir::Region>()));
  };
  auto parseOptional = [&](StringRef name, mlir::UnitAttr &isThere) {
    if (failed(parser.parseOptionalKeyword(name)))
      return ParseResult(success());
    isThere = mlir::UnitAttr::get(parser.getContext());
    return parseRegion();
  };
  if (parseOptional("prologue_a", hasPrologueA) ||
      parseOptional("prologue_b", hasPrologueB))
    return mlir::OptionalParseResult(failure());
  if (succeeded(parser.parseOptionalKeyword("product")) &&
      (parseRegion() || parser.parseKeyword("combine") || parseRegion()))
    return mlir::OptionalParseResult(failure());
  if (parseOptional("epilogue", hasEpilogue))
    return mlir::OptionalParseResult(failure());
  if (regions.empty())
    return std::nullopt;
  return mlir::OptionalParseResult(success());
}

void tc::printFusedCode(mlir::OpAsmPrinter &printer, Operation *op,
                        mlir::RegionRange regions, mlir::UnitAttr hasPrologueA,
                        mlir::UnitAttr hasPrologueB,
                        mlir::UnitAttr hasEpilogue) {
  bool isUserDefined =
      cast<ContractOp>(op).getSemiring() == model::Semiring::UserDefined;
  size_t next = 0;
  for (auto [name, isThere] : {std::pair("prologue_a", bool(hasPrologueA)),
                               std::pair("prologue_b", bool(hasPrologueB)),
                               std::pair("product", isUserDefined),
                               std::pair("combine", isUserDefined),
                               std::pair("epilogue", bool(hasEpilogue))}) {
    if (!isThere || next == regions.size())
      continue;
    printer << (next == 0 ? "" : " ") << name << ' ';
    printer.printRegion(*regions[next++]);
  }
}

//===----------------------------------------------------------------------===//
// ContractOp
//===----------------------------------------------------------------------===//

void ContractOp::build(OpBuilder &builder, OperationState &state, Value a,
                       Value b, Value c, IndexListAttr aIndices,
                       IndexListAttr bIndices, IndexListAttr cIndices,
                       Value alpha, Value beta, ScheduleAttr schedule,
                       model::Precision precision, model::Semiring semiring) {
  Type result = isa<RankedTensorType>(c.getType()) ? c.getType() : Type();
  build(builder, state, result, a, b, c, alpha, beta,
        /*auxiliaries=*/ValueRange(), aIndices, bIndices, cIndices, schedule,
        /*cpu_schedule=*/CpuScheduleAttr(),
        /*dynamic_shape=*/DynamicShapeAttr(), precision, semiring,
        /*identity=*/mlir::TypedAttr(), /*accumulate=*/false,
        /*conjugate_a=*/false, /*conjugate_b=*/false,
        /*allow_three_products=*/false,
        /*auxiliary_indices=*/mlir::ArrayAttr(), /*has_prologue_a=*/false,
        /*has_prologue_b=*/false, /*has_epilogue=*/false,
        /*fusedCount=*/0);
}

ContractOp ContractOp::recreate(OpBuilder &builder, Location loc,
                                ValueRange tensors,
                                ArrayRef<IndexListAttr> indices) {
  auto auxiliaries =
      llvm::map_to_vector(indices.drop_front(3),
                          [](IndexListAttr list) -> Attribute { return list; });
  SmallVector<Value> operands(tensors.take_front(3));
  for (Value factor : {getAlpha(), getBeta()})
    if (factor)
      operands.push_back(factor);
  llvm::append_range(operands, tensors.drop_front(3));
  Properties properties = getProperties();
  properties.a_indices = indices[0];
  properties.b_indices = indices[1];
  properties.c_indices = indices[2];
  properties.auxiliary_indices = auxiliaries.empty()
                                     ? mlir::ArrayAttr()
                                     : builder.getArrayAttr(auxiliaries);
  Type typeOfC = tensors[2].getType();
  auto op = ContractOp::create(
      builder, loc,
      isa<RankedTensorType>(typeOfC) ? mlir::TypeRange(typeOfC)
                                     : mlir::TypeRange(),
      operands, properties, /*discardableAttributes=*/{},
      (*this)->getNumRegions());
  for (auto [from, to] :
       llvm::zip_equal((*this)->getRegions(), op->getRegions())) {
    mlir::IRMapping mapping;
    from.cloneInto(&to, mapping);
  }
  return op;
}

bool ContractOp::conjugates(Tensor tensor) {
  switch (tensor) {
  case Tensor::A:
    return getConjugateA();
  case Tensor::B:
    return getConjugateB();
  case Tensor::C:
    return false;
  }
  llvm_unreachable("no such tensor");
}

IndexListAttr ContractOp::getIndices(Tensor tensor) {
  switch (tensor) {
  case Tensor::A:
    return getAIndices();
  case Tensor::B:
    return getBIndices();
  case Tensor::C:
    return getCIndices();
  }
  llvm_unreachable("no such tensor");
}

Value ContractOp::getOperandOf(Tensor tensor) {
  switch (tensor) {
  case Tensor::A:
    return getA();
  case Tensor::B:
    return getB();
  case Tensor::C:
    return getC();
  }
  llvm_unreachable("no such tensor");
}

ShapedType ContractOp::getTypeOf(Tensor tensor) {
  return cast<ShapedType>(getOperandOf(tensor).getType());
}

SmallVector<Value> ContractOp::getTensors() {
  SmallVector<Value> tensors = {getA(), getB(), getC()};
  llvm::append_range(tensors, getAuxiliaries());
  return tensors;
}

SmallVector<IndexListAttr> ContractOp::getIndexLists() {
  SmallVector<IndexListAttr> lists = {getAIndices(), getBIndices(),
                                      getCIndices()};
  if (mlir::ArrayAttr auxiliaries = getAuxiliaryIndicesAttr())
    llvm::append_range(lists, auxiliaries.getAsRange<IndexListAttr>());
  return lists;
}

mlir::Region *ContractOp::getPrologue(Tensor tensor) {
  if (tensor == Tensor::A)
    return getHasPrologueA() ? &getFused().front() : nullptr;
  return getHasPrologueB() ? &getFused()[getHasPrologueA()] : nullptr;
}

mlir::Region *ContractOp::getProduct() {
  return getSemiring() == model::Semiring::UserDefined
             ? &getFused()[getHasPrologueA() + getHasPrologueB()]
             : nullptr;
}

mlir::Region *ContractOp::getCombine() {
  return getSemiring() == model::Semiring::UserDefined
             ? &getFused()[getHasPrologueA() + getHasPrologueB() + 1]
             : nullptr;
}

mlir::Region *ContractOp::getEpilogue() {
  return getHasEpilogue() ? &getFused().back() : nullptr;
}

Type ContractOp::getFactorTypeOf(Tensor tensor) {
  mlir::Region *prologue = getPrologue(tensor);
  if (!prologue)
    return getTypeOf(tensor).getElementType();
  return cast<YieldOp>(prologue->front().getTerminator()).getValue().getType();
}

bool ContractOp::hasEqualFactors() {
  auto partOf = [&](Tensor tensor) {
    Type type = getFactorTypeOf(tensor);
    auto complexType = dyn_cast<mlir::ComplexType>(type);
    return complexType ? complexType.getElementType() : type;
  };
  return partOf(Tensor::A) == partOf(Tensor::B);
}

Type ContractOp::getFactorType() {
  Type a = getFactorTypeOf(Tensor::A), b = getFactorTypeOf(Tensor::B);
  auto elementA = getModelElementType(a), elementB = getModelElementType(b);
  if (a == b || !elementA || !elementB)
    return a;
  auto common = model::commonTypeOf(*elementA, *elementB);
  return common ? getElementType(getContext(), *common) : a;
}

Type ContractOp::getAccumulatorType() {
  model::ElementType factor = *getModelElementType(getFactorType());
  return getElementType(getContext(), model::accumulatorTypeOf(factor));
}

bool ContractOp::readsC() {
  if (getAccumulate() || (getBeta() && !isZero(getSemiring(), getBeta())))
    return true;
  mlir::Region *epilogue = getEpilogue();
  if (!epilogue)
    return false;
  // One that is yet to be filled may: listeners ask when an operation is made.
  return epilogue->empty() || !epilogue->getArgument(1).use_empty();
}

bool ContractOp::addsToC() {
  return getAccumulate() || (getBeta() && isOne(getSemiring(), getBeta()));
}

SmallVector<StringAttr> ContractOp::getLabels() {
  llvm::SmallSetVector<StringAttr, 8> labels;
  for (Tensor tensor : {Tensor::C, Tensor::A, Tensor::B})
    labels.insert_range(getIndices(tensor));
  return labels.takeVector();
}

int64_t ContractOp::getExtent(StringAttr label) {
  return tc::getExtent(getTensors(), getIndexLists(), label);
}

bool ContractOp::hasZeroExtent() {
  return llvm::any_of(model::allTensors, [&](Tensor tensor) {
    return llvm::is_contained(getTypeOf(tensor).getShape(), 0);
  });
}

void ContractOp::getEffects(SmallVectorImpl<mlir::SideEffects::EffectInstance<
                                mlir::MemoryEffects::Effect>> &effects) {
  if (!hasBuffers())
    return;
  effects.emplace_back(mlir::MemoryEffects::Read::get(), &getAMutable());
  effects.emplace_back(mlir::MemoryEffects::Read::get(), &getBMutable());
  for (OpOperand &auxiliary : getAuxiliariesMutable())
    effects.emplace_back(mlir::MemoryEffects::Read::get(), &auxiliary);
  if (readsC())
    effects.emplace_back(mlir::MemoryEffects::Read::get(), &getCMutable());
  effects.emplace_back(mlir::MemoryEffects::Write::get(), &getCMutable());
}

mlir::Speculation::Speculatability ContractOp::getSpeculatability() {
  return hasBuffers() ? mlir::Speculation::NotSpeculatable
                      : mlir::Speculation::Speculatable;
}
