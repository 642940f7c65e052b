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

#include "HostShape.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/FusedCodeText.h"
#include "tc/Analysis/GroupObstacles.h"
#include "tc/Analysis/Reductions.h"
#include "tc/Analysis/SumTerms.h"
#include "tc/Analysis/UserSemirings.h"
#include "tc/Conversion/TCToGPU/KernelPlan.h"
#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"
#include "tc/Dialect/TC/Utils/PartsView.h"
#include "tc/Dialect/TC/Utils/ScaleOutput.h"
#include "tc/Gpu/Layout/Workspace.h"
#include "tc/Problem/FusedCodeKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/SetVector.h"

namespace tc {
#define GEN_PASS_DEF_TCOUTLINEKERNELS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace linalg = mlir::linalg;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
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

/// The alignment of the tensors' base pointers, as #tc.kernel has it.
static std::vector<int64_t> findAlignment(ContractOp op,
                                          ArrayRef<Value> tensors) {
  SmallVector<int64_t> alignment = llvm::map_to_vector(
      tensors, [&](Value buffer) { return getOperandAlignment(op, buffer); });
  if (llvm::all_of(alignment, [](int64_t elements) { return elements == 0; }))
    alignment.clear();
  return {alignment.begin(), alignment.end()};
}

/// A name that is legal as it stands in PTX.
static std::string sanitize(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (StringRef(result).trim('_').empty())
    return "contract";
  if (llvm::isDigit(result.front()))
    result.insert(result.begin(), '_');
  return result;
}

namespace {

/// The contractions of a kernel, the last of which is its own, the edges
/// between them, and whether all elements of the result are added up.
struct Group {
  SmallVector<ContractOp> ops;
  model::Group edges;
  bool isReduced = false;

  ContractOp at(unsigned node) const {
    return node == 0 ? ops.back() : ops[node - 1];
  }
};

/// The operations that become one kernel.
struct KernelOps {
  /// The contraction that stores the result, and those that it is added to or
  /// that compute an input of it.
  ContractOp op;
  ArrayRef<ContractOp> terms;
  /// The arguments in the places of A, B, C, which may stand for all elements
  /// of the result, and the auxiliaries; and the inputs of the other terms.
  SmallVector<Value> tensors, inputs;
  bool reduces = false;
  SmallVector<Value> runtimeScalars;
  /// The types with which the kernel sees the tensors.
  SmallVector<Type> types;
};

struct OutlineKernels : public tc::impl::TCOutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override;

private:
  LogicalResult outline(const Group &group, gpu::GPUModuleOp kernels);
  gpu::GPUFuncOp makeKernel(const KernelOps &ops, gpu::GPUModuleOp kernels,
                            KernelAttr attr);
  void launch(const KernelOps &ops, gpu::GPUFuncOp kernel,
              const KernelInfo &info);
  void noteVersion(ContractOp op, gpu::GPUFuncOp kernel);

  /// The kernels of each function, in their order.
  llvm::StringMap<SmallVector<StringAttr>> kernelsOf;
};

} // namespace

/// Gives the first three operands of a group the places of A, B and C, which
/// the kernel's own contraction has, and returns the others.
static SmallVector<Value> placeOperands(const Group &group,
                                        mlir::MutableArrayRef<Value> tensors) {
  SmallVector<Value> others;
  for (auto [number, operand] : llvm::enumerate(group.edges.operands())) {
    Value value =
        ContractOp(group.at(operand.node)).getOperandOf(operand.tensor);
    if (number >= 3)
      others.push_back(value);
    else if (operand.node != 0)
      tensors[number] = value;
  }
  return others;
}

/// The edges as the kernel's attribute has them.
static std::vector<KernelEdge> edgesOf(const Group &group) {
  std::vector<KernelEdge> edges;
  for (const model::GroupEdge &edge : group.edges.edges) {
    Type type;
    if (model::isOnChip(edge))
      type =
          ContractOp(group.at(edge.from)).getTypeOf(Tensor::C).getElementType();
    edges.push_back({edge, type});
  }
  return edges;
}

/// Erases a buffer that nothing uses any more.
static void eraseBuffer(Value buffer) {
  if (!llvm::all_of(buffer.getUsers(), llvm::IsaPred<memref::DeallocOp>))
    return;
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers()))
    user->erase();
  buffer.getDefiningOp()->erase();
}

