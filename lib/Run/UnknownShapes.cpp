//===- UnknownShapes.cpp - Shapes that types leave open -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnknownShapes.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Support/MLIR/ErrorCollector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace tc;
using namespace tc::run;
namespace func = mlir::func;

using Extents = std::map<std::string, int64_t>;

namespace {

/// Finds the shapes of functions' arguments.
class ArgumentShapes {
public:
  explicit ArgumentShapes(const Extents &extents) : extents(extents) {}

  LogicalResult noteArgumentsOf(ContractOp op);
  /// Gives arguments their shapes. Other uses of tensors see the old ones,
  /// by way of casts.
  void give() const;
  bool hasTensors() const;

private:
  FailureOr<model::Contraction> indicesOf(ContractOp op);

  const Extents &extents;
  /// In the order in which contractions take them.
  llvm::MapVector<mlir::BlockArgument, ShapedType> types;
};

} // namespace

/// The tensor as an argument of a function; null if it is none.
static mlir::BlockArgument argumentOfFunction(Value tensor) {
  auto argument = dyn_cast<mlir::BlockArgument>(tensor);
  bool ofFunction = argument && argument.getOwner()->isEntryBlock() &&
                    isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return ofFunction ? argument : mlir::BlockArgument();
}

/// The indices with their extents, which is all that is set.
FailureOr<model::Contraction> ArgumentShapes::indicesOf(ContractOp op) {
  model::Contraction contraction;
  for (StringAttr label : op.getLabels()) {
    std::optional<int64_t> extent = findExtent(op, label);
    auto given = extents.find(label.str());
    if (extent && given != extents.end() && given->second != *extent)
      return op.emitOpError("has extent ")
             << *extent << " of index '" << label.getValue()
             << "', but --extents has " << given->second;
    if (!extent && given == extents.end())
      return op.emitOpError("leaves the extent of index '")
             << label.getValue() << "' open: give it by --extents";
    contraction.indices.push_back(
        {label.str(), extent ? *extent : given->second, model::Role::M, {}});
  }
  return contraction;
}

LogicalResult ArgumentShapes::noteArgumentsOf(ContractOp op) {
  for (auto [tensor, indices] :
       llvm::zip_equal(op.getTensors(), op.getIndexLists())) {
    auto type = cast<ShapedType>(tensor.getType());
    mlir::BlockArgument argument = argumentOfFunction(tensor);
    if (!argument || !hasUnknownShape(type))
      continue;
    FailureOr<model::Contraction> contraction = indicesOf(op);
    if (failed(contraction))
      return failure();
    ShapedType own;
    if (auto memref = dyn_cast<MemRefType>(type)) {
      own = representativeType(memref, indices, *contraction);
    } else {
      SmallVector<int64_t> shape;
      for (StringAttr label : indices)
        shape.push_back(
            contraction->indices[*contraction->find(label.getValue())].extent);
      own = type.clone(shape);
    }
    ShapedType noted = types.insert({argument, own}).first->second;
    if (noted != own)
      return op.emitOpError("takes argument ")
             << argument.getArgNumber() << " of the function with shape " << own
             << ", and another contraction with " << noted;
  }
  return success();
}

bool ArgumentShapes::hasTensors() const {
  return llvm::any_of(types, [](const auto &entry) {
    return isa<mlir::TensorType>(entry.second);
  });
}

void ArgumentShapes::give() const {
  for (auto [argument, type] : types) {
    Type old = argument.getType();
    argument.setType(type);
    if (isa<MemRefType>(type))
      continue;
    mlir::OpBuilder builder =
        mlir::OpBuilder::atBlockBegin(argument.getOwner());
    auto cast =
        mlir::tensor::CastOp::create(builder, argument.getLoc(), old, argument);
    argument.replaceAllUsesExcept(cast, cast);
  }
}

/// Lets what is computed from arguments have the shapes that follow.
static LogicalResult propagateShapes(ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  manager.addPass(mlir::createCanonicalizerPass());
  return manager.run(module);
}

/// Has functions take and return what is in them now.
static void retype(func::FuncOp function) {
  if (function.isExternal())
    return;
  mlir::TypeRange results = function.getFunctionType().getResults();
  function.walk([&](func::ReturnOp op) {
    for (mlir::OpOperand &operand : op->getOpOperands())
      if (auto cast = operand.get().getDefiningOp<mlir::tensor::CastOp>())
        operand.set(cast.getSource());
    results = op.getOperandTypes();
  });
  function.setType(mlir::FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(), results));
}

/// Checks that a contraction knows its shapes.
static LogicalResult checkShapes(ContractOp op) {
  for (Value tensor : op.getTensors())
    if (auto type = cast<ShapedType>(tensor.getType()); hasUnknownShape(type))
      return op.emitOpError("takes a tensor of unknown shape, ")
             << type
             << ", that is no argument of a function: only these are given one";
  return success();
}

/// Complains about an index that no contraction has.
static Status checkNames(ModuleOp module, const Extents &extents) {
  llvm::SetVector<StringRef> labels;
  module.walk([&](ContractOp op) {
    for (StringAttr label : op.getLabels())
      labels.insert(label.getValue());
  });
  for (const auto &[name, extent] : extents)
    if (!labels.contains(name))
      return Error{"--extents: no contraction has an index '" + name +
                   "', but " + llvm::join(labels, ", ")};
  return {};
}

Result<bool> run::giveShapes(ModuleOp module, const Extents &extents) {
  ErrorCollector errors(*module.getContext());
  ArgumentShapes shapes(extents);
  bool areOpen = false;
  auto noted = module.walk([&](ContractOp op) {
    areOpen |= hasUnknownShape(op);
    return mlir::WalkResult(shapes.noteArgumentsOf(op));
  });
  if (noted.wasInterrupted())
    return errors.get("a shape is unknown");
  if (!areOpen)
    return false;
  if (Status status = checkNames(module, extents); !status)
    return Error{status.error()};
  shapes.give();
  module.walk(retype);
  bool fits = !shapes.hasTensors() || succeeded(propagateShapes(module));
  auto checked = module.walk(
      [](ContractOp op) { return mlir::WalkResult(checkShapes(op)); });
  if (fits && checked.wasInterrupted())
    return errors.get("a shape is unknown");
  module.walk(retype);
  if (!fits || failed(mlir::verify(module)))
    return errors.get("the shapes that --extents gives do not fit the module");
  return true;
}
