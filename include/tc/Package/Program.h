//===- Program.h - Kernels one after the other ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Program of the kernels of a package: a function of tensors, whose temporaries
// lie in one workspace. docs/package.md has the format.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_PROGRAM_H
#define TC_PACKAGE_PROGRAM_H

#include "tc/Problem/Constants.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tc::runtime {

/// An extent that each run of a program says.
struct ProgramExtent {
  std::string name;
  /// The one that its kernels are tuned for.
  int64_t representative = 1;
};

/// A tensor that a program takes, as a pointer to its (offset) base.
struct ProgramParameter {
  std::string name;
  model::ElementType type = model::ElementType::F64;
  /// One for each dimension, strides in elements. Of a program that takes
  /// extents, -1 - n is the n-th of them, strides are zero, and the tensor is
  /// contiguous.
  std::vector<int64_t> extents, strides;
  /// Elements from the base pointer to the first element.
  int64_t offset = 0;
  /// The base pointer must be a multiple of this many bytes (a power of two).
  int64_t alignment = 16;
  /// True if what the caller gives is read, or if the program writes it.
  bool isRead = true, isWritten = false;
};

/// Target of the base pointer of a kernel's tensor.
struct ProgramPlace {
  enum class Kind {
    Parameter, ///< into the tensor that is this parameter
    Workspace, ///< into the program's workspace
    Constant,  ///< to numbers that are all the same
  };
  Kind kind = Kind::Workspace;
  size_t parameter = 0;
  /// Bytes from the base pointer of the parameter, or from the beginning of the
  /// workspace; zero of a program that takes extents.
  int64_t offset = 0;
  /// Of such a program: the number of the slot in its workspace.
  size_t slot = 0;
  model::Constant constant;
};

/// An index of a kernel, and its extent.
struct ProgramIndex {
  std::string label;
  int64_t extent = 1;
};

/// A launch of a kernel or a copy, whose source may be a constant: then it
/// fills its destination.
struct ProgramStep {
  /// The number of the kernel in its package; none for a copy.
  std::optional<size_t> kernel;
  /// Those of the kernel, in the order of its parameters, or source and
  /// destination of the copy.
  std::vector<ProgramPlace> tensors;
  /// The factors that the kernel takes as arguments.
  std::optional<model::Constant> alpha, beta;
  /// Place of the workspace of the kernel, or of a version, in the one of the
  /// program: the first byte or, with extents, the number of its slot.
  std::optional<int64_t> workspace;
  /// Of a program that takes extents: those of the kernel's indices, or of what
  /// a copy writes, as a parameter has them. Its tensors are contiguous.
  std::vector<ProgramIndex> extents;
  /// Bytes of a copy, with extents of each element.
  int64_t bytes = 0;
  /// Of a copy of a constant: that of the elements that are filled.
  model::ElementType type = model::ElementType::F64;

  bool isFill() const {
    return !kernel && tensors.front().kind == ProgramPlace::Kind::Constant;
  }
};

/// Kernels that run one after the other.
struct Program {
  std::string name;
  /// Those that each run says, if there are any. All launches are of kernels
  /// then that take their shape at run time, and temporaries lie in slots
  /// of the workspace, each as large as the largest that is ever in it.
  std::vector<ProgramExtent> extents;
  std::vector<ProgramParameter> parameters;
  /// Temporaries and the workspaces of kernels. It may hold anything before a
  /// run, and does so after it. Zero of a program that takes extents, from
  /// which it follows.
  int64_t workspaceBytes = 0;
  /// The least address of the workspace must be a multiple of this many bytes
  /// (a power of two).
  int64_t workspaceAlignment = 256;
  std::vector<ProgramStep> steps;
};

/// Steps of a program at most.
inline constexpr size_t maxProgramSteps = 65536;

} // namespace tc::runtime

#endif // TC_PACKAGE_PROGRAM_H
