//===- ShapedPrograms.cpp - Programs that take their shape ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies a function, with its tensors as addresses and unknown extents as
// numbers, and its temporaries in one workspace. Which temporaries live at the
// same time is known ahead, and how large they are is not: those that never do
// share a slot, which is as large as the largest of them.
//
//===----------------------------------------------------------------------===//

#include "ShapedPrograms.h"

#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Dialect/TC/IR/ParameterNames.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace tc;
using mlir::func::FuncOp;
namespace arith = mlir::arith;
namespace cf = mlir::cf;
namespace memref = mlir::memref;

/// Of a cache line and of the widest vectors.
static constexpr int64_t partAlignment = 64;

bool tc::takesUnknownShapes(FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && !memref.hasStaticShape();
  });
}

namespace {

/// A tensor that the function takes.
struct Parameter {
  std::string name;
  /// What it is in the original function.
  Value tensor;
  MemRefType type;
  bool isWritten = false;
};

class ShapedProgram {
public:
  ShapedProgram(FuncOp original, mlir::SymbolTable &symbols)
      : original(original), symbols(symbols),
        builder(original.getLoc(), original.getContext()) {}

  Status check();
  void make();

private:
  Status checkOp(Operation &op);
  bool followsFromExtents(Value value);
  llvm::SetVector<Value> rootsOf(Value value);
  void findWrites();
  Status listResults();
  void listExtents();
  void assignSlots();
  std::string nameOfExtent(Value tensor, unsigned dim);
  std::string describe(Value tensor);

  Value sizeFrom(Value size, ValueRange extents, mlir::IRMapping &mapping);
  Value bytesOf(memref::AllocOp alloc, ValueRange extents,
                mlir::IRMapping &mapping);
  SmallVector<Value> slotOffsets(ValueRange extents);
  void makeSizeFunction();
  void declare();
  Value rebuild(const Parameter &parameter, Value first,
                ArrayRef<Value> extents);
  void copyBody();
  void copyCall(Operation &op, mlir::IRMapping &mapping);

  FuncOp original;
  mlir::SymbolTable &symbols;
  mlir::ImplicitLocOpBuilder builder;
  FuncOp function;

  std::vector<Parameter> parameters;
  /// Arguments by name and their places: of an argument and a dimension.
  std::vector<std::string> extentNames;
  llvm::MapVector<std::pair<unsigned, unsigned>, unsigned> extentAt;
  /// The parameter that a result is stored to; none if it is there already.
  SmallVector<std::optional<unsigned>> targets;
  /// What is allocated for a result.
  llvm::DenseMap<Value, unsigned> resultOf;
  SmallVector<memref::AllocOp> temporaries;
  SmallVector<unsigned> slotOf;
  unsigned slots = 0;
};

} // namespace

/// A callee that is a contraction, or null.
static FuncOp findContraction(Operation &op) {
  auto call = dyn_cast<mlir::func::CallOp>(op);
  auto callee =
      call
          ? dyn_cast_or_null<FuncOp>(mlir::SymbolTable::lookupNearestSymbolFrom(
                &op, call.getCalleeAttr()))
          : nullptr;
  return callee && callee->hasAttr(outlinedAttrName) ? callee : nullptr;
}

/// Whether it is what stands behind a call of a contraction.
static bool isStatusCheck(Operation &op) {
  auto check = dyn_cast<cf::AssertOp>(op);
  return check && check.getMsg() == outOfMemoryMessage;
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
  if (findContraction(op) || isStatusCheck(op) ||
      isa<memref::DeallocOp, memref::CopyOp, memref::StoreOp,
          mlir::func::ReturnOp>(op) ||
      (isa<mlir::linalg::LinalgOp>(op) && op.getNumResults() == 0) ||
      (mlir::isMemoryEffectFree(&op) && op.getNumRegions() == 0) ||
      isa<memref::GetGlobalOp>(op))
    return {};
  return Error{"'" + op.getName().getStringRef().str() +
               "' is no step of a program"};
}

/// Whether a number is computed from extents of arguments and of what has been
/// allocated.
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

