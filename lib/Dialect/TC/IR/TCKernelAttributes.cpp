//===- TCKernelAttributes.cpp - The computation of a kernel ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification of #tc.kernel; KernelSyntax.cpp parses and prints it.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/KernelFields.h"
#include "tc/Dialect/TC/IR/Saturation.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/ComplexParts.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>

using namespace tc;
using model::Tensor;

unsigned KernelAttr::getFirstTermArgument() const {
  return 3 + static_cast<unsigned>(getValue().auxiliaries.size());
}

unsigned KernelAttr::getFirstScalarArgument() const {
  return static_cast<unsigned>(getGroup().operands().size() +
                               getValue().auxiliaries.size());
}

model::Group KernelAttr::getGroup() const {
  model::Group group;
  group.size = 1 + static_cast<unsigned>(getValue().terms.size());
  for (const KernelEdge &edge : getValue().edges)
    group.edges.push_back(edge.edge);
  return group;
}

std::optional<unsigned> KernelAttr::getArgument(int64_t term,
                                                Tensor tensor) const {
  model::Group group = getGroup();
  std::optional<model::GroupTensor> operand =
      group.operandOf({static_cast<unsigned>(term), tensor});
  if (!operand)
    return std::nullopt;
  std::vector<model::GroupTensor> operands = group.operands();
  auto place =
      static_cast<unsigned>(llvm::find(operands, *operand) - operands.begin());
  return place < 3
             ? place
             : place + static_cast<unsigned>(getValue().auxiliaries.size());
}

/// The type of a dense tensor that a contraction computes of such inputs, null
/// if it has an index that they do not have, or one of them is null.
static MemRefType typeOfFed(KernelAttr contraction, Type element,
                            const model::PerTensor<MemRefType> &inputs) {
  if (!inputs[Tensor::A] || !inputs[Tensor::B])
    return {};
  SmallVector<int64_t> shape;
  for (mlir::StringAttr label : contraction->c) {
    std::optional<int64_t> extent;
    for (auto [tensor, list] : {std::pair(Tensor::A, contraction->a),
                                std::pair(Tensor::B, contraction->b)})
      for (auto [place, other] : llvm::enumerate(list))
        if (other == label &&
            static_cast<int64_t>(place) < inputs[tensor].getRank())
          extent = inputs[tensor].getDimSize(place);
    if (!extent)
      return {};
    shape.push_back(*extent);
  }
  return element && MemRefType::isValidElementType(element)
             ? MemRefType::get(shape, element)
             : MemRefType();
}

SmallVector<model::PerTensor<MemRefType>>
KernelAttr::getTensorTypes(ArrayRef<Type> arguments) const {
  model::Group group = getGroup();
  SmallVector<model::PerTensor<MemRefType>> types(group.size);
  for (auto [number, operand] : llvm::enumerate(group.operands())) {
    size_t place = number < 3 ? number : number + getValue().auxiliaries.size();
    if (place < arguments.size())
      types[operand.node][operand.tensor] =
          dyn_cast<MemRefType>(arguments[place]);
  }
  // An edge comes after those that lead to its source.
  std::vector<KernelEdge> edges = getValue().edges;
  llvm::sort(edges, [](const KernelEdge &one, const KernelEdge &other) {
    return one.edge.from < other.edge.from;
  });
  for (const auto &[edge, type] : edges) {
    MemRefType &source = types[edge.from][edge.source];
    MemRefType &sink = types[edge.to][edge.sink];
    switch (model::traitsOf(edge).memory) {
    case model::EdgeMemory::Sink:
      source = sink;
      break;
    case model::EdgeMemory::Chip:
      source = sink =
          typeOfFed(edge.from == 0 ? *this : getValue().terms[edge.from - 1],
                    type, types[edge.from]);
      break;
    case model::EdgeMemory::Source:
      sink = source;
      break;
    }
  }
  return types;
}

