//===- ShapedPrograms.cpp - Programs that take their shape ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies a function, with its tensors as addresses and unknown extents as
// numbers, and its temporaries in one workspace. The temporaries that live at
// the same time are known ahead, and their sizes are not: those that never do
// share a slot, which is as large as the largest of them.
//
//===----------------------------------------------------------------------===//

#include "ShapedProgram.h"

#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/Symbols.h"
#include "tc/HostCode/TraceProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace tc;
using mlir::func::FuncOp;
namespace arith = mlir::arith;
namespace cf = mlir::cf;
namespace memref = mlir::memref;

bool tc::takesUnknownShapes(FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && !memref.hasStaticShape();
  });
}

/// A number that follows from extents, which are given.
Value ShapedProgram::sizeFrom(Value size, ValueRange extents,
                              mlir::IRMapping &mapping) {
  if (mapping.contains(size))
    return mapping.lookup(size);
  Operation *op = size.getDefiningOp();
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    int64_t number = *dim.getConstantIndex();
    auto type = cast<MemRefType>(dim.getSource().getType());
    Value known;
    if (!type.isDynamicDim(number))
      known = arith::ConstantIndexOp::create(builder, type.getDimSize(number));
    else if (auto alloc = dim.getSource().getDefiningOp<memref::AllocOp>())
      known = sizeFrom(alloc.getDynamicSizes()[type.getDynamicDimIndex(number)],
                       extents, mapping);
    else
      known = extents[extentAt.lookup(
          {cast<mlir::BlockArgument>(dim.getSource()).getArgNumber(),
           static_cast<unsigned>(number)})];
    mapping.map(size, known);
    return known;
  }
  for (Value operand : op->getOperands())
    sizeFrom(operand, extents, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(size);
}

/// A number of bytes, none above what can be counted. Both are in that range.
Value ShapedProgram::saturatingProduct(Value first, Value second) {
  Value most = arith::ConstantIndexOp::create(builder, uncountableBytes);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value largest = builder.createOrFold<arith::DivUIOp>(
      most, builder.createOrFold<arith::MaxUIOp>(second, one));
  Value fits = builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule,
                                                   first, largest);
  return builder.createOrFold<arith::SelectOp>(
      fits, builder.createOrFold<arith::MulIOp>(first, second), most);
}

/// The same of a number that may be twice as large, but is no more than an
/// unsigned one can be.
Value ShapedProgram::saturated(Value bytes) {
  return builder.createOrFold<arith::MinUIOp>(
      bytes, arith::ConstantIndexOp::create(builder, uncountableBytes));
}

Value ShapedProgram::bytesOf(memref::AllocOp alloc, ValueRange extents,
                             mlir::IRMapping &mapping) {
  MemRefType type = alloc.getType();
  int64_t constant =
      model::byteWidth(*getModelElementType(type.getElementType()));
  for (int64_t extent : type.getShape())
    constant *= mlir::ShapedType::isDynamic(extent) ? 1 : extent;
  Value bytes = arith::ConstantIndexOp::create(builder, constant);
  for (Value size : alloc.getDynamicSizes())
    bytes = saturatingProduct(sizeFrom(size, extents, mapping), bytes);
  Value part = arith::ConstantIndexOp::create(builder, hostWorkspaceAlignment);
  return saturated(builder.createOrFold<arith::MulIOp>(
      builder.createOrFold<arith::CeilDivUIOp>(bytes, part), part));
}

/// The offsets at which slots begin, and the end of the last one.
SmallVector<Value> ShapedProgram::slotOffsets(ValueRange extents) {
  mlir::IRMapping mapping;
  SmallVector<Value> offsets = {arith::ConstantIndexOp::create(builder, 0)};
  for (unsigned slot = 0; slot < slots; ++slot) {
    Value largest;
    for (auto [alloc, own] : llvm::zip_equal(temporaries, slotOf)) {
      if (own != slot)
        continue;
      Value bytes = bytesOf(alloc, extents, mapping);
      largest = largest ? builder.createOrFold<arith::MaxUIOp>(largest, bytes)
                        : bytes;
    }
    offsets.push_back(saturated(
        builder.createOrFold<arith::AddIOp>(offsets.back(), largest)));
  }
  return offsets;
}

