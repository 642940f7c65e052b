//===- HostTracer.cpp - Tracing of host code, step by step ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTracer.h"

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tc;
using mlir::Operation;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace LLVM = mlir::LLVM;

/// Bytes of an element; none of what no kernel takes.
static std::optional<int64_t> elementBytes(MemRefType type) {
  if (auto known = getModelElementType(type.getElementType()))
    return model::byteWidth(*known);
  if (type.getElementType().isInteger(8))
    return 1;
  return std::nullopt;
}

/// Returns true if elements lie one behind the other, from the first on.
static bool isContiguous(MemRefType type) {
  return type.hasStaticShape() && type.getLayout().isIdentity();
}

LogicalResult HostTracer::fail(Operation *op, const llvm::Twine &what) {
  why = ("'" + op->getName().getStringRef() + "' " + what).str();
  return failure();
}

/// Of all loops together: those beyond launch more than a program may, or
/// nothing.
static constexpr size_t maxIterations = 1 << 18;

std::optional<int64_t> HostTracer::findInteger(Value value) {
  auto found = contents.find(value);
  if (found == contents.end() || !found->second.number)
    return std::nullopt;
  auto number = dyn_cast<mlir::IntegerAttr>(found->second.number);
  if (!number)
    return std::nullopt;
  return number.getValue().getSExtValue();
}

std::optional<int64_t> HostTracer::findInteger(mlir::OpFoldResult value) {
  if (std::optional<int64_t> constant = mlir::getConstantIntValue(value))
    return constant;
  return findInteger(dyn_cast<Value>(value));
}

std::optional<TracedAddress> HostTracer::findAddress(Value value) {
  auto found = contents.find(value);
  return found == contents.end() ? std::nullopt : found->second.address;
}

LogicalResult HostTracer::run() {
  if (!llvm::hasSingleElement(function.getBody()))
    return fail(function, "has more than one block");
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !type.hasStaticShape() || !elementBytes(type))
      return fail(function, "takes argument " + llvm::Twine(number) +
                                ", which is no buffer of known extents");
    TracedAddress address;
    address.buffer = buffers.size();
    auto [strides, offset] = type.getStridesAndOffset();
    if (mlir::ShapedType::isDynamic(offset) ||
        mlir::ShapedType::isDynamicShape(strides))
      return fail(function, "takes argument " + llvm::Twine(number) +
                                ", of which strides are unknown");
    address.offset = offset;
    TracedBuffer &buffer = buffers.emplace_back();
    buffer.kind = TracedBuffer::Kind::Parameter;
    buffer.parameter = number;
    set(argument, address);
  }
  return run(function.getBody().front());
}

LogicalResult HostTracer::run(mlir::Block &block) {
  for (Operation &op : block)
    if (failed(run(&op)))
      return failure();
  return success();
}

LogicalResult HostTracer::run(Operation *op) {
  if (std::optional<size_t> kernel = findKernel(op))
    return runLaunch(op, *kernel);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return runLoop(loop); })
      .Case([&](scf::IfOp branch) { return runIf(branch); })
      .Case([&](memref::CopyOp copy) { return runCopy(copy); })
      .Case([&](mlir::linalg::FillOp fill) { return runFill(fill); })
      .Case([&](memref::StoreOp store) { return runStore(store); })
      .Case([&](memref::AllocOp alloc) {
        return runAllocation(alloc, alloc.getType());
      })
      .Case([&](mlir::gpu::AllocOp alloc) {
        if (alloc.getAsyncToken() || !alloc.getAsyncDependencies().empty())
          return fail(alloc, "is asynchronous");
        return runAllocation(alloc, cast<MemRefType>(alloc.getType()));
      })
      .Case([&](memref::GetGlobalOp global) { return runGlobal(global); })
      .Case([&](memref::SubViewOp view) { return runSubView(view); })
      .Case([&](memref::ExtractStridedMetadataOp metadata) {
        return runMetadata(metadata);
      })
      .Case<memref::DeallocOp, mlir::gpu::DeallocOp>(
          [](Operation *) { return success(); })
      .Case([&](mlir::cf::AssertOp check) {
        return findInteger(check.getArg()).value_or(0) != 0
                   ? success()
                   : fail(check, "is not known to hold");
      })
      .Case([&](mlir::gpu::MemsetOp memset) {
        // Each launch zeroes the part of its kernel's workspace that has to be
        // zero.
        auto view = memset.getDst().getDefiningOp<memref::ViewOp>();
        return view && view.getSource().getDefiningOp<mlir::gpu::AllocOp>()
                   ? success()
                   : fail(memset, "is no launch");
      })
      .Case([&](mlir::func::ReturnOp end) {
        for (Value value : end.getOperands()) {
          std::optional<TracedAddress> address = findAddress(value);
          if (!address)
            return fail(end, "returns what is no buffer");
          results.push_back(*address);
        }
        return success();
      })
      .Default([&](Operation *other) {
        if (mlir::isPure(other) && succeeded(runAddress(other)))
          return success();
        return runFold(other);
      });
}

