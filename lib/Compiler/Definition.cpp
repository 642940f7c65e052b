//===- Definition.cpp - Contractions as the checker sees them ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Definition.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/FusedCodeText.h"
#include "tc/Analysis/Reductions.h"
#include "tc/Analysis/SumTerms.h"
#include "tc/Dialect/TC/IR/Saturation.h"
#include "tc/Package/KernelRecord.h"
#include "tc/Problem/Semiring.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace tc;
using mlir::ShapedType;
using model::Tensor;

/// Strides and offset of a memref; a tensor is contiguous.
static LogicalResult getLayout(ShapedType type,
                               llvm::SmallVectorImpl<int64_t> &strides,
                               int64_t &offset) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref.getStridesAndOffset(strides, offset);
  offset = 0;
  strides.resize(type.getRank());
  int64_t stride = 1;
  for (int64_t i = type.getRank(); i-- > 0;) {
    strides[i] = stride;
    stride *= type.getDimSize(i);
  }
  return success();
}

/// Fails unless a type says the element type, extents and strides, and the
/// offset if that is needed.
static LogicalResult checkIsKnown(ContractOp op, StringRef name,
                                  ShapedType type, bool needsOffset) {
  if (!getModelElementType(type.getElementType()))
    return op.emitError("unsupported element type ") << type.getElementType();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  bool known = type.hasStaticShape() &&
               succeeded(getLayout(type, strides, offset)) &&
               !(needsOffset && ShapedType::isDynamic(offset)) &&
               !ShapedType::isDynamicShape(strides);
  if (!known)
    return op.emitError(needsOffset ? "extents, strides and offset of "
                                    : "extents and strides of ")
           << name << " must be static to run it, but it is a " << type;
  return success();
}

/// A tensor that the epilogue reads.
static FailureOr<runtime::TensorArgument>
defineAuxiliary(ContractOp op, std::string name, ShapedType type,
                IndexListAttr indices) {
  if (failed(checkIsKnown(op, name, type, /*needsOffset=*/true)))
    return failure();
  runtime::TensorArgument argument;
  argument.name = std::move(name);
  argument.type = *getModelElementType(type.getElementType());
  SmallVector<int64_t> strides;
  if (failed(getLayout(type, strides, argument.offset)))
    return failure();
  for (StringAttr label : indices)
    argument.labels.push_back(label.str());
  argument.extents.assign(type.getShape().begin(), type.getShape().end());
  argument.strides.assign(strides.begin(), strides.end());
  return argument;
}

/// Makes C the sum of all its elements, where their reduction has it.
static LogicalResult placeSum(ContractOp op, runtime::TensorArgument &c) {
  c.strides.assign(c.strides.size(), 0);
  auto reduction = cast<mlir::linalg::LinalgOp>(getGroup(op).getReduction());
  auto type =
      dyn_cast<MemRefType>(reduction.getDpsInitOperand(0)->get().getType());
  if (!type)
    return success();
  c.offset = type.getStridesAndOffset().second;
  if (ShapedType::isDynamic(c.offset))
    return reduction->emitError("offset of the sum must be static to run it, "
                                "but it is a ")
           << type;
  return success();
}

/// Strides of a tensor that will be a buffer: of a slice, those of what it was
/// taken from; others are contiguous.
static SmallVector<int64_t> findStrides(Value tensor) {
  SmallVector<int64_t> strides;
  auto slice = tensor.getDefiningOp<mlir::tensor::ExtractSliceOp>();
  if (!slice) {
    int64_t offset = 0;
    (void)getLayout(cast<ShapedType>(tensor.getType()), strides, offset);
    return strides;
  }
  SmallVector<int64_t> outer = findStrides(slice.getSource());
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [dim, step] : llvm::enumerate(slice.getStaticStrides()))
    if (!dropped.test(dim))
      strides.push_back(outer[dim] * step);
  return strides;
}

/// Offset of a tensor in its buffer: dynamic where a loop says.
static int64_t findOffset(Value tensor) {
  auto slice = tensor.getDefiningOp<mlir::tensor::ExtractSliceOp>();
  if (!slice)
    return 0;
  int64_t offset = findOffset(slice.getSource());
  for (auto [first, stride] : llvm::zip_equal(slice.getStaticOffsets(),
                                              findStrides(slice.getSource()))) {
    if (ShapedType::isDynamic(first) || ShapedType::isDynamic(offset))
      return ShapedType::kDynamic;
    offset += first * stride;
  }
  return offset;
}

