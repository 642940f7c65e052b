//===- ObjectFile.cpp - Code that leaves the process ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectFile.h"
#include "Ahead.h"

using namespace tc;
using namespace tc::capi;

ObjectFile::ObjectFile(const HostProgram &program, const Source &source,
                       const CompileOptions &host, const CacheOptions &cache)
    : object(program.object.object), header(program.header) {
  if (!program.callsLibrary || host.libraryCalls != "auto")
    return;
  make = [source, host, cache]() {
    CompileOptions whole = host;
    whole.libraryCalls = "never";
    return compileOrFind(source, whole, HostCacheOptions{cache},
                         /*inBackground=*/false);
  };
}

Result<const std::string *> ObjectFile::get(TcArtifact artifact) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (make) {
    Result<LoadedProgram> made = make();
    if (!made)
      return Error{made.error()};
    object = std::move(made->program.object.object);
    header = std::move(made->program.header);
    make = nullptr;
  }
  return artifact == TC_ARTIFACT_OBJECT ? &object : &header;
}