std::optional<model::PerTensor<MemRefType>>
KernelAttr::getTensorTypes(ArrayRef<Type> arguments, int64_t term) const {
  model::PerTensor<MemRefType> types = getTensorTypes(arguments)[term];
  if (!llvm::all_of(types, [](MemRefType type) { return bool(type); }))
    return std::nullopt;
  return types;
}

model::UserSemiring KernelAttr::getUserSemiring() const {
  model::UserSemiring semiring;
  if (getValue().operations)
    semiring.operations = *getValue().operations;
  if (auto padding = getValue().padding) {
    semiring.padding.emplace();
    (*semiring.padding)[Tensor::A] = padding->first;
    (*semiring.padding)[Tensor::B] = padding->second;
  }
  return semiring;
}

bool KernelAttr::getConjugates(Tensor tensor) const {
  return tensor == Tensor::A   ? getValue().conjugateA
         : tensor == Tensor::B ? getValue().conjugateB
                               : false;
}

Type KernelAttr::getPrologue(Tensor tensor) const {
  switch (tensor) {
  case Tensor::A:
    return getValue().prologueA;
  case Tensor::B:
    return getValue().prologueB;
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
  SmallVector<Value> tensors = op.getTensors();
  for (Value tensor : llvm::drop_begin(tensors, 2))
    types.push_back(cast<ShapedType>(tensor.getType()).getElementType());
  mlir::Block &block = op.getEpilogue()->emplaceBlock();
  block.addArguments(types, SmallVector<Location>(types.size(), op.getLoc()));
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&block);
  YieldOp::create(builder, op.getLoc(), block.getArgument(1));
}

/// Blocks that have something to add up need a workspace, the argument of that
/// number.
static LogicalResult verifyWorkspace(Operation *op, KernelAttr kernel,
                                     ArrayRef<Type> arguments) {
  bool splitsK = kernel->schedule.getValue().mapping.splitK > 1;
  if (!splitsK && !kernel->reduces)
    return success();
  unsigned place =
      kernel.getFirstTermArgument() + !kernel->alpha + !kernel->beta;
  // The integers of its shape that it takes are before.
  if (kernel->dynamicShape)
    while (place < arguments.size() && isa<mlir::IntegerType>(arguments[place]))
      ++place;
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
  if (!kernel->beta || !isZero(kernel->semiring.kind, kernel->beta))
    return error() << "beta must be the constant zero";
  if (kernel->epilogue == KernelEpilogue::ReadWrite)
    return error() << "its epilogue must not use C";
  if (isa<mlir::ComplexType>(type.getElementType()))
    return error() << "they must not be complex";
  return MemRefType::get(type.getShape(), type.getElementType(),
                         mlir::MemRefLayoutAttrInterface(),
                         type.getMemorySpace());
}

