//===- Compiler.h - Interface of the compiler -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The border between those who have things compiled and what takes LLVM and
// MLIR to do so. It is a library of its own, libtc_compiler, that libtc loads
// when something is compiled for the first time: what ahead-of-time kernels
// compute is computed without it (docs/cpu-runtime.md).
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_COMPILER_H
#define TC_ONDEMAND_COMPILER_H

#include "tc/CpuRuntime/Team.h"
#include "tc/OnDemand/CompileOptions.h"
#include "tc/OnDemand/LoadedProgram.h"
#include "tc/OnDemand/Source.h"

namespace tc {

/// Options of the compilation of contractions for a GPU.
struct DeviceOptions : CompileOptions {
  /// A built-in target, or one that the module describes.
  std::string target = "sm_90";
};

/// Kernels for a GPU, and how to launch them.
struct DeviceProgram {
  std::string ptx;
  /// Without kernels if nothing is multiplied.
  runtime::Package package;
  /// Reasons for which a function is no program of the package.
  std::vector<std::string> programObstacles;
  /// Answers of the tuning database for each contraction that needed a
  /// schedule, if one was consulted.
  std::vector<std::string> tuned;
};

/// A schedule for a GPU that is explained.
struct ExplainedSchedule {
  std::string target;
  /// In the syntax of #tc.schedule, and what the explanation calls it.
  std::string schedule, name;
  /// Source of the schedule, if not from the search.
  std::string origin;
  /// True if kernels take their shape at run time.
  bool dynamicShapes = false;
};

/// A contraction for a CPU whose extents and strides are arguments of its
/// function: as MLIR, as an object file that needs libtc_cpu_runtime, and the
/// declaration of the function in C.
struct ShapedCode {
  std::string mlir, object, header;
};

/// Reasons for the choice of a schedule, in words and as a page.
struct Explanation {
  std::string text, page;
};

/// The compiler. Any number of threads may use it at once. Errors name the
/// place in the source.
class Compiler {
public:
  /// Takes the code for a source from the cache, else makes it and keeps it
  /// there.
  virtual Result<LoadedProgram>
  compileOrFind(const Source &source, const CompileOptions &options,
                const HostCacheOptions &cache) const = 0;

  /// Takes the code for a source from the cache, if it is there, unless the
  /// cache knows that ahead-of-time kernels, of which `kernels` names the
  /// build, are faster. What keeps the cache from being asked is no error.
  virtual FoundCode findCompiled(const Source &source,
                                 const CompileOptions &options,
                                 const HostCacheOptions &cache,
                                 const std::string &kernels) const = 0;

  /// Keeps in the cache which one is faster.
  virtual void keepFaster(const Source &source, const CompileOptions &options,
                          const HostCacheOptions &cache,
                          const std::string &kernels, Faster faster) const = 0;

  /// Decisions for a contraction, as lines of a report.
  virtual std::string describe(const HostKernel &kernel) const = 0;

  /// Compiles a source's contraction for any shape.
  virtual Result<ShapedCode>
  compileForAnyShape(const Source &source,
                     const CompileOptions &options) const = 0;

  /// Compiles a source for a GPU. A program whose extents are unknown is one of
  /// kernels that take them.
  virtual Result<DeviceProgram>
  compileForDevice(const Source &source,
                   const DeviceOptions &options) const = 0;

  /// Explains the schedule of a source's one contraction.
  virtual Result<Explanation>
  explain(const Source &source, const ExplainedSchedule &schedule) const = 0;

  /// A cubin, by ptxas.
  virtual Result<std::string> assemble(const std::string &ptx,
                                       const std::string &target) const = 0;

  /// A source in MLIR.
  virtual Result<std::string> print(const Source &source) const = 0;

  /// Fails if MLIR refuses a source, whatever it is compiled for.
  virtual Status check(const Source &source) const = 0;

  /// Candidates that `listCandidates` finds, as JSON.
  virtual Result<std::string> listCandidates(const Source &source,
                                             const std::string &target,
                                             const CompileOptions &options,
                                             size_t most) const = 0;

  /// Of evaluations of schedules, a line each: whether they are well-formed;
  /// how many of them were not in a database's file yet, to which they are
  /// added, all or none; and those that such a file has, or the best for each
  /// key.
  virtual Status checkEvaluations(const std::string &lines) const = 0;
  virtual Result<int64_t> mergeEvaluations(const std::string &path,
                                           const std::string &lines) const = 0;
  virtual Result<std::string> exportEvaluations(const std::string &path,
                                                bool bestOnly) const = 0;

protected:
  ~Compiler() = default;
};

/// Loader of the compiler.
struct CompilerHost {
  /// Of the project.
  const char *version;
  cpu::TeamFunctions team;
};

/// The function of libtc_compiler that returns the compiler, or null if it is
/// of another version than who loads it, and its type.
inline constexpr char compilerFunction[] = "tcCompilerGet";
using CompilerFunction = const Compiler *(const CompilerHost &host);

} // namespace tc

#endif // TC_ONDEMAND_COMPILER_H
