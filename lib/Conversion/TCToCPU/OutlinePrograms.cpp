//===- OutlinePrograms.cpp - Contractions of a function, run by one -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes functions that run the contractions of others, with one workspace.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToCPU/Passes.h"

#include "ShapedPrograms.h"

#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Dialect/TC/IR/ParameterNames.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/PartsView.h"
#include "tc/Dialect/TC/Utils/Symbols.h"
#include "tc/HostCode/TraceProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

#include <complex>

namespace tc {
#define GEN_PASS_DEF_TCOUTLINEPROGRAMS
#include "tc/Conversion/TCToCPU/Passes.h.inc"
} // namespace tc

using namespace tc;
using mlir::func::FuncOp;
using runtime::ProgramPlace;
namespace arith = mlir::arith;
namespace cf = mlir::cf;
namespace memref = mlir::memref;

/// Calls of such a function at most: the code of more would take too long to
/// make.
static constexpr size_t maxCalls = 4096;

/// The description of a contraction's function that a trace needs: its tensors,
/// of which the third is written, whether that is read as well, and the number
/// of scalars that it takes.
static runtime::Kernel describe(FuncOp function) {
  runtime::Kernel kernel;
  kernel.entry = function.getName().str();
  std::vector<runtime::TensorArgument> tensors;
  size_t numbers = 0;
  for (Type type : function.getArgumentTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      ++numbers;
      continue;
    }
    runtime::TensorArgument &tensor = tensors.emplace_back();
    tensor.type = *getModelElementType(memref.getElementType());
    tensor.alignment = 1;
    auto [strides, offset] = memref.getStridesAndOffset();
    tensor.extents.assign(memref.getShape().begin(), memref.getShape().end());
    tensor.strides.assign(strides.begin(), strides.end());
    tensor.offset = offset;
    for (size_t i = 0; i < tensor.extents.size(); ++i)
      tensor.labels.push_back("i" + std::to_string(i));
    tensor.isWritten = tensors.size() == 3;
  }
  for (size_t i = 0; i < 3; ++i)
    kernel.tensors[i] = tensors[i];
  kernel.auxiliaries.assign(tensors.begin() + 3, tensors.end());
  auto contractions = function.getOps<ContractOp>();
  if (llvm::hasSingleElement(contractions)) {
    ContractOp op = *contractions.begin();
    kernel.tensors[2].isRead = op.readsC();
    kernel.semiring = op.getSemiring();
    kernel.accumulatorType = *getModelElementType(op.getAccumulatorType());
    // A trace asks no more of an epilogue than whether it reads C.
    if (mlir::Region *epilogue = op.getEpilogue())
      kernel.epilogue = epilogue->getArgument(1).use_empty() ? "x" : "c";
  }
  kernel.alpha.isArgument = numbers > 0;
  kernel.beta.isArgument = numbers > 1;
  return kernel;
}

/// A number as an attribute of a type of real numbers.
static mlir::TypedAttr makeNumber(mlir::OpBuilder &builder, Type type,
                                  const model::Constant &number) {
  if (isa<mlir::IntegerType>(type))
    return builder.getIntegerAttr(
        type, model::integerOf(number, *getModelElementType(type)));
  return builder.getFloatAttr(type, number.real());
}

/// A tensor of a number, which may be complex.
static mlir::DenseElementsAttr makeElements(mlir::OpBuilder &builder,
                                            MemRefType type,
                                            const model::Constant &number) {
  Type element = type.getElementType();
  auto tensor = mlir::RankedTensorType::get(type.getShape(), element);
  auto complexType = dyn_cast<mlir::ComplexType>(element);
  if (!complexType)
    return mlir::DenseElementsAttr::get(
        tensor, Attribute(makeNumber(builder, element, number)));
  auto part = [&](double value) {
    return builder.getFloatAttr(complexType.getElementType(), value).getValue();
  };
  return mlir::DenseElementsAttr::get(
      tensor,
      std::complex<llvm::APFloat>(part(number.real()), part(number.imag())));
}

namespace {

/// Makes the function of one program.
class FunctionMaker {
public:
  FunctionMaker(FuncOp original, const runtime::Program &program,
                ArrayRef<FuncOp> kernels, mlir::SymbolTable &symbols)
      : builder(original.getLoc(), original.getContext()), program(program),
        kernels(kernels), symbols(symbols), original(original) {}

