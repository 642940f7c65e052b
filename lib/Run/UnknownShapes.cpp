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
#include "mlir/IR/Verifier.h"

using namespace tc;
using namespace tc::run;
namespace func = mlir::func;

namespace {

class ShapeGiver {
public:
  explicit ShapeGiver(const std::map<std::string, int64_t> &extents)
      : extents(extents) {}

  LogicalResult giveTo(ContractOp op);
  bool gaveAny() const { return any; }

private:
  /// The indices with their extents, which is all that is set.
  FailureOr<model::Contraction> indicesOf(ContractOp op);
  LogicalResult giveTo(ContractOp op, unsigned operand,
                       const model::Contraction &contraction);

  const std::map<std::string, int64_t> &extents;
  bool any = false;
};

} // namespace

FailureOr<model::Contraction> ShapeGiver::indicesOf(ContractOp op) {
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

LogicalResult ShapeGiver::giveTo(ContractOp op, unsigned operand,
                                 const model::Contraction &contraction) {
  Value tensor = op.getTensors()[operand];
  auto type = cast<ShapedType>(tensor.getType());
  if (!hasUnknownShape(type))
    return success();
  auto argument = dyn_cast<mlir::BlockArgument>(tensor);
  bool ofFunction = argument && argument.getOwner()->isEntryBlock() &&
                    isa<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!ofFunction)
    return op.emitOpError("takes a tensor of unknown shape, ")
           << type
           << ", that is no argument of a function: only these are given one";
  IndexListAttr indices = op.getIndexLists()[operand];
  if (auto memref = dyn_cast<MemRefType>(type)) {
    tensor.setType(representativeType(memref, indices, contraction));
    return success();
  }
  SmallVector<int64_t> shape;
  for (StringAttr label : indices)
    shape.push_back(
        contraction.indices[*contraction.find(label.getValue())].extent);
  tensor.setType(type.clone(shape));
  return success();
}

LogicalResult ShapeGiver::giveTo(ContractOp op) {
  if (!hasUnknownShape(op))
    return success();
  any = true;
  FailureOr<model::Contraction> contraction = indicesOf(op);
  if (failed(contraction))
    return failure();
  for (unsigned operand = 0; operand < op.getTensors().size(); ++operand)
    if (failed(giveTo(op, operand, *contraction)))
      return failure();
  for (mlir::OpResult result : op->getResults())
    result.setType(op.getTypeOf(model::Tensor::C));
  return success();
}

/// Has functions take and return what is in them now.
static void retype(func::FuncOp function) {
  if (function.isExternal())
    return;
  mlir::TypeRange results = function.getFunctionType().getResults();
  function.walk([&](func::ReturnOp op) { results = op.getOperandTypes(); });
  function.setType(mlir::FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(), results));
}

Result<bool> run::giveShapes(ModuleOp module,
                             const std::map<std::string, int64_t> &extents) {
  ErrorCollector errors(*module.getContext());
  ShapeGiver giver(extents);
  bool anyFailed = module
                       .walk([&](ContractOp op) {
                         return failed(giver.giveTo(op))
                                    ? mlir::WalkResult::interrupt()
                                    : mlir::WalkResult::advance();
                       })
                       .wasInterrupted();
  if (anyFailed)
    return errors.get("a shape is unknown");
  if (!giver.gaveAny())
    return false;
  module.walk(retype);
  if (failed(mlir::verify(module)))
    return errors.get("the shapes that --extents gives do not fit the module");
  return true;
}