LogicalResult HostTracer::runLoop(scf::ForOp loop) {
  std::optional<int64_t> begin = findInteger(loop.getLowerBound());
  std::optional<int64_t> end = findInteger(loop.getUpperBound());
  std::optional<int64_t> step = findInteger(loop.getStep());
  if (!begin || !end || !step || *step <= 0)
    return fail(loop, "has bounds that are unknown");
  llvm::SmallVector<Content> carried;
  for (Value value : loop.getInitArgs())
    carried.push_back(contents.lookup(value));
  Operation *yield = loop.getBody()->getTerminator();
  Type type = loop.getInductionVar().getType();
  for (int64_t i = *begin; i < *end; i += *step) {
    if (++iterations > maxIterations)
      return fail(loop, "has too many iterations");
    contents[loop.getInductionVar()] = {mlir::IntegerAttr::get(type, i), {}};
    for (auto [argument, content] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried))
      contents[argument] = content;
    for (Operation &op : loop.getBody()->without_terminator())
      if (failed(run(&op)))
        return failure();
    for (auto [content, value] : llvm::zip_equal(carried, yield->getOperands()))
      content = contents.lookup(value);
    // The next one would be no number.
    if (static_cast<uint64_t>(*end) - static_cast<uint64_t>(i) <=
        static_cast<uint64_t>(*step))
      break;
  }
  for (auto [result, content] : llvm::zip_equal(loop.getResults(), carried))
    contents[result] = content;
  return success();
}

LogicalResult HostTracer::runIf(scf::IfOp op) {
  std::optional<int64_t> condition = findInteger(op.getCondition());
  if (!condition)
    return fail(op, "has a condition that is unknown");
  mlir::Region &region =
      *condition != 0 ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  for (Operation &inner : region.front().without_terminator())
    if (failed(run(&inner)))
      return failure();
  for (auto [result, value] : llvm::zip_equal(
           op.getResults(), region.front().getTerminator()->getOperands()))
    contents[result] = contents.lookup(value);
  return success();
}

LogicalResult HostTracer::addStep(Operation *op, TracedStep step) {
  if (steps.size() >= runtime::maxProgramSteps)
    return fail(op, "is run after " + llvm::Twine(runtime::maxProgramSteps) +
                        " other steps");
  steps.push_back(std::move(step));
  return success();
}

LogicalResult HostTracer::runLaunch(Operation *op, size_t kernel) {
  TracedStep step;
  step.kernel = kernel;
  mlir::OperandRange operands = op->getOperands();
  if (auto launch = dyn_cast<mlir::gpu::LaunchFuncOp>(op)) {
    if (launch.getAsyncToken() || !launch.getAsyncDependencies().empty())
      return fail(op, "is asynchronous");
    operands = launch.getKernelOperands();
  }
  for (Value operand : operands) {
    Content content = contents.lookup(operand);
    if (content.address) {
      step.tensors.push_back(*content.address);
    } else if (auto number =
                   content.number ? findNumber(content.number) : std::nullopt) {
      step.numbers.push_back(*number);
    } else {
      return fail(op, "takes what is known only when it runs");
    }
  }
  if (failed(addStep(op, std::move(step))))
    return failure();
  // The work that a failed call leaves undone is up to the program's caller.
  for (Value result : op->getResults())
    if (auto type = dyn_cast<mlir::IntegerType>(result.getType()))
      contents[result] = {mlir::IntegerAttr::get(type, 0), {}};
  return success();
}

