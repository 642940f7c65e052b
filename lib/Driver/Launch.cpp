//===- Launch.cpp - Kernels on a caller's tensors ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Driver/Launch.h"
#include "PackageOnDevice.h"

#include "tc/Buffers/Problem.h"
#include "tc/Problem/Semiring.h"

#include <algorithm>
#include <map>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::cuda;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

Result<std::shared_ptr<const Api>> tc::runtime::loadDriver() {
  static std::mutex mutex;
  // Launchers that live until the process ends use it.
  static auto &known = *new std::shared_ptr<const Api>;
  std::lock_guard<std::mutex> lock(mutex);
  if (!known) {
    Result<std::shared_ptr<const Api>> loaded = Api::load();
    if (!loaded)
      return loaded;
    known = *loaded;
  }
  return known;
}

LaunchStatus tc::runtime::statusOf(const Api &api, CUresult result,
                                   const char *call, const std::string &what) {
  Status status = api.check(result, call);
  if (status)
    return {};
  return LaunchError{result == errorOutOfMemory ? LaunchError::OutOfMemory
                                                : LaunchError::Driver,
                     what.empty() ? status.error()
                                  : what + ": " + status.error()};
}

LaunchStatus tc::runtime::upload(const Api &api,
                                 const std::vector<std::byte> &bytes,
                                 DeviceAddress &address) {
  if (LaunchStatus s =
          statusOf(api, api.memAlloc(&address, bytes.size()), "cuMemAlloc"))
    return s;
  return statusOf(api, api.memcpyHtoD(address, bytes.data(), bytes.size()),
                  "cuMemcpyHtoD");
}

namespace {
/// Facts of the driver about a pointer.
struct Place {
  bool isOnDevice = false;
  /// True if the driver moves it to where it is used.
  bool isManaged = false;
  int ordinal = 0;
};
} // namespace

static LaunchStatus query(const Api &api, const void *pointer, Place &place) {
  unsigned type = 0, isManaged = 0;
  int attributes[] = {MemoryType, IsManaged, DeviceOrdinal};
  void *values[] = {&type, &isManaged, &place.ordinal};
  // The host's own memory is no error: all attributes are zero then.
  if (LaunchStatus s = statusOf(
          api,
          api.pointerGetAttributes(3, attributes, values, addressOf(pointer)),
          "cuPointerGetAttributes"))
    return s;
  place.isManaged = isManaged != 0;
  place.isOnDevice = type == memoryTypeDevice || place.isManaged;
  return {};
}

/// The same; the host's memory is an error.
static LaunchStatus queryDevice(const Api &api, const void *pointer,
                                const std::string &what, Place &place) {
  if (LaunchStatus s = query(api, pointer, place))
    return s;
  if (!place.isOnDevice)
    return invalid(what + " lies in the host's memory, not on a device");
  return {};
}

LaunchStatus tc::runtime::findDevice(const void *pointer,
                                     const std::string &what,
                                     DeviceOfPointer &device) {
  Result<std::shared_ptr<const Api>> api = loadDriver();
  if (!api)
    return driverFailed(api.error());
  Place place;
  if (LaunchStatus s = queryDevice(**api, pointer, what, place))
    return s;
  device.ordinal = place.ordinal;
  CUdevice handle = 0;
  if (LaunchStatus s = statusOf(
          **api, (*api)->deviceGet(&handle, place.ordinal), "cuDeviceGet"))
    return s;
  int parts[2] = {};
  const DeviceAttribute attributes[] = {ComputeCapabilityMajor,
                                        ComputeCapabilityMinor};
  for (int i : {0, 1})
    if (LaunchStatus s = statusOf(
            **api, (*api)->deviceGetAttribute(&parts[i], attributes[i], handle),
            "cuDeviceGetAttribute"))
      return s;
  device.computeCapability = static_cast<unsigned>(10 * parts[0] + parts[1]);
  return {};
}

LaunchStatus tc::runtime::orderStreams(int ordinal, void *earlier,
                                       void *later) {
  Result<Device> device = Device::retain(ordinal);
  if (!device)
    return driverFailed(device.error());
  const Api &api = *device->state()->api;
  ScopedContext context(*device);
  if (LaunchStatus s = context.status())
    return s;
  CUevent event = nullptr;
  if (LaunchStatus s = statusOf(api, api.eventCreate(&event, DisableTiming),
                                "cuEventCreate"))
    return s;
  LaunchStatus s =
      statusOf(api, api.eventRecord(event, streamOf(earlier)), "cuEventRecord");
  if (!s)
    s = statusOf(api, api.streamWaitEvent(streamOf(later), event, 0),
                 "cuStreamWaitEvent");
  // The driver keeps it for as long as somebody waits.
  api.eventDestroy(event);
  return s;
}

