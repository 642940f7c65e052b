//===- OutlineKernels.cpp - Move contractions into GPU functions ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces scheduled contractions by launches of kernels that hold them.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Analysis/FusedCodeText.h"
#include "tc/Analysis/UserSemirings.h"
#include "tc/Conversion/ElementArithmetic.h"
#include "tc/Conversion/PartsView.h"
#include "tc/Conversion/ScaleOutput.h"
#include "tc/Conversion/TCToGPU/KernelInfo.h"
#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Model/FusedCodeKeys.h"
#include "tc/Model/Workspace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tc {
#define GEN_PASS_DEF_TCOUTLINEKERNELS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace linalg = mlir::linalg;
namespace memref = mlir::memref;
using mlir::ImplicitLocOpBuilder;
using mlir::ShapedType;
using mlir::ValueRange;
using model::Tensor;

/// The type with which a kernel sees a buffer: in global memory.
static MemRefType inGlobalMemory(MemRefType type) {
  return MemRefType::get(
      type.getShape(), type.getElementType(), type.getLayout(),
      gpu::AddressSpaceAttr::get(type.getContext(), gpu::AddressSpace::Global));
}

/// The type with which a kernel sees an operand.
static MemRefType typeInKernel(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  if (ShapedType::isDynamic(offset))
    type =
        MemRefType::get(type.getShape(), type.getElementType(),
                        mlir::StridedLayoutAttr::get(
                            type.getContext(), offsetFromLowest(type), strides),
                        type.getMemorySpace());
  return inGlobalMemory(type);
}

/// How the operands' base pointers are aligned, as #tc.kernel has it.
static SmallVector<int64_t> findAlignment(ContractOp op) {
  SmallVector<int64_t> alignment = llvm::map_to_vector(
      op.getTensors(), [](Value buffer) { return getBaseAlignment(buffer); });
  if (llvm::all_of(alignment, [](int64_t elements) { return elements == 0; }))
    alignment.clear();
  return alignment;
}

/// A name that is legal as it stands in PTX.
static std::string sanitize(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result.insert(result.begin(), '_');
  return result;
}

namespace {

struct OutlineKernels : public tc::impl::TCOutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override;

private:
  LogicalResult outline(ContractOp op, gpu::GPUModuleOp kernels);
  gpu::GPUFuncOp makeKernel(ContractOp op, gpu::GPUModuleOp kernels,
                            KernelAttr attr, ValueRange runtimeScalars);
  void launch(ContractOp op, gpu::GPUFuncOp kernel, const KernelInfo &info,
              ValueRange runtimeScalars);
};

} // namespace