/// Builds the function, with copies of the contractions on its arguments: of
/// the other terms, and of that which stores the sum.
gpu::GPUFuncOp OutlineKernels::makeKernel(const KernelOps &ops,
                                          gpu::GPUModuleOp kernels,
                                          KernelAttr attr) {
  ContractOp op = ops.op;
  auto builder =
      ImplicitLocOpBuilder::atBlockEnd(op.getLoc(), kernels.getBody());
  SmallVector<Type> types = ops.types;
  size_t tensors = types.size();
  for (Value input : ops.inputs)
    types.push_back(typeInKernel(input));
  size_t inputs = types.size();
  llvm::append_range(types, ValueRange(ops.runtimeScalars).getTypes());
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
  ValueRange scalars = arguments.drop_front(inputs);
  auto scalar = [&](Value original, mlir::TypedAttr constant) -> Value {
    if (!original)
      return {};
    if (constant)
      return createNumber(builder, op.getLoc(), constant);
    Value argument = scalars.front();
    scalars = scalars.drop_front();
    return argument;
  };
  // Shapes that are taken at run time are in #tc.kernel, and no schedule is for
  // a CPU.
  auto copyTo = [&](ContractOp original, ValueRange operands) {
    ContractOp copy = original.recreate(builder, original.getLoc(), operands,
                                        original.getIndexLists());
    copy.removeCpuScheduleAttr();
    copy.removeDynamicShapeAttr();
    return copy;
  };
  // A tensor between contractions of a chain has a name here, and no memory
  // once it is lowered.
  Value between;
  auto operandsOf = [&](int64_t term) {
    SmallVector<Value> operands;
    for (Tensor tensor : model::allTensors) {
      std::optional<unsigned> place = attr.getArgument(term, tensor);
      if (!place && tensor == Tensor::C)
        between = memref::AllocaOp::create(
            builder, (*attr.getTensorTypes(types, term))[Tensor::C]);
      operands.push_back(place ? Value(arguments[*place]) : between);
    }
    return operands;
  };
  for (auto [number, original] : llvm::enumerate(ops.terms)) {
    // Elements that no consumer takes are stored with their factor.
    mlir::TypedAttr factor = attr->terms[number]->alpha;
    Value alpha;
    if (attr.getGroup().has(model::EdgeKind::Share) &&
        !isOne(model::Semiring::PlusTimes, factor))
      alpha = createNumber(builder, op.getLoc(), factor);
    ContractOp copy =
        copyTo(original, operandsOf(1 + static_cast<int64_t>(number)));
    copy.getAlphaMutable().assign(alpha ? ValueRange(alpha) : ValueRange());
    copy.getBetaMutable().clear();
  }
  // Factors that change nothing leave no code, however they were written: a C
  // that does not contribute must not be read.
  model::Semiring semiring = op.getSemiring();
  bool usesAlpha = !attr->alpha || !isOne(semiring, attr->alpha);
  bool usesBeta = !attr->beta || !isZero(semiring, attr->beta);
  Value alpha = usesAlpha ? scalar(op.getAlpha(), attr->alpha) : Value();
  Value beta = usesBeta ? scalar(op.getBeta(), attr->beta) : Value();
  SmallVector<Value> operands = operandsOf(/*term=*/0);
  llvm::append_range(operands, arguments.slice(3, tensors - 3));
  ContractOp copy = copyTo(op, operands);
  copy.getAlphaMutable().assign(alpha ? ValueRange(alpha) : ValueRange());
  copy.getBetaMutable().assign(beta ? ValueRange(beta) : ValueRange());
  gpu::ReturnOp::create(builder);
  return kernel;
}