LaunchStatus tc::runtime::clear(void *begin, size_t bytes,
                                const std::string &what, void *stream) {
  Result<std::shared_ptr<const Api>> api = loadDriver();
  if (!api)
    return driverFailed(api.error());
  Place place;
  if (LaunchStatus s = queryDevice(**api, begin, what, place))
    return s;
  Result<Device> device = Device::retain(place.ordinal);
  if (!device)
    return driverFailed(device.error());
  ScopedContext context(*device);
  if (LaunchStatus s = context.status())
    return s;
  return statusOf(
      **api,
      (*api)->memsetD8Async(addressOf(begin), 0, bytes, streamOf(stream)),
      "cuMemsetD8Async", what);
}

//===----------------------------------------------------------------------===//
// A package on a device
//===----------------------------------------------------------------------===//

PackageLauncher::OnDevice::~OnDevice() {
  // At the end of the process the driver may have ended before.
  ScopedContext context(device);
  if (context.status())
    return;
  api().ctxSynchronize();
  workspaces.clear();
  programs.clear();
  for (DeviceAddress one : ones)
    if (one)
      api().memFree(one);
  module.reset();
}

bool tc::runtime::mayLackB(const Kernel &kernel) {
  return kernel.tensors[1].labels.empty() && kernel.others.empty() &&

         kernel.semiring != model::Semiring::UserDefined;
}

LaunchStatus PackageLauncher::OnDevice::load(const LoadedPackage &package) {
  if (Status s = checkCompatible(device, package.package); !s)
    return LaunchError{LaunchError::Unsupported,
                       package.codePath + ": " + s.error()};
  ScopedContext context(device);
  if (LaunchStatus s = context.status())
    return s;
  Result<DeviceModule> code = DeviceModule::load(device, package);
  if (!code)
    return driverFailed(code.error());
  module = std::move(*code);
  for (const Kernel &kernel : package.package.kernels) {
    Result<CUfunction> function = findFunction(*module, kernel);
    if (!function)
      return driverFailed(function.error());
    functions.push_back(*function);
    workspaces.push_back(std::make_unique<WorkspacePools>());
    DeviceAddress &one = ones.emplace_back(0);
    if (!mayLackB(kernel))
      continue;
    const TensorArgument &b = kernel.tensors[1];
    if (LaunchStatus s = upload(
            api(), makeConstant(model::oneOf(kernel.semiring, b.type), b), one))
      return s;
  }
  for (const Program &program : package.package.programs)
    if (LaunchStatus s = loadProgram(package.package, program))
      return s;
  return {};
}

LaunchStatus PackageLauncher::OnDevice::launch(
    const Kernel &kernel, size_t number, const LaunchArguments &arguments,
    const std::vector<std::vector<std::byte>> &shape) {
  ScopedContext context(device);
  if (LaunchStatus s = context.status())
    return s;
  KernelLaunch launch;
  launch.kernel = &kernel;
  launch.number = number;
  for (size_t i = 0; i < arguments.count; ++i)
    launch.addresses.push_back(
        arguments.tensors[i] ? addressOf(arguments.tensors[i]) : ones[number]);
  launch.factors = {arguments.alpha, arguments.beta};
  CUstream stream = streamOf(arguments.stream);
  if (!kernel.workspace)
    return queue(launch, shape, stream);
  bool varies = kernel.dynamicShape.has_value();
  return workspaces[number]
      ->find(device, *kernel.workspace, "kernel " + kernel.entry, varies)
      .use(stream, [&](DeviceAddress workspace) {
        launch.workspace = workspace;
        // A launch of another shape may have had sums there.
        if (varies)
          if (LaunchStatus s = clearCounters(launch, stream))
            return s;
        return queue(launch, shape, stream);
      });
}

LaunchStatus
PackageLauncher::OnDevice::clearCounters(const KernelLaunch &launch,
                                         CUstream stream) const {
  auto zeros = static_cast<size_t>(launch.kernel->workspace->zeroedBytes);
  if (zeros == 0)
    return {};
  return statusOf(api(),
                  api().memsetD8Async(launch.workspace, 0, zeros, stream),
                  "cuMemsetD8Async");
}

