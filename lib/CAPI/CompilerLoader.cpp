//===- CompilerLoader.cpp - The compiler, once it is needed ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerLoader.h"

#include "tc/OnDemand/Background.h"
#include "tc/OnDemand/Specialization.h"

#include <atomic>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>

using namespace tc;

#ifdef TC_LINKS_COMPILER
extern "C" CompilerFunction tcCompilerGet;

static Result<CompilerFunction *> findFunction() { return &tcCompilerGet; }
#else
/// The path of libtc_compiler: beside this library, wherever links to that
/// lead.
static std::string findLibrary() {
  constexpr const char *name = TC_COMPILER_LIBRARY;
  Dl_info self = {};
  char path[PATH_MAX];
  if (dladdr(reinterpret_cast<const void *>(&findLibrary), &self) == 0 ||
      !realpath(self.dli_fname, path))
    return name;
  std::string beside = path;
  return beside.substr(0, beside.rfind('/') + 1) + name;
}

static Result<CompilerFunction *> findFunction() {
  // Its symbols are for nobody else: the process may have another LLVM.
  void *library = dlopen(findLibrary().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return Error{dlerror()};
  void *function = dlsym(library, compilerFunction);
  if (!function)
    return Error{dlerror()};
  return reinterpret_cast<CompilerFunction *>(function);
}
#endif

static std::atomic<bool> isLoaded = false;

static Result<const Compiler *> load() {
  Result<CompilerFunction *> function = findFunction();
  std::string wrong = "the compiler cannot be loaded: ";
  if (!function) {
    wrong += function.error();
    for (const char *library : {"libLLVM.so", "libMLIR.so"})
      if (wrong.find(library) != std::string::npos)
        return Error{wrong +
                     " (Debian's packages libmlir-22 and libllvm22 have "
                     "it; a wheel of tc-contract, if there is one for "
                     "this machine, needs neither)"};
    return Error{wrong};
  }
  const Compiler *compiler = (*function)({TC_VERSION, cpu::teamFunctions()});
  if (!compiler)
    return Error{wrong + TC_COMPILER_LIBRARY +
                 " is not of version " TC_VERSION};
  // Destructors at the end of the process have been registered by now.
  std::atexit(endSpecializations);
  isLoaded = true;
  return compiler;
}

Result<const Compiler *> capi::loadCompiler() {
  static const Result<const Compiler *> compiler = load();
  resumeBackgroundWork();
  return compiler;
}

bool capi::isCompilerLoaded() { return isLoaded; }