  void make();

private:
  void makeDeclaration();
  Value makeConstant(const model::Constant &number, MemRefType type);
  Value makeTensor(const ProgramPlace &place, MemRefType type);
  void makeCopy(const runtime::ProgramStep &step);
  void makeFill(const runtime::ProgramStep &step);
  void makeCall(const runtime::ProgramStep &step);
  Value makeStatus(CallStatus status);

  mlir::ImplicitLocOpBuilder builder;
  const runtime::Program &program;
  ArrayRef<FuncOp> kernels;
  mlir::SymbolTable &symbols;
  FuncOp original, function;
};

} // namespace

void FunctionMaker::makeDeclaration() {
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  SmallVector<bool> writes;
  for (const runtime::ProgramParameter &parameter : program.parameters) {
    names.push_back(builder.getStringAttr(parameter.name));
    writes.push_back(parameter.isWritten);
    auto plain =
        MemRefType::get(parameter.extents,
                        getElementType(builder.getContext(), parameter.type));
    auto layout = mlir::StridedLayoutAttr::get(
        builder.getContext(), parameter.offset, parameter.strides);
    auto [strides, offset] = plain.getStridesAndOffset();
    bool isPlain = offset == parameter.offset &&
                   ArrayRef(strides) == ArrayRef(parameter.strides);
    types.push_back(isPlain ? plain
                            : MemRefType::get(plain.getShape(),
                                              plain.getElementType(), layout));
  }
  types.push_back(
      MemRefType::get({program.workspaceBytes}, builder.getI8Type()));
  function =
      FuncOp::create(builder.getLoc(), programSymbol(original.getName()),
                     builder.getFunctionType(types, builder.getI32Type()));
  function->setAttr(programAttrName, builder.getArrayAttr(names));
  function->setAttr(programWritesAttrName,
                    builder.getDenseBoolArrayAttr(writes));
  function->setAttr(programWorkspaceAttrName,
                    builder.getI64IntegerAttr(program.workspaceBytes));
  symbols.insert(function);
  builder.setInsertionPointToStart(function.addEntryBlock());
}

Value FunctionMaker::makeConstant(const model::Constant &number,
                                  MemRefType type) {
  // The symbol table inserts it.
  mlir::OpBuilder detached(builder.getContext());
  auto global = memref::GlobalOp::create(
      detached, builder.getLoc(), "constant", builder.getStringAttr("private"),
      type, makeElements(builder, type, number), /*constant=*/true,
      /*alignment=*/mlir::IntegerAttr());
  symbols.insert(global, function->getIterator());
  return memref::GetGlobalOp::create(builder, type, global.getName());
}

Value FunctionMaker::makeTensor(const ProgramPlace &place, MemRefType type) {
  if (place.kind == ProgramPlace::Kind::Constant)
    return makeConstant(place.constant, type);
  Value buffer = place.kind == ProgramPlace::Kind::Parameter
                     ? function.getArgument(place.parameter)
                     : function.getArguments().back();
  if (place.offset == 0 && buffer.getType() == type)
    return buffer;
  return bufferAt(builder, builder.getLoc(), buffer, place.offset, type);
}

void FunctionMaker::makeCopy(const runtime::ProgramStep &step) {
  auto type = MemRefType::get({step.bytes}, builder.getI8Type());
  Value from = makeTensor(step.tensors[0], type);
  Value to = makeTensor(step.tensors[1], type);
  memref::CopyOp::create(builder, from, to);
}

void FunctionMaker::makeFill(const runtime::ProgramStep &step) {
  Type element = getElementType(builder.getContext(), step.type);
  auto type =
      MemRefType::get({step.bytes / model::byteWidth(step.type)}, element);
  const model::Constant &constant = step.tensors[0].constant;
  Value number;
  if (auto complexType = dyn_cast<mlir::ComplexType>(element)) {
    Type part = complexType.getElementType();
    number = mlir::complex::ConstantOp::create(
        builder, element,
        builder.getArrayAttr({builder.getFloatAttr(part, constant.real()),
                              builder.getFloatAttr(part, constant.imag())}));
  } else {
    number = arith::ConstantOp::create(builder,
                                       makeNumber(builder, element, constant));
  }
  mlir::linalg::FillOp::create(builder, number,
                               makeTensor(step.tensors[1], type));
}

