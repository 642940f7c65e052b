//===- ContractionDims.cpp - The roles of a contraction's indices ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Roles from index lists; extents and strides from types.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/ContractionDims.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Analysis/Reductions.h"
#include "tc/Analysis/UserSemirings.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"

using namespace tc;
using model::Contraction;
using model::PerTensor;
using model::Role;
using model::Tensor;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

Role tc::inferRole(StringAttr label, IndexListAttr a, IndexListAttr b,
                   IndexListAttr c) {
  if (!c.contains(label))
    return Role::K;
  if (!a.contains(label))
    return Role::N;
  return b.contains(label) ? Role::Batch : Role::M;
}

ContractionDims tc::inferContractionDims(IndexListAttr a, IndexListAttr b,
                                         IndexListAttr c) {
  llvm::SmallSetVector<StringAttr, 8> labels;
  for (IndexListAttr list : {c, a, b})
    labels.insert_range(list);
  ContractionDims dims;
  for (StringAttr label : labels)
    dims[inferRole(label, a, b, c)].push_back(label);
  return dims;
}

ContractionDims tc::inferContractionDims(ContractOp op) {
  return inferContractionDims(op.getAIndices(), op.getBIndices(),
                              op.getCIndices());
}

//===----------------------------------------------------------------------===//
// Extents and strides
//===----------------------------------------------------------------------===//

FailureOr<RepresentativeExtents>
tc::readRepresentatives(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<std::string> entries) {
  RepresentativeExtents extents;
  for (StringRef entry : entries) {
    auto error = [&]() -> InFlightDiagnostic {
      return emitError() << "option 'representative-extents': ";
    };
    auto [label, number] = entry.split('=');
    int64_t extent;
    if (!model::isValidLabel(label))
      return error() << "'" << entry << "' is not of the form LABEL=EXTENT";
    if (number.getAsInteger(10, extent) || extent < 1)
      return error() << "extent of index '" << label
                     << "' must be a number from 1 to 2^63 - 1, but is '"
                     << number << "'";
    if (!extents.try_emplace(label, extent).second)
      return error() << "index '" << label << "' is there twice";
  }
  return extents;
}

/// The name by which messages speak of an operand.
static char nameOf(Tensor tensor) {
  return "ABC"[static_cast<unsigned>(tensor)];
}

/// The strides of a tensor's dimensions and its offset, `kDynamic` where they
/// are unknown.
static std::pair<SmallVector<int64_t>, int64_t>
getStridesAndOffset(ShapedType type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref.getStridesAndOffset();
  SmallVector<int64_t> strides(type.getRank());
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride *= type.getDimSize(dim);
  }
  return {strides, 0};
}

/// Appends the labels' indices, with extents but without strides.
static LogicalResult addIndices(function_ref<InFlightDiagnostic()> emitError,
                                const PerTensor<IndexListAttr> &indices,
                                const PerTensor<ShapedType> &types,
                                const RepresentativeExtents &representatives,
                                Contraction &contraction) {
  for (Tensor tensor : {Tensor::C, Tensor::A, Tensor::B}) {
    for (auto [dim, label] : llvm::enumerate(indices[tensor])) {
      if (contraction.find(label.getValue()))
        continue;
      int64_t extent = types[tensor].getDimSize(dim);
      // Another operand may know what this one does not.
      for (Tensor other : model::allTensors)
        for (auto [otherDim, otherLabel] : llvm::enumerate(indices[other]))
          if (otherLabel == label && !types[other].isDynamicDim(otherDim))
            extent = types[other].getDimSize(otherDim);
      if (ShapedType::isDynamic(extent)) {
        auto representative = representatives.find(label.getValue());
        if (representative == representatives.end())
          return emitError() << "extent of index '" << label.getValue()
                             << "' is unknown at compile time";
        extent = representative->second;
      }
      if (extent == 0)
        return emitError() << "index '" << label.getValue()
                           << "' has extent 0, so that nothing is multiplied";
      contraction.indices.push_back(
          {label.str(),
           extent,
           inferRole(label, indices[Tensor::A], indices[Tensor::B],
                     indices[Tensor::C]),
           {}});
    }
  }
  return success();
}

/// The type with all extents known. Strides of a memref follow from them where
/// its layout is the identity.
static ShapedType withKnownExtents(ShapedType type, IndexListAttr indices,
                                   const Contraction &contraction) {
  if (type.hasStaticShape())
    return type;
  SmallVector<int64_t> shape;
  for (StringAttr label : indices)
    shape.push_back(
        contraction.indices[*contraction.find(label.getValue())].extent);
  return type.clone(shape);
}

