//===- ObjectFile.h - Code that leaves the process --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_OBJECTFILE_H
#define TC_LIB_CAPI_OBJECTFILE_H

#include "Options.h"

#include "tc/OnDemand/Compiler.h"

#include <mutex>

namespace tc::capi {

/// The object file and the header of code for a CPU. Code that runs in this
/// process may call ahead-of-time kernels, which other programs need not have:
/// so that which leaves it is made anew, without such calls, once somebody asks
/// for it, unless the user allows them.
class ObjectFile {
public:
  ObjectFile(const HostProgram &program, const Source &source,
             const CompileOptions &host, const CacheOptions &cache);

  /// TC_ARTIFACT_OBJECT or TC_ARTIFACT_HEADER, which lives as long as this.
  Result<const std::string *> get(TcArtifact artifact) const;

private:
  mutable std::mutex mutex;
  /// Makes the code; empty once it is there.
  mutable std::function<Result<LoadedProgram>()> make;
  mutable std::string object, header;
};

/// True of the artifacts that such a file has.
inline bool isOfObjectFile(TcArtifact artifact) {
  return artifact == TC_ARTIFACT_OBJECT || artifact == TC_ARTIFACT_HEADER;
}

} // namespace tc::capi

#endif // TC_LIB_CAPI_OBJECTFILE_H
