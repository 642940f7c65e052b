//===- LoadObject.cpp - From an object file to functions ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorMath.h"

#include "tc-c/CpuRuntime.h"
#include "tc/CpuRuntime/Team.h"
#include "tc/Target/CPU/CPUExport.h"

#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Support/MemoryBuffer.h"

#include <dlfcn.h>

using namespace tc;
namespace orc = llvm::orc;

static Error toError(llvm::Error error) {
  return {"cannot load the object code: " + llvm::toString(std::move(error))};
}

namespace {

/// ORC's linker alone: the parts that LLJIT adds, compilers and threads, take
/// longer to set up than all else.
struct Linker {
  explicit Linker(std::unique_ptr<orc::ExecutorProcessControl> control)
      : session(std::move(control)),
        layer(session, session.getExecutorProcessControl().getMemMgr()),
        library(session.createBareJITDylib("contractions")) {}
  ~Linker() {
    if (llvm::Error error = session.endSession())
      session.reportError(std::move(error));
  }

  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  orc::JITDylib &library;
};

/// Returns true if a name that is looked up begins with the prefix.
bool asksFor(const orc::SymbolLookupSet &symbols, StringRef prefix) {
  return llvm::any_of(symbols, [&](const auto &symbol) {
    return (*symbol.first).starts_with(prefix);
  });
}

/// Finds functions in the process's OpenMP runtime: in that which threads of
/// ahead-of-time kernels are of, whichever others the process has by now.
/// Threads are asked for as those do that, too, so that there may be fewer.
class OpenMPRuntime : public orc::DefinitionGenerator {
public:
  explicit OpenMPRuntime(cpu::Ask ask) : ask(ask) {}

  llvm::Error tryToGenerate(orc::LookupState & /*state*/,
                            orc::LookupKind /*kind*/, orc::JITDylib &library,
                            orc::JITDylibLookupFlags /*flags*/,
                            const orc::SymbolLookupSet &symbols) override {
    constexpr StringLiteral prefix = "__kmpc_";
    if (!asksFor(symbols, prefix))
      return llvm::Error::success();
    Result<void *> runtime = cpu::openMPRuntime();
    if (!runtime)
      return llvm::createStringError(
          "code for several threads needs LLVM's OpenMP runtime (package "
          "libomp-22-dev of Debian): " +
          runtime.error());
    orc::SymbolMap found;
    auto find = [&](StringRef name) -> void * {
      if (name == "__kmpc_push_num_threads")
        return reinterpret_cast<void *>(
            ask == cpu::Ask::Free ? &cpu::pushFreeThreads : &cpu::pushThreads);
      if (name == "__kmpc_fork_call")
        return reinterpret_cast<void *>(&cpu::forkTeam);
      return name.starts_with(prefix) ? dlsym(*runtime, name.str().c_str())
                                      : nullptr;
    };
    for (const auto &[symbol, lookup] : symbols)
      if (void *address = find(*symbol))
        found[symbol] = {orc::ExecutorAddr::fromPtr(address),
                         llvm::JITSymbolFlags::Exported};
    return library.define(orc::absoluteSymbols(std::move(found)));
  }

private:
  cpu::Ask ask;
};

/// Finds functions on vectors in their library, which is loaded once code asks
/// for one.
class VectorMath : public orc::DefinitionGenerator {
public:
  llvm::Error tryToGenerate(orc::LookupState &state, orc::LookupKind kind,
                            orc::JITDylib &library,
                            orc::JITDylibLookupFlags flags,
                            const orc::SymbolLookupSet &symbols) override {
    if (!asksFor(symbols, vectorMathPrefix))
      return llvm::Error::success();
    if (!functions) {
      auto loaded = orc::DynamicLibrarySearchGenerator::Load(
          vectorMathLibrary, /*GlobalPrefix=*/'\0');
      if (!loaded)
        return llvm::createStringError(
            "code with functions on vectors needs glibc's library of them: " +
            llvm::toString(loaded.takeError()));
      functions = std::move(*loaded);
    }
    return functions->tryToGenerate(state, kind, library, flags, symbols);
  }

private:
  std::unique_ptr<orc::DynamicLibrarySearchGenerator> functions;
};

} // namespace

Result<LoadedObject> tc::loadObject(const CompiledObject &compiled,
                                    cpu::Ask ask) {
  if (compiled.functions.empty())
    return LoadedObject(nullptr, {});
  auto control = orc::SelfExecutorProcessControl::Create(
      std::make_shared<orc::SymbolStringPool>(),
      std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!control)
    return toError(control.takeError());
  auto linker = std::make_shared<Linker>(std::move(*control));
  auto &[session, layer, library] = *linker;
  // The session reports why symbols cannot be made; who asked for them hears
  // that they could not.
  auto cause = std::make_shared<std::string>();
  session.setErrorReporter([cause](llvm::Error error) {
    if (!cause->empty())
      *cause += "; ";
    *cause += llvm::toString(std::move(error));
  });
  library.addGenerator(std::make_unique<OpenMPRuntime>(ask));
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      /*GlobalPrefix=*/'\0');
  if (!process)
    return toError(process.takeError());
  library.addGenerator(std::move(*process));
  // It is a part of the compiler, which need not show it.
  if (llvm::Error error = library.define(
          orc::absoluteSymbols({{session.intern(cpuRuntimeFunction),
                                 {orc::ExecutorAddr::fromPtr(&tcCpuContract),
                                  llvm::JITSymbolFlags::Exported}}})))
    return toError(std::move(error));
  library.addGenerator(std::make_unique<VectorMath>());
  if (llvm::Error error = layer.add(
          library,
          llvm::MemoryBuffer::getMemBuffer(compiled.object, "contraction",
                                           /*RequiresNullTerminator=*/false)))
    return toError(std::move(error));
  std::vector<void *> addresses;
  for (const std::string &name : compiled.functions) {
    auto symbol = session.lookup({&library}, session.intern(name));
    if (!symbol && cause->empty())
      return toError(symbol.takeError());
    if (!symbol) {
      llvm::consumeError(symbol.takeError());
      return Error{"cannot load the object code: " + *cause};
    }
    addresses.push_back(symbol->getAddress().toPtr<void *>());
  }
  return LoadedObject(std::move(linker), std::move(addresses));
}
