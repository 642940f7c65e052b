//===- TCKernelAttributes.cpp - What a kernel computes --------------------===//
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

/// The contraction of a kernel that has a number: its own, or that of a term.
static KernelAttr getTerm(KernelAttr kernel, int64_t term) {
  return term == 0 ? kernel : kernel->terms[term - 1];
}

unsigned KernelAttr::getFirstTermArgument() const {
  return 3 + static_cast<unsigned>(getValue().auxiliaries.size());
}

unsigned KernelAttr::getFirstScalarArgument() const {
  auto terms = static_cast<unsigned>(getValue().terms.size());
  return getFirstTermArgument() + (isChain() ? terms : 2 * terms);
}

model::Group KernelAttr::getGroup() const {
  model::Group group;
  group.size = 1 + static_cast<unsigned>(getValue().terms.size());
  for (unsigned term = 1; term < group.size; ++term) {
    unsigned next = (term + 1) % group.size;
    KernelAttr to = getTerm(*this, next), own = getTerm(*this, term);
    if (isChain())
      group.edges.push_back(model::feedEdge(
          term, next, to.getChainedInput().value_or(Tensor::A), to->softmax));
    else if (isFan())
      group.edges.push_back(model::shareEdge(
          *getSharedInput(), term, own.getSharedInput().value_or(Tensor::A)));
    else
      group.edges.push_back(model::accumulateEdge(term));
  }
  return group;
}

bool KernelAttr::isChain() const {
  return !getValue().terms.empty() && getChainedInput();
}

bool KernelAttr::isFan() const {
  return !getValue().terms.empty() && getSharedInput();
}

std::optional<Tensor> KernelAttr::getSharedInput() const {
  if (getValue().sharedA)
    return Tensor::A;
  if (getValue().sharedB)
    return Tensor::B;
  return std::nullopt;
}

std::optional<Tensor> KernelAttr::getChainedInput() const {
  if (getValue().chainedA)
    return Tensor::A;
  if (getValue().chainedB)
    return Tensor::B;
  return std::nullopt;
}

std::optional<unsigned> KernelAttr::getArgument(int64_t term,
                                                Tensor tensor) const {
  auto number = static_cast<unsigned>(tensor);
  if (isFan()) {
    if (term == 0)
      return number;
    if (getTerm(*this, term).getSharedInput() == tensor)
      return static_cast<unsigned>(*getSharedInput());
    return getFirstTermArgument() + 2 * (static_cast<unsigned>(term) - 1) +
           (tensor == Tensor::C ? 1 : 0);
  }
  if (!isChain()) {
    if (term == 0 || tensor == Tensor::C)
      return number;
    return getFirstTermArgument() + 2 * (static_cast<unsigned>(term) - 1) +
           number;
  }
  std::optional<Tensor> chained = getTerm(*this, term).getChainedInput();
  if (tensor == chained || (term > 0 && tensor == Tensor::C))
    return std::nullopt;
  if (term == 0)
    return number;
  if (term == 1 && tensor == Tensor::A)
    return static_cast<unsigned>(*getChainedInput());
  return getFirstTermArgument() + static_cast<unsigned>(term) - 1;
}

