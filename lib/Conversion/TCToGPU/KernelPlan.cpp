//===- KernelPlan.cpp - Plans of kernels ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the plan of a kernel from its attribute and its arguments' types.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToGPU/KernelPlan.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Support/Arithmetic.h"

namespace gpu = mlir::gpu;

namespace tc {

SmallVector<model::TileDim> KernelInfo::inputDims(model::Tensor tensor) const {
  SmallVector<model::TileDim> dims(layout.batch.begin(), layout.batch.end());
  llvm::append_range(dims, tensor == model::Tensor::A ? layout.m : layout.n);
  llvm::append_range(dims, layout.k);
  return dims;
}

const model::GroupEdge *KernelInfo::producerEdge() const {
  for (const model::GroupEdge &edge : group.edges)
    if (edge.to == term && model::isOnChip(edge))
      return &edge;
  return nullptr;
}

std::optional<model::Tensor> KernelInfo::producedInput() const {
  const model::GroupEdge *edge = producerEdge();
  return edge ? std::optional(edge->sink) : std::nullopt;
}

bool KernelInfo::takesSoftmax() const {
  const model::GroupEdge *edge = producerEdge();
  return edge && model::takesSoftmax(*edge);
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

/// Describes the tensors that the epilogue reads besides C, argument after
/// argument.
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
    // Numbers that a launch gives are known to be multiples of some number
    // only.
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

/// Plans a contraction of a kernel without the others.
static FailureOr<KernelInfo> getTermInfo(gpu::GPUFuncOp function, unsigned term,
                                         bool hasShapeArguments) {
  KernelInfo info;
  auto kernel = function->getAttrOfType<KernelAttr>(KernelAttr::attrName);
  if (!kernel)
    return function.emitOpError("has no '") << KernelAttr::attrName << "'";
  info.term = term;
  info.terms = 1 + static_cast<unsigned>(kernel->terms.size());
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
  info.record.isTerm = info.group.combinesSums();
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

model::IndexedEdge edgeBetween(const KernelInfo &from, const KernelInfo &to) {
  auto found = llvm::find_if(from.group.edges, [&](const auto &edge) {
    return edge.from == from.term && edge.to == to.term;
  });
  assert(found != from.group.edges.end() && "no such edge");
  return model::indexEdge(*found, from.contraction, to.contraction,
                          [&](const model::GroupTensor &tensor) {
                            const KernelInfo &info =
                                tensor.node == from.term ? from : to;
                            return info.record.tensors[tensor.tensor].labels;
                          });
}

/// Gives a plan's edges their indices, holds layouts against one another, and
/// places what they need.
static LogicalResult connect(gpu::GPUFuncOp function, KernelPlan &plan) {
  std::vector<const model::KernelLayout *> layouts;
  for (const KernelInfo &info : plan.contractions) {
    plan.group.contractions.push_back(info.contraction);
    layouts.push_back(&info.layout);
  }
  KernelInfo &own = plan.contractions.front();
  for (const model::GroupEdge &edge : own.group.edges) {
    const KernelInfo &from = plan.contractions[edge.from],
                     &to = plan.contractions[edge.to];
    plan.group.edges.push_back(edgeBetween(from, to));
    tc::Status status =
        model::checkEdge(plan.group.edges.back(), from.contraction, from.layout,
                         to.contraction, to.layout);
    if (status)
      continue;
    unsigned node = model::checkedNode(edge);
    bool isOfSum = model::traitsOf(edge).combinesSums;
    return function.emitOpError(node == 0 ? "the contraction"
                                          : "term " + std::to_string(node))
           << (isOfSum ? ": " : " ") << status.error();
  }
  plan.places = model::placeGroup(plan.group, layouts);
  own.layout.sharedBytes = plan.places.bytes;
  int64_t allowed = own.target.multiprocessor.sharedBytesPerBlock;
  if (plan.places.bytes > allowed)
    return function.emitOpError("needs ")
           << plan.places.bytes
           << " bytes of shared memory for its terms and their sums, but "
           << own.target.name << " allows " << allowed;
  return success();
}

FailureOr<KernelPlan> planKernel(gpu::GPUFuncOp function,
                                 bool hasShapeArguments) {
  KernelPlan plan;
  unsigned terms = 1;
  for (unsigned term = 0; term < terms; ++term) {
    FailureOr<KernelInfo> info = getTermInfo(function, term, hasShapeArguments);
    if (failed(info))
      return failure();
    terms = info->terms;
    plan.contractions.push_back(std::move(*info));
  }
  if (failed(connect(function, plan)))
    return failure();
  return plan;
}

const KernelPlan *KernelPlans::planOf(gpu::GPUFuncOp function) {
  auto attr = function->getAttrOfType<KernelAttr>(KernelAttr::attrName);
  std::unique_ptr<KernelPlan> &plan =
      plans[{attr, function.getFunctionType(), getTargetSpecs(function)}];
  if (!plan) {
    FailureOr<KernelPlan> made = planKernel(function);
    if (failed(made))
      return nullptr;
    plan = std::make_unique<KernelPlan>(std::move(*made));
  }
  return plan.get();
}

const KernelInfo *KernelPlans::enclosing(mlir::Operation *op, uint64_t term) {
  auto function = op->getParentOfType<gpu::GPUFuncOp>();
  if (!function) {
    op->emitOpError("must be in a gpu.func");
    return nullptr;
  }
  const KernelPlan *plan = planOf(function);
  if (!plan)
    return nullptr;
  size_t terms = plan->contractions.size();
  if (term < terms)
    return &plan->contractions[term];
  function.emitOpError("has no term ") << term << ": it has " << terms;
  return nullptr;
}

} // namespace tc
