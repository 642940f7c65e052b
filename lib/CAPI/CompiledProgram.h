//===- CompiledProgram.h - Class of a TcProgram -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_COMPILEDPROGRAM_H
#define TC_LIB_CAPI_COMPILEDPROGRAM_H

#include "LazySource.h"
#include "ObjectFile.h"
#include "Options.h"
#include "PackageHandle.h"

#include "tc/OnDemand/AheadProgram.h"
#include "tc/OnDemand/HostRun.h"
#include "tc/OnDemand/Specialization.h"

#include <map>
#include <mutex>

namespace tc::capi {

/// A product that ahead-of-time kernels compute before anything more is made of
/// it, and the path that is given, if any is.
struct ProductAhead {
  std::string name;
  model::Network network;
  model::ContractionPath path;
};

} // namespace tc::capi

struct TcProgram {
  /// Takes a source that is a program.
  explicit TcProgram(tc::capi::LazySource source) : source(std::move(source)) {}

  /// Compile it; for a CPU, the source may be that of a product.
  tc::Status
  compileForHost(const TcOptions &options,
                 std::optional<tc::capi::ProductAhead> product = std::nullopt);
  tc::Status compileForDevice(const TcOptions &options);

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
  /// Makes what ahead-of-time kernels compute, if they do.
  void makeAhead(const TcOptions &options, tc::AheadProgram::Between between,
                 std::optional<tc::capi::ProductAhead> product);
  /// True if the program is not to be compiled, or not yet.
  bool prepareAhead(const TcOptions &options,
                    std::optional<tc::capi::ProductAhead> product);
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
  tc::capi::LazySource source;
  /// Of a CPU: how code is made.
  tc::CompileOptions hostOptions;
  tc::CacheOptions cacheOptions;
  mutable std::once_flag hasTakenOver;
  mutable std::unique_ptr<Successor> successor;
};

#endif // TC_LIB_CAPI_COMPILEDPROGRAM_H