/// Allocates a workspace of the kernel's, whose counters are zero, for a grid
/// of so many blocks.
static Value makeWorkspace(ImplicitLocOpBuilder &builder, MemRefType type,
                           const HostWorkspace &room) {
  auto sized = [&](std::optional<int64_t> elements, Type element) {
    return MemRefType::get({elements.value_or(ShapedType::kDynamic)}, element,
                           mlir::MemRefLayoutAttrInterface(),
                           type.getMemorySpace());
  };
  std::optional<int64_t> bytes = mlir::getConstantIntValue(room.bytes);
  std::optional<int64_t> words = mlir::getConstantIntValue(room.zeroedWords);
  auto sizeOf = [](std::optional<int64_t> known, const Value &size) {
    return known ? ValueRange() : ValueRange(size);
  };
  Value workspace =
      gpu::AllocOp::create(builder, sized(bytes, builder.getI8Type()),
                           /*asyncToken=*/Type(),
                           /*asyncDependencies=*/ValueRange(),
                           /*dynamicSizes=*/sizeOf(bytes, room.bytes),
                           /*symbolOperands=*/ValueRange())
          .getMemref();
  // In words: upstream fills no memory byte by byte.
  Type word = builder.getI32Type();
  Value begin = arith::ConstantIndexOp::create(builder, 0);
  Value counters =
      memref::ViewOp::create(builder, sized(words, word), workspace, begin,
                             sizeOf(words, room.zeroedWords));
  Value zero = arith::ConstantOp::create(builder, builder.getI32IntegerAttr(0));
  gpu::MemsetOp::create(builder, /*asyncToken=*/Type(), ValueRange(), counters,
                        zero);
  return workspace;
}

