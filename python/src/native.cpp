//===- native.cpp - The C interface as a Python module --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As little as calls of the C interface take; the package does the rest in
// Python. Tensors come through the buffer protocol: no array library is needed
// to build this, and nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Contraction.h"
#include "PastCalls.h"
#include "PlainCalls.h"
#include "Program.h"
#include "QuickLaunch.h"

#include "tc-c/CpuRuntime.h"
#include "tc-c/Order.h"
#include "tc-c/Program.h"
#include "tc-c/Tuning.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace {

/// The specification with a list of names for each operand and the result.
std::string expand(const std::string &spec, const std::vector<int32_t> &ranks) {
  size_t length = 0;
  auto count = static_cast<int32_t>(ranks.size());
  textOf(spec, "the specification");
  check(tcSubscriptsExpand(spec.c_str(), ranks.data(), count, nullptr, 0,
                           &length));
  std::string text(length + 1, '\0');
  check(tcSubscriptsExpand(spec.c_str(), ranks.data(), count, text.data(),
                           text.size(), &length));
  text.resize(length);
  return text;
}

/// Text that a function writes into a buffer. Nearly all texts fit, and are not
/// made twice.
template <typename Write> std::string textFrom(Write write) {
  std::string text(1 << 16, '\0');
  for (;;) {
    size_t length = 0;
    TcError *error;
    {
      Unlocked unlocked;
      error = write(text.data(), text.size(), &length);
    }
    check(error);
    bool isWhole = length < text.size();
    text.resize(isWhole ? length : length + 1);
    if (isWhole)
      return text;
  }
}

/// Output of tcOrderFind, as JSON.
std::string findOrder(const std::string &spec, TcElementType type,
                      const std::vector<std::vector<int64_t>> &extents,
                      const nb::dict &options) {
  textOf(spec, "the specification");
  std::vector<TcTensor> tensors;
  for (const std::vector<int64_t> &shape : extents)
    tensors.push_back(
        {type, static_cast<int32_t>(shape.size()), shape.data(), nullptr});
  OptionsOwner owner = makeOptions(options);
  return textFrom([&](char *buffer, size_t size, size_t *length) {
    return tcOrderFind(spec.c_str(), tensors.data(),
                       static_cast<int32_t>(tensors.size()), owner.get(),
                       buffer, size, length);
  });
}

/// Output of tcProgramDescribe, as JSON.
std::string describeProgram(const std::string &text,
                            const std::string &notation) {
  textOf(text, "the text");
  textOf(notation, "the notation");
  return textFrom([&](char *buffer, size_t size, size_t *length) {
    return tcProgramDescribe(text.c_str(), notation.c_str(), buffer, size,
                             length);
  });
}

/// Output of tcCandidatesFind, as JSON; tensors are contiguous.
std::string findCandidates(const std::string &spec,
                           const std::vector<int32_t> &types,
                           const std::vector<std::vector<int64_t>> &extents,
                           const nb::dict &options, int64_t most) {
  textOf(spec, "the specification");
  if (types.size() != 3 || extents.size() != 3)
    throw nb::value_error("candidates are of contractions of two operands");
  TcTensor tensors[3];
  for (size_t i = 0; i < 3; ++i)
    tensors[i] = {types[i], static_cast<int32_t>(extents[i].size()),
                  extents[i].data(), nullptr};
  OptionsOwner owner = makeOptions(options);
  return textFrom([&](char *buffer, size_t size, size_t *length) {
    return tcCandidatesFind(spec.c_str(), tensors, owner.get(), most, buffer,
                            size, length);
  });
}

int64_t mergeTuning(const std::string &path, const std::string &lines) {
  textOf(path, "the path");
  textOf(lines, "an evaluation");
  int64_t added = 0;
  TcError *error;
  {
    Unlocked unlocked;
    error = tcTuningMerge(path.c_str(), lines.c_str(), &added);
  }
  check(error);
  return added;
}

std::string exportTuning(const std::string &path, bool bestOnly) {
  textOf(path, "the path");
  return textFrom([&](char *buffer, size_t size, size_t *length) {
    return tcTuningExport(path.c_str(), bestOnly, buffer, size, length);
  });
}

} // namespace