MemRefType tc::representativeType(MemRefType type, IndexListAttr indices,
                                  const Contraction &contraction) {
  auto [strides, offset] = type.getStridesAndOffset();
  bool isKnown = type.hasStaticShape() && !ShapedType::isDynamic(offset) &&
                 !ShapedType::isDynamicShape(strides);
  if (isKnown)
    return type;
  SmallVector<int64_t> shape;
  for (StringAttr label : indices)
    shape.push_back(
        contraction.indices[*contraction.find(label.getValue())].extent);
  int64_t contiguous = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (ShapedType::isDynamic(strides[dim]))
      strides[dim] = contiguous;
    // A stride of zero would be taken to be no argument.
    contiguous = std::max(
        contiguous, saturatingMultiply(std::abs(strides[dim]), shape[dim]));
  }
  if (ShapedType::isDynamic(offset))
    offset = 0;
  return MemRefType::get(
      shape, type.getElementType(),
      mlir::StridedLayoutAttr::get(type.getContext(), offset, strides),
      type.getMemorySpace());
}

bool tc::hasUnknownShape(ShapedType type) {
  if (!type.hasStaticShape())
    return true;
  // Without elements, strides are unknown.
  auto memref = dyn_cast<MemRefType>(type);
  return memref && type.getNumElements() > 0 &&
         ShapedType::isDynamicShape(memref.getStridesAndOffset().first);
}

bool tc::hasUnknownShape(ContractOp op) {
  return llvm::any_of(op.getTensors(), [](Value tensor) {
    return hasUnknownShape(cast<ShapedType>(tensor.getType()));
  });
}

std::optional<int64_t> tc::findExtent(ContractOp op, StringAttr label) {
  for (auto [tensor, indices] :
       llvm::zip_equal(op.getTensors(), op.getIndexLists())) {
    auto type = cast<ShapedType>(tensor.getType());
    for (auto [dim, other] : llvm::enumerate(indices))
      if (other == label && !type.isDynamicDim(dim))
        return type.getDimSize(dim);
  }
  return std::nullopt;
}

int64_t tc::getOperandAlignment(ContractOp op, Value buffer) {
  DynamicShapeAttr shape = op.getDynamicShapeAttr();
  if (shape && shape.getMultiples() > 1 &&
      hasUnknownShape(cast<ShapedType>(buffer.getType())))
    return 0;
  return getBaseAlignment(buffer);
}

/// Takes extents, strides and offset from a type whose extents are known.
static LogicalResult readShape(function_ref<InFlightDiagnostic()> emitError,
                               Tensor tensor, ShapedType type, bool isRunTime,
                               model::TensorRecord &record) {
  auto [strides, offset] = getStridesAndOffset(type);
  record.extents.assign(type.getShape().begin(), type.getShape().end());
  for (auto [label, extent, stride] :
       llvm::zip_equal(record.labels, record.extents, strides)) {
    // Nothing lies along an extent of one.
    bool isUnknown = ShapedType::isDynamic(stride);
    if (isUnknown && (extent != 1 || isRunTime))
      return emitError() << "stride of " << nameOf(tensor) << " along index '"
                         << label << "' is unknown at compile time";
    record.strides.push_back(isUnknown ? 0 : stride);
  }
  if (ShapedType::isDynamic(offset)) {
    record.baseAlignment = 1;
    // Lowerings move the base pointer to the lowest element.
    offset = offsetFromLowest(cast<MemRefType>(type));
  }
  record.offset = offset;
  return success();
}

FailureOr<PerTensor<model::TensorRecord>>
tc::readTensors(function_ref<InFlightDiagnostic()> emitError,
                const PerTensor<IndexListAttr> &indices,
                const PerTensor<ShapedType> &types,
                const RepresentativeExtents &representatives, bool isRunTime) {
  PerTensor<model::TensorRecord> records;
  for (Tensor tensor : model::allTensors) {
    Type elementType = types[tensor].getElementType();
    std::optional<model::ElementType> known = getModelElementType(elementType);
    if (!known)
      return emitError() << "element type of " << nameOf(tensor) << " must be "
                         << model::elementTypeNames() << ", but is "
                         << elementType;
    records[tensor].type = *known;
    int64_t labels = indices[tensor].size(), rank = types[tensor].getRank();
    if (labels != rank)
      return emitError() << "index list of " << nameOf(tensor) << " has "
                         << labels << " labels, but its rank is " << rank;
    for (StringAttr label : indices[tensor])
      records[tensor].labels.push_back(label.str());
  }
  // The extents of all indices.
  Contraction extents;
  if (failed(addIndices(emitError, indices, types, representatives, extents)))
    return failure();
  for (Tensor tensor : model::allTensors) {
    ShapedType known =
        withKnownExtents(types[tensor], indices[tensor], extents);
    auto memref = dyn_cast<MemRefType>(types[tensor]);
    if (memref && isRunTime)
      known = representativeType(memref, indices[tensor], extents);
    if (failed(readShape(emitError, tensor, known, isRunTime, records[tensor])))
      return failure();
  }
  return records;
}

/// A factor of an operation.
static model::FactorRecord readFactor(Value factor,
                                      const model::Constant &absent) {
  if (!factor)
    return {absent, false};
  if (mlir::TypedAttr constant = getConstantNumber(factor))
    return {getNumber(constant), false};
  return {0, true};
}