std::optional<model::PerTensor<MemRefType>>
KernelAttr::getTensorTypes(ArrayRef<Type> arguments, int64_t term) const {
  model::PerTensor<MemRefType> types;
  for (Tensor tensor : model::allTensors) {
    std::optional<unsigned> place = getArgument(term, tensor);
    if (!place)
      continue;
    types[tensor] = *place < arguments.size()
                        ? dyn_cast<MemRefType>(arguments[*place])
                        : MemRefType();
    if (!types[tensor])
      return std::nullopt;
  }
  KernelAttr own = getTerm(*this, term);
  // What a link of a chain computes has the type that the next one names.
  auto computedBy = [&](int64_t number, Type element,
                        const model::PerTensor<MemRefType> &of) -> MemRefType {
    KernelAttr link = getTerm(*this, number);
    SmallVector<int64_t> shape;
    for (mlir::StringAttr label : link->c) {
      std::optional<int64_t> extent;
      for (auto [tensor, list] :
           {std::pair(Tensor::A, link->a), std::pair(Tensor::B, link->b)})
        for (auto [place, other] : llvm::enumerate(list))
          if (other == label &&
              static_cast<int64_t>(place) < of[tensor].getRank())
            extent = of[tensor].getDimSize(place);
      if (!extent)
        return {};
      shape.push_back(*extent);
    }
    return MemRefType::isValidElementType(element)
               ? MemRefType::get(shape, element)
               : MemRefType();
  };
  auto links = static_cast<int64_t>(getValue().terms.size());
  if (std::optional<Tensor> chained = own.getChainedInput();
      chained && isChain()) {
    int64_t before = term == 0 ? links : term - 1;
    if (before == 0)
      return std::nullopt;
    std::optional<model::PerTensor<MemRefType>> of =
        getTensorTypes(arguments, before);
    if (!of)
      return std::nullopt;
    types[*chained] = (*of)[Tensor::C];
  }
  if (isChain() && term > 0) {
    KernelAttr next = getTerm(*this, term == links ? 0 : term + 1);
    if (!next.getChainedInput())
      return std::nullopt;
    types[Tensor::C] = computedBy(
        term, next->chainedA ? next->chainedA : next->chainedB, types);
    if (!types[Tensor::C])
      return std::nullopt;
  }
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
  bool splitsK = kernel->schedule.getValue().mapping.splitK > 1;
  if (!splitsK && !kernel->reduces)
    return success();
  unsigned place =
      kernel.getFirstTermArgument() + !kernel->alpha + !kernel->beta;
  // What it takes of its shape, integers, is before.
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
  return success(succeeded(contract.verifyInvariantsImpl()) &&
                 succeeded(contract.verifyRegions()));
}

/// Holds the links of a chain against one another, and against the arguments
/// after the tensors: one input for each.
static LogicalResult verifyLinks(Operation *op, KernelAttr kernel,
                                 ArrayRef<Type> arguments) {
  size_t first = kernel.getFirstTermArgument(), links = kernel->terms.size();
  if (arguments.size() < first + links)
    return op->emitOpError("must have an input for each of the terms of '")
           << KernelAttr::attrName << "', which are a chain, after argument "
           << first - 1 << ", but has " << arguments.size() << " arguments";
  auto check = [&](KernelAttr link, const llvm::Twine &name,
                   bool isFirst) -> LogicalResult {
    auto error = [&]() {
      return op->emitOpError()
             << name << " of '" << KernelAttr::attrName << "' ";
    };
    if (link->chainedA && link->chainedB)
      return error() << "must have one chained input, not two";
    if (isFirst == link.getChainedInput().has_value())
      return error() << (isFirst ? "begins a chain, so it must not have a "
                                   "chained input"
                                 : "must have a chained input, as the others "
                                   "of its chain have");
    if (link.getSharedInput())
      return error() << "must have no input in common with others, as it is in "
                        "a chain";
    if (link->semiring.kind != model::Semiring::PlusTimes)
      return error()
             << "must have the semiring plus_times, as it is in a chain";
    if (link->schedule.getValue().mapping.splitK > 1)
      return error() << "must not split K, as it is in a chain";
    return success();
  };
  for (auto [place, link] : llvm::enumerate(kernel->terms)) {
    std::string name = "term " + std::to_string(place + 1);
    if (failed(check(link, name, place == 0)))
      return failure();
    auto error = [&]() {
      return op->emitOpError()
             << name << " of '" << KernelAttr::attrName << "' ";
    };
    if (!link->alpha || !link->beta ||
        !isZero(model::Semiring::PlusTimes, link->beta))
      return error() << "must have a constant alpha and a beta of zero";
    if (link->epilogue == KernelEpilogue::ReadWrite ||
        !link->auxiliaries.empty())
      return error() << "must have neither auxiliary tensors nor an epilogue "
                        "that uses C, as it is in a chain";
    if (!link->terms.empty() || link->reduces || link->dynamicShape ||
        link->softmax)
      return error() << "must have no terms itself, reduce nothing, take no "
                        "softmax and be of known shape";
    std::optional<model::PerTensor<MemRefType>> types =
        kernel.getTensorTypes(arguments, static_cast<int64_t>(place) + 1);
    if (!types)
      return error() << "must have memrefs as inputs, and compute an input of "
                        "the next one, all of whose indices are in its own "
                        "inputs";
    if (failed(verifyKernel(
            op, link,
            {(*types)[Tensor::A], (*types)[Tensor::B], (*types)[Tensor::C]},
            /*isTerm=*/true)))
      return failure();
  }
  if (failed(check(kernel, "the contraction", /*isFirst=*/false)))
    return failure();
  if (kernel->reduces || kernel->dynamicShape)
    return op->emitOpError("has a chain of terms, so it must be of known shape "
                           "and not add up its output");
  return success();
}