/// Builds the function, with a copy of the contraction on its arguments.
gpu::GPUFuncOp OutlineKernels::makeKernel(ContractOp op,
                                          gpu::GPUModuleOp kernels,
                                          KernelAttr attr,
                                          ValueRange runtimeScalars) {
  auto builder =
      ImplicitLocOpBuilder::atBlockEnd(op.getLoc(), kernels.getBody());
  SmallVector<Type> types;
  for (Value tensor : op.getTensors())
    types.push_back(typeInKernel(tensor));
  size_t tensors = types.size();
  llvm::append_range(types, runtimeScalars.getTypes());
  auto enclosing = op->getParentOfType<mlir::FunctionOpInterface>();
  std::string name =
      enclosing ? sanitize(enclosing.getName()) : std::string("contract");
  auto kernel =
      gpu::GPUFuncOp::create(builder, name, builder.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  kernel->setAttr(KernelAttr::attrName, attr);
  mlir::SymbolTable(kernels).insert(kernel);

  builder.setInsertionPointToStart(&kernel.getBody().front());
  ValueRange arguments = kernel.getArguments();
  ValueRange scalars = arguments.drop_front(tensors);
  auto scalar = [&](Value original, mlir::TypedAttr constant) -> Value {
    if (!original)
      return {};
    if (constant)
      return createNumber(builder, op.getLoc(), constant);
    Value argument = scalars.front();
    scalars = scalars.drop_front();
    return argument;
  };
  // Factors that change nothing leave no code, however they were written: a C
  // that does not contribute must not be read.
  model::Semiring semiring = op.getSemiring();
  bool usesAlpha = !attr.getAlpha() || !isOne(semiring, attr.getAlpha());
  bool usesBeta = !attr.getBeta() || !isZero(semiring, attr.getBeta());
  Value alpha = usesAlpha ? scalar(op.getAlpha(), attr.getAlpha()) : Value();
  Value beta = usesBeta ? scalar(op.getBeta(), attr.getBeta()) : Value();
  ContractOp copy = op.recreate(
      builder, op.getLoc(), arguments.take_front(tensors), op.getIndexLists());
  copy.setScheduleAttr(op.getScheduleAttr());
  copy.getAlphaMutable().assign(alpha ? ValueRange(alpha) : ValueRange());
  copy.getBetaMutable().assign(beta ? ValueRange(beta) : ValueRange());
  gpu::ReturnOp::create(builder);
  return kernel;
}

/// Allocates a workspace whose counters are zero.
static Value makeWorkspace(ImplicitLocOpBuilder &builder, Type type,
                           const model::WorkspaceLayout &places) {
  auto memory = cast<MemRefType>(type);
  Value workspace = gpu::AllocOp::create(builder, memory, /*asyncToken=*/Type(),
                                         /*asyncDependencies=*/ValueRange(),
                                         /*dynamicSizes=*/ValueRange(),
                                         /*symbolOperands=*/ValueRange())
                        .getMemref();
  // In words: upstream fills no memory byte by byte.
  Type word = builder.getI32Type();
  auto countersType = MemRefType::get({places.partialsOffset / 4}, word,
                                      mlir::MemRefLayoutAttrInterface(),
                                      memory.getMemorySpace());
  Value begin = arith::ConstantIndexOp::create(builder, 0);
  Value counters = memref::ViewOp::create(builder, countersType, workspace,
                                          begin, ValueRange());
  Value zero = arith::ConstantOp::create(builder, builder.getI32IntegerAttr(0));
  gpu::MemsetOp::create(builder, /*asyncToken=*/Type(), ValueRange(), counters,
                        zero);
  return workspace;
}

void OutlineKernels::launch(ContractOp op, gpu::GPUFuncOp kernel,
                            const KernelInfo &info, ValueRange runtimeScalars) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  SmallVector<Value> arguments;
  for (auto [number, buffer] : llvm::enumerate(op.getTensors())) {
    Type type = kernel.getArgument(number).getType();
    buffer = withKnownOffset(builder, op.getLoc(), buffer);
    if (buffer.getType() != type)
      buffer = memref::MemorySpaceCastOp::create(builder, type, buffer);
    arguments.push_back(buffer);
  }
  llvm::append_range(arguments, runtimeScalars);
  Value workspace;
  if (info.layout.mapping.splitK > 1) {
    workspace = makeWorkspace(
        builder, kernel.getArgument(info.workspaceArgument()).getType(),
        model::workspaceOf(info.contraction, info.layout));
    arguments.push_back(workspace);
  }
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value blocks = arith::ConstantIndexOp::create(builder, info.layout.blocks);
  Value threads = arith::ConstantIndexOp::create(builder, info.layout.threads);
  Value shared = arith::ConstantIntOp::create(builder, builder.getI32Type(),
                                              info.layout.sharedBytes);
  gpu::LaunchFuncOp::create(builder, kernel, gpu::KernelDim3{blocks, one, one},
                            gpu::KernelDim3{threads, one, one}, shared,
                            arguments);
  if (workspace)
    gpu::DeallocOp::create(builder, /*asyncToken=*/Type(), ValueRange(),
                           workspace);
}

/// The texts of all fused code, null if there is none or if some of it has
/// none.
static mlir::DictionaryAttr getExpressions(ContractOp op) {
  FailureOr<FusedCodeTexts> texts =
      describeFusedCode(op, [](Operation *, StringRef) {});
  if (failed(texts))
    return {};
  mlir::NamedAttrList expressions;
  for (auto [name, text] : {std::pair(model::prologueAKey, &texts->prologueA),
                            std::pair(model::prologueBKey, &texts->prologueB),
                            std::pair(model::productKey, &texts->product),
                            std::pair(model::combineKey, &texts->combine),
                            std::pair(model::epilogueKey, &texts->epilogue)})
    if (!text->empty())
      expressions.append(name, mlir::StringAttr::get(op.getContext(), *text));
  return expressions.empty() ? mlir::DictionaryAttr()
                             : expressions.getDictionary(op.getContext());
}

/// Lets the epilogue combine sums with the old elements of C.
static ContractOp accumulateInEpilogue(ContractOp op) {
  mlir::OperationState state(op.getLoc(), ContractOp::getOperationName(),
                             op->getOperands(), op->getResultTypes());
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  auto &properties = state.getOrAddProperties<ContractOp::Properties>();
  properties = op.getProperties();
  properties.accumulate = {};
  properties.has_epilogue = mlir::UnitAttr::get(op.getContext());
  for (mlir::Region *region :
       {op.getPrologue(Tensor::A), op.getPrologue(Tensor::B), op.getProduct(),
        op.getCombine()})
    if (region) {
      mlir::IRMapping mapping;
      region->cloneInto(state.addRegion(), mapping);
    }
  Type sumType = op.getAccumulatorType();
  Type elementOfC = op.getTypeOf(Tensor::C).getElementType();
  mlir::Block &block = state.addRegion()->emplaceBlock();
  block.addArguments({sumType, elementOfC}, {op.getLoc(), op.getLoc()});
  for (Value side : op.getSides())
    block.addArgument(cast<MemRefType>(side.getType()).getElementType(),
                      op.getLoc());
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> arguments(block.getArguments());
  Value old = convertElements(builder, op.getLoc(), arguments[1], sumType);
  arguments[0] =
      combine(builder, op.getLoc(), SemiringCode(op), arguments[0], old);
  mlir::Region *epilogue = op.getEpilogue();
  Value stored =
      epilogue
          ? applyRegion(builder, op.getLoc(), *epilogue, arguments)
          : convertElements(builder, op.getLoc(), arguments[0], elementOfC);
  YieldOp::create(builder, op.getLoc(), stored);
  builder.setInsertionPoint(op);
  auto accumulating = cast<ContractOp>(builder.create(state));
  op.erase();
  return accumulating;
}

