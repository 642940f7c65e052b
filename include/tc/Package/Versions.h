//===- Versions.h - Kernels in place of others ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch takes a kernel, or a version of it that demands less of the tensors:
// what must do for any of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_VERSIONS_H
#define TC_PACKAGE_VERSIONS_H

#include "tc/Package/Package.h"

namespace tc::runtime {

/// A workspace that is enough for a kernel and for each of its versions: as
/// large as the largest, and aligned as the strictest of them asks. None if
/// none of them has one.
std::optional<Workspace> workspaceOfVersions(const std::vector<Kernel> &kernels,
                                             size_t number);

} // namespace tc::runtime

#endif // TC_PACKAGE_VERSIONS_H