LogicalResult HostTracer::runCopy(memref::CopyOp op) {
  auto from = cast<MemRefType>(op.getSource().getType());
  auto to = cast<MemRefType>(op.getTarget().getType());
  std::optional<int64_t> bytes = elementBytes(to);
  std::optional<TracedAddress> source = findAddress(op.getSource());
  std::optional<TracedAddress> target = findAddress(op.getTarget());
  if (!bytes || !source || !target || !isContiguous(from) || !isContiguous(to))
    return fail(op, "copies what is not contiguous");
  TracedStep step;
  step.tensors = {*source, *target};
  step.bytes = to.getNumElements() * *bytes;
  step.extents.assign(to.getShape().begin(), to.getShape().end());
  return step.bytes > 0 ? addStep(op, std::move(step)) : success();
}

TracedAddress HostTracer::addConstant(const model::Constant &number,
                                      model::ElementType type) {
  TracedAddress address;
  address.buffer = buffers.size();
  TracedBuffer &buffer = buffers.emplace_back();
  buffer.kind = TracedBuffer::Kind::Constant;
  buffer.constant = number;
  buffer.type = type;
  return address;
}

LogicalResult HostTracer::addFill(Operation *op, Value value, TracedAddress to,
                                  ArrayRef<int64_t> extents) {
  std::optional<model::ElementType> type = getModelElementType(value.getType());
  Attribute known = contents.lookup(value).number;
  std::optional<model::Constant> number =
      known ? findNumber(known) : std::nullopt;
  if (!type || !number)
    return fail(op, "writes what is known only when it runs");
  if (buffers[to.buffer].kind == TracedBuffer::Kind::Constant)
    return fail(op, "writes a constant");
  TracedStep step;
  step.tensors = {addConstant(*number, *type), to};
  step.bytes = ShapedType::getNumElements(extents) * model::byteWidth(*type);
  step.extents.assign(extents.begin(), extents.end());
  return step.bytes > 0 ? addStep(op, std::move(step)) : success();
}

LogicalResult HostTracer::runFill(mlir::linalg::FillOp op) {
  Value output = op.getOutputs().front();
  auto type = dyn_cast<MemRefType>(output.getType());
  std::optional<TracedAddress> to = findAddress(output);
  if (!type || !to || !isContiguous(type))
    return fail(op, "fills what is not contiguous");
  return addFill(op, op.getInputs().front(), *to, type.getShape());
}

LogicalResult HostTracer::runStore(memref::StoreOp op) {
  std::optional<TracedAddress> to = findAddress(op.getMemRef());
  std::optional<int64_t> width = elementBytes(op.getMemRefType());
  auto [strides, offset] = op.getMemRefType().getStridesAndOffset();
  if (!to || !width || mlir::ShapedType::isDynamicShape(strides))
    return fail(op, "writes where is unknown");
  for (auto [index, stride] : llvm::zip_equal(op.getIndices(), strides)) {
    std::optional<int64_t> known = findInteger(Value(index));
    if (!known)
      return fail(op, "writes where is unknown");
    to->offset += *known * stride;
  }
  to->base += to->offset * *width;
  to->offset = 0;
  return addFill(op, op.getValueToStore(), *to, /*extents=*/{});
}

LogicalResult HostTracer::runAllocation(Operation *op, MemRefType type) {
  std::optional<int64_t> bytes = elementBytes(type);
  if (!bytes || !isContiguous(type))
    return fail(op, "allocates what has no known size");
  TracedAddress address;
  address.buffer = buffers.size();
  buffers.emplace_back().bytes = type.getNumElements() * *bytes;
  set(op->getResult(0), address);
  return success();
}

LogicalResult HostTracer::runGlobal(memref::GetGlobalOp op) {
  auto global =
      symbols.lookupNearestSymbolFrom<memref::GlobalOp>(op, op.getNameAttr());
  auto value = global ? llvm::dyn_cast_if_present<mlir::SplatElementsAttr>(
                            global.getInitialValue().value_or(Attribute()))
                      : nullptr;
  auto type = value ? getModelElementType(value.getElementType())
                    : std::optional<model::ElementType>();
  if (!global || !global.getConstant() || !type)
    return fail(op, "refers to what is no constant with equal elements");
  set(op.getResult(), addConstant(getSplatNumber(value), *type));
  return success();
}