/// Holds the terms of a fan against the arguments after the tensors: an input
/// and a C for each.
static LogicalResult verifyBranches(Operation *op, KernelAttr kernel,
                                    ArrayRef<Type> arguments) {
  size_t first = kernel.getFirstTermArgument();
  if (arguments.size() < first + 2 * kernel->terms.size())
    return op->emitOpError("must have an input and a C for each of the terms "
                           "of '")
           << KernelAttr::attrName << "' after argument " << first - 1
           << ", but has " << arguments.size() << " arguments";
  auto check = [&](KernelAttr term, const llvm::Twine &name) -> LogicalResult {
    auto error = [&]() {
      return op->emitOpError()
             << name << " of '" << KernelAttr::attrName << "' ";
    };
    if (term->sharedA == term->sharedB || term.getChainedInput() ||
        term->softmax)
      return error() << "must have one input in common with the others, and no "
                        "chained one";
    if (term->semiring.kind != model::Semiring::PlusTimes)
      return error() << "must have the semiring plus_times, as it has an input "
                        "in common with others";
    if (!term->alpha || !term->beta ||
        !isZero(model::Semiring::PlusTimes, term->beta))
      return error() << "must have a constant alpha and a beta of zero";
    if (term->epilogue == KernelEpilogue::ReadWrite ||
        !term->auxiliaries.empty() || term->reduces || term->dynamicShape)
      return error() << "must have neither auxiliary tensors nor an epilogue "
                        "that uses C, reduce nothing and be of known shape";
    return success();
  };
  for (auto [place, term] : llvm::enumerate(kernel->terms)) {
    std::string name = "term " + std::to_string(place + 1);
    if (failed(check(term, name)))
      return failure();
    if (!term->terms.empty())
      return op->emitOpError() << name << " of '" << KernelAttr::attrName
                               << "' must have no terms itself";
    std::optional<model::PerTensor<MemRefType>> types =
        kernel.getTensorTypes(arguments, static_cast<int64_t>(place) + 1);
    if (!types)
      return op->emitOpError() << name << " of '" << KernelAttr::attrName
                               << "' must have memrefs as its tensors";
    if (failed(verifyKernel(
            op, term,
            {(*types)[Tensor::A], (*types)[Tensor::B], (*types)[Tensor::C]},
            /*isTerm=*/true)))
      return failure();
  }
  return check(kernel, "the contraction");
}