static SmallVector<Value> asIndices(mlir::ImplicitLocOpBuilder &builder,
                                    ValueRange numbers) {
  return llvm::map_to_vector(numbers, [&](Value number) -> Value {
    return arith::IndexCastOp::create(builder, builder.getIndexType(), number);
  });
}

void ShapedProgram::makeSizeFunction() {
  SmallVector<Type> types(extentNames.size(), builder.getI64Type());
  auto size = FuncOp::create(
      builder.getLoc(), programWorkspaceSymbol(original.getName()),
      builder.getFunctionType(types, builder.getI64Type()));
  size->setAttr(programWorkspaceBytesAttrName, builder.getUnitAttr());
  symbols.insert(size);
  builder.setInsertionPointToStart(size.addEntryBlock());
  SmallVector<Value> offsets =
      slotOffsets(asIndices(builder, size.getArguments()));
  Value bytes =
      arith::IndexCastOp::create(builder, builder.getI64Type(), offsets.back());
  mlir::func::ReturnOp::create(builder, bytes);
}

/// An extent of a tensor, as `programShapesAttrName` has it.
int64_t ShapedProgram::describeExtent(Value tensor, unsigned dim) {
  auto type = cast<MemRefType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto argument = dyn_cast<mlir::BlockArgument>(tensor))
    return -1 - static_cast<int64_t>(
                    extentAt.lookup({argument.getArgNumber(), dim}));
  auto alloc = tensor.getDefiningOp<memref::AllocOp>();
  auto size = alloc ? alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]
                          .getDefiningOp<memref::DimOp>()
                    : nullptr;
  return size ? describeExtent(size.getSource(),
                               static_cast<unsigned>(*size.getConstantIndex()))
              : mlir::ShapedType::kDynamic;
}

mlir::DenseI64ArrayAttr ShapedProgram::describe(Value tensor) {
  SmallVector<int64_t> extents;
  auto rank =
      static_cast<unsigned>(cast<MemRefType>(tensor.getType()).getRank());
  for (unsigned dim = 0; dim < rank; ++dim)
    extents.push_back(describeExtent(tensor, dim));
  return builder.getDenseI64ArrayAttr(extents);
}

void ShapedProgram::declare() {
  SmallVector<Type> types;
  SmallVector<Attribute> names, extents, shapes;
  SmallVector<bool> reads, writes;
  for (const Parameter &parameter : parameters) {
    types.push_back(parameter.type.hasStaticShape()
                        ? parameter.type
                        : MemRefType::get({}, parameter.type.getElementType()));
    names.push_back(builder.getStringAttr(parameter.name));
    reads.push_back(parameter.isRead);
    writes.push_back(parameter.isWritten);
    shapes.push_back(describe(parameter.tensor));
  }
  types.append(extentNames.size(), builder.getI64Type());
  for (const std::string &name : extentNames)
    extents.push_back(builder.getStringAttr(name));
  types.push_back(MemRefType::get({}, builder.getI8Type()));
  function =
      FuncOp::create(builder.getLoc(), programSymbol(original.getName()),
                     builder.getFunctionType(types, builder.getI32Type()));
  function->setAttr(programAttrName, builder.getArrayAttr(names));
  function->setAttr(programReadsAttrName, builder.getDenseBoolArrayAttr(reads));
  function->setAttr(programWritesAttrName,
                    builder.getDenseBoolArrayAttr(writes));
  function->setAttr(programShapesAttrName, builder.getArrayAttr(shapes));
  function->setAttr(programExtentsAttrName, builder.getArrayAttr(extents));
  symbols.insert(function);
  builder.setInsertionPointToStart(function.addEntryBlock());
}

