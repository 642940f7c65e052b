//===- ProgramFields.h - Sources and what becomes of them -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists of the fields of sources and of programs for CPUs;
// tc/Support/Record.h says what follows from them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_COMPILER_PROGRAMFIELDS_H
#define TC_LIB_COMPILER_PROGRAMFIELDS_H

#include "tc/Compiler/HostCache.h"
#include "tc/Import/ParsedContractionFields.h"
#include "tc/Package/PackageFields.h"

namespace tc {

constexpr auto fieldsOf(const Source *) {
  return std::make_tuple(field("name", &Source::name, FieldUse::Place),
                         field("contractions", &Source::contractions),
                         field("program", &Source::program),
                         field("text", &Source::text),
                         field("reduces", &Source::reduces),
                         field("saturates", &Source::saturates));
}

constexpr auto fieldsOf(const CompiledObject *) {
  return std::make_tuple(field("object", &CompiledObject::object),
                         field("functions", &CompiledObject::functions));
}

constexpr auto fieldsOf(const EmptyContraction *) {
  return std::make_tuple(field("output", &EmptyContraction::output),
                         field("index", &EmptyContraction::index));
}

constexpr auto fieldsOf(const TensorSource *) {
  return std::make_tuple(field("kernel", &TensorSource::kernel),
                         field("number", &TensorSource::number));
}

constexpr auto fieldsOf(const HostKernel *) {
  return std::make_tuple(field("definition", &HostKernel::definition),
                         field("sources", &HostKernel::sources),
                         field("schedule", &HostKernel::schedule),
                         field("threads", &HostKernel::threads),
                         field("panel_bytes", &HostKernel::panelBytes),
                         field("strategies", &HostKernel::strategies));
}

constexpr auto fieldsOf(const HostProgram *) {
  return std::make_tuple(field("kernels", &HostProgram::kernels),
                         field("empty", &HostProgram::empty),
                         field("program", &HostProgram::program),
                         field("obstacle", &HostProgram::programObstacle),
                         field("threads", &HostProgram::threads),
                         field("extents", &HostProgram::extents),
                         field("object", &HostProgram::object),
                         field("header", &HostProgram::header),
                         field("calls_library", &HostProgram::callsLibrary));
}

} // namespace tc

#endif // TC_LIB_COMPILER_PROGRAMFIELDS_H
