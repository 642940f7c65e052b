//===- ParsedContractionFields.h - Fields of notations, by name -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists of the fields of parsed contractions and programs;
// tc/Support/Record.h tells what follows from them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IMPORT_PARSEDCONTRACTIONFIELDS_H
#define TC_IMPORT_PARSEDCONTRACTIONFIELDS_H

#include "tc/Import/ParsedProgram.h"

namespace tc::notation {

constexpr auto fieldsOf(const SourcePosition *) {
  return std::make_tuple(field("line", &SourcePosition::line),
                         field("column", &SourcePosition::column));
}

constexpr auto fieldsOf(const SemiringExpressions *) {
  return std::make_tuple(field("product", &SemiringExpressions::product),
                         field("combine", &SemiringExpressions::combine),
                         field("identity", &SemiringExpressions::identity));
}

constexpr auto fieldsOf(const FusedExpressions *) {
  return std::make_tuple(field("prologue_a", &FusedExpressions::prologueA),
                         field("prologue_b", &FusedExpressions::prologueB),
                         field("epilogue", &FusedExpressions::epilogue),
                         field("semiring", &FusedExpressions::semiring));
}

constexpr auto fieldsOf(const ParsedContraction *) {
  using Record = ParsedContraction;
  return std::make_tuple(
      field("name", &Record::name), field("version_of", &Record::versionOf),
      field("operands", &Record::operands), field("record", &Record::record),
      field("further", &Record::further), field("fused", &Record::fused),
      field("auxiliaries", &Record::auxiliaries),
      field("position", &Record::position, FieldUse::Place));
}

constexpr auto fieldsOf(const ProgramTensor *) {
  return std::make_tuple(field("name", &ProgramTensor::name),
                         field("record", &ProgramTensor::record));
}

constexpr auto fieldsOf(const ProgramStep *) {
  return std::make_tuple(field("product", &ProgramStep::product),
                         field("inputs", &ProgramStep::inputs),
                         field("output", &ProgramStep::output),
                         field("path", &ProgramStep::path));
}

constexpr auto fieldsOf(const ParsedProgram *) {
  return std::make_tuple(field("name", &ParsedProgram::name),
                         field("tensors", &ParsedProgram::tensors),
                         field("steps", &ParsedProgram::steps),
                         field("arguments", &ParsedProgram::arguments),
                         field("results", &ParsedProgram::results),
                         field("unknown", &ParsedProgram::unknown));
}

} // namespace tc::notation

#endif // TC_IMPORT_PARSEDCONTRACTIONFIELDS_H
