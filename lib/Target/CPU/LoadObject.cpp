//===- LoadObject.cpp - From an object file to functions ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/CPU/CPUExport.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

using namespace tc;
namespace orc = llvm::orc;

struct LoadedObject::Linker {
  std::unique_ptr<orc::LLJIT> jit;
};

LoadedObject::LoadedObject() : linker(std::make_unique<Linker>()) {}
LoadedObject::LoadedObject(LoadedObject &&) noexcept = default;
LoadedObject &LoadedObject::operator=(LoadedObject &&) noexcept = default;
LoadedObject::~LoadedObject() = default;

static Error toError(llvm::Error error) {
  return {"cannot load the object code: " + llvm::toString(std::move(error))};
}

Result<LoadedObject> LoadedObject::load(const CompiledObject &compiled) {
  if (compiled.functions.empty())
    return LoadedObject();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return toError(jit.takeError());
  orc::JITDylib &library = (*jit)->getMainJITDylib();
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return toError(process.takeError());
  library.addGenerator(std::move(*process));
  if (llvm::Error error = (*jit)->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(compiled.object, "contraction")))
    return toError(std::move(error));

  LoadedObject loaded;
  for (const std::string &name : compiled.functions) {
    auto address = (*jit)->lookup(name);
    if (!address)
      return toError(address.takeError());
    loaded.addresses.push_back(address->toPtr<void *>());
  }
  loaded.linker->jit = std::move(*jit);
  return loaded;
}
