//===- Package.cpp - Packages on CUDA devices, in C -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/Package.h"
#include "LaunchErrors.h"
#include "PackageHandle.h"

#include "tc/Machine/Target.h"
#include "tc/Support/Arithmetic.h"

using namespace tc;
using namespace tc::capi;
using runtime::Kernel;
using runtime::TensorArgument;

/// Null if there is no such kernel, or no package.
static const Kernel *find(const TcPackage *package, int32_t kernel) {
  return package ? package->find(kernel) : nullptr;
}

/// Nothing is read of an array whose length is not the kernel's.
static TcError *checkCount(const Kernel &kernel, int32_t count) {
  size_t expected = runtime::tensorsOf(kernel).size();
  if (static_cast<size_t>(count) == expected)
    return nullptr;
  return invalid("kernel " + kernel.entry + " takes " +
                 std::to_string(expected) + " tensors, and " +
                 std::to_string(count) + " are given");
}

TcError *tcPackageLoad(const char *path, TcPackage **package) {
  return guard([&]() -> TcError * {
    if (!path || !package)
      return invalid("tcPackageLoad: an argument is NULL");
    Result<runtime::LoadedPackage> loaded = runtime::loadPackage(path);
    if (!loaded)
      return invalid(loaded.error());
    *package = new TcPackage(std::move(*loaded));
    return nullptr;
  });
}

TcError *tcPackageCreate(const char *description, const void *code,
                         size_t codeBytes, TcPackage **package) {
  return guard([&]() -> TcError * {
    if (!description || !code || !package)
      return invalid("tcPackageCreate: an argument is NULL");
    Result<runtime::Package> parsed = runtime::fromJson(description);
    if (!parsed)
      return invalid(parsed.error());
    runtime::LoadedPackage loaded;
    loaded.codePath = parsed->codeFile;
    loaded.package = std::move(*parsed);
    loaded.code.assign(static_cast<const char *>(code), codeBytes);
    *package = new TcPackage(std::move(loaded));
    return nullptr;
  });
}

void tcPackageDestroy(TcPackage *package) { delete package; }

const char *tcPackageGetDescription(const TcPackage *package) {
  return package ? package->description.c_str() : nullptr;
}

const char *tcPackageGetTarget(const TcPackage *package) {
  return package ? package->launcher.package().package.target.c_str() : nullptr;
}

int32_t tcPackageGetKernelCount(const TcPackage *package) {
  return package ? static_cast<int32_t>(package->tensors.size()) : 0;
}

const char *tcPackageGetKernelName(const TcPackage *package, int32_t kernel) {
  const Kernel *found = find(package, kernel);
  return found ? found->entry.c_str() : nullptr;
}

int32_t tcPackageGetTensorCount(const TcPackage *package, int32_t kernel) {
  if (!find(package, kernel))
    return 0;
  return static_cast<int32_t>(
      package->tensors[static_cast<size_t>(kernel)].size());
}

const TcPackageTensor *tcPackageGetTensor(const TcPackage *package,
                                          int32_t kernel, int32_t tensor) {
  if (tensor < 0 || tensor >= tcPackageGetTensorCount(package, kernel))
    return nullptr;
  return &package->tensors[static_cast<size_t>(kernel)]
                          [static_cast<size_t>(tensor)];
}

TcElementType tcPackageGetScalarType(const TcPackage *package, int32_t kernel) {
  const Kernel *found = find(package, kernel);
  return found ? fromModel(found->accumulatorType) : 0;
}

int32_t tcPackageTakesAlpha(const TcPackage *package, int32_t kernel) {
  const Kernel *found = find(package, kernel);
  return found && found->alpha.isArgument;
}

int32_t tcPackageTakesBeta(const TcPackage *package, int32_t kernel) {
  const Kernel *found = find(package, kernel);
  return found && found->beta.isArgument;
}