FailureOr<model::ContractionRecord>
tc::toRecord(ContractOp op, const RepresentativeExtents &representatives) {
  PerTensor<IndexListAttr> indices;
  PerTensor<ShapedType> types;
  for (Tensor tensor : model::allTensors) {
    indices[tensor] = op.getIndices(tensor);
    types[tensor] = op.getTypeOf(tensor);
  }
  model::ContractionRecord record;
  RepresentativeExtents extents = representatives;
  if (DynamicShapeAttr shape = op.getDynamicShapeAttr()) {
    record.runTime = shape.getValue();
    if (mlir::DictionaryAttr own = shape.getRepresentative())
      for (mlir::NamedAttribute entry : own)
        extents[entry.getName().getValue()] =
            cast<mlir::IntegerAttr>(entry.getValue()).getInt();
  }
  FailureOr<PerTensor<model::TensorRecord>> tensors =
      readTensors([&] { return op.emitOpError(); }, indices, types, extents,
                  record.runTime.has_value());
  if (failed(tensors))
    return failure();
  record.tensors = std::move(*tensors);
  for (Tensor tensor : model::allTensors)
    if (op.hasBuffers())
      record.tensors[tensor].baseAlignment =
          getOperandAlignment(op, op.getOperandOf(tensor));
    else if (isInUnalignedVersion(op))
      record.tensors[tensor].baseAlignment = 1;
  record.factorType = *getModelElementType(op.getFactorType());
  record.precision = op.getPrecision();
  record.semiring = op.getSemiring();
  if (mlir::TypedAttr identity = op.getIdentityAttr())
    record.identity = getNumber(identity);
  record.userSemiring = describeUserSemiring(op);
  model::ElementType sums = model::accumulatorTypeOf(record);
  record.alpha = readFactor(op.getAlpha(), model::oneOf(record.semiring, sums));
  record.beta = readFactor(op.getBeta(), model::zeroOf(record.semiring, sums));
  for (Tensor tensor : {Tensor::A, Tensor::B}) {
    record.conjugates[tensor] = op.conjugates(tensor);
    record.hasPrologue[tensor] = op.getPrologue(tensor);
  }
  record.allowsThreeProducts = op.getAllowThreeProducts();
  record.hasEpilogue = op.getHasEpilogue();
  record.epilogueReadsC =
      record.hasEpilogue && !op.getEpilogue()->getArgument(1).use_empty();
  record.readsC = op.readsC();
  return record;
}

/// The contraction of an operation, its tensors as they are.
static FailureOr<Contraction>
convert(ContractOp op, const RepresentativeExtents &representatives) {
  if (!op.hasEqualFactors())
    return op.emitOpError("has factors of ")
           << op.getFactorTypeOf(Tensor::A) << " and "
           << op.getFactorTypeOf(Tensor::B)
           << ", of which --tc-widen-inputs makes one type";
  FailureOr<model::ContractionRecord> record = toRecord(op, representatives);
  if (failed(record))
    return failure();
  return model::contractionOf(*record);
}

/// The same for GPUs, whose kernels need not store what is only added up.
static FailureOr<Contraction>
convertForGpu(ContractOp op, const RepresentativeExtents &representatives) {
  FailureOr<Contraction> contraction = convert(op, representatives);
  if (succeeded(contraction) && isReduced(op))
    return model::reduceOutput(std::move(*contraction));
  return contraction;
}

FailureOr<Contraction>
tc::toContraction(ContractOp op, const RepresentativeExtents &representatives) {
  if (std::optional<ScheduleAttr> schedule = op.getSchedule())
    return toContraction(op, representatives, schedule->getValue());
  return toContraction(op, representatives, model::ComplexForm::FourProducts);
}

FailureOr<Contraction>
tc::toContraction(ContractOp op, const RepresentativeExtents &representatives,
                  const model::Schedule &schedule) {
  FailureOr<Contraction> contraction = convertForGpu(op, representatives);
  if (failed(contraction))
    return failure();
  model::ComplexForm form = model::formOf(*contraction, schedule.k);
  return model::toForm(form, std::move(*contraction));
}

FailureOr<Contraction>
tc::toContraction(ContractOp op, const RepresentativeExtents &representatives,
                  model::ComplexForm form) {
  FailureOr<Contraction> contraction = convertForGpu(op, representatives);
  if (failed(contraction))
    return failure();
  return model::toForm(form, std::move(*contraction));
}

FailureOr<Contraction> tc::toContraction(ContractOp op,
                                         const model::CpuSchedule &schedule) {
  FailureOr<Contraction> contraction = convert(op, {});
  if (failed(contraction))
    return failure();
  model::ComplexForm form = model::formOf(*contraction, schedule.k);
  if (form == model::ComplexForm::ThreeProducts && !op.getAllowThreeProducts())
    return op.emitOpError("cpu_schedule: '")
           << model::productsLabel << "' needs allow_three_products";
  return model::joinParts(model::toForm(form, std::move(*contraction)));
}

FailureOr<std::vector<Contraction>> tc::toCpuForms(ContractOp op) {
  FailureOr<Contraction> contraction = convert(op, {});
  if (failed(contraction))
    return failure();
  std::vector<Contraction> forms = {
      model::joinParts(model::toRealParts(*contraction))};
  if (op.getAllowThreeProducts())
    forms.push_back(model::toThreeProducts(std::move(*contraction)));
  return forms;
}
