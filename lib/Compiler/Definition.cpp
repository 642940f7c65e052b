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
#include "tc/Package/KernelRecord.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

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

/// Fails unless a type says the element type, extents, strides and offset.
static LogicalResult checkIsKnown(ContractOp op, StringRef name,
                                  ShapedType type) {
  if (!getModelElementType(type.getElementType()))
    return op.emitError("unsupported element type ") << type.getElementType();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  bool known =
      type.hasStaticShape() && succeeded(getLayout(type, strides, offset)) &&
      !ShapedType::isDynamic(offset) && !ShapedType::isDynamicShape(strides);
  if (!known)
    return op.emitError("extents, strides and offset of ")
           << name << " must be static to run it, but it is a " << type;
  return success();
}

/// A tensor that the epilogue reads.
static FailureOr<runtime::TensorArgument>
defineAuxiliary(ContractOp op, std::string name, ShapedType type,
                IndexListAttr indices) {
  if (failed(checkIsKnown(op, name, type)))
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

static FailureOr<runtime::Kernel> defineContraction(ContractOp op) {
  for (auto [name, tensor] :
       llvm::zip_equal(ArrayRef{"A", "B", "C"}, model::allTensors))
    if (failed(checkIsKnown(op, name, op.getTypeOf(tensor))))
      return failure();
  FailureOr<model::ContractionRecord> record = toRecord(op);
  if (failed(record))
    return failure();
  record->reducesC = isReduced(op);
  runtime::Kernel definition = runtime::kernelOf(*record);
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

/// What is reported of a contraction with an index of extent zero.
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

/// Adds a definition to the one of the contraction before, with which it makes
/// one kernel.
static void addTerm(runtime::Kernel &before, runtime::Kernel definition) {
  definition.terms = std::move(before.terms);
  definition.beta = before.beta;
  definition.tensors[2].isRead = before.tensors[2].isRead;
  std::string number = std::to_string(definition.terms.size() + 1);
  for (unsigned input = 0; input < 2; ++input)
    before.tensors[input].name += number;
  before.beta = {};
  definition.terms.push_back(std::move(before));
  before = std::move(definition);
}

namespace {

/// Which kernel has written a value last.
class Writers {
public:
  Producers producersOf(ContractOp op) const {
    return {find(op.getA()), find(op.getB())};
  }

  void add(ContractOp op, size_t kernel, bool isWhole) {
    Value written = op.hasBuffers() ? op.getC() : op.getResult();
    if (isWhole)
      kernels[written] = static_cast<int64_t>(kernel);
    else
      kernels.erase(written);
  }

private:
  std::optional<int64_t> find(Value value) const {
    auto found = kernels.find(value);
    if (found == kernels.end())
      return std::nullopt;
    return found->second;
  }

  llvm::DenseMap<Value, int64_t> kernels;
};

} // namespace

FailureOr<Definitions> tc::defineAll(ModuleOp module) {
  Definitions all;
  ContractOp before;
  Writers writers;
  auto result = module.walk([&](ContractOp op) {
    if (op.hasZeroExtent()) {
      all.empty.push_back(describeEmpty(op));
      return mlir::WalkResult::advance();
    }
    FailureOr<runtime::Kernel> definition = defineContraction(op);
    if (failed(definition))
      return mlir::WalkResult::interrupt();
    bool isTerm = before && getGroup(op) && getGroup(before) == getGroup(op);
    // The last term's inputs are the kernel's.
    if (isTerm) {
      addTerm(all.kernels.back(), std::move(*definition));
      all.producers.back() = writers.producersOf(op);
    } else {
      all.kernels.push_back(std::move(*definition));
      all.producers.push_back(writers.producersOf(op));
    }
    // What a group computes may not be stored.
    writers.add(op, all.kernels.size() - 1, /*isWhole=*/!getGroup(op));
    before = op;
    return mlir::WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return all;
}
