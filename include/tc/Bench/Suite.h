//===- Suite.h - Lists of contractions to measure ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A suite names contractions of dense tensors and, once it is compiled, the
// package of each. docs/tc-bench.md has the format of the file.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCH_SUITE_H
#define TC_BENCH_SUITE_H

#include "tc/Package/Package.h"

#include <nlohmann/json_fwd.hpp>

namespace tc::bench {

/// Resources of a kernel, as ptxas reports them.
struct Resources {
  int64_t registers = 0, spillStoreBytes = 0, spillLoadBytes = 0;
};

/// The machine code of a kernel's main loop, or the whole code of a kernel
/// without one, by nvdisasm.
struct MachineCodeFigures {
  /// The opcode that multiplies most; empty if none does.
  std::string multiply;
  int64_t instructions = 0, multiplies = 0, moves = 0;
  /// Other instructions for each multiply, if any multiplies.
  std::optional<double> othersPerMultiply;
  int64_t stallCycles = 0, bankConflicts = 0;
  /// By pipe, the cycles for which one warp keeps it busy.
  std::vector<std::pair<std::string, double>> busyCycles;
};

/// The time predicted for a launch from its machine code.
struct PredictedTime {
  /// From the kernel's first block to its last store, and of the launch before.
  double seconds = 0, launchSeconds = 0;
  /// The unit or the wait that sets the time.
  std::string limitedBy;
};

/// One contraction: C = alpha * sum A * B + beta * C.
struct Case {
  std::string name;
  /// Name of the element type of all tensors. This program need not know it if
  /// the case is refused.
  std::string type;
  /// The labels of A, B and C.
  std::array<std::vector<std::string>, 3> indices;
  std::vector<std::pair<std::string, int64_t>> extents;
  model::Constant alpha = 1, beta = 0;
  /// The least precise arithmetic that is allowed.
  model::Precision precision = model::Precision::IEEE;
  /// Paths of the descriptions of packages, relative to the suite's folder:
  /// PTX, and the cubin that was made from it. Empty if there is none.
  std::string package, cubin;
  std::optional<Resources> resources;
  std::optional<MachineCodeFigures> machineCode;
  std::optional<PredictedTime> predictedTime;
  /// The reason why the compiler refused the contraction, if it did.
  std::string refused;
};

/// The index of a list that has stride one.
enum class Layout { Row, Col };

struct Suite {
  std::string name;
  /// Chip that the packages are for; empty in a suite that is not compiled.
  std::string target;
  Layout layout = Layout::Row;
  std::vector<Case> cases;
  /// The folder of the file, for the paths in it.
  std::string folder;
};

/// The figures as suites and results have them.
nlohmann::ordered_json toJson(const MachineCodeFigures &figures);
nlohmann::ordered_json toJson(const PredictedTime &time);

/// Reads a suite strictly. Errors name the JSON path at fault.
Result<Suite> parseSuite(std::string_view text);
/// The same of a file; errors begin with its path.
Result<Suite> loadSuite(const std::string &path);
/// The text that `parseSuite` reads.
std::string toJson(const Suite &suite);

/// The contraction of a case as a kernel without code, in the layout of the
/// suite: packages are compared with it, and peers are given it. Fails if the
/// element type is unknown.
Result<runtime::Kernel> definitionOf(const Suite &suite, const Case &test);

/// The kernel of the equal-size matrix product: column-major, C[m,n,b] =
/// sum over k of A[m,k,b] * B[k,n,b], each extent the product of the extents
/// with that role in `definition`. Fails if A or B holds indices that only it
/// has and C does not, which no matrix product sums over.
Result<runtime::Kernel> matrixProductOf(const runtime::Kernel &definition);

} // namespace tc::bench

#endif // TC_BENCH_SUITE_H
