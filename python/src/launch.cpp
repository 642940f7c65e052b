//===- launch.cpp - Packages on devices as a Python module ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of the package that works without a compiler: libtc_launch.
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"
#include "Errors.h"
#include "Scalar.h"
#include "Unlocked.h"

#include "tc-c/Package.h"
#include "tc/Problem/Overlap.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace {

class Package {
public:
  explicit Package(const std::string &path) {
    textOf(path, "the path");
    TcError *error;
    {
      Unlocked unlocked;
      error = tcPackageLoad(path.c_str(), &package);
    }
    check(error);
  }
  Package(const std::string &description, const nb::bytes &code) {
    textOf(description, "the description");
    check(tcPackageCreate(description.c_str(), code.data(), code.size(),
                          &package));
  }
  Package(const Package &) = delete;
  Package &operator=(const Package &) = delete;
  ~Package() { tcPackageDestroy(package); }

  const char *description() const { return tcPackageGetDescription(package); }

  /// Of all tensors, for kernels that take it at run time.
  using Shapes =
      std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>;

  void launch(int32_t kernel, const std::vector<uintptr_t> &tensors,
              nb::handle alpha, nb::handle beta, uintptr_t stream,
              const std::optional<Shapes> &shapes) const {
    TcElementType type = tcPackageGetScalarType(package, kernel);
    Scalar first(type, alpha, "alpha"), second(type, beta, "beta");
    std::vector<void *> pointers = toPointers(tensors);
    std::vector<TcTensorShape> shapesOfTensors;
    if (shapes) {
      if (shapes->size() != tensors.size())
        throw nb::value_error("expected a shape of each tensor");
      int32_t number = 0;
      for (const auto &[extents, strides] : *shapes) {
        const TcPackageTensor *tensor =
            tcPackageGetTensor(package, kernel, number++);
        auto rank = static_cast<size_t>(tensor ? tensor->rank : 0);
        if (extents.size() != rank || strides.size() != rank)
          throw nb::value_error("a shape has another rank than its tensor");
        shapesOfTensors.push_back({extents.data(), strides.data()});
      }
    }
    TcError *error;
    if (shapes) {
      Unlocked unlocked;
      error = tcPackageLaunchShaped(package, kernel, pointers.data(),
                                    static_cast<int32_t>(pointers.size()),
                                    shapesOfTensors.data(), first.pointer,
                                    second.pointer, toPointer(stream));
    } else {
      Unlocked unlocked;
      error = tcPackageLaunch(package, kernel, pointers.data(),
                              static_cast<int32_t>(pointers.size()),
                              first.pointer, second.pointer, toPointer(stream));
    }
    check(error);
  }

  int64_t shapedWorkspaceBytes(int32_t program,
                               const std::vector<int64_t> &extents) const {
    int64_t bytes = 0;
    check(tcPackageGetShapedWorkspaceBytes(package, program, extents.data(),
                                           static_cast<int32_t>(extents.size()),
                                           &bytes));
    return bytes;
  }

  /// @param extents  of programs that take none, none
  void runProgram(int32_t program, const std::vector<uintptr_t> &tensors,
                  uintptr_t workspace, uintptr_t stream,
                  const std::vector<int64_t> &extents) const {
    std::vector<void *> pointers = toPointers(tensors);
    TcError *error;
    {
      Unlocked unlocked;
      error = tcPackageRunShapedProgram(
          package, program, extents.data(),
          static_cast<int32_t>(extents.size()), pointers.data(),
          static_cast<int32_t>(pointers.size()), toPointer(workspace),
          toPointer(stream));
    }
    check(error);
  }

  const TcPackage *get() const { return package; }

  static std::vector<void *> toPointers(const std::vector<uintptr_t> &numbers) {
    std::vector<void *> pointers;
    for (uintptr_t number : numbers)
      pointers.push_back(toPointer(number));
    return pointers;
  }

private:
  TcPackage *package = nullptr;
};

/// A run of a program on certain tensors.
class ProgramGraph {
public:
  ProgramGraph(const Package &package, int32_t program,
               const std::vector<uintptr_t> &tensors, uintptr_t workspace,
               const std::vector<int64_t> &extents) {
    std::vector<void *> pointers = Package::toPointers(tensors);
    TcError *error;
    {
      Unlocked unlocked;
      error = tcShapedProgramGraphCreate(
          package.get(), program, extents.data(),
          static_cast<int32_t>(extents.size()), pointers.data(),
          static_cast<int32_t>(pointers.size()), toPointer(workspace), &graph);
    }
    check(error);
  }
  ProgramGraph(const ProgramGraph &) = delete;
  ProgramGraph &operator=(const ProgramGraph &) = delete;
  ~ProgramGraph() { tcProgramGraphDestroy(graph); }

