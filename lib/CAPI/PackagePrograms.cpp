//===- PackagePrograms.cpp - Programs of packages, in C -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchErrors.h"
#include "PackageHandle.h"

using namespace tc;
using namespace tc::capi;
using runtime::Program;

struct TcProgramGraph {
  runtime::ProgramGraph graph;
};

/// Null if there is no such program, or no package.
static const Program *findProgram(const TcPackage *package, int32_t program) {
  return package ? package->findProgram(program) : nullptr;
}

static TcError *noProgram(const TcPackage *package, int32_t program) {
  return invalid("there is no program " + std::to_string(program) +
                 ": the package has " +
                 std::to_string(package->parameters.size()));
}

int32_t tcPackageGetProgramCount(const TcPackage *package) {
  return package ? static_cast<int32_t>(package->parameters.size()) : 0;
}

const char *tcPackageGetProgramName(const TcPackage *package, int32_t program) {
  const Program *found = findProgram(package, program);
  return found ? found->name.c_str() : nullptr;
}

int32_t tcPackageGetParameterCount(const TcPackage *package, int32_t program) {
  const Program *found = findProgram(package, program);
  return found ? static_cast<int32_t>(found->parameters.size()) : 0;
}

const TcPackageTensor *tcPackageGetParameter(const TcPackage *package,
                                             int32_t program,
                                             int32_t parameter) {
  if (parameter < 0 ||
      parameter >= tcPackageGetParameterCount(package, program))
    return nullptr;
  return &package->parameters[static_cast<size_t>(program)]
                             [static_cast<size_t>(parameter)];
}

int64_t tcPackageGetWorkspaceBytes(const TcPackage *package, int32_t program) {
  const Program *found = findProgram(package, program);
  return found ? found->workspaceBytes : 0;
}

int64_t tcPackageGetWorkspaceAlignment(const TcPackage *package,
                                       int32_t program) {
  const Program *found = findProgram(package, program);
  return found ? found->workspaceAlignment : 0;
}

int32_t tcPackageGetExtentCount(const TcPackage *package, int32_t program) {
  const Program *found = findProgram(package, program);
  return found ? static_cast<int32_t>(found->extents.size()) : 0;
}

const char *tcPackageGetExtentName(const TcPackage *package, int32_t program,
                                   int32_t extent) {
  if (extent < 0 || extent >= tcPackageGetExtentCount(package, program))
    return nullptr;
  return findProgram(package, program)
      ->extents[static_cast<size_t>(extent)]
      .name.c_str();
}

TcError *tcPackageGetShapedWorkspaceBytes(const TcPackage *package,
                                          int32_t program,
                                          const int64_t *extents, int32_t count,
                                          int64_t *bytes) {
  return guard([&]() -> TcError * {
    if (!package || !bytes || count < 0 || (count > 0 && !extents))
      return invalid("tcPackageGetShapedWorkspaceBytes: an argument is NULL");
    if (!package->findProgram(program))
      return noProgram(package, program);
    return toError(package->launcher.findWorkspaceBytes(
        static_cast<size_t>(program), {extents, extents + count}, *bytes));
  });
}

int32_t tcPackageGetStepCount(const TcPackage *package, int32_t program) {
  const Program *found = findProgram(package, program);
  return found ? static_cast<int32_t>(found->steps.size()) : 0;
}

/// Calls `run` with what a program is run with, unless the caller gave that
/// wrongly.
template <typename Run>
static TcError *
withArguments(const TcPackage *package, int32_t program, const int64_t *extents,
              int32_t extentCount, void *const *tensors, int32_t count,
              void *workspace, void *stream, const char *function, Run run) {
  if (!package || count < 0 || (count > 0 && !tensors) || extentCount < 0 ||
      (extentCount > 0 && !extents))
    return invalid(std::string(function) + ": an argument is NULL");
  const Program *found = package->findProgram(program);
  if (!found)
    return noProgram(package, program);
  std::vector<const void *> bases =
      basesOf(*found, tensors, static_cast<size_t>(count));
  runtime::ProgramArguments arguments;
  arguments.tensors = bases.data();
  arguments.count = bases.size();
  if (extentCount > 0)
    arguments.extents.assign(extents, extents + extentCount);
  arguments.workspace = workspace;
  arguments.stream = stream;
  return toError(run(static_cast<size_t>(program), arguments));
}

TcError *tcPackageRunProgram(const TcPackage *package, int32_t program,
                             void *const *tensors, int32_t count,
                             void *workspace, void *stream) {
  return tcPackageRunShapedProgram(package, program, /*extents=*/nullptr,
                                   /*extentCount=*/0, tensors, count, workspace,
                                   stream);
}

TcError *tcPackageRunShapedProgram(const TcPackage *package, int32_t program,
                                   const int64_t *extents, int32_t extentCount,
                                   void *const *tensors, int32_t count,
                                   void *workspace, void *stream) {
  return guard([&] {
    return withArguments(
        package, program, extents, extentCount, tensors, count, workspace,
        stream, "tcPackageRunProgram",
        [&](size_t number, const runtime::ProgramArguments &arguments) {
          return package->launcher.runProgram(number, arguments);
        });
  });
}

TcError *tcProgramGraphCreate(const TcPackage *package, int32_t program,
                              void *const *tensors, int32_t count,
                              void *workspace, TcProgramGraph **graph) {
  return tcShapedProgramGraphCreate(package, program, /*extents=*/nullptr,
                                    /*extentCount=*/0, tensors, count,
                                    workspace, graph);
}

TcError *tcShapedProgramGraphCreate(const TcPackage *package, int32_t program,
                                    const int64_t *extents, int32_t extentCount,
                                    void *const *tensors, int32_t count,
                                    void *workspace, TcProgramGraph **graph) {
  return guard([&]() -> TcError * {
    if (!graph)
      return invalid("tcProgramGraphCreate: an argument is NULL");
    auto made = std::make_unique<TcProgramGraph>();
    TcError *error = withArguments(
        package, program, extents, extentCount, tensors, count, workspace,
        /*stream=*/nullptr, "tcProgramGraphCreate",
        [&](size_t number, const runtime::ProgramArguments &arguments) {
          return made->graph.make(package->launcher, number, arguments);
        });
    if (!error)
      *graph = made.release();
    return error;
  });
}

TcError *tcProgramGraphLaunch(const TcProgramGraph *graph, void *stream) {
  return guard([&]() -> TcError * {
    if (!graph)
      return invalid("tcProgramGraphLaunch: graph is NULL");
    return toError(graph->graph.launch(stream));
  });
}

void tcProgramGraphDestroy(TcProgramGraph *graph) { delete graph; }
