//===- ProgramShape.h - Programs for certain extents ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives programs that take extents those to be run with. What comes out is a
// program like any other, with the shape that each step's kernel is to have.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_PROGRAMSHAPE_H
#define TC_PACKAGE_PROGRAMSHAPE_H

#include "tc/Package/DynamicShape.h"

namespace tc::runtime {

/// A program for certain extents, and the shapes of its steps' kernels.
struct BoundProgram {
  Program program;
  std::vector<KernelShape> shapes;
};

/// A program of a package, which takes extents, for these, in their order:
/// places in the workspace are bytes, its size is known, and parameters have
/// extents and strides. Fails, naming the extent and the number, if one is less
/// than one or there are not as many, and else with the kernel and what keeps
/// it and all its versions from the shape, or if the workspace has more bytes
/// than can be counted.
Result<BoundProgram> bindProgram(const Package &package, const Program &program,
                                 const std::vector<int64_t> &extents);

/// The kernels of a package with the shapes that the steps of such a program
/// give them, for extents by their names: of a kernel that several launch, the
/// first one's. Fails, naming the extent, if one is missing or of no program's,
/// and as `bindProgram` does.
Result<ShapedKernels> bindSteps(const Package &package, const Program &program,
                                const std::map<std::string, int64_t> &extents);

/// Those that it is tuned for.
std::vector<int64_t> representativesOf(const Program &program);

} // namespace tc::runtime

#endif // TC_PACKAGE_PROGRAMSHAPE_H