/// Holds the other terms of a sum against the one that has them, and against
/// the arguments after its tensors: an A and a B for each.
static LogicalResult verifyTerms(Operation *op, KernelAttr kernel,
                                 ArrayRef<Type> arguments) {
  if (kernel->terms.empty() || kernel.isChain())
    return success();
  if (kernel.isFan())
    return verifyBranches(op, kernel, arguments);
  if (kernel->semiring.kind != model::Semiring::PlusTimes)
    return op->emitOpError("has terms, so the semiring of '")
           << KernelAttr::attrName << "' must be plus_times";
  if (!kernel->alpha || isZero(model::Semiring::PlusTimes, kernel->alpha))
    return op->emitOpError("has terms, so alpha of '")
           << KernelAttr::attrName << "' must be a constant other than zero";
  unsigned first = kernel.getFirstTermArgument();
  if (arguments.size() < first + 2 * kernel->terms.size())
    return op->emitOpError("must have an A and a B for each of the terms of '")
           << KernelAttr::attrName << "' after argument " << first - 1
           << ", but has " << arguments.size() << " arguments";
  for (auto [number, term] : llvm::enumerate(kernel->terms)) {
    auto error = [&, number = number]() {
      return op->emitOpError("term ")
             << number + 1 << " of '" << KernelAttr::attrName << "' ";
    };
    if (!(term->semiring == kernel->semiring))
      return error() << "must have the semiring plus_times";
    if (!term->alpha || isZero(model::Semiring::PlusTimes, term->alpha) ||
        !term->beta || !isZero(model::Semiring::PlusTimes, term->beta))
      return error() << "must have a constant alpha other than zero and a beta "
                        "of zero";
    if (isa<mlir::ComplexType>(term->alpha.getType()))
      return error() << "must not be of complex numbers";
    if (isa<mlir::IntegerType>(term->alpha.getType()) &&
        std::isnan(getRatio(kernel->alpha, term->alpha)))
      return error() << "must have the alpha of the whole sum, of either sign, "
                        "as sums are integers";
    if (term->reduces != kernel->reduces)
      return error() << "must reduce C where the whole sum is reduced, and "
                        "nowhere else";
    if (term->schedule.getValue().mapping.splitK > 1)
      return error() << "must not split K";
    if (term->epilogue != KernelEpilogue::None || !term->auxiliaries.empty())
      return error()
             << "must have neither epilogue nor auxiliary tensors, which "
                "are those of the whole sum";
    if (!term->terms.empty() || term->softmax)
      return error() << "must neither have terms itself nor take a softmax";
    Type own[] = {arguments[first + 2 * number],
                  arguments[first + 2 * number + 1], arguments[2]};
    if (failed(verifyKernel(op, term, own, /*isTerm=*/true)))
      return failure();
  }
  return success();
}

LogicalResult TCDialect::verifyOperationAttribute(Operation *op,
                                                  mlir::NamedAttribute named) {
  // What was discardable would be ignored now without a word.
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
  if (kernel.getChainedInput() && kernel->terms.empty())
    return op->emitOpError("has a chained input, but no terms in '")
           << KernelAttr::attrName << "' that compute it";
  if (kernel.getSharedInput() && kernel->terms.empty())
    return op->emitOpError("has an input in common with others, but no terms "
                           "in '")
           << KernelAttr::attrName << "'";
  if (kernel->softmax && !kernel.isChain())
    return op->emitOpError("has no chained input in '")
           << KernelAttr::attrName << "' of which it could take the softmax";
  if (kernel.getChainedInput() && kernel.getSharedInput())
    return op->emitOpError("has both a chained input and one in common with "
                           "others in '")
           << KernelAttr::attrName << "'";
  if (kernel->softmax &&
      isa<mlir::ComplexType>(kernel->chainedA ? kernel->chainedA
                                              : kernel->chainedB))
    return op->emitOpError("takes the softmax of complex numbers in '")
           << KernelAttr::attrName << "'";
  if (kernel.isChain()) {
    if (failed(verifyLinks(op, kernel, arguments)))
      return failure();
    std::optional<model::PerTensor<MemRefType>> types =
        kernel.getTensorTypes(arguments, /*term=*/0);
    if (!types)
      return op->emitOpError("must have memrefs as its tensors, as its terms "
                             "are a chain");
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
  return verifyTerms(op, kernel, type.getInputs());
}