/// The buffer of a parameter, of which the unknown extents are given.
Value ShapedProgram::rebuild(const Parameter &parameter, Value first,
                             ArrayRef<Value> extents) {
  if (parameter.type.hasStaticShape())
    return first;
  SmallVector<mlir::OpFoldResult> sizes, strides;
  for (int64_t extent : parameter.type.getShape()) {
    if (!mlir::ShapedType::isDynamic(extent)) {
      sizes.push_back(builder.getIndexAttr(extent));
      continue;
    }
    sizes.push_back(extents.front());
    extents = extents.drop_front();
  }
  mlir::OpFoldResult behind = builder.getIndexAttr(1);
  strides.resize(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = behind;
    auto known = [](mlir::OpFoldResult number) {
      return mlir::getConstantIntValue(number);
    };
    if (known(behind) && known(sizes[dim]))
      behind = builder.getIndexAttr(*known(behind) * *known(sizes[dim]));
    else
      behind = builder.createOrFold<arith::MulIOp>(
          mlir::getValueOrCreateConstantIndexOp(builder, builder.getLoc(),
                                                behind),
          mlir::getValueOrCreateConstantIndexOp(builder, builder.getLoc(),
                                                sizes[dim]));
  }
  return memref::ReinterpretCastOp::create(
      builder, parameter.type, first, builder.getIndexAttr(0), sizes, strides);
}

/// Copies a call, and returns if it fails.
void ShapedProgram::copyCall(Operation &op, mlir::IRMapping &mapping) {
  Value status = builder.clone(op, mapping)->getResult(0);
  Value success = arith::ConstantOp::create(
      builder,
      builder.getI32IntegerAttr(static_cast<int32_t>(CallStatus::Success)));
  Value isDone =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, status, success);
  mlir::Block *next = function.addBlock(), *end = function.addBlock();
  cf::CondBranchOp::create(builder, isDone, next, end);
  builder.setInsertionPointToStart(end);
  mlir::func::ReturnOp::create(builder, status);
  builder.setInsertionPointToStart(next);
}

void ShapedProgram::copyBody() {
  auto arguments = function.getArguments();
  SmallVector<Value> extents = asIndices(
      builder, arguments.slice(parameters.size(), extentNames.size()));
  SmallVector<Value> offsets = slotOffsets(extents);
  auto bytes =
      MemRefType::get({mlir::ShapedType::kDynamic}, builder.getI8Type());
  Value workspace = memref::ReinterpretCastOp::create(
      builder, bytes, arguments.back(), builder.getIndexAttr(0),
      mlir::OpFoldResult(offsets.back()),
      mlir::OpFoldResult(builder.getIndexAttr(1)));
  mlir::IRMapping mapping, sizes;
  for (auto [number, argument] : llvm::enumerate(original.getArguments())) {
    SmallVector<Value> own;
    for (auto [place, extent] : extentAt)
      if (place.first == number)
        own.push_back(extents[extent]);
    mapping.map(argument, rebuild(parameters[number], arguments[number], own));
  }
  size_t next = 0;
  for (Operation &op : original.front().without_terminator()) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      SmallVector<Value> own;
      for (Value size : alloc.getDynamicSizes())
        own.push_back(sizeFrom(size, extents, sizes));
      auto result = resultOf.find(alloc);
      mapping.map(alloc.getResult(),
                  result != resultOf.end()
                      ? rebuild(parameters[result->second],
                                arguments[result->second], own)
                      : memref::ViewOp::create(builder, alloc.getType(),
                                               workspace,
                                               offsets[slotOf[next++]], own)
                            .getResult());
    } else if (findContraction(op)) {
      // Values that have been computed for sizes dominate the code that
      // follows.
      copyCall(op, mapping);
    } else if (!isa<memref::DeallocOp>(op) && !isStatusCheck(op)) {
      builder.clone(op, mapping);
    }
  }
  Operation *end = original.front().getTerminator();
  for (auto [value, target] : llvm::zip_equal(end->getOperands(), targets)) {
    if (!target)
      continue;
    Value from = mapping.lookup(value);
    SmallVector<Value> own;
    auto type = cast<MemRefType>(value.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        own.push_back(memref::DimOp::create(builder, from, dim));
    memref::CopyOp::create(
        builder, from, rebuild(parameters[*target], arguments[*target], own));
  }
  Value success = arith::ConstantOp::create(
      builder,
      builder.getI32IntegerAttr(static_cast<int32_t>(CallStatus::Success)));
  mlir::func::ReturnOp::create(builder, success);
}

void ShapedProgram::make() {
  makeSizeFunction();
  declare();
  copyBody();
}

Status tc::makeShapedProgram(FuncOp original, mlir::SymbolTable &symbols) {
  ShapedProgram program(original, symbols);
  if (Status status = program.check(); !status)
    return status;
  program.make();
  return {};
}
