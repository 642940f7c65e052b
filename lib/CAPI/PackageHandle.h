//===- PackageHandle.h - Class of a TcPackage -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_PACKAGEHANDLE_H
#define TC_LIB_CAPI_PACKAGEHANDLE_H

#include "ElementTypes.h"

#include "tc-c/Package.h"
#include "tc/Driver/Launch.h"

namespace tc::capi {

/// A parameter as callers see it, for as long as the program lives.
inline TcPackageTensor describe(const runtime::ProgramParameter &parameter) {
  return {parameter.name.c_str(),
          fromModel(parameter.type),
          static_cast<int32_t>(parameter.extents.size()),
          parameter.extents.data(),
          parameter.strides.data(),
          parameter.alignment,
          parameter.isRead,
          parameter.isWritten};
}

/// The base pointers of parameters, of which callers give the elements whose
/// coordinates are all zero.
inline std::vector<const void *> basesOf(const runtime::Program &program,
                                         void *const *tensors, size_t count) {
  std::vector<const void *> bases(tensors, tensors + count);
  for (size_t i = 0; i < count && i < program.parameters.size(); ++i)
    if (bases[i])
      bases[i] = static_cast<const char *>(bases[i]) -
                 program.parameters[i].offset *
                     model::byteWidth(program.parameters[i].type);
  return bases;
}

} // namespace tc::capi

struct TcPackage {
  explicit TcPackage(tc::runtime::LoadedPackage loaded)
      : launcher(std::move(loaded)) {
    const tc::runtime::Package &package = launcher.package().package;
    description = tc::runtime::toJson(package);
    for (const tc::runtime::Kernel &kernel : package.kernels) {
      std::vector<TcPackageTensor> &described = tensors.emplace_back();
      for (const tc::runtime::TensorArgument *tensor :
           tc::runtime::tensorsOf(kernel))
        described.push_back(
            {tensor->name.c_str(), tc::capi::fromModel(tensor->type),
             static_cast<int32_t>(tensor->extents.size()),
             tensor->extents.data(), tensor->strides.data(), tensor->alignment,
             tensor->isRead, tensor->isWritten});
    }
    for (const tc::runtime::Program &program : package.programs) {
      std::vector<TcPackageTensor> &described = parameters.emplace_back();
      for (const tc::runtime::ProgramParameter &parameter : program.parameters)
        described.push_back(tc::capi::describe(parameter));
    }
  }

  /// Null if there are not so many.
  const tc::runtime::Kernel *find(int32_t kernel) const {
    const std::vector<tc::runtime::Kernel> &kernels =
        launcher.package().package.kernels;
    if (kernel < 0 || static_cast<size_t>(kernel) >= kernels.size())
      return nullptr;
    return &kernels[static_cast<size_t>(kernel)];
  }
  const tc::runtime::Program *findProgram(int32_t program) const {
    const std::vector<tc::runtime::Program> &programs =
        launcher.package().package.programs;
    if (program < 0 || static_cast<size_t>(program) >= programs.size())
      return nullptr;
    return &programs[static_cast<size_t>(program)];
  }

  tc::runtime::PackageLauncher launcher;
  std::string description;
  /// Of each kernel and of each program.
  std::vector<std::vector<TcPackageTensor>> tensors, parameters;
};

#endif // TC_LIB_CAPI_PACKAGEHANDLE_H