LaunchStatus PackageLauncher::OnDevice::queue(
    const KernelLaunch &launch,
    const std::vector<std::vector<std::byte>> &shape, CUstream stream) const {
  const Kernel &kernel = *launch.kernel;
  std::vector<void *> parameters;
  parameters.reserve(launch.addresses.size() + launch.factors.size() +
                     shape.size() + 1);
  for (const DeviceAddress &address : launch.addresses)
    parameters.push_back(const_cast<DeviceAddress *>(&address));
  for (const void *factor : launch.factors)
    if (factor)
      parameters.push_back(const_cast<void *>(factor));
  for (const std::vector<std::byte> &argument : shape)
    parameters.push_back(const_cast<std::byte *>(argument.data()));
  if (kernel.workspace)
    parameters.push_back(const_cast<DeviceAddress *>(&launch.workspace));
  auto word = [](int64_t n) { return static_cast<unsigned>(n); };
  const Dim3 &grid = kernel.grid, &block = kernel.block;
  return statusOf(
      api(),
      api().launchKernel(functions[launch.number], word(grid[0]), word(grid[1]),
                         word(grid[2]), word(block[0]), word(block[1]),
                         word(block[2]), word(kernel.dynamicSharedBytes),
                         stream, parameters.data(), /*extra=*/nullptr),
      "cuLaunchKernel", "kernel " + kernel.entry);
}

//===----------------------------------------------------------------------===//
// PackageLauncher
//===----------------------------------------------------------------------===//

PackageLauncher::PackageLauncher(LoadedPackage package,
                                 std::vector<std::string> names)
    : loaded(std::move(package)), names(std::move(names)),
      state(std::make_unique<State>()) {}

PackageLauncher::~PackageLauncher() = default;

std::string PackageLauncher::nameOf(const Kernel &kernel, size_t tensor) const {
  return tensor < names.size() ? names[tensor]
                               : tensorsOf(kernel)[tensor]->name;
}

LaunchStatus PackageLauncher::check(const Kernel &kernel,
                                    const LaunchArguments &arguments) const {
  for (auto [name, factor, given] :
       {std::tuple("alpha", &kernel.alpha, arguments.alpha),
        std::tuple("beta", &kernel.beta, arguments.beta)}) {
    if (factor->isArgument && !given)
      return invalid(std::string(name) + " is NULL, but is an argument");
    if (!factor->isArgument && given)
      return invalid(std::string(name) + " is given, but was compiled in");
  }
  std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
  if (arguments.count != tensors.size())
    return invalid("kernel " + kernel.entry + " takes " +
                   std::to_string(tensors.size()) + " tensors, and " +
                   std::to_string(arguments.count) + " are given");
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i == 1 && !arguments.tensors[i] && mayLackB(kernel))
      continue;
    std::string name = "the pointer of " + nameOf(kernel, i);
    if (!arguments.tensors[i])
      return invalid(name + " is NULL");
    DeviceAddress address = addressOf(arguments.tensors[i]);
    int64_t part = model::byteWidth(model::realTypeOf(tensors[i]->type));
    if (address % static_cast<DeviceAddress>(part) != 0)
      return invalid(name + " is no multiple of the " + std::to_string(part) +
                     " bytes of an element" +
                     (model::isComplex(tensors[i]->type) ? "'s part" : ""));
    int64_t alignment = tensors[i]->alignment;
    if (address % static_cast<DeviceAddress>(alignment) != 0)
      return invalid("the least address of " + nameOf(kernel, i) +
                     " is no multiple of the " + std::to_string(alignment) +
                     " bytes to which the code for " + loaded.package.target +
                     " takes it to be aligned");
  }
  return {};
}

/// True if a kernel takes pointers of such alignment.
static bool isAligned(const Kernel &kernel, const LaunchArguments &arguments) {
  std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
  for (size_t i = 0; i < std::min(tensors.size(), arguments.count); ++i)
    if (addressOf(arguments.tensors[i]) %
            static_cast<DeviceAddress>(tensors[i]->alignment) !=
        0)
      return false;
  return true;
}

size_t PackageLauncher::chooseVersion(size_t number,
                                      const LaunchArguments &arguments) const {
  const std::vector<Kernel> &kernels = loaded.package.kernels;
  if (isAligned(kernels[number], arguments))
    return number;
  for (size_t i = number + 1; i < kernels.size(); ++i)
    if (kernels[i].versionOf == kernels[number].entry &&
        isAligned(kernels[i], arguments))
      return i;
  return number;
}

/// Key that distinguishes two shapes.
static std::vector<int64_t> shapeKeyOf(size_t number,
                                       const KernelShape &shape) {
  std::vector<int64_t> key = {static_cast<int64_t>(number)};
  for (const TensorShape &tensor : shape) {
    key.push_back(static_cast<int64_t>(tensor.extents.size()));
    key.insert(key.end(), tensor.extents.begin(), tensor.extents.end());
    key.push_back(static_cast<int64_t>(tensor.strides.size()));
    key.insert(key.end(), tensor.strides.begin(), tensor.strides.end());
    key.push_back(tensor.offset);
  }
  return key;
}