NB_MODULE(_native, module) {
  module.doc() = "The C interface of tc.";
  // A thread that computes while the interpreter goes down keeps what it uses.
  nb::set_leak_warnings(false);
  findExceptions();
  // The main thread may have called nothing else of libtc when the process
  // ends.
  module.def("end_specialization", [] {
    Unlocked unlocked;
    tcSpecializationEnd();
  });
  nb::module_::import_("atexit").attr("register")(
      module.attr("end_specialization"));
  // Nothing can be imported any more while the interpreter goes down.
  NumPy::get();
  nb::class_<Contraction>(module, "Contraction")
      .def(nb::init<const std::string &, const std::vector<int32_t> &,
                    const std::vector<std::vector<int64_t>> &,
                    const std::vector<std::vector<int64_t>> &, const nb::dict &,
                    const AuxiliaryLayouts &>(),
           nb::arg("spec"), nb::arg("types"), nb::arg("extents"),
           nb::arg("strides"), nb::arg("options"), nb::arg("auxiliaries"))
      .def("run", &Contraction::run, nb::arg("a"), nb::arg("b").none(),
           nb::arg("c"), nb::arg("alpha").none(), nb::arg("beta").none(),
           nb::arg("auxiliaries").none() = nb::none())
      .def("run_shaped", &Contraction::runShaped, nb::arg("a"),
           nb::arg("b").none(), nb::arg("c"), nb::arg("alpha").none(),
           nb::arg("beta").none())
      .def("launch", &Contraction::launch, nb::arg("a"), nb::arg("b"),
           nb::arg("c"), nb::arg("alpha").none(), nb::arg("beta").none(),
           nb::arg("auxiliaries"), nb::arg("stream"))
      .def("queue", &Contraction::queue, nb::arg("a"), nb::arg("b"),
           nb::arg("c"), nb::arg("stream"))
      .def("get", &Contraction::get, nb::arg("artifact"));

  nb::class_<PastCalls>(module, "PastCalls")
      .def(nb::init<size_t>(), nb::arg("most"))
      .def("__len__", &PastCalls::size)
      .def("clear", &PastCalls::clear)
      .def("call", &PastCalls::call, nb::arg("subscripts").none(),
           nb::arg("operands"), nb::arg("options"))
      .def("keep", &PastCalls::keep, nb::arg("subscripts"), nb::arg("operands"),
           nb::arg("options"), nb::arg("native"), nb::arg("shape"),
           nb::arg("dtype"), nb::arg("workspace").none() = nb::none())
      .def("call_arrays", &PastCalls::callArrays, nb::arg("a").none(),
           nb::arg("b").none(), nb::arg("out").none())
      .def("keep_arrays", &PastCalls::keepArrays, nb::arg("a").none(),
           nb::arg("b").none(), nb::arg("out").none(), nb::arg("native"),
           nb::arg("shape"), nb::arg("dtype"));

  nb::class_<PlainCalls>(module, "PlainCalls")
      .def(nb::init<nb::object, const nb::dict &, nb::object, nb::handle,
                    nb::object, int64_t>(),
           nb::arg("past"), nb::arg("types"), nb::arg("find_type"),
           nb::arg("wide"), nb::arg("workspace"), nb::arg("few"))
      .def("call", &PlainCalls::call, nb::arg("subscripts").none(),
           nb::arg("operands"), nb::arg("options"));

  nb::class_<QuickLaunch>(module, "QuickLaunch")
      .def(nb::init<nb::object, const nb::tuple &, const nb::tuple &,
                    const nb::tuple &>(),
           nb::arg("contraction"), nb::arg("a"), nb::arg("b"), nb::arg("out"))
      .def("launch", &QuickLaunch::launch, nb::arg("a").none(),
           nb::arg("b").none(), nb::arg("out").none());

  auto set = [](TcErrorCode (*function)(int32_t, int32_t *), int32_t threads) {
    int32_t former = 0;
    if (function(threads, &former) != 0)
      throw nb::value_error("no number of threads");
    return former;
  };
  module.def("get_threads", &tcCpuThreadsGet);
  module.def(
      "set_threads",
      [set](int32_t threads) { return set(&tcCpuThreadsSet, threads); },
      nb::arg("threads"));
  module.def(
      "set_threads_here",
      [set](int32_t threads) { return set(&tcCpuThreadsSetHere, threads); },
      nb::arg("threads"));
  module.attr("MOST_THREADS") = TC_MOST_THREADS;

  module.attr("ALIGNMENT") = alignmentOfTensors;
  module.def("read_interface", &readInterface, nb::arg("array"),
             nb::arg("stream"));

  nb::class_<Program>(module, "Program")
      .def(nb::init<const std::string &, const std::string &,
                    const nb::dict &>(),
           nb::arg("text"), nb::arg("notation"), nb::arg("options"))
      .def_static(
          "of_einsum",
          [](const std::string &spec, TcElementType type,
             const std::vector<std::vector<int64_t>> &extents,
             const nb::dict &options) {
            return new Program(spec, type, extents, options);
          },
          nb::rv_policy::take_ownership, nb::arg("spec"), nb::arg("type"),
          nb::arg("extents"), nb::arg("options"))
      .def_prop_ro("parameters", &Program::parameters)
      .def_prop_ro("workspace_bytes", &Program::workspaceBytes)
      .def_prop_ro("workspace_alignment", &Program::workspaceAlignment)
      .def_prop_ro("extents", &Program::extents)
      .def("shaped_workspace_bytes", &Program::shapedWorkspaceBytes,
           nb::arg("extents"))
      .def("run", &Program::run, nb::arg("arrays"), nb::arg("workspace").none(),
           nb::arg("extents") = std::vector<int64_t>())
      .def("get", &Program::get, nb::arg("artifact"));

  module.def("expand", &expand, nb::arg("spec"), nb::arg("ranks"));
  module.def("find_order", &findOrder, nb::arg("spec"), nb::arg("type"),
             nb::arg("extents"), nb::arg("options"));
  module.def("compile_plain", &compilePlain, nb::arg("subscripts"),
             nb::arg("operands"), nb::arg("type"), nb::arg("options"));
  module.def("default_memory_limit", &tcGetDefaultMemoryLimit);
  module.def("describe_program", &describeProgram, nb::arg("text"),
             nb::arg("notation"));
  module.def("find_candidates", &findCandidates, nb::arg("spec"),
             nb::arg("types"), nb::arg("extents"), nb::arg("options"),
             nb::arg("most"));
  module.def("merge_tuning", &mergeTuning, nb::arg("path"), nb::arg("lines"));
  module.def("export_tuning", &exportTuning, nb::arg("path"),
             nb::arg("best_only"));
  module.def("sum_type", &tcElementTypeGetSum, nb::arg("element_type"));
  module.def("common_type", &tcElementTypeGetCommon, nb::arg("a"),
             nb::arg("b"));

  auto artifacts = nb::dict();
  artifacts["mlir"] = int32_t(TC_ARTIFACT_MLIR);
  artifacts["schedule"] = int32_t(TC_ARTIFACT_SCHEDULE);
  artifacts["explanation"] = int32_t(TC_ARTIFACT_EXPLANATION);
  artifacts["warnings"] = int32_t(TC_ARTIFACT_WARNINGS);
  artifacts["cache"] = int32_t(TC_ARTIFACT_CACHE);
  artifacts["object"] = int32_t(TC_ARTIFACT_OBJECT);
  artifacts["header"] = int32_t(TC_ARTIFACT_HEADER);
  artifacts["ptx"] = int32_t(TC_ARTIFACT_PTX);
  artifacts["package"] = int32_t(TC_ARTIFACT_PACKAGE);
  artifacts["page"] = int32_t(TC_ARTIFACT_EXPLANATION_PAGE);
  artifacts["cubin"] = int32_t(TC_ARTIFACT_CUBIN);
  module.attr("ARTIFACTS") = artifacts;
  module.attr("MOST_SLICES") = TC_MOST_SLICES;
}
