//===- CompiledProgram.h - Class of a TcProgram -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_COMPILEDPROGRAM_H
#define TC_LIB_CAPI_COMPILEDPROGRAM_H

#include "ObjectFile.h"
#include "Options.h"
#include "PackageHandle.h"

#include "tc/OnDemand/AheadProgram.h"
#include "tc/OnDemand/HostRun.h"
#include "tc/OnDemand/Specialization.h"

#include <map>
#include <mutex>

struct TcProgram {
  /// Compile a source that is a program.
  tc::Status compileForHost(const tc::Source &source, const TcOptions &options);
  tc::Status compileForDevice(const tc::Source &source,
                              const TcOptions &options);

  const tc::runtime::Program &program() const {
    if (package)
      return package->launcher.package().package.programs.front();
    return ahead ? ahead->program() : host->program();
  }

  /// The names of those that each call says.
  const std::vector<std::string> &extents() const {
    return host ? host->code().program.extents : extentsOnDevice;
  }

  /// Of a CPU, without extents. Code that has taken over and needs more than
  /// the workspace that `program` describes has one that is its own.
  tc::Status run(const std::vector<const void *> &tensors,
                 void *workspace) const;

  /// An artifact, which lives as long as the program; null if there is none, or
  /// none yet.
  tc::Result<const std::string *> find(TcArtifact artifact) const;

  /// Of a CPU: the code, or ahead-of-time kernels, until there is code,
  /// if that is to come.
  std::unique_ptr<tc::HostRunner> host;
  std::unique_ptr<tc::AheadProgram> ahead;
  std::shared_ptr<tc::Specialization> specialization;
  /// Of a GPU.
  std::unique_ptr<TcPackage> package;
  std::vector<std::string> extentsOnDevice;
  std::vector<TcPackageTensor> parameters;

private:
  /// Texts that are known of code, and its object file.
  struct Artifacts {
    tc::Result<const std::string *> find(TcArtifact artifact) const;
    std::map<TcArtifact, std::string> texts;
    std::unique_ptr<tc::capi::ObjectFile> objectFile;
  };
  void describe(const tc::LoadedProgram &loaded, Artifacts &described) const;
  /// True if the program is not to be compiled, or not yet.
  bool prepareAhead(const TcOptions &options);
  tc::Status takeCode(tc::LoadedProgram loaded);
  /// Code that has taken over.
  struct Successor {
    explicit Successor(const std::shared_ptr<const tc::LoadedProgram> &code)
        : runner(code) {}
    tc::HostRunner runner;
    Artifacts artifacts;
  };
  const Successor *findSuccessor() const;

  Artifacts artifacts;
  /// Of a CPU: what code is made of, and how.
  tc::Source source;
  tc::CompileOptions hostOptions;
  tc::CacheOptions cacheOptions;
  mutable std::once_flag hasTakenOver;
  mutable std::unique_ptr<Successor> successor;
};

#endif // TC_LIB_CAPI_COMPILEDPROGRAM_H
