//===- Shapes.h - The shapes that kernels run with --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_SHAPES_H
#define TC_LIB_RUN_SHAPES_H

#include "Execute.h"

#include <map>
#include <string>

namespace tc::run {

/// The extents that the user gives, by their labels; none if there are none.
Result<std::map<std::string, int64_t>> readExtents(const Options &options);

/// Gives the kernels that take their shape at run time the one that the options
/// say, and leaves out those that do not take it, which `report` names. The
/// program is as it was compiled if it has no such kernels.
Result<CompiledProgram> applyShapes(const CompiledProgram &program,
                                    const Options &options, Report &report);

} // namespace tc::run

#endif // TC_LIB_RUN_SHAPES_H