LogicalResult HostTracer::runSubView(memref::SubViewOp op) {
  std::optional<TracedAddress> address = findAddress(op.getSource());
  auto [strides, offset] = op.getSourceType().getStridesAndOffset();
  if (!address || mlir::ShapedType::isDynamicShape(strides))
    return fail(op, "has a source of unknown strides");
  for (auto [start, stride] : llvm::zip_equal(op.getMixedOffsets(), strides)) {
    std::optional<int64_t> known = findInteger(start);
    if (!known)
      return fail(op, "begins where is unknown");
    address->offset += *known * stride;
  }
  set(op.getResult(), *address);
  return success();
}

LogicalResult HostTracer::runMetadata(memref::ExtractStridedMetadataOp op) {
  std::optional<TracedAddress> address = findAddress(op.getSource());
  auto type = cast<MemRefType>(op.getSource().getType());
  auto [strides, offset] = type.getStridesAndOffset();
  if (!address || !type.hasStaticShape() ||
      mlir::ShapedType::isDynamicShape(strides))
    return fail(op, "is of a buffer that is unknown");
  auto number = [&](Value result, int64_t value) {
    contents[result] = {
        mlir::IntegerAttr::get(mlir::IndexType::get(op.getContext()), value),
        {}};
  };
  number(op.getOffset(), address->offset);
  for (auto [result, extent] : llvm::zip_equal(op.getSizes(), type.getShape()))
    number(result, extent);
  for (auto [result, stride] : llvm::zip_equal(op.getStrides(), strides))
    number(result, stride);
  address->offset = 0;
  set(op.getBaseBuffer(), *address);
  return success();
}

LogicalResult HostTracer::runAddress(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return failure();
  std::optional<TracedAddress> address = findAddress(op->getOperand(0));
  Value result = op->getResult(0);
  auto keep = [&](Operation *) -> LogicalResult {
    if (!address)
      return failure();
    set(result, *address);
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<memref::CastOp, memref::MemorySpaceCastOp, memref::CollapseShapeOp,
            memref::ExpandShapeOp, arith::IndexCastOp, LLVM::IntToPtrOp>(keep)
      .Case([&](mlir::UnrealizedConversionCastOp cast) -> LogicalResult {
        auto type = dyn_cast<MemRefType>(result.getType());
        if (!address || !type || op->getNumOperands() != 1)
          return failure();
        address->offset = type.getStridesAndOffset().second;
        set(result, *address);
        return success();
      })
      .Case([&](memref::ViewOp view) -> LogicalResult {
        std::optional<int64_t> shift = findInteger(view.getByteShift());
        if (!address || !shift)
          return failure();
        address->base += *shift;
        set(result, *address);
        return success();
      })
      .Case([&](memref::ExtractAlignedPointerAsIndexOp) -> LogicalResult {
        if (!address)
          return failure();
        address->offset = 0;
        set(result, *address);
        return success();
      })
      .Case([&](arith::AddIOp add) -> LogicalResult {
        std::optional<int64_t> shift = findInteger(add.getRhs());
        if (!address || !shift)
          return failure();
        address->base += *shift;
        set(result, *address);
        return success();
      })
      .Case([&](LLVM::InsertValueOp insert) -> LogicalResult {
        // The fields of a descriptor: only the aligned pointer counts.
        std::optional<TracedAddress> value = findAddress(insert.getValue());
        if (value)
          address = value;
        if (address)
          set(result, *address);
        else
          contents.erase(result);
        return success();
      })
      .Default([](Operation *) { return failure(); });
}

LogicalResult HostTracer::runFold(Operation *op) {
  if (isa<LLVM::PoisonOp, LLVM::UndefOp>(op))
    return success();
  llvm::SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(contents.lookup(operand).number);
  // Folding in place must not change the code.
  Operation *copy = op->clone();
  llvm::SmallVector<mlir::OpFoldResult> folded;
  bool isFolded = mlir::isPure(op) && succeeded(copy->fold(operands, folded)) &&
                  folded.size() == op->getNumResults();
  llvm::SmallVector<Content> known;
  for (mlir::OpFoldResult result : folded) {
    auto value = dyn_cast<Value>(result);
    known.push_back(value ? contents.lookup(value)
                          : Content{cast<Attribute>(result), {}});
    isFolded &= known.back().number || known.back().address;
  }
  copy->destroy();
  if (!isFolded)
    return fail(op, "is no launch, and its result is unknown");
  for (auto [result, content] : llvm::zip_equal(op->getResults(), known))
    contents[result] = content;
  return success();
}