LogicalResult OutlineKernels::outline(ContractOp op, gpu::GPUModuleOp kernels) {
  mlir::DictionaryAttr expressions = getExpressions(op);
  if (op.getAccumulate())
    op = accumulateInEpilogue(op);
  model::UserSemiring userSemiring = describeUserSemiring(op);
  SmallVector<model::Fill, 2> padding;
  if (userSemiring.padding)
    padding = {(*userSemiring.padding)[Tensor::A],
               (*userSemiring.padding)[Tensor::B]};
  Type sumType = op.getAccumulatorType();
  mlir::TypedAttr alpha =
      getConstantFactor(op.getAlpha(), getOne(op.getSemiring(), sumType));
  mlir::TypedAttr beta =
      getConstantFactor(op.getBeta(), getZero(op.getSemiring(), sumType));
  SmallVector<Value> runtimeScalars;
  if (!alpha)
    runtimeScalars.push_back(op.getAlpha());
  if (!beta)
    runtimeScalars.push_back(op.getBeta());
  SmallVector<IndexListAttr> lists = op.getIndexLists();
  ArrayRef<IndexListAttr> sides = ArrayRef(lists).drop_front(3);
  mlir::Region *epilogue = op.getEpilogue();
  bool readsOld = epilogue && !epilogue->getArgument(1).use_empty();
  auto yieldedBy = [&](Tensor tensor) {
    return op.getPrologue(tensor) ? op.getFactorTypeOf(tensor) : Type();
  };
  auto attr = KernelAttr::get(
      op.getContext(), op.getAIndices(), op.getBIndices(), op.getCIndices(),
      alpha, beta, op.getPrecisionAttr(), op.getSemiringAttr(),
      op.getIdentityAttr(), userSemiring.operations, padding,
      op.getConjugateA(), op.getConjugateB(), yieldedBy(Tensor::A),
      yieldedBy(Tensor::B), sides, op.getHasEpilogue(), readsOld,
      findAlignment(op), op.getScheduleAttr());
  gpu::GPUFuncOp kernel = makeKernel(op, kernels, attr, runtimeScalars);
  if (expressions)
    kernel->setAttr(expressionsAttrName, expressions);
  FailureOr<KernelInfo> info = getKernelInfo(kernel);
  if (failed(info))
    return failure();
  OpBuilder builder(op);
  if (int64_t bytes =
          model::workspaceOf(info->contraction, info->layout).bytes) {
    auto type = inGlobalMemory(MemRefType::get({bytes}, builder.getI8Type()));
    if (failed(kernel.insertArgument(info->workspaceArgument(), type, {},
                                     op.getLoc())))
      return op.emitOpError("cannot give its kernel a workspace");
  }
  kernel.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {static_cast<int32_t>(info->layout.threads), 1, 1}));
  kernel.setKnownGridSizeAttr(builder.getDenseI32ArrayAttr(
      {static_cast<int32_t>(info->layout.blocks), 1, 1}));
  launch(op, kernel, *info, runtimeScalars);
  op.erase();
  ++numKernels;
  return success();
}

void OutlineKernels::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<ContractOp> ops;
  module.walk([&](ContractOp op) {
    if (!op->getParentOfType<gpu::GPUFuncOp>())
      ops.push_back(op);
  });
  gpu::GPUModuleOp kernels;
  for (ContractOp op : ops) {
    if (!op.hasBuffers()) {
      op.emitOpError("works on tensors: bufferize it before outlining");
      return signalPassFailure();
    }
    if (op.hasZeroExtent()) {
      scaleOutput(op);
      continue;
    }
    if (!op.getScheduleAttr()) {
      op.emitOpError("has no schedule: run --tc-tile or write one");
      return signalPassFailure();
    }
    if (!kernels) {
      OpBuilder builder(module.getBodyRegion());
      kernels =
          gpu::GPUModuleOp::create(builder, module.getLoc(), "tc_kernels");
      mlir::SymbolTable(module).insert(kernels);
      module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                      builder.getUnitAttr());
    }
    if (failed(outline(op, kernels)))
      return signalPassFailure();
  }
}
