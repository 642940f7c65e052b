//===- ContractionRecord.h - Description of a contraction -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record of a contraction, on whichever way it came: an operation, a
// kernel, a package. The model's normal form and descriptions of kernels are
// made of it, each in one place.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_CONTRACTIONRECORD_H
#define TC_PROBLEM_CONTRACTIONRECORD_H

#include "tc/Problem/RecordValues.h"

namespace tc::model {

/// A tensor of a contraction, with one label, extent and stride (in elements) a
/// dimension.
struct TensorRecord {
  ElementType type = ElementType::F64;
  std::vector<std::string> labels;
  std::vector<int64_t> extents, strides;
  /// As `Contraction` has them.
  int64_t offset = 0, baseAlignment = 0;
};

/// alpha or beta: known, or an argument of the code.
struct FactorRecord {
  Constant value;
  bool isArgument = false;
};

struct ContractionRecord {
  PerTensor<TensorRecord> tensors;
  /// The type in which elements of A and B are multiplied.
  ElementType factorType = ElementType::F64;
  Precision precision = Precision::IEEE;
  Semiring semiring = Semiring::PlusTimes;
  /// Of a user-defined semiring.
  Constant identity;
  UserSemiring userSemiring;
  FactorRecord alpha{1.0, false}, beta{0.0, false};
  /// Of A and B.
  PerTensor<bool> conjugates = {}, hasPrologue = {};
  /// True if a complex product may be computed by three real ones.
  bool allowsThreeProducts = false;
  bool hasEpilogue = false;
  /// True if the epilogue uses what C held, or if anything does.
  bool epilogueReadsC = false, readsC = false;
  bool isTerm = false, reducesC = false;
  std::optional<DynamicShape> runTime;
};

/// The strides of a contiguous tensor, whose last index has stride one.
std::vector<int64_t> contiguousStrides(const std::vector<int64_t> &extents);

/// The type in which products are summed.
inline ElementType accumulatorTypeOf(const ContractionRecord &record) {
  return accumulatorTypeOf(record.factorType);
}

/// The normal form, its indices in the order of C, then of A, then of B. The
/// record is that of a contraction that has been verified. Along an extent of
/// one the stride does not matter and is given as zero, unless extents are
/// known at launch only.
Contraction contractionOf(const ContractionRecord &record);

constexpr auto fieldsOf(const TensorRecord *) {
  using Record = TensorRecord;
  return std::make_tuple(
      field("type", &Record::type), field("indices", &Record::labels),
      field("extents", &Record::extents), field("strides", &Record::strides),
      field("offset", &Record::offset),
      field("base_alignment", &Record::baseAlignment));
}

constexpr auto fieldsOf(const FactorRecord *) {
  return std::make_tuple(field("value", &FactorRecord::value),
                         field("is_argument", &FactorRecord::isArgument));
}

constexpr auto fieldsOf(const UserSemiring *) {
  return std::make_tuple(field("operations", &UserSemiring::operations),
                         field("padding", &UserSemiring::padding));
}

constexpr auto fieldsOf(const DynamicShape *) {
  return std::make_tuple(field("multiples", &DynamicShape::multiples),
                         field("offset_bits", &DynamicShape::offsetBits));
}

constexpr auto fieldsOf(const ContractionRecord *) {
  using Record = ContractionRecord;
  return std::make_tuple(
      field("tensors", &Record::tensors), field("factors", &Record::factorType),
      field("precision", &Record::precision),
      field("semiring", &Record::semiring),
      field("identity", &Record::identity),
      field("user_semiring", &Record::userSemiring),
      field("alpha", &Record::alpha), field("beta", &Record::beta),
      field("conjugates", &Record::conjugates),
      field("prologues", &Record::hasPrologue),
      field("allow_three_products", &Record::allowsThreeProducts),
      field("epilogue", &Record::hasEpilogue),
      field("epilogue_reads_c", &Record::epilogueReadsC),
      field("reads_c", &Record::readsC), field("term", &Record::isTerm),
      field("reduce", &Record::reducesC),
      field("dynamic_shape", &Record::runTime));
}

constexpr auto fieldsOf(const Index *) {
  return std::make_tuple(
      field("label", &Index::label), field("extent", &Index::extent),
      field("role", &Index::role), field("stride", &Index::stride));
}

constexpr auto fieldsOf(const ComplexParts *) {
  return std::make_tuple(field("expanded", &ComplexParts::expanded),
                         field("output", &ComplexParts::output),
                         field("summed", &ComplexParts::summed));
}

constexpr auto fieldsOf(const Contraction *) {
  return std::make_tuple(field("indices", &Contraction::indices),
                         field("types", &Contraction::elementType),
                         field("factors", &Contraction::factorType),
                         field("prologues", &Contraction::hasPrologue),
                         field("sums", &Contraction::accumulatorType),
                         field("precision", &Contraction::precision),
                         field("semiring", &Contraction::semiring),
                         field("user_semiring", &Contraction::userSemiring),
                         field("parts", &Contraction::parts),
                         field("three_products", &Contraction::threeProducts),
                         field("conjugates", &Contraction::conjugates),
                         field("offset", &Contraction::offset),
                         field("base_alignment", &Contraction::baseAlignment),
                         field("reads_c", &Contraction::readsC),
                         field("epilogue", &Contraction::hasEpilogue),
                         field("whole_sums", &Contraction::needsWholeSums),
                         field("term", &Contraction::isTerm),
                         field("reduce", &Contraction::reducesC),
                         field("dynamic_shape", &Contraction::runTime));
}

} // namespace tc::model

#endif // TC_PROBLEM_CONTRACTIONRECORD_H