static FailureOr<runtime::Kernel> defineContraction(ContractOp op) {
  constexpr StringRef names[] = {"A", "B", "C"};
  for (auto [name, tensor] : llvm::zip_equal(names, model::allTensors))
    // A kernel is not told the place at which its tile begins, as of slices in
    // a loop.
    if (failed(checkIsKnown(op, name, op.getTypeOf(tensor),
                            /*needsOffset=*/false)))
      return failure();
  FailureOr<model::ContractionRecord> record = toRecord(op);
  if (failed(record))
    return failure();
  record->reducesC = isReduced(op);
  runtime::Kernel definition = runtime::kernelOf(*record);
  definition.nonsaturating = !saturates(op);
  for (model::Tensor tensor : model::allTensors)
    if (Value value = op.getOperandOf(tensor);
        value.getDefiningOp<mlir::tensor::ExtractSliceOp>()) {
      SmallVector<int64_t> strides = findStrides(value);
      runtime::TensorArgument &argument =
          definition.tensors[static_cast<size_t>(tensor)];
      argument.strides.assign(strides.begin(), strides.end());
      // A kernel whose tile begins where a loop says takes a pointer to that.
      int64_t offset = findOffset(value);
      argument.offset = ShapedType::isDynamic(offset) ? 0 : offset;
    }
  if (definition.reduces && failed(placeSum(op, definition.tensors[2])))
    return failure();
  SmallVector<IndexListAttr> lists = op.getIndexLists();
  for (auto [number, auxiliary, indices] :
       llvm::enumerate(op.getAuxiliaries(), ArrayRef(lists).drop_front(3))) {
    FailureOr<runtime::TensorArgument> argument =
        defineAuxiliary(op, nameOfAuxiliary(number),
                        cast<ShapedType>(auxiliary.getType()), indices);
    if (failed(argument))
      return failure();
    definition.auxiliaries.push_back(std::move(*argument));
  }
  FailureOr<FusedCodeTexts> texts =
      describeFusedCode(op, [](Operation *culprit, StringRef why) {
        culprit->emitError("checking results of this code is not possible: ")
            << why;
      });
  if (failed(texts))
    return failure();
  definition.prologueA = std::move(texts->prologueA);
  definition.prologueB = std::move(texts->prologueB);
  definition.product = std::move(texts->product);
  definition.combine = std::move(texts->combine);
  definition.epilogue = std::move(texts->epilogue);
  return definition;
}

/// Report of a contraction with an index of extent zero.
static EmptyContraction describeEmpty(ContractOp op) {
  EmptyContraction empty;
  for (StringAttr label : op.getIndices(model::Tensor::C))
    empty.output += (empty.output.empty() ? "C[" : ",") + label.str();
  empty.output += empty.output.empty() ? "C[]" : "]";
  for (StringAttr label : op.getLabels())
    if (op.getExtent(label) == 0)
      empty.index = label.str();
  return empty;
}

namespace {

/// Contents of values.
class Contents {
public:
  TensorSource find(Value value) const;
  TensorSources find(ContractOp op) const;

  void set(Value value, TensorSource source) { sources[value] = source; }
  void forget(Value value) { sources.erase(value); }
  void setEmptySum(ContractOp op);
  void setStored(mlir::memref::StoreOp op);

private:
  llvm::DenseMap<Value, TensorSource> sources;
};

} // namespace

/// Output of a contraction: its result or, on memrefs, the buffer of C.
static Value getOutput(ContractOp op) {
  return op.hasBuffers() ? op.getC() : Value(op.getResult());
}

TensorSource Contents::find(Value value) const {
  auto found = sources.find(value);
  if (found != sources.end())
    return found->second;
  mlir::SplatElementsAttr splat;
  if (!matchPattern(value, mlir::m_Constant(&splat)))
    return {};
  return {std::nullopt, getSplatNumber(splat)};
}

TensorSources Contents::find(ContractOp op) const {
  TensorSources all = {find(op.getA()), find(op.getB()), find(op.getC())};
  for (Value auxiliary : op.getAuxiliaries())
    all.push_back(find(auxiliary));
  return all;
}

/// Without products, the output is zero or, if they would be added to C, that.
void Contents::setEmptySum(ContractOp op) {
  Value output = getOutput(op);
  if (op.getEpilogue() || op.getSemiring() == model::Semiring::UserDefined)
    return forget(output);
  if (!op.readsC())
    return set(output,
               {std::nullopt,
                model::zeroOf(op.getSemiring(),
                              *getModelElementType(op.getAccumulatorType()))});
  if (op.addsToC())
    return set(output, find(op.getC()));
  forget(output);
}