TcError *tcPackageLaunch(const TcPackage *package, int32_t kernel,
                         void *const *tensors, int32_t count, const void *alpha,
                         const void *beta, void *stream) {
  return guard([&]() -> TcError * {
    if (!package || count < 0 || (count > 0 && !tensors))
      return invalid("tcPackageLaunch: an argument is NULL");
    const Kernel *found = package->find(kernel);
    if (!found)
      return invalid("there is no kernel " + std::to_string(kernel) +
                     ": the package has " +
                     std::to_string(package->tensors.size()));
    std::vector<const TensorArgument *> described = runtime::tensorsOf(*found);
    if (TcError *error = checkCount(*found, count))
      return error;
    std::vector<const void *> pointers(tensors, tensors + count);
    for (size_t i = 0; i < pointers.size() && i < described.size(); ++i)
      if (pointers[i])
        pointers[i] =
            static_cast<const char *>(pointers[i]) -
            described[i]->offset * model::byteWidth(described[i]->type);
    runtime::LaunchArguments arguments;
    arguments.tensors = pointers.data();
    arguments.count = pointers.size();
    arguments.alpha = alpha;
    arguments.beta = beta;
    arguments.stream = stream;
    return toError(
        package->launcher.launch(static_cast<size_t>(kernel), arguments));
  });
}

/// The shape of tensors that the user gives by the elements whose coordinates
/// are all zero: `pointers` become those of the lowest addresses.
static Result<runtime::KernelShape>
readShapes(const Kernel &kernel, const TcTensorShape *shapes,
           std::vector<const void *> &pointers) {
  runtime::KernelShape result;
  std::vector<const TensorArgument *> tensors =
      runtime::shapedTensorsOf(kernel);
  for (size_t i = 0; i < tensors.size(); ++i) {
    size_t rank = tensors[i]->labels.size();
    runtime::TensorShape &shape = result.emplace_back();
    if (rank > 0 && (!shapes[i].extents || !shapes[i].strides))
      return Error{"the shape of " + tensors[i]->name + " is NULL"};
    shape.extents.assign(shapes[i].extents, shapes[i].extents + rank);
    shape.strides.assign(shapes[i].strides, shapes[i].strides + rank);
    for (size_t dim = 0; dim < rank; ++dim)
      if (shape.strides[dim] < 0)
        shape.offset = saturatingAdd(
            shape.offset,
            saturatingMultiply(std::max<int64_t>(shape.extents[dim] - 1, 0),
                               magnitude(shape.strides[dim])));
    if (i < pointers.size() && pointers[i])
      pointers[i] =
          static_cast<const char *>(pointers[i]) -
          saturatingMultiply(shape.offset, model::byteWidth(tensors[i]->type));
  }
  return result;
}

TcError *tcPackageLaunchShaped(const TcPackage *package, int32_t kernel,
                               void *const *tensors, int32_t count,
                               const TcTensorShape *shapes, const void *alpha,
                               const void *beta, void *stream) {
  return guard([&]() -> TcError * {
    if (!package || count < 0 || (count > 0 && !tensors) || !shapes)
      return invalid("tcPackageLaunchShaped: an argument is NULL");
    const Kernel *found = package->find(kernel);
    if (!found)
      return invalid("there is no kernel " + std::to_string(kernel) +
                     ": the package has " +
                     std::to_string(package->tensors.size()));
    if (TcError *error = checkCount(*found, count))
      return error;
    std::vector<const void *> pointers(tensors, tensors + count);
    Result<runtime::KernelShape> shape = readShapes(*found, shapes, pointers);
    if (!shape)
      return invalid(shape.error());
    runtime::LaunchArguments arguments;
    arguments.tensors = pointers.data();
    arguments.count = pointers.size();
    arguments.alpha = alpha;
    arguments.beta = beta;
    arguments.shape = &*shape;
    arguments.stream = stream;
    return toError(
        package->launcher.launch(static_cast<size_t>(kernel), arguments));
  });
}

TcError *tcPointerGetDevice(const void *pointer, int32_t *ordinal,
                            int32_t *capability) {
  return guard([&]() -> TcError * {
    if (!pointer || !ordinal)
      return invalid("tcPointerGetDevice: an argument is NULL");
    runtime::DeviceOfPointer device;
    if (TcError *error =
            toError(runtime::findDevice(pointer, "the memory", device)))
      return error;
    *ordinal = device.ordinal;
    if (capability)
      *capability = static_cast<int32_t>(device.computeCapability);
    return nullptr;
  });
}

TcError *tcStreamsOrder(int32_t device, void *earlier, void *later) {
  return guard(
      [&] { return toError(runtime::orderStreams(device, earlier, later)); });
}

const char *tcTargetForCapability(int32_t capability) {
  const model::Target *best = model::findTargetFor(capability);
  return best ? best->name.c_str() : nullptr;
}
