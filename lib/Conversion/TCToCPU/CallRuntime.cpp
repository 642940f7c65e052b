//===- CallRuntime.cpp - Contractions that a library computes -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces contractions whose shape the compiler does not know, or whose
// schedule says so, by calls of the ahead-of-time kernels, and those of unknown
// shape that these do not compute by linalg.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToCPU/Passes.h"

#include "CpuBlock.h"

#include "tc-c/CpuRuntime.h"
#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/CpuStrategies.h"
#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Conversion/TCToLinalg/Lowering.h"
#include "tc/Dialect/TC/IR/Saturation.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <array>

namespace tc {
#define GEN_PASS_DEF_TCCALLRUNTIME
#include "tc/Conversion/TCToCPU/Passes.h.inc"
} // namespace tc

using namespace tc;
using cpu::Emitter;
using model::Tensor;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace LLVM = mlir::LLVM;
namespace memref = mlir::memref;

/// The type of elements as libtc_cpu_runtime calls it.
static TcElementType numberOf(Type type) {
  switch (*getModelElementType(type)) {
#define TC_ELEMENT_TYPE(TYPE, ...)                                             \
  case model::ElementType::TYPE:                                               \
    return TC_ELEMENT_##TYPE;
#include "tc/Problem/ElementTypes.def"
  }
  llvm_unreachable("unknown element type");
}

namespace {

/// One contraction that becomes a call.
class RuntimeCall {
public:
  RuntimeCall(ContractOp op, LLVM::LLVMFuncOp function, int64_t threads)
      : op(op), function(function), threads(threads), builder(op.getLoc(), op),
        emit(builder) {}

  void build();

private:
  /// The place of a tensor's elements.
  struct Place {
    Value pointer;
    SmallVector<Value> strides;
  };

  void allocate();
  void applyPrologue(Tensor tensor);
  Value extentOf(StringAttr label);
  Place placeOf(Value buffer);
  Value asInt64(Value index) {
    return arith::IndexCastOp::create(builder, builder.getI64Type(), index);
  }
  Value int32(int32_t value) {
    return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(value));
  }
  Value pointerTo(Value address);
  Value indices(ArrayRef<Place> places);
  Value factor(Value number);
  Value call(bool isWhole);

  ContractOp op;
  LLVM::LLVMFuncOp function;
  int64_t threads;
  ImplicitLocOpBuilder builder;
  Emitter emit;
  /// The factors, and the destination of the sums.
  model::PerTensor<Value> tensors;
  SmallVector<Value> allocated;
};

} // namespace

/// Allocates all memory that the contraction needs, and looks whether it is
/// there, before anything is computed.
void RuntimeCall::allocate() {
  bool prologues = needsPrologues(op);
  for (Tensor tensor : {Tensor::A, Tensor::B}) {
    Value buffer = tensors[tensor] = op.getOperandOf(tensor);
    if (!prologues || !op.getPrologue(tensor))
      continue;
    SmallVector<int64_t> shape;
    SmallVector<Value> extents;
    mlir::dispatchIndexOpFoldResults(
        memref::getMixedSizes(builder, op.getLoc(), buffer), extents, shape);
    tensors[tensor] = memref::AllocOp::create(
        builder, MemRefType::get(shape, op.getFactorTypeOf(tensor)), extents);
    allocated.push_back(tensors[tensor]);
  }
  // Sums wait in C where it holds them, and nobody asks what it held.
  tensors[Tensor::C] = op.getC();
  bool fits =
      op.getTypeOf(Tensor::C).getElementType() == op.getAccumulatorType();
  if (op.getEpilogue() && (!fits || op.readsC())) {
    tensors[Tensor::C] = createSums(builder, op);
    allocated.push_back(tensors[Tensor::C]);
  }
  if (allocated.empty())
    return;
  Value areAllocated = emit.boolean(true);
  for (Value memory : allocated)
    areAllocated = builder.createOrFold<arith::AndIOp>(
        areAllocated, cpu::isAllocated(emit, memory));
  cpu::requireMemory(emit, areAllocated, allocated);
}