/// A buffer of one element is what is stored in it.
void Contents::setStored(mlir::memref::StoreOp op) {
  mlir::TypedAttr number = getConstantNumber(op.getValueToStore());
  if (number && op.getMemRefType().getRank() == 0)
    return set(op.getMemRef(), {std::nullopt, getNumber(number)});
  forget(op.getMemRef());
}

namespace {

/// The contractions of a kernel while they are read, the kernel's own last.
struct Members {
  SmallVector<ContractOp> ops;
  std::vector<runtime::Kernel> definitions;
  std::vector<TensorSources> sources;
};

} // namespace

/// The definition of a kernel that computes contractions as a group.
static runtime::Kernel defineGroup(const Members &members,
                                   const model::Group &group) {
  runtime::Kernel definition = members.definitions.back();
  if (group.combinesSums()) {
    // The first one adds to C.
    const runtime::Kernel &first = members.definitions.front();
    definition.beta = first.beta;
    definition.tensors[2].isRead = first.tensors[2].isRead;
  }
  std::vector<runtime::KernelContraction> others;
  for (const runtime::Kernel &member :
       ArrayRef(members.definitions).drop_back()) {
    others.push_back(member);
    others.back().beta = {};
  }
  runtime::setGroup(definition, std::move(others), group.edges);
  return definition;
}

/// The sources of such a kernel's tensors, in the order of its parameters.
static TensorSources sourcesOf(const Members &members,
                               const model::Group &group) {
  auto sourceOf = [&](const model::GroupTensor &tensor) {
    const TensorSources &of = tensor.node == 0
                                  ? members.sources.back()
                                  : members.sources[tensor.node - 1];
    return of[static_cast<size_t>(tensor.tensor)];
  };
  std::vector<model::GroupTensor> operands = group.operands();
  TensorSources sources;
  for (const model::GroupTensor &operand : ArrayRef(operands).take_front(3))
    sources.push_back(sourceOf(operand));
  if (group.combinesSums())
    sources[2] = members.sources.front()[2];
  llvm::append_range(sources, ArrayRef(members.sources.back()).drop_front(3));
  for (const model::GroupTensor &operand : ArrayRef(operands).drop_front(3))
    sources.push_back(sourceOf(operand));
  return sources;
}

FailureOr<Definitions> tc::defineAll(ModuleOp module) {
  Definitions all;
  Contents contents;
  Members members;
  /// Ends the group of the contractions that were read, if there are any.
  auto endGroup = [&] {
    if (members.ops.empty())
      return;
    model::Group group = tc::groupOf(members.ops);
    all.kernels.push_back(defineGroup(members, group));
    all.sources.push_back(sourcesOf(members, group));
    members = {};
  };
  auto define = [&](ContractOp op) -> LogicalResult {
    if (op.hasZeroExtent()) {
      all.empty.push_back(describeEmpty(op));
      contents.setEmptySum(op);
      return success();
    }
    FailureOr<runtime::Kernel> definition = defineContraction(op);
    if (failed(definition))
      return failure();
    members.ops.push_back(op);
    members.definitions.push_back(std::move(*definition));
    members.sources.push_back(contents.find(op));
    // The outputs of a group are known when all of it has been read.
    if (getGroup(op)) {
      contents.forget(getOutput(op));
      return success();
    }
    endGroup();
    contents.set(getOutput(op),
                 {static_cast<int64_t>(all.kernels.size()) - 1, {}});
    return success();
  };
  // Operations of a region come before the one that has it.
  auto result = module.walk([&](Operation *op) {
    if (auto contraction = dyn_cast<ContractOp>(op))
      return mlir::WalkResult(define(contraction));
    if (auto store = dyn_cast<mlir::memref::StoreOp>(op))
      contents.setStored(store);
    auto fused = dyn_cast<FusedOp>(op);
    if (!fused || members.ops.empty())
      return mlir::WalkResult::advance();
    ContractOp last = members.ops.back();
    bool storesOne = tc::groupOf(members.ops).storedNodes().size() == 1;
    endGroup();
    for (Value output : fused.getResults())
      contents.forget(output);
    if (storesOne && !fused.getReduction())
      contents.set(last.hasBuffers() ? last.getC() : fused->getResult(0),
                   {static_cast<int64_t>(all.kernels.size()) - 1, {}});
    return mlir::WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return all;
}