LaunchStatus PackageLauncher::findVersions(
    size_t number, const KernelShape &shape,
    std::shared_ptr<const ShapedVersions> &versions) const {
  // Beyond that, programs hardly come back to what was.
  constexpr size_t maxShapes = 4096;
  std::vector<int64_t> key = shapeKeyOf(number, shape);
  std::lock_guard<std::mutex> lock(state->mutex);
  if (auto known = state->shapes.find(key); known != state->shapes.end()) {
    versions = known->second;
    return {};
  }
  const std::vector<Kernel> &kernels = loaded.package.kernels;
  if (Result<size_t> any = chooseForShape(loaded.package, number, shape); !any)
    return invalid(any.error());
  auto made = std::make_shared<ShapedVersions>();
  for (size_t i = number; i < kernels.size(); ++i) {
    if (i != number && kernels[i].versionOf != kernels[number].entry)
      continue;
    if (Result<Kernel> bound = bindShape(kernels[i], shape))
      made->push_back({i, *bound, shapeArguments(*bound)});
  }
  auto distance = [&](const ShapedVersion &version) {
    return std::pair(distanceOf(kernels[version.number], shape),
                     version.number);
  };
  std::sort(made->begin(), made->end(),
            [&](const ShapedVersion &a, const ShapedVersion &b) {
              return distance(a) < distance(b);
            });
  if (state->shapes.size() >= maxShapes)
    state->shapes.clear();
  state->shapes[std::move(key)] = made;
  versions = std::move(made);
  return {};
}

const PackageLauncher::ShapedVersion &
PackageLauncher::chooseAligned(const ShapedVersions &versions,
                               const LaunchArguments &arguments) {
  auto aligned = std::find_if(versions.begin(), versions.end(),
                              [&](const ShapedVersion &version) {
                                return isAligned(version.kernel, arguments);
                              });
  return aligned != versions.end() ? *aligned : versions.front();
}

LaunchStatus
tc::runtime::findCommonDevice(const void *const *pointers, size_t count,
                              const std::function<std::string(size_t)> &nameOf,
                              int &ordinal) {
  Result<std::shared_ptr<const Api>> api = loadDriver();
  if (!api)
    return driverFailed(api.error());
  // Managed memory goes to where it is used: it decides where nothing else
  // does.
  std::optional<size_t> decides;
  Place chosen;
  for (size_t i = 0; i < count; ++i) {
    if (!pointers[i])
      continue;
    Place place;
    if (LaunchStatus s = queryDevice(**api, pointers[i], nameOf(i), place))
      return s;
    if (!decides || (chosen.isManaged && !place.isManaged)) {
      decides = i;
      chosen = place;
    } else if (place.ordinal != chosen.ordinal && !place.isManaged) {
      return invalid(nameOf(i) + " lies on device " +
                     std::to_string(place.ordinal) + ", but " +
                     nameOf(*decides) + " on device " +
                     std::to_string(chosen.ordinal));
    }
  }
  ordinal = chosen.ordinal;
  return {};
}

LaunchStatus PackageLauncher::launch(size_t number,
                                     const LaunchArguments &arguments) const {
  const std::vector<Kernel> &kernels = loaded.package.kernels;
  if (number >= kernels.size())
    return invalid("there is no kernel " + std::to_string(number) +
                   ": the package has " + std::to_string(kernels.size()));
  std::shared_ptr<const ShapedVersions> versions;
  const ShapedVersion *shaped = nullptr;
  if (arguments.shape || kernels[number].dynamicShape) {
    if (LaunchStatus s = findVersions(
            number,
            arguments.shape ? *arguments.shape : shapeOf(kernels[number]),
            versions))
      return s;
    shaped = &chooseAligned(*versions, arguments);
    number = shaped->number;
  } else {
    number = chooseVersion(number, arguments);
  }
  const Kernel &kernel = shaped ? shaped->kernel : kernels[number];
  if (LaunchStatus s = check(kernel, arguments))
    return s;
  int ordinal = 0;
  if (LaunchStatus s = findCommonDevice(
          arguments.tensors, arguments.count,
          [&](size_t tensor) { return nameOf(kernel, tensor); }, ordinal))
    return s;
  OnDevice *onDevice = nullptr;
  if (LaunchStatus s = loadOn(ordinal, onDevice))
    return s;
  static const std::vector<std::vector<std::byte>> none;
  return onDevice->launch(kernel, number, arguments,
                          shaped ? shaped->arguments : none);
}

LaunchStatus PackageLauncher::loadOn(int ordinal, OnDevice *&onDevice) const {
  std::lock_guard<std::mutex> lock(state->mutex);
  std::unique_ptr<OnDevice> &known = state->devices[ordinal];
  if (!known) {
    Result<Device> device = Device::retain(ordinal);
    if (!device)
      return driverFailed(device.error());
    auto made = std::make_unique<OnDevice>(std::move(*device));
    if (LaunchStatus s = made->load(loaded))
      return s;
    known = std::move(made);
  }
  onDevice = known.get();
  return {};
}
