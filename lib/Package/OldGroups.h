//===- OldGroups.h - Groups of older packages -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_OLDGROUPS_H
#define TC_LIB_PACKAGE_OLDGROUPS_H

#include "tc/Support/Result.h"

#include <nlohmann/json_fwd.hpp>

namespace tc::runtime {

/// Rewrites the kernels of a package of a version before groups, which have a
/// list for each kind of edge ("terms", "links" and "branches"), as the current
/// version has them. Leaves other documents as they are. Fails, naming the JSON
/// path, where such a list is not one.
Status upgradeGroups(nlohmann::ordered_json &package);

} // namespace tc::runtime

#endif // TC_LIB_PACKAGE_OLDGROUPS_H
