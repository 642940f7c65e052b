//===- LoadedProgram.h - Contractions as code for a CPU ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_LOADEDPROGRAM_H
#define TC_ONDEMAND_LOADEDPROGRAM_H

#include "tc/CpuRuntime/Team.h"
#include "tc/OnDemand/LoadedObject.h"
#include "tc/Package/Package.h"
#include "tc/Support/Result.h"

#include <optional>
#include <string_view>

namespace tc {

/// A contraction with an index of extent zero: C becomes beta * C, and no
/// kernel is launched for that.
struct EmptyContraction {
  /// The output with its indices, as in "C[i,j]", and the index at fault.
  std::string output, index;
};

/// Contents of a tensor of a kernel before that runs, as far as the module
/// says.
struct TensorSource {
  /// The kernel that has computed it, by its position.
  std::optional<int64_t> kernel;
  /// The number that all of its elements are.
  std::optional<model::Constant> number;
};

/// Of all tensors of a kernel, in the order of `runtime::tensorsOf`.
using TensorSources = std::vector<TensorSource>;

/// One contraction: as the input has it, and what was decided.
struct HostKernel {
  runtime::Kernel definition;
  TensorSources sources;
  std::string schedule;
  int64_t threads = 1;
  int64_t panelBytes = 0;
  /// Text of strategiesToJson(), and "origins", as cpuExplanationText() has it,
  /// as JSON.
  std::string strategies;
};

/// All contractions of an input.
struct HostProgram {
  std::vector<HostKernel> kernels;
  std::vector<EmptyContraction> empty;
  /// Program of the kernels, or the reason for which it is unknown. Of a
  /// program that takes extents, it has parameters and no steps: their extents
  /// are as `programShapesAttrName` says.
  std::optional<runtime::Program> program;
  std::string programObstacle;
  /// Threads that a run may use.
  int64_t threads = 1;
  /// The names of the extents that each call says, if there are any. There are
  /// no kernels then, but two functions: that which runs all, and that which
  /// says how many bytes the workspace has.
  std::vector<std::string> extents;
  /// A function for each kernel, and their declarations in C.
  CompiledObject object;
  std::string header;
  /// True if code calls libtc_cpu_runtime for contractions of known shape.
  bool callsLibrary = false;

  /// True if there are the functions that there have to be.
  bool isWhole() const {
    return object.functions.size() == (extents.empty() ? kernels.size() : 2);
  }
};

/// The error of a call that finds no memory for a contraction's panels and
/// copies.
Error lackOfMemory(const HostKernel &kernel);

enum class CacheOutcome {
  Hit,      ///< the code was made by another run
  Miss,     ///< it is made now, for the next one to find
  Off,      ///< no cache is wanted, or there is no place for one
  Unusable, ///< there is a place, but no database can be there
};
/// "hit", "miss", "off" or "unusable".
std::string_view stringify(CacheOutcome outcome);

/// A program that can be called.
struct LoadedProgram {
  HostProgram program;
  LoadedObject code;
  CacheOutcome outcome;
  /// The way in which runs ask for its threads.
  cpu::Ask ask = cpu::Ask::All;
};

/// The faster one of code and ahead-of-time kernels that compute the same, if
/// runs of both have been compared.
enum class Faster { Unknown, Code, Ahead };

/// Code that is there, and what runs have shown of it.
struct FoundCode {
  /// Not loaded if ahead-of-time kernels are faster.
  std::optional<LoadedProgram> program;
  Faster faster = Faster::Unknown;
};

} // namespace tc

#endif // TC_ONDEMAND_LOADEDPROGRAM_H
