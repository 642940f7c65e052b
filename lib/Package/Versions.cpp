//===- Versions.cpp - Kernels in place of others --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Versions.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;

std::optional<Workspace>
tc::runtime::workspaceOfVersions(const std::vector<Kernel> &kernels,
                                 size_t number) {
  std::optional<Workspace> enough;
  for (size_t i = number; i < kernels.size(); ++i) {
    const Kernel &kernel = kernels[i];
    if (!kernel.workspace ||
        (i != number && kernel.versionOf != kernels[number].entry))
      continue;
    if (!enough)
      enough.emplace();
    enough->bytes = std::max(enough->bytes, kernel.workspace->bytes);
    enough->zeroedBytes =
        std::max(enough->zeroedBytes, kernel.workspace->zeroedBytes);
    enough->alignment =
        std::max(enough->alignment, kernel.workspace->alignment);
  }
  return enough;
}
