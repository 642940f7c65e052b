//===- CheckShapedProgram.cpp - Analysis of programs ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds out whether a function is a program, which tensors and extents it
// takes, and which temporaries may lie in one place.
//
//===----------------------------------------------------------------------===//

#include "ShapedProgram.h"

#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Dialect/TC/IR/ParameterNames.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/HostCode/ProgramResults.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/SymbolTable.h"

using namespace tc;
using mlir::func::FuncOp;
namespace cf = mlir::cf;
namespace memref = mlir::memref;

FuncOp ShapedProgram::findContraction(Operation &op) {
  auto call = dyn_cast<mlir::func::CallOp>(op);
  auto callee =
      call
          ? dyn_cast_or_null<FuncOp>(mlir::SymbolTable::lookupNearestSymbolFrom(
                &op, call.getCalleeAttr()))
          : nullptr;
  return callee && callee->hasAttr(outlinedAttrName) ? callee : nullptr;
}

bool ShapedProgram::isStatusCheck(Operation &op) {
  auto check = dyn_cast<cf::AssertOp>(op);
  return check &&
         llvm::any_of(ArrayRef<CallFailure>{memoryFailure, argumentFailure,
                                            internalFailure},
                      [&](const CallFailure &failure) {
                        return check.getMsg() == failure.message;
                      });
}

Status ShapedProgram::checkOp(Operation &op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    if (!alloc.getType().getLayout().isIdentity() ||
        !alloc.getSymbolOperands().empty() ||
        !llvm::all_of(alloc.getDynamicSizes(),
                      [&](Value size) { return followsFromExtents(size); }))
      return Error{"a temporary has a size that follows from no extent"};
    temporaries.push_back(alloc);
    return {};
  }
  if (auto step = dyn_cast<mlir::linalg::LinalgOp>(op);
      step && op.getNumResults() == 0) {
    // Anything else that a region writes would not be seen as written.
    auto computes = op.getRegion(0).walk([](Operation *inner) {
      return isa<memref::LoadOp>(inner) || mlir::isMemoryEffectFree(inner)
                 ? mlir::WalkResult::advance()
                 : mlir::WalkResult::interrupt();
    });
    if (computes.wasInterrupted())
      return Error{"the region of '" + op.getName().getStringRef().str() +
                   "' does more than to compute an element"};
    return {};
  }
  if (findContraction(op) || isStatusCheck(op) ||
      isa<memref::DeallocOp, memref::CopyOp, memref::StoreOp,
          mlir::func::ReturnOp>(op) ||
      (mlir::isMemoryEffectFree(&op) && op.getNumRegions() == 0) ||
      isa<memref::GetGlobalOp>(op))
    return {};
  return Error{"'" + op.getName().getStringRef().str() +
               "' is no step of a program"};
}

/// Returns true if a number is computed from extents of arguments and of
/// allocations.
bool ShapedProgram::followsFromExtents(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    if (!dim.getConstantIndex())
      return false;
    if (auto alloc = dim.getSource().getDefiningOp<memref::AllocOp>())
      return llvm::is_contained(temporaries, alloc);
    auto argument = dyn_cast<mlir::BlockArgument>(dim.getSource());
    return argument && isa<FuncOp>(argument.getOwner()->getParentOp());
  }
  return mlir::isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return followsFromExtents(operand);
         });
}

/// The arguments and temporaries that a buffer, or an address, may be of.
llvm::SetVector<Value> ShapedProgram::rootsOf(Value value) {
  llvm::SetVector<Value> roots, seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next))
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || isa<memref::AllocOp>(op)) {
      if (isa<MemRefType>(next.getType()))
        roots.insert(next);
    } else if (!isa<memref::DimOp, memref::GetGlobalOp>(op)) {
      llvm::append_range(work, op->getOperands());
    }
  }
  return roots;
}