void OutlineKernels::launch(const KernelOps &ops, gpu::GPUFuncOp kernel,
                            const KernelInfo &info) {
  ContractOp op = ops.op;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  SmallVector<Value> arguments;
  auto pass = [&](Value buffer) {
    auto type =
        cast<MemRefType>(kernel.getArgument(arguments.size()).getType());
    buffer = info.contraction.runTime
                 ? viewAsRepresentative(builder, buffer, type)
                 : withKnownOffset(builder, op.getLoc(), buffer);
    if (buffer.getType() != type)
      buffer = memref::MemorySpaceCastOp::create(builder, type, buffer);
    arguments.push_back(buffer);
  };
  for (Value buffer : ops.tensors)
    pass(buffer);
  for (Value input : ops.inputs)
    pass(input);
  llvm::append_range(arguments, ops.runtimeScalars);
  Value blocks = appendShape(builder, op, ops.tensors, info, arguments);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  Value threads = arith::ConstantIndexOp::create(builder, info.layout.threads);
  Value shared = arith::ConstantIntOp::create(builder, builder.getI32Type(),
                                              info.layout.sharedBytes);
  mlir::OpBuilder::InsertionGuard guard(builder);
  // An empty grid cannot be launched.
  if (!mlir::getConstantIntValue(blocks)) {
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    Value any =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, blocks, zero);
    auto guarded = scf::IfOp::create(builder, any, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  Value workspace;
  if (std::optional<model::SharedSums> sums =
          model::sharedSumsOf(info.contraction, info.layout)) {
    auto type = cast<MemRefType>(
        kernel.getArgument(info.workspaceArgument()).getType());
    workspace =
        makeWorkspace(builder, type, sizeWorkspace(builder, *sums, blocks));
    arguments.push_back(viewAsRepresentative(builder, workspace, type));
  }
  gpu::LaunchFuncOp::create(builder, kernel, gpu::KernelDim3{blocks, one, one},
                            gpu::KernelDim3{threads, one, one}, shared,
                            arguments);
  if (workspace)
    gpu::DeallocOp::create(builder, /*asyncToken=*/Type(), ValueRange(),
                           workspace);
}

/// The texts of all fused code, none if some of it has none.
static FailureOr<mlir::NamedAttrList> getTexts(ContractOp op) {
  FailureOr<FusedCodeTexts> texts =
      describeFusedCode(op, [](Operation *, StringRef) {});
  if (failed(texts))
    return failure();
  mlir::NamedAttrList expressions;
  for (auto [name, text] : {std::pair(model::prologueAKey, &texts->prologueA),
                            std::pair(model::prologueBKey, &texts->prologueB),
                            std::pair(model::productKey, &texts->product),
                            std::pair(model::combineKey, &texts->combine),
                            std::pair(model::epilogueKey, &texts->epilogue)})
    if (!text->empty())
      expressions.append(name, mlir::StringAttr::get(op.getContext(), *text));
  return expressions;
}

/// Those of each contraction of a kernel, null where there is no fused code,
/// and for all if some of it has none.
static SmallVector<mlir::DictionaryAttr>
getExpressions(ArrayRef<ContractOp> ops) {
  SmallVector<mlir::DictionaryAttr> expressions(ops.size());
  for (auto [op, own] : llvm::zip_equal(ops, expressions)) {
    FailureOr<mlir::NamedAttrList> texts = getTexts(op);
    if (failed(texts))
      return SmallVector<mlir::DictionaryAttr>(ops.size());
    if (!texts->empty())
      own = texts->getDictionary(op->getContext());
  }
  return expressions;
}

/// Lets the epilogue combine sums with the old elements of C.
static ContractOp accumulateInEpilogue(ContractOp op) {
  mlir::OperationState state(op.getLoc(), ContractOp::getOperationName(),
                             op->getOperands(), op->getResultTypes());
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
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
  for (Value side : op.getAuxiliaries())
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
  ContractOp::Properties &properties = accumulating.getProperties();
  properties = op.getProperties();
  properties.accumulate = {};
  properties.has_epilogue = mlir::UnitAttr::get(op.getContext());
  op.erase();
  return accumulating;
}

/// The shape that the kernel takes at run time, if it does. Its types have the
/// representative extents.
static DynamicShapeAttr describeShape(ContractOp op) {
  DynamicShapeAttr shape = op.getDynamicShapeAttr();
  if (!shape)
    return {};
  return DynamicShapeAttr::get(op.getContext(), shape.getMultiples(),
                               shape.getOffsetBits(),
                               /*representative=*/mlir::DictionaryAttr());
}

/// A contraction as #tc.kernel records it, on such tensors. `beta` is that of
/// the kernel.
static KernelFields describe(ContractOp op, ArrayRef<Value> tensors,
                             bool reduces, mlir::TypedAttr alpha,
                             mlir::TypedAttr beta) {
  KernelFields kernel;
  kernel.a = op.getAIndices();
  kernel.b = op.getBIndices();
  kernel.c = op.getCIndices();
  kernel.alpha = alpha;
  kernel.beta = beta;
  kernel.precision = op.getPrecision();
  kernel.semiring = {op.getSemiring(), op.getIdentityAttr()};
  if (op.getSemiring() == model::Semiring::UserDefined) {
    model::UserSemiring semiring = describeUserSemiring(op);
    kernel.operations = semiring.operations;
    if (semiring.padding)
      kernel.padding = {(*semiring.padding)[Tensor::A],
                        (*semiring.padding)[Tensor::B]};
  }
  kernel.conjugateA = op.getConjugateA();
  kernel.conjugateB = op.getConjugateB();
  auto yieldedBy = [&](Tensor tensor) {
    return op.getPrologue(tensor) ? op.getFactorTypeOf(tensor) : Type();
  };
  kernel.prologueA = yieldedBy(Tensor::A);
  kernel.prologueB = yieldedBy(Tensor::B);
  if (mlir::Region *epilogue = op.getEpilogue())
    kernel.epilogue = epilogue->getArgument(1).use_empty()
                          ? KernelEpilogue::Write
                          : KernelEpilogue::ReadWrite;
  SmallVector<IndexListAttr> lists = op.getIndexLists();
  kernel.auxiliaries.assign(lists.begin() + 3, lists.end());
  kernel.reduces = reduces;
  kernel.alignment = findAlignment(op, tensors);
  kernel.dynamicShape = describeShape(op);
  kernel.schedule = op.getScheduleAttr();
  return kernel;
}

static mlir::TypedAttr constantAlpha(ContractOp op) {
  return getConstantFactor(op.getAlpha(),
                           getOne(op.getSemiring(), op.getAccumulatorType()));
}

/// The buffer of one number as one of the shape of C, whose elements all lie
/// where it does.
static Value viewAsOutput(ImplicitLocOpBuilder &builder, Value number,
                          MemRefType shape) {
  auto type = cast<MemRefType>(number.getType());
  int64_t offset = type.getStridesAndOffset().second;
  SmallVector<int64_t> strides(shape.getRank(), 0);
  auto viewed = MemRefType::get(
      shape.getShape(), type.getElementType(),
      mlir::StridedLayoutAttr::get(type.getContext(), offset, strides),
      type.getMemorySpace());
  mlir::OpFoldResult begin = builder.getIndexAttr(offset);
  if (ShapedType::isDynamic(offset))
    begin =
        memref::ExtractStridedMetadataOp::create(builder, number).getOffset();
  auto fold = [&](ArrayRef<int64_t> numbers) {
    return mlir::getAsIndexOpFoldResult(builder.getContext(), numbers);
  };
  return memref::ReinterpretCastOp::create(
      builder, viewed, number, begin, fold(shape.getShape()), fold(strides));
}

/// Erases a reduction that a kernel does, and what is there only for it.
static void eraseReduction(linalg::LinalgOp reduction, linalg::FillOp fill) {
  Value buffer = reduction.getDpsInputOperand(0)->get();
  fill->erase();
  reduction->erase();
  eraseBuffer(buffer);
}

/// Says of which kernel another one is a version: of that in the same place of
/// the function of which its own is a copy.
void OutlineKernels::noteVersion(ContractOp op, gpu::GPUFuncOp kernel) {
  auto function = op->getParentOfType<mlir::FunctionOpInterface>();
  if (!function)
    return;
  SmallVector<StringAttr> &made = kernelsOf[function.getName()];
  size_t place = made.size();
  made.push_back(kernel.getNameAttr());
  auto original =
      function->getAttrOfType<mlir::FlatSymbolRefAttr>(versionOfAttrName);
  if (!original)
    return;
  ArrayRef<StringAttr> originals = kernelsOf[original.getValue()];
  if (place < originals.size())
    kernel->setAttr(versionOfAttrName, originals[place]);
}

/// Decides as what a kernel sees its tensors.
static LogicalResult chooseTypes(KernelOps &ops) {
  if (!describeShape(ops.op)) {
    for (Value tensor : ops.tensors)
      ops.types.push_back(typeInKernel(tensor));
    return success();
  }
  FailureOr<model::Contraction> contraction = toContraction(ops.op);
  if (failed(contraction))
    return failure();
  for (auto [tensor, indices] :
       llvm::zip_equal(ops.tensors, ops.op.getIndexLists()))
    ops.types.push_back(inGlobalMemory(representativeType(
        cast<MemRefType>(tensor.getType()), indices, *contraction)));
  return success();
}

/// Gives a kernel the arguments of its shape, if it takes it at run time.
static LogicalResult addShapeArguments(ContractOp op, gpu::GPUFuncOp kernel,
                                       const KernelInfo &info) {
  for (auto [place, argument] : llvm::enumerate(info.shapeArguments))
    if (failed(kernel.insertArgument(info.firstShapeArgument() + place,
                                     typeOfArgument(argument, op.getContext()),
                                     {}, op.getLoc())))
      return op.emitOpError("cannot give its kernel the shape of its tensors");
  return success();
}

/// Makes a kernel of a group. The first term of a sum has the sum's beta.
LogicalResult OutlineKernels::outline(const Group &group,
                                      gpu::GPUModuleOp kernels) {
  ContractOp op = group.ops.back();
  ArrayRef<ContractOp> terms = ArrayRef(group.ops).drop_back();
  SmallVector<mlir::DictionaryAttr> expressions = getExpressions(group.ops);
  bool isSum = group.edges.combinesSums();
  bool isChain = group.edges.has(model::EdgeKind::Feed);
  KernelOps ops{op, terms, {}, {}, /*reduces=*/false, {}, {}};
  SmallVector<Value> placed = op.getTensors();
  ops.inputs = placeOperands(group, placed);
  if (op.getAccumulate())
    op = accumulateInEpilogue(op);
  ops.op = op;
  mlir::TypedAttr zero = getZero(op.getSemiring(), op.getAccumulatorType());
  if (isSum) {
    Value beta = ContractOp(terms.front()).getBeta();
    op.getBetaMutable().assign(beta ? ValueRange(beta) : ValueRange());
  }
  mlir::TypedAttr alpha = constantAlpha(op);
  mlir::TypedAttr beta = getConstantFactor(op.getBeta(), zero);
  ops.tensors = op.getTensors();
  std::copy_n(placed.begin(), 3, ops.tensors.begin());
  if (!alpha)
    ops.runtimeScalars.push_back(op.getAlpha());
  if (!beta)
    ops.runtimeScalars.push_back(op.getBeta());
  linalg::LinalgOp reduction;
  if (group.isReduced)
    reduction = findReduction(op, /*addsTerms=*/!terms.empty());
  linalg::FillOp fill;
  if (reduction) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    fill = findZeroFill(reduction);
    ops.reduces = true;
    ops.tensors[2] =
        viewAsOutput(builder, reduction.getDpsInitOperand(0)->get(),
                     cast<MemRefType>(op.getC().getType()));
  }
  if (failed(chooseTypes(ops)))
    return failure();
  SmallVector<Value> aligned = isChain ? op.getTensors() : ops.tensors;
  KernelFields fields = describe(op, aligned, ops.reduces, alpha, beta);
  fields.expressions = expressions.pop_back_val();
  for (auto [original, texts] : llvm::zip_equal(terms, expressions)) {
    ContractOp term = original;
    SmallVector<Value> tensors = {term.getA(), term.getB(),
                                  isSum ? ops.tensors[2] : term.getC()};
    KernelFields own =
        describe(term, tensors, ops.reduces, constantAlpha(term), zero);
    own.expressions = texts;
    fields.terms.push_back(KernelAttr::get(op.getContext(), own));
  }
  fields.edges = edgesOf(group);
  gpu::GPUFuncOp kernel =
      makeKernel(ops, kernels, KernelAttr::get(op.getContext(), fields));
  FailureOr<KernelPlan> plan = planKernel(kernel, /*hasShapeArguments=*/false);
  if (failed(plan))
    return failure();
  KernelInfo *info = &plan->contractions.front();
  if (failed(addShapeArguments(op, kernel, *info)))
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
  if (!info->contraction.runTime)
    kernel.setKnownGridSizeAttr(builder.getDenseI32ArrayAttr(
        {static_cast<int32_t>(info->layout.blocks), 1, 1}));
  noteVersion(op, kernel);
  launch(ops, kernel, *info);
  llvm::SetVector<Value> between;
  if (isChain) {
    for (ContractOp term : terms)
      between.insert(term.getC());
    if (Operation *softmax = getSoftmaxBetween(terms.back(), op)) {
      between.insert(op.getOperandOf(*getProducedInput(terms.back(), op)));
      softmax->erase();
    }
  }
  for (ContractOp term : terms)
    term.erase();
  op.erase();
  for (Value buffer : between)
    eraseBuffer(buffer);
  if (reduction)
    eraseReduction(reduction, fill);
  ++numKernels;
  return success();
}

