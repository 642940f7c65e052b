//===- PackageFields.h - What a package holds, by name ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists of the fields of kernels and of what they consist of;
// tc/Support/Record.h tells what follows from them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_PACKAGEFIELDS_H
#define TC_RUNTIME_PACKAGEFIELDS_H

#include "tc/Model/RecordValues.h"
#include "tc/Runtime/Package.h"

namespace tc::model {

constexpr auto fieldsOf(const GridMapping *) {
  return std::make_tuple(field("raster_m", &GridMapping::rasterM),
                         field("stationary", &GridMapping::stationary),
                         field("walk", &GridMapping::walk),
                         field("split_k", &GridMapping::splitK));
}

} // namespace tc::model

namespace tc::runtime {

constexpr auto fieldsOf(const TensorArgument *) {
  using Record = TensorArgument;
  return std::make_tuple(
      field("name", &Record::name), field("type", &Record::type),
      field("indices", &Record::labels), field("extents", &Record::extents),
      field("strides", &Record::strides), field("offset", &Record::offset),
      field("alignment", &Record::alignment), field("is_read", &Record::isRead),
      field("is_written", &Record::isWritten));
}

constexpr auto fieldsOf(const Scalar *) {
  return std::make_tuple(field("value", &Scalar::value),
                         field("is_argument", &Scalar::isArgument));
}

constexpr auto fieldsOf(const GridDim *) {
  return std::make_tuple(field("index", &GridDim::label),
                         field("extent", &GridDim::extent),
                         field("tile", &GridDim::tile));
}

constexpr auto fieldsOf(const Workspace *) {
  return std::make_tuple(field("bytes", &Workspace::bytes),
                         field("zeroed_bytes", &Workspace::zeroedBytes),
                         field("alignment", &Workspace::alignment));
}

constexpr auto fieldsOf(const ShapeArgument *) {
  return std::make_tuple(field("quantity", &ShapeArgument::quantity),
                         field("index", &ShapeArgument::label),
                         field("tensor", &ShapeArgument::tensor),
                         field("reciprocal", &ShapeArgument::isReciprocal),
                         field("bytes", &ShapeArgument::bytes));
}

constexpr auto fieldsOf(const RunTimeShape::Index *) {
  using Record = RunTimeShape::Index;
  return std::make_tuple(field("index", &Record::label),
                         field("tile", &Record::tile),
                         field("multiple", &Record::multiple));
}

constexpr auto fieldsOf(const RunTimeShape::Tensor *) {
  using Record = RunTimeShape::Tensor;
  return std::make_tuple(field("multiple", &Record::multiple),
                         field("stride_one", &Record::strideOne));
}

constexpr auto fieldsOf(const RunTimeShape *) {
  return std::make_tuple(field("indices", &RunTimeShape::indices),
                         field("tensors", &RunTimeShape::tensors),
                         field("offset_bits", &RunTimeShape::offsetBits),
                         field("arguments", &RunTimeShape::arguments));
}

constexpr auto fieldsOf(const Kernel *) {
  return std::make_tuple(
      field("entry", &Kernel::entry), field("symbol", &Kernel::symbol),
      field("version_of", &Kernel::versionOf), field("grid", &Kernel::grid),
      field("block", &Kernel::block),
      field("static_shared_bytes", &Kernel::staticSharedBytes),
      field("dynamic_shared_bytes", &Kernel::dynamicSharedBytes),
      field("tensors", &Kernel::tensors),
      field("accumulator", &Kernel::accumulatorType),
      field("precision", &Kernel::precision),
      field("semiring", &Kernel::semiring), field("product", &Kernel::product),
      field("combine", &Kernel::combine), field("identity", &Kernel::identity),
      field("alpha", &Kernel::alpha), field("beta", &Kernel::beta),
      field("conjugate_a", &Kernel::conjugatesA),
      field("conjugate_b", &Kernel::conjugatesB),
      field("prologue_a", &Kernel::prologueA),
      field("prologue_b", &Kernel::prologueB),
      field("epilogue", &Kernel::epilogue),
      field("factors", &Kernel::factorType), field("sides", &Kernel::sides),
      field("other_code", &Kernel::hasOtherCode),
      field("reduce", &Kernel::reduces), field("grid_dims", &Kernel::gridDims),
      field("mapping", &Kernel::mapping),
      field("workspace", &Kernel::workspace),
      field("run_time_shape", &Kernel::runTimeShape),
      field("schedule", &Kernel::schedule), field("terms", &Kernel::terms));
}

} // namespace tc::runtime

#endif // TC_RUNTIME_PACKAGEFIELDS_H
