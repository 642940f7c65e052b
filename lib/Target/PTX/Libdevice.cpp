//===- Libdevice.cpp - CUDA's library of math functions -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libdevice.h"

#include "CudaProgram.h"

#include "tc/Support/Files.h"
#include "tc/Target/PTX/PTXExport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdlib>

using namespace tc;

static bool isMissing(const llvm::Function &function) {
  return function.isDeclaration() && function.getName().starts_with("__nv_");
}

static std::string inToolkit(StringRef root) {
  SmallString<128> path(root);
  llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
  return path.str().str();
}

static Result<std::string> findLibdevice() {
  if (const char *path = std::getenv("TC_LIBDEVICE")) {
    if (llvm::sys::fs::is_regular_file(path))
      return std::string(path);
    return Error{std::string("TC_LIBDEVICE is '") + path +
                 "', which is not a file"};
  }
  SmallVector<std::string> places;
  if (Result<std::string> ptxas = findPtxas()) {
    SmallString<128> real;
    if (!llvm::sys::fs::real_path(*ptxas, real))
      places.push_back(inToolkit(
          llvm::sys::path::parent_path(llvm::sys::path::parent_path(real))));
  }
  for (const std::string &toolkit : cudaToolkits())
    if (std::string place = inToolkit(toolkit);
        !llvm::is_contained(places, place))
      places.push_back(place);
  for (const std::string &place : places)
    if (llvm::sys::fs::is_regular_file(place))
      return place;
  return Error{"libdevice not found: neither TC_LIBDEVICE nor " +
               llvm::join(places, " nor ")};
}

Status tc::linkLibdevice(llvm::Module &module) {
  std::string called;
  for (const llvm::Function &function : module)
    if (isMissing(function))
      called += (called.empty() ? "" : ", ") + function.getName().str();
  if (called.empty())
    return {};
  Result<std::string> path = findLibdevice();
  if (!path)
    return Error{"the code calls " + called + ", but " + path.error()};

  llvm::SMDiagnostic diagnostic;
  Result<std::string> bitcode = readFile(*path);
  if (!bitcode)
    return Error{bitcode.error()};
  // Of hundreds of functions, those that are linked are read.
  std::unique_ptr<llvm::Module> library = llvm::getLazyIRModule(
      llvm::MemoryBuffer::getMemBuffer(*bitcode, *path,
                                       /*RequiresNullTerminator=*/false),
      diagnostic, module.getContext());
  if (!library)
    return Error{"cannot read " + *path + ": " + diagnostic.getMessage().str()};
  if (llvm::Error error = library->materializeMetadata())
    return Error{"cannot read " + *path + ": " +
                 llvm::toString(std::move(error))};
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  llvm::StringSet<> own;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      own.insert(function.getName());
  if (llvm::Linker::linkModules(module, std::move(library),
                                llvm::Linker::LinkOnlyNeeded))
    return Error{"cannot link " + *path};
  // Inlined where they are called, they vanish.
  for (llvm::Function &function : module) {
    if (isMissing(function))
      return Error{*path + " has no " + function.getName().str()};
    if (!function.isDeclaration() && !own.contains(function.getName()))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  // Denormal numbers are numbers.
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", uint32_t(0));
  return {};
}