/// The contractions of each kernel: those of a `tc.fused`, which is dissolved,
/// or one that stands by itself. Fails if those of a group cannot be one.
static FailureOr<SmallVector<Group>> takeGroups(ModuleOp module,
                                                ArrayRef<ContractOp> ops) {
  SmallVector<Group> groups;
  for (ContractOp op : ops) {
    ContractOp last = groups.empty() ? ContractOp() : groups.back().ops.back();
    if (last && getGroup(op) && getGroup(last) == getGroup(op)) {
      groups.back().ops.push_back(op);
      continue;
    }
    if (getGroup(op) && failed(checkGroup(getGroup(op))))
      return failure();
    groups.push_back({{op}, {}, isReduced(op)});
  }
  for (Group &group : groups)
    group.edges = tc::groupOf(group.ops);
  mlir::IRRewriter rewriter(module.getContext());
  module.walk([&](FusedOp group) { group.dissolve(rewriter); });
  return groups;
}

void OutlineKernels::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<ContractOp> ops;
  module.walk([&](ContractOp op) {
    if (!op->getParentOfType<gpu::GPUFuncOp>())
      ops.push_back(op);
  });
  for (ContractOp op : ops) {
    if (!op.hasBuffers()) {
      op.emitOpError("works on tensors: bufferize it before outlining");
      return signalPassFailure();
    }
    if (!op.getScheduleAttr() && !op.hasZeroExtent()) {
      op.emitOpError("has no schedule: run --tc-tile or write one");
      return signalPassFailure();
    }
  }
  gpu::GPUModuleOp kernels;
  FailureOr<SmallVector<Group>> groups = takeGroups(module, ops);
  if (failed(groups))
    return signalPassFailure();
  for (const Group &group : *groups) {
    if (ContractOp(group.ops.back()).hasZeroExtent()) {
      for (ContractOp empty : group.ops)
        scaleOutput(empty);
      continue;
    }
    if (!kernels) {
      OpBuilder builder(module.getContext());
      kernels =
          gpu::GPUModuleOp::create(builder, module.getLoc(), "tc_kernels");
      mlir::SymbolTable(module).insert(kernels, module.getBody()->begin());
      module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                      builder.getUnitAttr());
    }
    if (failed(outline(group, kernels)))
      return signalPassFailure();
  }
}
