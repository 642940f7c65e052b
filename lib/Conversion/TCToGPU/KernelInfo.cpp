//===- KernelInfo.cpp - What the passes know of a kernel ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recomputes a kernel's contraction and layout from its attribute and types.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToGPU/KernelInfo.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Gpu/Layout/SumExchange.h"
#include "tc/Support/Arithmetic.h"

namespace gpu = mlir::gpu;

namespace tc {

SmallVector<model::TileDim> KernelInfo::inputDims(model::Tensor tensor) const {
  SmallVector<model::TileDim> dims(layout.batch.begin(), layout.batch.end());
  llvm::append_range(dims, tensor == model::Tensor::A ? layout.m : layout.n);
  llvm::append_range(dims, layout.k);
  return dims;
}

const model::GroupEdge *KernelInfo::feedingEdge() const {
  for (const model::GroupEdge &edge : group.edges)
    if (edge.to == static_cast<unsigned>(term) &&
        model::kindOf(edge) == model::EdgeKind::Feed)
      return &edge;
  return nullptr;
}

std::optional<model::Tensor> KernelInfo::fedInput() const {
  const model::GroupEdge *edge = feedingEdge();
  return edge ? std::optional(edge->sink) : std::nullopt;
}

bool KernelInfo::takesSoftmax() const {
  const model::GroupEdge *edge = feedingEdge();
  return edge && edge->softmax;
}

SmallVector<model::TileDim> KernelInfo::outputDims() const {
  SmallVector<model::TileDim> dims(layout.batch.begin(), layout.batch.end());
  llvm::append_range(dims, layout.m);
  llvm::append_range(dims, layout.n);
  return dims;
}

Type KernelInfo::sumType(mlir::MLIRContext *context) const {
  return getElementType(context, contraction.accumulatorType);
}

int64_t KernelInfo::numbersOfElement(model::Tensor tensor) const {
  return model::isComplex(contraction.elementType[tensor])
             ? model::partsOfNumber
             : 1;
}

/// What the epilogue reads besides C, argument after argument.
static LogicalResult describeAuxiliaries(gpu::GPUFuncOp function,
                                         KernelInfo &info) {
  const model::Contraction &contraction = info.contraction;
  std::optional<unsigned> along =
      info.layout.widthC > 1 ? contraction.strideOneIndex(model::Tensor::C)
                             : std::nullopt;
  for (auto [number, indices] : llvm::enumerate(info.attr->auxiliaries)) {
    AuxiliaryTensor &side = info.auxiliaries.emplace_back();
    side.type = cast<MemRefType>(function.getArgument(3 + number).getType());
    auto [strides, offset] = side.type.getStridesAndOffset();
    if (ShapedType::isDynamicShape(strides) || ShapedType::isDynamic(offset))
      return function.emitOpError("strides and offset of auxiliary tensor ")
             << number << " must be known at compile time, but its type is "
             << side.type;
    side.strides.assign(contraction.indices.size(), 0);
    side.offset = offset;
    side.elements += offset;
    for (auto [label, stride] : llvm::zip_equal(indices, strides)) {
      unsigned index = *contraction.find(label.getValue());
      side.indices.push_back(index);
      if (contraction.indices[index].extent == 1 && !contraction.runTime)
        continue;
      side.strides[index] = stride;
      side.elements += (contraction.indices[index].extent - 1) *
                       std::max<int64_t>(stride, 0);
    }
    bool isAlong = along && side.strides[*along] == 1;
    if (!isAlong) {
      side.vectorStride = along ? side.strides[*along] : 0;
      continue;
    }
    side.vectorStride = 1;
    int64_t width = info.layout.widthC;
    ArrayRef<int64_t> alignments = info.attr->alignment;
    int64_t alignment = alignments.empty() ? 0 : alignments[3 + number];
    int64_t bytes = side.type.getElementTypeBitWidth() / 8;
    // What a launch gives is known to be a multiple of some number only.
    auto divides = [&](int64_t number) {
      return contraction.multipleOf(number) % width == 0;
    };
    while (width * bytes > info.target.widestAccessBytes || !divides(offset) ||
           alignment % width != 0 ||
           !llvm::all_of(llvm::enumerate(side.strides), [&](auto entry) {
             return entry.index() == *along || divides(entry.value());
           }))
      width /= 2;
    side.width = width;
    if (width > 1)
      side.strideOne = along;
  }
  return success();
}

bool isContractionKernel(gpu::GPUFuncOp function) {
  return function->hasAttrOfType<KernelAttr>(KernelAttr::attrName);
}

Type typeOfArgument(const model::RunTimeArgument &argument,
                    mlir::MLIRContext *context) {
  return mlir::IntegerType::get(context,
                                static_cast<unsigned>(8 * argument.bytes));
}

/// Holds a function's arguments against those of the kernel's shape.
static LogicalResult checkShapeArguments(gpu::GPUFuncOp function,
                                         const KernelInfo &info) {
  ArrayRef<Type> types = function.getArgumentTypes();
  unsigned first = info.firstShapeArgument();
  if (types.size() < first + info.shapeArguments.size())
    return function.emitOpError("takes its shape at run time, so it must have ")
           << info.shapeArguments.size() << " arguments for it from argument "
           << first << " on, but has " << types.size() << " arguments";
  for (auto [place, argument] : llvm::enumerate(info.shapeArguments)) {
    Type expected = typeOfArgument(argument, function.getContext());
    if (types[first + place] != expected)
      return function.emitOpError("argument ")
             << first + place << ", of its shape, must be " << expected
             << ", but is " << types[first + place];
  }
  return success();
}

static model::FactorRecord readFactor(mlir::TypedAttr constant) {
  if (!constant)
    return {0, true};
  return {getNumber(constant), false};
}

/// The record of a kernel, or of a term of one, with tensors of these types.
static FailureOr<model::ContractionRecord>
readRecord(function_ref<mlir::InFlightDiagnostic()> emitError, KernelAttr attr,
           const model::PerTensor<MemRefType> &types) {
  model::ContractionRecord record;
  if (DynamicShapeAttr shape = attr->dynamicShape)
    record.runTime = shape.getValue();
  FailureOr<model::PerTensor<model::TensorRecord>> tensors =
      readTensors(emitError, {{attr->a, attr->b, attr->c}},
                  {{types[0], types[1], types[2]}}, /*representatives=*/{},
                  record.runTime.has_value());
  if (failed(tensors))
    return failure();
  record.tensors = std::move(*tensors);
  if (!attr->alignment.empty())
    for (auto [tensor, alignment] : llvm::zip(record.tensors, attr->alignment))
      tensor.baseAlignment = alignment;
  model::PerTensor<model::ElementType> factors;
  for (model::Tensor tensor : {model::Tensor::A, model::Tensor::B}) {
    Type yielded = attr.getPrologue(tensor);
    record.hasPrologue[tensor] = static_cast<bool>(yielded);
    factors[tensor] =
        yielded ? *getModelElementType(yielded) : record.tensors[tensor].type;
    record.conjugates[tensor] = attr.getConjugates(tensor);
  }
  record.factorType = model::commonTypeOf(factors[0], factors[1])
                          .value_or(factors[model::Tensor::A]);
  record.precision = attr->precision;
  record.semiring = attr->semiring.kind;
  if (mlir::TypedAttr identity = attr->semiring.identity)
    record.identity = getNumber(identity);
  record.userSemiring = attr.getUserSemiring();
  mlir::TypedAttr beta = attr->beta;
  record.alpha = readFactor(attr->alpha);
  record.beta = readFactor(beta);
  record.hasEpilogue = attr->epilogue != KernelEpilogue::None;
  record.epilogueReadsC = attr->epilogue == KernelEpilogue::ReadWrite;
  record.readsC =
      record.epilogueReadsC || !beta || !isZero(record.semiring, beta);
  record.reducesC = attr->reduces;
  return record;
}

/// What is known of a term without the others.
static FailureOr<KernelInfo> getTermInfo(gpu::GPUFuncOp function, int64_t term,
                                         bool hasShapeArguments = true) {
  KernelInfo info;
  auto kernel = function->getAttrOfType<KernelAttr>(KernelAttr::attrName);
  if (!kernel)
    return function.emitOpError("has no '") << KernelAttr::attrName << "'";
  info.term = term;
  info.terms = 1 + static_cast<int64_t>(kernel->terms.size());
  if (term >= info.terms)
    return function.emitOpError("has no term ")
           << term << ": it has " << info.terms;
  info.attr = term == 0 ? kernel : kernel->terms[term - 1];
  info.group = kernel.getGroup();
  info.firstScalarArgument = kernel.getFirstScalarArgument();
  // The attribute's verifier has seen to the arguments.
  info.types = *kernel.getTensorTypes(function.getArgumentTypes(), term);

  FailureOr<model::ContractionRecord> record =
      readRecord([&] { return function.emitOpError(); }, info.attr, info.types);
  if (failed(record))
    return failure();
  info.record = std::move(*record);
  info.record.isTerm = info.group.has(model::EdgeKind::Accumulate);
  info.contraction = model::contractionOf(info.record);

  const model::Schedule &schedule = info.attr->schedule.getValue();
  model::ComplexForm form = model::formOf(info.contraction, schedule.k);
  info.contraction = model::toForm(form, std::move(info.contraction));
  Result<model::Target> target = lookUpTarget(function, schedule.target);
  if (!target)
    return function.emitOpError(target.error());
  info.target = std::move(*target);
  Result<model::KernelLayout> layout =
      model::layOut(info.contraction, schedule, info.target);
  if (!layout)
    return function.emitOpError(layout.error());
  info.layout = std::move(*layout);
  if (failed(describeAuxiliaries(function, info)))
    return failure();
  if (info.record.runTime) {
    info.shapeArguments = model::runTimeArguments(
        info.contraction, info.layout,
        {info.auxiliaries.begin(), info.auxiliaries.end()});
    if (hasShapeArguments && failed(checkShapeArguments(function, info)))
      return failure();
  }
  return info;
}

model::Handover handoverOf(const KernelInfo &from, const KernelInfo &to) {
  model::Handover handover;
  handover.fed = *to.fedInput();
  handover.linked = model::linkIndices(
      from.contraction, from.record.tensors[model::Tensor::C].labels,
      to.contraction, to.record.tensors[handover.fed].labels, handover.fed);
  handover.softmax = to.takesSoftmax();
  handover.isLast = to.term == 0;
  return handover;
}

model::LinkedIndices sharedIndices(const KernelInfo &first,
                                   const KernelInfo &other) {
  auto labelsOf = [](const KernelInfo &info) -> const auto & {
    for (const model::GroupEdge &edge : info.group.edges)
      if (edge.to == static_cast<unsigned>(info.term))
        return info.record.tensors[edge.sink].labels;
    return info.record.tensors[info.group.edges.front().source].labels;
  };
  return model::linkIndices(first.contraction, labelsOf(first),
                            other.contraction, labelsOf(other));
}

/// Holds the terms of a fan against the kernel's own contraction, and gives
/// that the shared memory that all need.
static LogicalResult checkFan(gpu::GPUFuncOp function,
                              SmallVectorImpl<KernelInfo> &infos) {
  KernelInfo &own = infos.front();
  for (const KernelInfo &info : ArrayRef(infos).drop_front()) {
    if (tc::Status status =
            model::checkBranch(own.contraction, own.layout, info.contraction,
                               info.layout, sharedIndices(own, info));
        !status)
      return function.emitOpError("term ")
             << info.term << " " << status.error();
    own.layout.sharedBytes =
        std::max(own.layout.sharedBytes, info.layout.sharedBytes);
  }
  return success();
}

/// Holds the links of a chain against one another, and gives the last one,
/// which has number zero, the shared memory that all need.
static LogicalResult checkChain(gpu::GPUFuncOp function,
                                SmallVectorImpl<KernelInfo> &infos) {
  std::vector<const model::KernelLayout *> layouts;
  KernelInfo &last = infos.front();
  for (size_t number = 1; number <= infos.size(); ++number) {
    const KernelInfo &info = infos[number % infos.size()];
    layouts.push_back(&info.layout);
    if (number == 1)
      continue;
    const KernelInfo &before = infos[number - 1];
    if (tc::Status status = model::checkLink(before.contraction, before.layout,
                                             info.contraction, info.layout,
                                             handoverOf(before, info));
        !status)
      return function.emitOpError(info.term == 0
                                      ? "the contraction"
                                      : "term " + std::to_string(info.term))
             << " " << status.error();
  }
  last.layout.sharedBytes = model::placeChain(layouts, last.contraction,
                                              handoverOf(infos.back(), last))
                                .bytes;
  return success();
}

FailureOr<SmallVector<KernelInfo, 1>> getTermInfos(gpu::GPUFuncOp function) {
  SmallVector<KernelInfo, 1> infos;
  int64_t terms = 1;
  for (int64_t term = 0; term < terms; ++term) {
    FailureOr<KernelInfo> info = getTermInfo(function, term);
    if (failed(info))
      return failure();
    terms = info->terms;
    infos.push_back(std::move(*info));
  }
  KernelInfo &main = infos.front();
  bool isSum = main.group.has(model::EdgeKind::Accumulate);
  if (main.group.has(model::EdgeKind::Feed) &&
      failed(checkChain(function, infos)))
    return failure();
  if (main.group.has(model::EdgeKind::Share) &&
      failed(checkFan(function, infos)))
    return failure();
  for (auto [number, info] : llvm::enumerate(infos)) {
    if (!isSum || number == 0)
      continue;
    if (tc::Status status = model::checkTerms(main.contraction, main.layout,
                                              info.contraction, info.layout);
        !status)
      return function.emitOpError("term ") << number << ": " << status.error();
    int64_t exchanged =
        model::exchangeBytes(info.layout, main.contraction.accumulatorType);
    main.layout.sharedBytes =
        std::max({main.layout.sharedBytes, info.layout.sharedBytes, exchanged});
  }
  int64_t allowed = main.target.multiprocessor.sharedBytesPerBlock;
  if (main.layout.sharedBytes > allowed)
    return function.emitOpError("needs ")
           << main.layout.sharedBytes
           << " bytes of shared memory for its terms and their sums, but "
           << main.target.name << " allows " << allowed;
  return infos;
}

FailureOr<KernelInfo> getKernelInfo(gpu::GPUFuncOp function,
                                    bool hasShapeArguments) {
  auto kernel = function->getAttrOfType<KernelAttr>(KernelAttr::attrName);
  if (!kernel || kernel->terms.empty())
    return getTermInfo(function, 0, hasShapeArguments);
  FailureOr<SmallVector<KernelInfo, 1>> infos = getTermInfos(function);
  if (failed(infos))
    return failure();
  return infos->front();
}

FailureOr<KernelInfo> getEnclosingKernelInfo(mlir::Operation *op,
                                             int64_t term) {
  auto function = op->getParentOfType<gpu::GPUFuncOp>();
  if (!function)
    return op->emitOpError("must be in a gpu.func");
  return term == 0 ? getKernelInfo(function) : getTermInfo(function, term);
}

} // namespace tc