/// Maps the elements of an input to a copy of it.
void RuntimeCall::applyPrologue(Tensor tensor) {
  Value from = op.getOperandOf(tensor), to = tensors[tensor];
  if (from == to)
    return;
  auto rank = static_cast<unsigned>(op.getTypeOf(tensor).getRank());
  SmallVector<mlir::AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<mlir::utils::IteratorType> iterators(
      rank, mlir::utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, from, to, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        linalg::YieldOp::create(
            nested, loc,
            applyRegion(nested, loc, *op.getPrologue(tensor), args.front()));
      });
}

Value RuntimeCall::extentOf(StringAttr label) {
  if (std::optional<int64_t> known = findExtent(op, label))
    return emit.constant(*known);
  for (auto [tensor, labels] :
       llvm::zip_equal(op.getTensors(), op.getIndexLists()))
    for (auto [dim, other] : llvm::enumerate(labels))
      if (other == label)
        return memref::DimOp::create(builder, tensor,
                                     static_cast<int64_t>(dim));
  llvm_unreachable("a label is of a tensor");
}

Value RuntimeCall::pointerTo(Value address) {
  return LLVM::IntToPtrOp::create(
      builder, LLVM::LLVMPointerType::get(builder.getContext()),
      asInt64(address));
}

RuntimeCall::Place RuntimeCall::placeOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, buffer);
  auto [strides, offset] = type.getStridesAndOffset();
  auto known = [&](int64_t number, Value value) {
    return mlir::ShapedType::isDynamic(number) ? value : emit.constant(number);
  };
  Place place;
  for (auto [stride, value] : llvm::zip_equal(strides, metadata.getStrides()))
    place.strides.push_back(known(stride, value));
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, buffer);
  int64_t width = model::byteWidth(*getModelElementType(type.getElementType()));
  place.pointer = pointerTo(
      emit.add(address, emit.mul(known(offset, metadata.getOffset()), width)));
  return place;
}

/// The array of indices, on the stack.
Value RuntimeCall::indices(ArrayRef<Place> places) {
  SmallVector<StringAttr> labels = op.getLabels();
  // Of one index: its extent, and its strides.
  constexpr int64_t numbers = sizeof(TcCpuIndex) / sizeof(int64_t);
  auto type = MemRefType::get(
      {std::max<int64_t>(1, static_cast<int64_t>(labels.size()) * numbers)},
      builder.getI64Type());
  Value array = emit.allocateOnStack(type, alignof(TcCpuIndex));
  int64_t position = 0;
  auto add = [&](Value number) {
    emit.store(asInt64(number), array, emit.constant(position++));
  };
  for (StringAttr label : labels) {
    add(extentOf(label));
    for (Tensor tensor : model::allTensors) {
      Value stride = emit.constant(0);
      for (auto [other, value] :
           llvm::zip_equal(op.getIndices(tensor),
                           places[static_cast<size_t>(tensor)].strides))
        if (other == label)
          stride = emit.add(stride, value);
      add(stride);
    }
  }
  return pointerTo(
      memref::ExtractAlignedPointerAsIndexOp::create(builder, array));
}

/// A pointer to a number, which is null where there is none.
Value RuntimeCall::factor(Value number) {
  if (!number)
    return LLVM::ZeroOp::create(
        builder, LLVM::LLVMPointerType::get(builder.getContext()));
  constexpr int64_t alignment = 16;
  Value place =
      emit.allocateOnStack(MemRefType::get({1}, number.getType()), alignment);
  emit.store(number, place, emit.constant(0));
  return pointerTo(
      memref::ExtractAlignedPointerAsIndexOp::create(builder, place));
}

/// Calls the library, and returns its error code. A call that is not whole
/// computes the products' sums.
Value RuntimeCall::call(bool isWhole) {
  SmallVector<Place, 3> places;
  for (Value tensor : tensors)
    places.push_back(placeOf(tensor));
  SmallVector<Value> arguments = {
      indices(places), int32(static_cast<int32_t>(op.getLabels().size()))};
  for (Value tensor : tensors)
    arguments.push_back(
        int32(numberOf(cast<MemRefType>(tensor.getType()).getElementType())));
  arguments.push_back(int32((op.getConjugateA() ? TC_CPU_CONJUGATE_A : 0) |
                            (op.getConjugateB() ? TC_CPU_CONJUGATE_B : 0) |
                            (saturates(op) ? 0 : TC_CPU_NONSATURATING)));
  for (const Place &place : places)
    arguments.push_back(place.pointer);
  arguments.push_back(factor(isWhole ? op.getAlpha() : Value()));
  arguments.push_back(factor(isWhole ? op.getBeta() : Value()));
  arguments.push_back(int32(static_cast<int32_t>(threads)));
  return LLVM::CallOp::create(builder, function, arguments).getResult();
}