  void launch(uintptr_t stream) const {
    TcError *error;
    {
      Unlocked unlocked;
      error = tcProgramGraphLaunch(graph, toPointer(stream));
    }
    check(error);
  }

private:
  TcProgramGraph *graph = nullptr;
};

/// The number of the device on which memory lies, and its compute capability.
nb::tuple findDevice(uintptr_t address) {
  int32_t ordinal, capability;
  check(tcPointerGetDevice(toPointer(address), &ordinal, &capability));
  return nb::make_tuple(ordinal, capability);
}

void orderStreams(int32_t device, uintptr_t earlier, uintptr_t later) {
  check(tcStreamsOrder(device, toPointer(earlier), toPointer(later)));
}

/// Reason for which elements of a tensor overlap, if any do; strides are in
/// elements.
std::optional<std::string>
describeOverlap(const std::vector<int64_t> &extents,
                const std::vector<int64_t> &strides,
                const std::vector<std::string> &labels) {
  if (strides.size() != extents.size() || labels.size() != extents.size())
    throw nb::value_error("a tensor has a stride and a label for each extent");
  return tc::model::describeOverlap(extents, strides, labels);
}

std::optional<std::string> targetFor(int32_t capability) {
  const char *target = tcTargetForCapability(capability);
  if (!target)
    return std::nullopt;
  return target;
}

} // namespace

NB_MODULE(_launch, module) {
  module.doc() = "Launches of packages, and other tensors' memory.";
  // A thread that launches while the interpreter goes down keeps what it uses.
  nb::set_leak_warnings(false);
  findExceptions();
  nb::class_<Package>(module, "Package")
      .def(nb::init<const std::string &>(), nb::arg("path"))
      .def(nb::init<const std::string &, const nb::bytes &>(),
           nb::arg("description"), nb::arg("code"))
      .def_prop_ro("description", &Package::description)
      .def("launch", &Package::launch, nb::arg("kernel"), nb::arg("tensors"),
           nb::arg("alpha").none(), nb::arg("beta").none(), nb::arg("stream"),
           nb::arg("shapes") = nb::none())
      .def("shaped_workspace_bytes", &Package::shapedWorkspaceBytes,
           nb::arg("program"), nb::arg("extents"))
      .def("run_program", &Package::runProgram, nb::arg("program"),
           nb::arg("tensors"), nb::arg("workspace"), nb::arg("stream"),
           nb::arg("extents") = std::vector<int64_t>());
  // The package lives as long as its graphs.
  nb::class_<ProgramGraph>(module, "ProgramGraph")
      .def(nb::init<const Package &, int32_t, const std::vector<uintptr_t> &,
                    uintptr_t, const std::vector<int64_t> &>(),
           nb::keep_alive<1, 2>(), nb::arg("package"), nb::arg("program"),
           nb::arg("tensors"), nb::arg("workspace"),
           nb::arg("extents") = std::vector<int64_t>())
      .def("launch", &ProgramGraph::launch, nb::arg("stream"));
  module.def("find_device", &findDevice, nb::arg("address"));
  module.def("order_streams", &orderStreams, nb::arg("device"),
             nb::arg("earlier"), nb::arg("later"));
  module.def("describe_overlap", &describeOverlap, nb::arg("extents"),
             nb::arg("strides"), nb::arg("labels"));
  module.def("target_for", &targetFor, nb::arg("capability"));
  module.def("read_dlpack", &dlpack::read, nb::arg("capsule").none());

  auto types = nb::dict();
#define TC_ELEMENT_TYPE(TYPE, NAME, CXX, C, MLIR, NUMPY, DLPACK, KIND, BYTES,  \
                        ...)                                                   \
  types[NAME] =                                                                \
      nb::make_tuple(int32_t(TC_ELEMENT_##TYPE), NUMPY, BYTES, DLPACK);
#include "tc/Problem/ElementTypes.def"
  module.attr("ELEMENT_TYPES") = types;
  module.attr("VERSION") = tcGetVersion();
}
