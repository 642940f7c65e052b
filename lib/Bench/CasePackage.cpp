//===- CasePackage.cpp - From a case to its code ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CasePackage.h"
#include "tc/PackageSimulation/PackageSimulation.h"
#include "tc/Reference/Check.h"

#include <filesystem>

using namespace tc;
using namespace tc::bench;
using namespace tc::runtime;

Result<LoadedPackage> bench::loadCasePackage(const Suite &suite,
                                             const Case &test,
                                             const Kernel &definition,
                                             CodeKind preferred) {
  if (test.package.empty())
    return Error{"there is no package: the suite is not compiled"};
  bool isCubin = preferred == CodeKind::Cubin && !test.cubin.empty();
  std::string path = (std::filesystem::path(suite.folder) /
                      (isCubin ? test.cubin : test.package))
                         .string();
  Result<LoadedPackage> loaded = loadPackage(path);
  if (!loaded)
    return Error{loaded.error()};
  if (Status s = checkAgainstCode(*loaded); !s)
    return Error{path + ": " + s.error()};
  const std::vector<Kernel> &kernels = loaded->package.kernels;
  if (kernels.size() != 1)
    return Error{path + ": $.kernels: " + std::to_string(kernels.size()) +
                 " kernels, expected one"};
  if (Status s = checkSameBuffers(definition, kernels[0]); !s)
    return Error{path + ": " + s.error()};
  return loaded;
}