void RuntimeCall::build() {
  allocate();
  applyPrologue(Tensor::A);
  applyPrologue(Tensor::B);
  bool isWhole = !op.getEpilogue();
  Value error = call(isWhole);
  auto isNot = [&](TcErrorCode code) -> Value {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, error,
                                 int32(code));
  };
  cpu::require(emit, isNot(TC_ERROR_INVALID_ARGUMENT), argumentFailure,
               allocated);
  cpu::require(emit, isNot(TC_ERROR_OUT_OF_MEMORY), memoryFailure, allocated);
  cpu::require(emit, emit.equal(error, int32(0)), internalFailure, allocated);
  if (!isWhole)
    storeSums(builder, op, tensors[Tensor::C]);
  for (Value memory : allocated)
    memref::DeallocOp::create(builder, memory);
  op.erase();
}

/// Declares the library's function in a module that has calls of it.
static FailureOr<LLVM::LLVMFuncOp> declare(ModuleOp module) {
  mlir::OpBuilder builder(module.getContext());
  Type number = builder.getI32Type(),
       pointer = LLVM::LLVMPointerType::get(module.getContext());
  SmallVector<Type> types = {pointer, number,  number,  number,
                             number,  number,  pointer, pointer,
                             pointer, pointer, pointer, number};
  return LLVM::lookupOrCreateFn(builder, module, cpuRuntimeFunction, types,
                                number);
}

/// Returns true if the schedule says that the library computes a contraction.
static bool isOfLibrary(ContractOp op) {
  CpuScheduleAttr schedule = op.getCpuScheduleAttr();
  return schedule && !op.hasZeroExtent() &&
         schedule.getValue().strategy == model::Strategy::Library;
}

namespace {
struct CallRuntime : public tc::impl::TCCallRuntimeBase<CallRuntime> {
  using TCCallRuntimeBase::TCCallRuntimeBase;

  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) {
      if (hasUnknownShape(op) || isOfLibrary(op))
        ops.push_back(op);
    });
    for (ContractOp op : ops)
      if (failed(lower(op)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(ContractOp op) {
    if (!op.hasBuffers())
      return op.emitOpError("works on tensors: bufferize it first");
    if (isOfLibrary(op))
      return obeySchedule(op);
    if (op.getSemiring() != model::Semiring::PlusTimes) {
      auto why = [&](mlir::InFlightDiagnostic diagnostic) {
        diagnostic << "its shape is known at run time only, and the library "
                      "that takes such shapes has no semiring "
                   << model::stringify(op.getSemiring());
      };
      if (strict) {
        why(op.emitOpError());
        return failure();
      }
      why(op.emitRemark("becomes loops of linalg: "));
      lowerToLinalg(op);
      return success();
    }
    return call(op, threads);
  }

  /// Calls the library for a contraction of known shape.
  LogicalResult obeySchedule(ContractOp op) {
    const model::CpuSchedule &schedule = op.getCpuScheduleAttr().getValue();
    if (Status status = checkLibraryComputes(op); !status)
      return op.emitOpError("strategy library: ") << status.error();
    FailureOr<model::Contraction> contraction = toContraction(op, schedule);
    if (failed(contraction))
      return failure();
    Result<model::CpuLayout> layout = model::layOut(*contraction, schedule);
    if (!layout)
      return op.emitOpError(layout.error());
    return call(op, layout->threads);
  }

  LogicalResult call(ContractOp op, int64_t threads) {
    FailureOr<LLVM::LLVMFuncOp> function = declare(getOperation());
    if (failed(function))
      return failure();
    RuntimeCall(op, *function, threads).build();
    return success();
  }
};
} // namespace
