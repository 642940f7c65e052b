//===- FuzzPackage.cpp - Fuzz target: launch descriptions -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text, read as the JSON of a package. One that is accepted must come back
// from what is written of it.
//
//===----------------------------------------------------------------------===//

#include "Require.h"

#include "tc/Package/DynamicShape.h"

using namespace tc;
using namespace tc::fuzz;

/// Launches kernels that take their shape at run time on shapes that follow
/// from the input: they are taken, or there is an error.
static void bindShapes(const runtime::Package &package, size_t size) {
  for (size_t i = 0; i < package.kernels.size(); ++i) {
    const runtime::Kernel &kernel = package.kernels[i];
    if (!kernel.dynamicShape)
      continue;
    runtime::KernelShape shape = runtime::shapeOf(kernel);
    require(bool(runtime::bindShape(kernel, shape)),
            "a kernel takes the shape that it was tuned for");
    require(runtime::shapeArguments(kernel).size() ==
                kernel.dynamicShape->arguments.size(),
            "all arguments have values");
    for (size_t tensor = 0; tensor < shape.size(); ++tensor) {
      for (int64_t &extent : shape[tensor].extents)
        extent =
            static_cast<int64_t>(static_cast<uint64_t>(extent) * (size % 7));
      if (size % 3 == tensor)
        for (int64_t &stride : shape[tensor].strides)
          stride = static_cast<int64_t>(-static_cast<uint64_t>(stride) * size);
      if (size % 5 == tensor)
        shape[tensor].strides.clear();
    }
    Result<size_t> choice = runtime::chooseForShape(package, i, shape);
    require(choice || !choice.error().empty(), "an error says something");
    if (choice)
      runtime::shapeArguments(
          *runtime::bindShape(package.kernels[*choice], shape));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<runtime::Package> package =
      runtime::fromJson({reinterpret_cast<const char *>(data), size});
  if (!package) {
    require(!package.error().empty(), "an error says something");
    return 0;
  }
  std::string written = runtime::toJson(*package);
  Result<runtime::Package> again = runtime::fromJson(written);
  require(bool(again), "a written package is accepted");
  require(runtime::toJson(*again) == written,
          "a written package is read as the same package");
  bindShapes(*package, size);
  return 0;
}
