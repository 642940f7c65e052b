//===- CompiledContraction.h - Class of a TcContraction ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_COMPILEDCONTRACTION_H
#define TC_LIB_CAPI_COMPILEDCONTRACTION_H

#include "AnyShape.h"
#include "ObjectFile.h"
#include "Problem.h"

#include "tc/CpuRuntime/Contraction.h"
#include "tc/Driver/Launch.h"
#include "tc/OnDemand/Specialization.h"

#include <map>
#include <mutex>

struct TcContraction {
  tc::capi::Problem problem;
  tc::Source source;
  /// Of a CPU: the code, unless nothing is multiplied or ahead-of-time
  /// kernels compute it, `ahead`, until there is code, if that is to come.
  std::optional<tc::LoadedProgram> code;
  std::optional<tc::cpu::Contraction> ahead;
  std::shared_ptr<tc::Specialization> specialization;
  /// Of a CPU, if each run says its shape: nothing else of the above, then.
  std::optional<tc::capi::AnyShape> anyShape;
  /// Of a GPU.
  std::optional<tc::DeviceProgram> device;
  /// The same to launch, unless nothing is multiplied.
  std::unique_ptr<tc::runtime::PackageLauncher> launcher;

  /// Compile `source`.
  tc::Status compileForHost(const TcOptions &options);
  tc::Status compileForDevice(const TcOptions &options);
  /// Keeps what is for any shape, and compiles nothing yet.
  tc::Status prepareForAnyShape(const char *spec, const TcTensor *tensors,
                                const TcOptions &options);

  /// The code that there is by now.
  const tc::LoadedProgram *codeByNow() const {
    if (code)
      return &*code;
    return specialization ? specialization->code() : nullptr;
  }

  /// The same, if the next run is to call it.
  const tc::LoadedProgram *codeOfNextCall() const {
    if (code)
      return &*code;
    return specialization ? specialization->codeOfNextCall() : nullptr;
  }

  /// An artifact, which lives as long as the contraction.
  tc::Result<const std::string *> get(TcArtifact artifact) const;

private:
  /// True if the contraction is not to be compiled, or not yet.
  bool prepareAhead(const TcOptions &options, const tc::CompileOptions &host);
  void takeCode(const tc::Compiler &compiler, tc::LoadedProgram loaded,
                const tc::CompileOptions &host, const tc::CacheOptions &cache);
  tc::Result<tc::Explanation> explainDevice() const;
  tc::Result<std::string> assemble() const;
  tc::Result<std::string> printSource() const;
  tc::Result<const std::string *> getShaped(TcArtifact artifact) const;

  std::map<TcArtifact, std::string> artifacts;
  /// Of code for a CPU.
  std::unique_ptr<tc::capi::ObjectFile> objectFile;
  /// Of a GPU: whether the user gave the schedule.
  bool obeysSchedule = false;
  /// Once somebody asked for them; all but the text are of a GPU.
  mutable std::mutex mutex;
  mutable std::optional<std::string> text, cubin, outcome;
  mutable std::optional<tc::Explanation> explanation;
  mutable std::optional<tc::ShapedCode> shaped;
};

namespace tc::capi {

/// The error of a run without memory.
TcError *outOfPanels();

/// tcContractionCompile with arguments that are there.
TcError *compile(const char *spec, const TcTensor *tensors,
                 const TcOptions &options, TcContraction **contraction);

} // namespace tc::capi

#endif // TC_LIB_CAPI_COMPILEDCONTRACTION_H