/// Results that are allocated become parameters; one that is an argument of
/// that name is that parameter. What else is an argument, or is returned twice,
/// is copied in the end.
Status ShapedProgram::listResults() {
  Operation *end = original.front().getTerminator();
  llvm::SmallDenseSet<Value> taken;
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || !type.getLayout().isIdentity())
      return Error{"result " + std::to_string(number) + " is no whole buffer"};
    auto name =
        original.getResultAttrOfType<StringAttr>(number, parameterNameAttrName);
    if (auto argument = dyn_cast<mlir::BlockArgument>(value))
      if ((!name || parameters[argument.getArgNumber()].name == name.str()) &&
          taken.insert(value).second) {
        targets.push_back(std::nullopt);
        continue;
      }
    unsigned target = parameters.size();
    bool isNew =
        value.getDefiningOp<memref::AllocOp>() && taken.insert(value).second;
    parameters.push_back({name ? name.str() : "result" + std::to_string(number),
                          value, type, true});
    if (isNew)
      resultOf[value] = target;
    targets.push_back(isNew ? std::nullopt : std::optional(target));
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
  for (Operation &op : original.front())
    for (Value operand : op.getOperands())
      for (Value root : rootsOf(operand))
        lastUse[root] = places[&op];
  SmallVector<unsigned> freeFrom;
  for (memref::AllocOp alloc : temporaries) {
    unsigned begin = places[alloc];
    auto slot =
        llvm::find_if(freeFrom, [&](unsigned last) { return last < begin; });
    slotOf.push_back(slot - freeFrom.begin());
    if (slot == freeFrom.end())
      slot = freeFrom.insert(slot, 0);
    *slot = std::max(begin, lastUse.lookup(alloc));
  }
  slots = freeFrom.size();
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

Value ShapedProgram::bytesOf(memref::AllocOp alloc, ValueRange extents,
                             mlir::IRMapping &mapping) {
  MemRefType type = alloc.getType();
  int64_t constant =
      model::byteWidth(*getModelElementType(type.getElementType()));
  for (int64_t extent : type.getShape())
    constant *= mlir::ShapedType::isDynamic(extent) ? 1 : extent;
  Value bytes = arith::ConstantIndexOp::create(builder, constant);
  for (Value size : alloc.getDynamicSizes())
    bytes = builder.createOrFold<arith::MulIOp>(
        bytes, sizeFrom(size, extents, mapping));
  Value part = arith::ConstantIndexOp::create(builder, partAlignment);
  return builder.createOrFold<arith::MulIOp>(
      builder.createOrFold<arith::CeilDivUIOp>(bytes, part), part);
}

/// Where each slot begins, and where the last one ends.
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
    offsets.push_back(
        builder.createOrFold<arith::AddIOp>(offsets.back(), largest));
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

/// What an extent of a tensor is called.
std::string ShapedProgram::nameOfExtent(Value tensor, unsigned dim) {
  auto type = cast<MemRefType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return std::to_string(type.getDimSize(dim));
  if (auto argument = dyn_cast<mlir::BlockArgument>(tensor))
    return extentNames[extentAt.lookup({argument.getArgNumber(), dim})];
  auto alloc = tensor.getDefiningOp<memref::AllocOp>();
  auto size = alloc ? alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]
                          .getDefiningOp<memref::DimOp>()
                    : nullptr;
  return size ? nameOfExtent(size.getSource(),
                             static_cast<unsigned>(*size.getConstantIndex()))
              : "computed";
}

/// "extents (extent_i, 8)".
std::string ShapedProgram::describe(Value tensor) {
  std::string text = "extents (";
  auto rank =
      static_cast<unsigned>(cast<MemRefType>(tensor.getType()).getRank());
  for (unsigned dim = 0; dim < rank; ++dim)
    text += (dim > 0 ? ", " : "") + nameOfExtent(tensor, dim);
  return text + "), contiguous";
}

void ShapedProgram::declare() {
  SmallVector<Type> types;
  SmallVector<Attribute> names, extents, shapes;
  SmallVector<bool> writes;
  for (const Parameter &parameter : parameters) {
    types.push_back(parameter.type.hasStaticShape()
                        ? parameter.type
                        : MemRefType::get({}, parameter.type.getElementType()));
    names.push_back(builder.getStringAttr(parameter.name));
    writes.push_back(parameter.isWritten);
    shapes.push_back(builder.getStringAttr(describe(parameter.tensor)));
  }
  types.append(extentNames.size(), builder.getI64Type());
  for (const std::string &name : extentNames)
    extents.push_back(builder.getStringAttr(name));
  types.push_back(MemRefType::get({}, builder.getI8Type()));
  function =
      FuncOp::create(builder.getLoc(), programSymbol(original.getName()),
                     builder.getFunctionType(types, builder.getI32Type()));
  function->setAttr(programAttrName, builder.getArrayAttr(names));
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
      // What has been computed for sizes dominates what follows.
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
