//===- VerifierSupport.h - Common parts of package verifiers ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_VERIFIERSUPPORT_H
#define TC_LIB_PACKAGE_VERIFIERSUPPORT_H

#include "tc/Package/Package.h"

#include <map>
#include <string>

namespace tc::runtime {

/// An error at a JSON path.
inline Error fault(const std::string &path, const std::string &what) {
  return Error{path + ": " + what};
}

inline std::string at(const std::string &path, size_t i) {
  return path + "[" + std::to_string(i) + "]";
}

using ExtentOfLabel = std::map<std::string, int64_t>;

/// Checks a tensor by itself and against the extents that are known, to which
/// it adds its own.
Status verifyTensor(const std::string &path, const TensorArgument &tensor,
                    const std::string &name, ExtentOfLabel &extents);

/// Checks that types, precision, semiring and factors of a contraction go
/// together.
Status verifyArithmetic(const std::string &path,
                        const KernelContraction &contraction,
                        const std::array<std::string, 3> &tensorPaths);

/// Checks the texts of fused code.
Status verifyFusedCode(const std::string &path,
                       const KernelContraction &contraction);

/// Checks that elements of C do not overlap, unless they are added up, and that
/// all its indices are in A or in B.
Status verifyOutput(const std::string &path,
                    const KernelContraction &contraction, bool reduces);

/// Checks the edges of a kernel's contractions, and each but its own one, which
/// has passed by itself.
Status verifyGroup(const std::string &path, const Kernel &kernel);

/// Checks that a version computes the same as an earlier kernel, of tensors
/// that differ in alignment only.
Status verifyVersion(const std::string &path, const Package &package,
                     size_t number);

/// Checks a program that takes no extents.
Status verifyProgram(const std::string &path, const Package &package,
                     const Program &program);

/// Checks a program that takes extents, by itself and for those that it is
/// tuned for.
Status verifyOpenProgram(const std::string &path, const Package &package,
                         const Program &program);

/// Checks what the kernels, which have passed by themselves, compute together.
Status verifyPrograms(const Package &package);

} // namespace tc::runtime

#endif // TC_LIB_PACKAGE_VERIFIERSUPPORT_H