/// A function with #tc.kernel takes A, B and C and the auxiliary tensors, then
/// the scalars that the attribute leaves open, and all of them make up a valid
/// contraction. It may be a term of a sum.
static LogicalResult verifyKernel(Operation *op, KernelAttr kernel,
                                  ArrayRef<Type> arguments, bool isTerm) {
  unsigned auxiliaries = kernel->auxiliaries.size(), tensors = 3 + auxiliaries;
  unsigned scalars = !kernel->alpha + !kernel->beta;
  if (arguments.size() < tensors + scalars) {
    InFlightDiagnostic error =
        op->emitOpError("must have the arguments A, B and C");
    if (auxiliaries)
      error << ", " << auxiliaries << " auxiliary tensors";
    return error << (scalars ? " and a scalar for each of alpha and beta that "
                               "is missing in '"
                             : " for '")
                 << KernelAttr::attrName << "'";
  }

  for (auto [name, factor] :
       {std::pair("alpha", kernel->alpha), std::pair("beta", kernel->beta)})
    if (factor && !findNumber(factor))
      return op->emitOpError(name) << " of '" << KernelAttr::attrName
                                   << "' must be a number, but is " << factor;
  if (kernel->dynamicShape && isTerm)
    return op->emitOpError("takes its shape at run time, so it must have no "
                           "terms");
  ArrayRef<int64_t> alignment = kernel->alignment;
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
    if (i == 2 && kernel->reduces) {
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
  Value alpha = scalar(kernel->alpha), beta = scalar(kernel->beta);
  SmallVector<Attribute> lists(kernel->auxiliaries.begin(),
                               kernel->auxiliaries.end());
  bool hasPrologueA(kernel->prologueA), hasPrologueB(kernel->prologueB);
  bool hasEpilogue = kernel->epilogue != KernelEpilogue::None;
  // The schedule says what is done, the operation what is allowed.
  bool allowsThreeProducts =
      llvm::any_of(kernel->schedule.getValue().k, [](const auto &tile) {
        return model::isProductsLabel(tile.label);
      });
  bool isUserDefined = kernel->semiring.kind == model::Semiring::UserDefined;
  auto contract = ContractOp::create(
      builder, op->getLoc(), /*result=*/Type(), block.getArgument(0),
      block.getArgument(1), block.getArgument(2), alpha, beta,
      ValueRange(block.getArguments()).slice(3, auxiliaries), kernel->a,
      kernel->b, kernel->c, kernel->schedule,
      /*cpu_schedule=*/CpuScheduleAttr(),
      /*dynamic_shape=*/DynamicShapeAttr(), kernel->precision,
      kernel->semiring.kind, kernel->semiring.identity, /*accumulate=*/false,
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
  if (failed(contract.verifyInvariantsImpl()) ||
      failed(contract.verifyRegions()))
    return failure();
  for (auto [name, factor] :
       {std::pair("alpha", kernel->alpha), std::pair("beta", kernel->beta)})
    if (factor && factor.getType() != contract.getAccumulatorType())
      return op->emitOpError(name)
             << " of '" << KernelAttr::attrName
             << "' must have the type of sums, "
             << contract.getAccumulatorType() << ", but is " << factor;
  return success();
}

/// The contraction as far as rules of groups ask for it.
static model::ContractionRecord
toRecord(KernelAttr kernel, const model::PerTensor<MemRefType> &types) {
  model::ContractionRecord record;
  model::PerTensor<IndexListAttr> lists{{kernel->a, kernel->b, kernel->c}};
  model::PerTensor<model::ElementType> factors;
  for (Tensor tensor : model::allTensors) {
    model::TensorRecord &own = record.tensors[tensor];
    own.type = getModelElementType(types[tensor].getElementType())
                   .value_or(model::ElementType::F64);
    for (mlir::StringAttr label : lists[tensor])
      own.labels.push_back(label.str());
    own.extents.assign(types[tensor].getShape().begin(),
                       types[tensor].getShape().end());
    Type yielded = kernel.getPrologue(tensor);
    factors[tensor] =
        yielded ? getModelElementType(yielded).value_or(own.type) : own.type;
  }
  record.factorType =
      model::commonTypeOf(factors[Tensor::A], factors[Tensor::B])
          .value_or(factors[Tensor::A]);
  record.semiring = kernel->semiring.kind;
  auto toFactor = [](mlir::TypedAttr constant) {
    return model::FactorRecord{
        constant ? getNumber(constant) : model::Constant(), !constant};
  };
  record.alpha = toFactor(kernel->alpha);
  record.beta = toFactor(kernel->beta);
  record.hasEpilogue = kernel->epilogue != KernelEpilogue::None;
  record.epilogueReadsC = kernel->epilogue == KernelEpilogue::ReadWrite;
  record.readsC = record.epilogueReadsC || record.beta.isArgument ||
                  record.beta.value != 0.0;
  record.reducesC = kernel->reduces;
  if (kernel->dynamicShape)
    record.runTime = kernel->dynamicShape.getValue();
  return record;
}

/// Rules of terms that no record shows: of a sum, their factors, and of all
/// their schedules and parts.
static LogicalResult
verifyTerm(KernelAttr kernel, KernelAttr term, const model::Group &group,
           llvm::function_ref<mlir::InFlightDiagnostic()> error) {
  if (!term->terms.empty() || !term->edges.empty())
    return error() << "must have no terms itself";
  if (term->schedule.getValue().mapping.splitK > 1)
    return error() << "must not split K";
  if (!term->auxiliaries.empty())
    return error() << "must have no auxiliary tensors, which only the "
                      "contraction itself has";
  if (!group.combinesSums())
    return success();
  if (isZero(model::Semiring::PlusTimes, term->alpha))
    return error() << "must have an alpha other than zero";
  if (isa<mlir::IntegerType>(term->alpha.getType()) &&
      std::isnan(getRatio(kernel->alpha, term->alpha)))
    return error() << "must have the alpha of the whole sum, of either sign, "
                      "as sums are integers";
  return success();
}

/// Holds a kernel and its terms against the edges between them, and the terms
/// against the function's arguments.
static LogicalResult verifyGroup(Operation *op, KernelAttr kernel,
                                 ArrayRef<Type> arguments) {
  model::Group group = kernel.getGroup();
  auto errorOf = [&](unsigned node) {
    mlir::InFlightDiagnostic error = op->emitOpError();
    if (node == 0)
      error << "the contraction of '";
    else
      error << "term " << node << " of '";
    error << KernelAttr::attrName << "' ";
    return error;
  };
  auto report = [&](const model::GroupFault &fault) {
    mlir::InFlightDiagnostic error = errorOf(fault.node);
    if (fault.tensor)
      error << "has a wrong " << model::nameOf(*fault.tensor) << ": it ";
    return LogicalResult(error << fault.message);
  };
  if (group.size == 1)
    return success();
  std::vector<model::ContractionRecord> records;
  SmallVector<model::PerTensor<MemRefType>> all =
      kernel.getTensorTypes(arguments);
  for (unsigned node = 0; node < group.size; ++node) {
    KernelAttr own = node == 0 ? kernel : kernel->terms[node - 1];
    const model::PerTensor<MemRefType> &types = all[node];
    if (!types[Tensor::A] || !types[Tensor::B] || !types[Tensor::C])
      return errorOf(node) << "must have memrefs as its tensors, and compute "
                              "only indices of its inputs where its output is "
                              "an input of another, of a type that the edge "
                              "gives";
    Type tensorTypes[] = {types[Tensor::A], types[Tensor::B], types[Tensor::C]};
    if (node != 0 && (!own->alpha || !own->beta))
      return errorOf(node) << "must have an alpha and a beta that are constant";
    if (group.combinesSums() && own->reduces != kernel->reduces)
      return errorOf(node) << "must reduce C where the whole sum is reduced, "
                              "and nowhere else";
    if (node != 0 &&
        failed(verifyKernel(op, own, tensorTypes, /*isTerm=*/true)))
      return failure();
    records.push_back(toRecord(own, types));
  }
  if (std::optional<model::GroupFault> fault = model::findFault(
          group, [&](unsigned node) -> const model::ContractionRecord & {
            return records[node];
          }))
    return report(*fault);
  if (group.combinesSums() && isZero(model::Semiring::PlusTimes, kernel->alpha))
    return errorOf(0) << "must have an alpha other than zero";
  if (!group.combinesSums() && kernel->schedule.getValue().mapping.splitK > 1)
    return errorOf(0) << "must not split K";
  if (group.has(model::EdgeKind::Share) && !kernel->auxiliaries.empty())
    return errorOf(0) << "must have no auxiliary tensors, as it shares an "
                         "input";
  for (unsigned node = 1; node < group.size; ++node)
    if (failed(verifyTerm(kernel, kernel->terms[node - 1], group,
                          [&] { return errorOf(node); })))
      return failure();
  return success();
}

LogicalResult TCDialect::verifyOperationAttribute(Operation *op,
                                                  mlir::NamedAttribute named) {
  // Attributes that were discardable would be ignored now without a word.
  for (llvm::StringRef former : {"tc.cpu_schedule", "tc.run_time_shape"})
    if (named.getName() == former)
      return op->emitOpError("carries '")
             << former << "', in whose place 'tc.contract' has '"
             << (former == "tc.cpu_schedule" ? "cpu_schedule" : "dynamic_shape")
             << "'";
  for (llvm::StringRef former : {"tc.terms", "tc.expressions"})
    if (named.getName() == former)
      return op->emitOpError("carries '")
             << former << "', which is now a part of '" << KernelAttr::attrName
             << "'";
  if (named.getName() == nonsaturatingAttrName)
    return isa<mlir::ModuleOp>(op) && isa<mlir::UnitAttr>(named.getValue())
               ? success()
               : op->emitOpError("carries '")
                     << nonsaturatingAttrName
                     << "', which is a unit attribute of modules";
  if (named.getName() != KernelAttr::attrName)
    return success();
  auto kernel = dyn_cast<KernelAttr>(named.getValue());
  if (!kernel)
    return op->emitOpError("attribute '")
           << KernelAttr::attrName << "' must be a #tc.kernel, but is "
           << named.getValue();
  if (!isa<mlir::FunctionOpInterface>(op))
    return op->emitOpError("is no function, so it cannot carry '")
           << KernelAttr::attrName << "'";
  mlir::FunctionType type = findFunctionType(op);
  if (!type)
    return op->emitOpError("has no function type, so it cannot carry '")
           << KernelAttr::attrName << "'";
  SmallVector<Type> arguments(type.getInputs());
  model::Group group = kernel.getGroup();
  for (const KernelEdge &edge : kernel->edges)
    if (bool(edge.type) != model::isOnChip(edge.edge))
      return op->emitOpError("edge ")
             << model::nameOf({edge.edge.from, edge.edge.source}) << " -> "
             << model::nameOf({edge.edge.to, edge.edge.sink}) << " of '"
             << KernelAttr::attrName
             << (edge.type ? "' must not have a type, as its tensors have one"
                           : "' must have the type of its elements");
  if (!kernel->terms.empty() && kernel->edges.empty())
    return op->emitOpError("has terms, but no edges in '")
           << KernelAttr::attrName
           << "' that connect these: of a sum, they are [C1 -> C, ...]";
  if (std::optional<model::GroupFault> fault = model::findFault(group))
    return op->emitOpError("contraction ")
           << fault->node << " of '" << KernelAttr::attrName << "' "
           << fault->message;
  if (group.size > 1) {
    size_t operands = kernel.getFirstScalarArgument();
    if (arguments.size() < operands)
      return op->emitOpError("must have ")
             << operands << " tensors for the contractions of '"
             << KernelAttr::attrName << "' and their edges, but has "
             << arguments.size() << " arguments";
    std::optional<model::PerTensor<MemRefType>> types =
        kernel.getTensorTypes(arguments, /*term=*/0);
    if (!types)
      return op->emitOpError("must have memrefs as the tensors of the "
                             "contractions of '")
             << KernelAttr::attrName
             << "', whose outputs have indices of their inputs only where "
                "they are an input of another";
    std::copy(types->begin(), types->end(), arguments.begin());
  }
  // The inputs of the other terms are between the tensors and the scalars.
  auto place = [&](size_t number) {
    return arguments.begin() + std::min(number, arguments.size());
  };
  size_t first = kernel.getFirstTermArgument();
  arguments.erase(place(first), place(kernel.getFirstScalarArgument()));

  if (failed(verifyKernel(op, kernel, arguments, !kernel->terms.empty())) ||
      failed(verifyWorkspace(op, kernel, arguments)))
    return failure();
  return verifyGroup(op, kernel, type.getInputs());
}