/// Calls a function, and returns if that fails.
void FunctionMaker::makeCall(const runtime::ProgramStep &step) {
  FuncOp kernel = kernels[*step.kernel];
  std::vector<model::Constant> numbers;
  size_t count = llvm::count_if(kernel.getArgumentTypes(), [](Type type) {
    return !isa<MemRefType>(type);
  });
  for (const std::optional<model::Constant> &factor : {step.alpha, step.beta}) {
    if (!factor)
      continue;
    // Of two complex factors, each is two numbers.
    bool isInParts = count > 2;
    numbers.push_back(isInParts ? model::Constant(factor->real()) : *factor);
    if (isInParts)
      numbers.emplace_back(factor->imag());
  }
  SmallVector<Value> operands;
  size_t tensor = 0, number = 0;
  for (Type type : kernel.getArgumentTypes()) {
    if (auto memref = dyn_cast<MemRefType>(type))
      operands.push_back(makeTensor(step.tensors[tensor++], memref));
    else
      operands.push_back(arith::ConstantOp::create(
          builder, makeNumber(builder, type, numbers[number++])));
  }
  Value status =
      mlir::func::CallOp::create(builder, kernel, operands).getResult(0);
  Value isDone = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                       status, makeStatus(CallStatus::Success));
  mlir::Block *next = function.addBlock(), *end = function.addBlock();
  cf::CondBranchOp::create(builder, isDone, next, end);
  builder.setInsertionPointToStart(end);
  mlir::func::ReturnOp::create(builder, status);
  builder.setInsertionPointToStart(next);
}

Value FunctionMaker::makeStatus(CallStatus status) {
  return arith::ConstantOp::create(
      builder, builder.getI32IntegerAttr(static_cast<int32_t>(status)));
}

void FunctionMaker::make() {
  makeDeclaration();
  for (const runtime::ProgramStep &step : program.steps) {
    if (step.kernel)
      makeCall(step);
    else if (step.isFill())
      makeFill(step);
    else
      makeCopy(step);
  }
  mlir::func::ReturnOp::create(builder, makeStatus(CallStatus::Success));
}

/// Returns true if a function was made from a program.
static bool isNamed(FuncOp function) {
  return function.getNumArguments() > 0 &&
         function.getArgAttr(0, parameterNameAttrName);
}

/// Returns true if it calls more than one contraction.
static bool callsSeveral(FuncOp function) {
  size_t calls = 0;
  function.walk([&](mlir::func::CallOp call) {
    mlir::Operation *callee =
        mlir::SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
    calls += callee && callee->hasAttr(outlinedAttrName);
  });
  return calls > 1;
}

namespace {
struct OutlinePrograms
    : public tc::impl::TCOutlineProgramsBase<OutlinePrograms> {
  void runOnOperation() override {
    SmallVector<FuncOp> kernels, functions;
    std::vector<runtime::Kernel> descriptions;
    llvm::StringMap<size_t> numbers;
    for (auto function : getOperation().getOps<FuncOp>()) {
      if (!function->hasAttr(outlinedAttrName)) {
        if (!function.isDeclaration())
          functions.push_back(function);
        continue;
      }
      // A function that takes its shape with each call is no step of known
      // tensors.
      if (function->hasAttr(outlinedShapesAttrName))
        continue;
      numbers[function.getName()] = kernels.size();
      kernels.push_back(function);
      descriptions.push_back(describe(function));
    }
    auto findKernel = [&](mlir::Operation *op) -> std::optional<size_t> {
      auto call = dyn_cast<mlir::func::CallOp>(op);
      auto found = call ? numbers.find(call.getCallee()) : numbers.end();
      if (found == numbers.end())
        return std::nullopt;
      return found->second;
    };
    mlir::SymbolTable symbols(getOperation());
    for (FuncOp function : functions) {
      if (takesUnknownShapes(function)) {
        if (callsSeveral(function) || isNamed(function))
          if (Status status = makeShapedProgram(function, symbols); !status)
            function.emitRemark(noProgramRemark) << status.error();
        continue;
      }
      Result<runtime::Program> program = traceProgram(
          function, descriptions, findKernel, hostWorkspaceAlignment);
      if (!program || program->steps.size() > maxCalls)
        continue;
      // A single contraction is a function already.
      if (program->steps.size() > 1 || isNamed(function))
        FunctionMaker(function, *program, kernels, symbols).make();
    }
  }
};
} // namespace