void ShapedProgram::findWrites() {
  auto write = [&](Value buffer) {
    for (Value root : rootsOf(buffer))
      if (auto argument = dyn_cast<mlir::BlockArgument>(root))
        parameters[argument.getArgNumber()].isWritten = true;
  };
  for (Operation &op : original.front()) {
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      write(copy.getTarget());
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      write(store.getMemRef());
    else if (auto step = dyn_cast<mlir::linalg::LinalgOp>(op))
      llvm::for_each(step.getDpsInits(), write);
    else if (findContraction(op))
      write(op.getOperand(static_cast<unsigned>(model::Tensor::C)));
  }
}

Status ShapedProgram::listResults() {
  Operation *end = original.front().getTerminator();
  ProgramResults results(original);
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || !type.getLayout().isIdentity())
      return Error{"result " + std::to_string(number) + " is no whole buffer"};
    std::optional<StringRef> name;
    if (auto argument = dyn_cast<mlir::BlockArgument>(value))
      name = parameters[argument.getArgNumber()].name;
    ResultRole role = results.roleOf(
        number, reinterpret_cast<uintptr_t>(value.getAsOpaquePointer()), name,
        /*isAllocated=*/value.getDefiningOp<memref::AllocOp>() != nullptr);
    if (role == ResultRole::Argument) {
      targets.push_back(std::nullopt);
      continue;
    }
    if (role == ResultRole::Update)
      return Error{"result " + std::to_string(number) +
                   " has the name of another argument"};
    unsigned target = parameters.size();
    parameters.push_back({results.nameOf(number), value, type,
                          /*isRead=*/false, /*isWritten=*/true});
    bool isCopied = role == ResultRole::Copy;
    if (!isCopied)
      resultOf[value] = target;
    targets.push_back(isCopied ? std::optional(target) : std::nullopt);
  }
  llvm::erase_if(temporaries, [&](memref::AllocOp alloc) {
    return resultOf.contains(alloc);
  });
  return {};
}

/// Names all unknown extents. Dimensions that a program gives one index have
/// one.
void ShapedProgram::listExtents() {
  for (auto [number, argument] : llvm::enumerate(original.getArguments())) {
    auto type = cast<MemRefType>(argument.getType());
    auto labels = original.getArgAttrOfType<mlir::ArrayAttr>(
        number, parameterIndicesAttrName);
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      std::string name =
          labels
              ? "extent_" + cast<StringAttr>(labels[dim]).str()
              : "extent_" + parameters[number].name + "_" + std::to_string(dim);
      auto found = llvm::find(extentNames, name);
      extentAt[{number, dim}] = found - extentNames.begin();
      if (found == extentNames.end())
        extentNames.push_back(name);
    }
  }
}

Status ShapedProgram::check() {
  if (!llvm::hasSingleElement(original.getBody()))
    return Error{"it has more than one block"};
  for (auto [number, argument] : llvm::enumerate(original.getArguments())) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !type.getLayout().isIdentity())
      return Error{"argument " + std::to_string(number) +
                   " is no contiguous buffer"};
    auto name =
        original.getArgAttrOfType<StringAttr>(number, parameterNameAttrName);
    parameters.push_back(
        {name ? name.str() : "arg" + std::to_string(number), argument, type});
  }
  for (Operation &op : original.front())
    if (Status status = checkOp(op); !status)
      return status;
  findWrites();
  if (Status status = listResults(); !status)
    return status;
  listExtents();
  assignSlots();
  return {};
}

/// Gives each temporary the first slot whose former ones are not used any more.
void ShapedProgram::assignSlots() {
  llvm::DenseMap<Operation *, unsigned> places;
  for (Operation &op : original.front())
    places[&op] = places.size();
  llvm::DenseMap<Value, unsigned> lastUse;
  // Regions, too, read values from outside of them.
  for (Operation &op : original.front())
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        for (Value root : rootsOf(operand))
          lastUse[root] = places[&op];
    });
  SmallVector<unsigned> freeFrom;
  for (memref::AllocOp alloc : temporaries) {
    unsigned begin = places[alloc];
    auto *slot =
        llvm::find_if(freeFrom, [&](unsigned last) { return last < begin; });
    slotOf.push_back(slot - freeFrom.begin());
    if (slot == freeFrom.end())
      slot = freeFrom.insert(slot, 0);
    *slot = std::max(begin, lastUse.lookup(alloc));
  }
  slots = freeFrom.size();
}
