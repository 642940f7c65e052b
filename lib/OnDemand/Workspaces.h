//===- Workspaces.h - Memory of runs of a program ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ONDEMAND_WORKSPACES_H
#define TC_LIB_ONDEMAND_WORKSPACES_H

#include "tc/Package/Program.h"
#include "tc/Support/Result.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace tc {

struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
using Workspace = std::unique_ptr<void, FreeMemory>;

/// The error of a run that finds no memory for a workspace.
inline Error lackOfWorkspace(int64_t bytes) {
  return {"there is no memory for the program's workspace of " +
          std::to_string(bytes) + " B"};
}

/// The workspaces of a program that no run uses, which later ones take. Any
/// number of threads may use it at once.
class Workspaces {
public:
  /// One of them, or a new one; null where memory is short.
  Workspace take(const runtime::Program &program) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!unused.empty()) {
        Workspace own = std::move(unused.back());
        unused.pop_back();
        return own;
      }
    }
    auto bytes =
        static_cast<size_t>(std::max<int64_t>(1, program.workspaceBytes));
    auto alignment = static_cast<size_t>(program.workspaceAlignment);
    return Workspace(std::aligned_alloc(alignment, (bytes + alignment - 1) /
                                                       alignment * alignment));
  }

  void giveBack(Workspace workspace) {
    std::lock_guard<std::mutex> lock(mutex);
    unused.push_back(std::move(workspace));
  }

private:
  std::mutex mutex;
  std::vector<Workspace> unused;
};

} // namespace tc

#endif // TC_LIB_ONDEMAND_WORKSPACES_H
