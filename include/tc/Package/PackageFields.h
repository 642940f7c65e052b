//===- PackageFields.h - Fields of a package, by name -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists of the fields of kernels and of what they consist of;
// tc/Support/Record.h says what follows from them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_PACKAGEFIELDS_H
#define TC_PACKAGE_PACKAGEFIELDS_H

#include "tc/Gpu/Layout/ScheduleFields.h"
#include "tc/Package/Package.h"
#include "tc/Problem/FusedCodeKeys.h"
#include "tc/Problem/RecordValues.h"

namespace tc::runtime {

constexpr auto fieldsOf(const TensorArgument *) {
  using Record = TensorArgument;
  return std::make_tuple(field("name", &Record::name),
                         field("type", &Record::type),
                         field("indices", &Record::labels),
                         field("extents", &Record::extents).atLeast(1),
                         field("strides", &Record::strides),
                         field("offset", &Record::offset).atLeast(0),
                         field("alignment", &Record::alignment).atLeast(1),
                         field("is_read", &Record::isRead),
                         field("is_written", &Record::isWritten));
}

constexpr auto fieldsOf(const ProgramParameter *) {
  using Record = ProgramParameter;
  return std::make_tuple(field("name", &Record::name),
                         field("type", &Record::type),
                         field("extents", &Record::extents).atLeast(1),
                         field("strides", &Record::strides),
                         field("offset", &Record::offset).atLeast(0),
                         field("alignment", &Record::alignment).atLeast(1),
                         field("is_read", &Record::isRead),
                         field("is_written", &Record::isWritten));
}

constexpr auto fieldsOf(const Scalar *) {
  return std::make_tuple(field("value", &Scalar::value),
                         field("is_argument", &Scalar::isArgument));
}

constexpr auto fieldsOf(const GridDim *) {
  return std::make_tuple(field("index", &GridDim::label),
                         field("extent", &GridDim::extent).atLeast(1),
                         field("tile", &GridDim::tile).atLeast(1));
}

constexpr auto fieldsOf(const Workspace *) {
  return std::make_tuple(
      field("bytes", &Workspace::bytes).atLeast(1),
      field("zeroed_bytes", &Workspace::zeroedBytes).atLeast(0),
      field("alignment", &Workspace::alignment).atLeast(1));
}

constexpr auto fieldsOf(const ShapeArgument *) {
  return std::make_tuple(
      field("quantity", &ShapeArgument::quantity),
      field("index", &ShapeArgument::label).orAbsent(),
      field("tensor", &ShapeArgument::tensor).orAbsent(),
      field("reciprocal", &ShapeArgument::isReciprocal).orAbsent(),
      field("bytes", &ShapeArgument::bytes).atLeast(1));
}

constexpr auto fieldsOf(const DynamicShape::Index *) {
  using Record = DynamicShape::Index;
  return std::make_tuple(field("index", &Record::label),
                         field("tile", &Record::tile).atLeast(1),
                         field("multiple", &Record::multiple).atLeast(1));
}

constexpr auto fieldsOf(const DynamicShape::Tensor *) {
  using Record = DynamicShape::Tensor;
  return std::make_tuple(field("multiple", &Record::multiple).atLeast(1),
                         field("stride_one", &Record::strideOne).orAbsent());
}

constexpr auto fieldsOf(const DynamicShape *) {
  return std::make_tuple(field("indices", &DynamicShape::indices),
                         field("tensors", &DynamicShape::tensors),
                         field("offset_bits", &DynamicShape::offsetBits),
                         field("arguments", &DynamicShape::arguments));
}

constexpr auto fieldsOf(const ProgramPlace *) {
  return std::make_tuple(field("kind", &ProgramPlace::kind),
                         field("parameter", &ProgramPlace::parameter),
                         field("offset", &ProgramPlace::offset),
                         field("slot", &ProgramPlace::slot),
                         field("constant", &ProgramPlace::constant));
}

constexpr auto fieldsOf(const ProgramIndex *) {
  return std::make_tuple(field("label", &ProgramIndex::label),
                         field("extent", &ProgramIndex::extent));
}

constexpr auto fieldsOf(const ProgramStep *) {
  return std::make_tuple(
      field("kernel", &ProgramStep::kernel),
      field("tensors", &ProgramStep::tensors),
      field("alpha", &ProgramStep::alpha), field("beta", &ProgramStep::beta),
      field("workspace", &ProgramStep::workspace),
      field("extents", &ProgramStep::extents),
      field("bytes", &ProgramStep::bytes), field("type", &ProgramStep::type));
}

constexpr auto fieldsOf(const ProgramExtent *) {
  return std::make_tuple(
      field("name", &ProgramExtent::name),
      field("representative", &ProgramExtent::representative));
}

constexpr auto fieldsOf(const Program *) {
  return std::make_tuple(
      field("name", &Program::name), field("extents", &Program::extents),
      field("parameters", &Program::parameters),
      field("workspace_bytes", &Program::workspaceBytes),
      field("workspace_alignment", &Program::workspaceAlignment),
      field("steps", &Program::steps));
}

/// In the order of the package's format.
constexpr auto fieldsOf(const KernelContraction *) {
  using Record = KernelContraction;
  return std::make_tuple(
      field("tensors", &Record::tensors),
      field("accumulator", &Record::accumulatorType),
      field("precision", &Record::precision),
      field("semiring", &Record::semiring).orAbsent(),
      field("identity", &Record::identity).orAbsent(),
      field("conjugate_a", &Record::conjugatesA).orAbsent(),
      field("conjugate_b", &Record::conjugatesB).orAbsent(),
      field("factors", &Record::factorType).orAbsent(),
      field(model::prologueAKey, &Record::prologueA).orAbsent(),
      field(model::prologueBKey, &Record::prologueB).orAbsent(),
      field(model::productKey, &Record::product).orAbsent(),
      field(model::combineKey, &Record::combine).orAbsent(),
      field(model::epilogueKey, &Record::epilogue).orAbsent(),
      field("other_code", &Record::hasOtherCode),
      field("alpha", &Record::alpha), field("beta", &Record::beta),
      field("schedule", &Record::schedule));
}

constexpr auto fieldsOf(const Kernel *) {
  return std::make_tuple(
      field("entry", &Kernel::entry),
      field("symbol", &Kernel::symbol).orAbsent(),
      field("version_of", &Kernel::versionOf).orAbsent(),
      field("grid", &Kernel::grid).atLeast(1),
      field("block", &Kernel::block).atLeast(1),
      field("static_shared_bytes", &Kernel::staticSharedBytes).atLeast(0),
      field("dynamic_shared_bytes", &Kernel::dynamicSharedBytes).atLeast(0),
      field("tensors", &Kernel::tensors),
      field("auxiliaries", &Kernel::auxiliaries),
      field("accumulator", &Kernel::accumulatorType),
      field("precision", &Kernel::precision),
      field("semiring", &Kernel::semiring).orAbsent(),
      field("identity", &Kernel::identity).orAbsent(),
      field("conjugate_a", &Kernel::conjugatesA).orAbsent(),
      field("conjugate_b", &Kernel::conjugatesB).orAbsent(),
      field("nonsaturating", &Kernel::nonsaturating).orAbsent(),
      field("factors", &Kernel::factorType).orAbsent(),
      field(model::prologueAKey, &Kernel::prologueA).orAbsent(),
      field(model::prologueBKey, &Kernel::prologueB).orAbsent(),
      field(model::productKey, &Kernel::product).orAbsent(),
      field(model::combineKey, &Kernel::combine).orAbsent(),
      field(model::epilogueKey, &Kernel::epilogue).orAbsent(),
      field("other_code", &Kernel::hasOtherCode),
      field("reduce", &Kernel::reduces).orAbsent(),
      field("alpha", &Kernel::alpha), field("beta", &Kernel::beta),
      field("grid_dims", &Kernel::gridDims), field("mapping", &Kernel::mapping),
      field("workspace", &Kernel::workspace),
      field("schedule", &Kernel::schedule),
      field("dynamic_shape", &Kernel::dynamicShape)
          .orAbsent()
          .formerly("run_time_shape"),
      field("contractions", &Kernel::others).orAbsent(),
      field("edges", &Kernel::edges).orAbsent());
}

} // namespace tc::runtime

#endif // TC_PACKAGE_PACKAGEFIELDS_H
