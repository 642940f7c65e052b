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
#include "QuickCall.h"
#include "QuickLaunch.h"

#include "tc-c/Order.h"
#include "tc-c/Program.h"
#include "tc-c/Tuning.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <optional>

namespace nb = nanobind;

namespace {

/// A program for the CPU, or what it is compiled to.
class Program {
public:
  Program(const std::string &text, const std::string &notation,
          const nb::dict &options) {
    OptionsOwner owner = makeOptions(options);
    textOf(text, "the text");
    textOf(notation, "the notation");
    TcError *error;
    {
      Unlocked unlocked;
      error = tcProgramCompile(text.c_str(), notation.c_str(), owner.get(),
                               &program);
    }
    check(error);
    findLayouts();
  }
  /// A product of contiguous operands.
  Program(const std::string &spec, TcElementType type,
          const std::vector<std::vector<int64_t>> &extents,
          const nb::dict &options) {
    textOf(spec, "the specification");
    std::vector<TcTensor> tensors;
    for (const std::vector<int64_t> &shape : extents)
      tensors.push_back(
          {type, static_cast<int32_t>(shape.size()), shape.data(), nullptr});
    OptionsOwner owner = makeOptions(options);
    TcError *error;
    {
      Unlocked unlocked;
      error = tcProgramCompileEinsum(spec.c_str(), tensors.data(),
                                     static_cast<int32_t>(tensors.size()),
                                     owner.get(), &program);
    }
    check(error);
    findLayouts();
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program() { tcProgramDestroy(program); }

  /// Of each: name, type, extents, strides, alignment, and whether it is read
  /// and written.
  nb::list parameters() const {
    nb::list list;
    for (int32_t i = 0; i < tcProgramGetParameterCount(program); ++i) {
      const TcPackageTensor &tensor = *tcProgramGetParameter(program, i);
      auto rank = static_cast<size_t>(tensor.rank);
      list.append(nb::make_tuple(
          tensor.name, tensor.type,
          std::vector<int64_t>(tensor.extents, tensor.extents + rank),
          std::vector<int64_t>(tensor.strides, tensor.strides + rank),
          tensor.alignment, tensor.isRead != 0, tensor.isWritten != 0));
    }
    return list;
  }
  int64_t workspaceBytes() const { return tcProgramGetWorkspaceBytes(program); }
  /// The names of those that each call says.
  std::vector<std::string> extents() const {
    std::vector<std::string> names;
    for (int32_t i = 0; i < tcProgramGetExtentCount(program); ++i)
      names.emplace_back(tcProgramGetExtentName(program, i));
    return names;
  }
  int64_t shapedWorkspaceBytes(const std::vector<int64_t> &extents) const {
    int64_t bytes = 0;
    check(tcProgramGetShapedWorkspaceBytes(
        program, extents.data(), static_cast<int32_t>(extents.size()), &bytes));
    return bytes;
  }
  int64_t workspaceAlignment() const {
    return tcProgramGetWorkspaceAlignment(program);
  }

  /// @param extents  of programs that take none, none
  void run(const nb::list &arrays, nb::handle workspace,
           const std::vector<int64_t> &extents) const {
    std::deque<Buffer> buffers;
    std::vector<void *> pointers;
    for (nb::handle array : arrays) {
      // How many there are is for the run to say.
      size_t number = pointers.size();
      bool isWritten = number < described.size() && described[number].isWritten;
      const Buffer &buffer = buffers.emplace_back(
          array, isWritten ? PyBUF_WRITABLE : PyBUF_SIMPLE);
      if (number < described.size())
        checkLayout(described[number], buffer.layout(), extents);
      pointers.push_back(buffer.data());
    }
    void *room = nullptr;
    if (!workspace.is_none()) {
      const Buffer &buffer = buffers.emplace_back(workspace, PyBUF_WRITABLE);
      checkWorkspace(buffer.layout(), extents);
      room = buffer.data();
    }
    TcError *error;
    {
      Unlocked unlocked;
      error = tcProgramRunShaped(
          program, extents.data(), static_cast<int32_t>(extents.size()),
          pointers.data(), static_cast<int32_t>(pointers.size()), room);
    }
    check(error);
  }

  nb::bytes get(int32_t artifact) const {
    const char *data = nullptr;
    size_t size = 0;
    check(tcProgramGet(program, artifact, &data, &size));
    return nb::bytes(data, size);
  }

private:
  /// What code takes one of its tensors to be.
  struct Parameter {
    TcElementType type;
    bool isWritten;
    /// As tcProgramGetParameter has them: negative ones are those of calls.
    std::vector<int64_t> extents;
    std::string name;
    /// Nothing where calls say extents.
    std::optional<ExpectedLayout> layout;
  };

  /// What messages call a parameter.
  static std::string nameOf(const std::string &parameter) {
    constexpr std::string_view operand = "operand";
    if (parameter.compare(0, operand.size(), operand) == 0)
      return "operand " + parameter.substr(operand.size());
    return parameter == "result" ? "out" : "tensor '" + parameter + "'";
  }

  void findLayouts() {
    for (int32_t i = 0; i < tcProgramGetParameterCount(program); ++i) {
      const TcPackageTensor &tensor = *tcProgramGetParameter(program, i);
      std::vector<int64_t> extents(tensor.extents,
                                   tensor.extents + tensor.rank);
      std::vector<int64_t> strides(tensor.strides,
                                   tensor.strides + tensor.rank);
      Parameter &parameter = described.emplace_back();
      parameter = {tensor.type, tensor.isWritten != 0, extents,
                   nameOf(tensor.name), std::nullopt};
      if (tcProgramGetExtentCount(program) == 0)
        parameter.layout.emplace(parameter.name, tensor.type,
                                 std::move(extents), std::move(strides));
    }
  }

  static void checkLayout(const Parameter &parameter, const Py_buffer &array,
                          const std::vector<int64_t> &extents) {
    if (parameter.layout)
      return parameter.layout->check(array);
    std::vector<int64_t> shape = parameter.extents;
    for (int64_t &extent : shape)
      if (extent < 0) {
        auto number = static_cast<size_t>(-1 - extent);
        // The run says that there are others.
        if (number >= extents.size())
          return;
        extent = extents[number];
      }
    ExpectedLayout::contiguous(parameter.name, parameter.type, std::move(shape))
        .check(array);
  }

  void checkWorkspace(const Py_buffer &room,
                      const std::vector<int64_t> &extents) const {
    int64_t needed =
        extents.empty() ? workspaceBytes() : shapedWorkspaceBytes(extents);
    if (room.len < needed || !PyBuffer_IsContiguous(&room, 'C'))
      throw nb::value_error(
          ("the workspace has " + std::to_string(room.len) +
           " bytes, perhaps with gaps, but the program needs " +
           std::to_string(needed) + " without")
              .c_str());
  }

  TcProgram *program = nullptr;
  std::vector<Parameter> described;
};

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

/// What a function writes into a buffer. Nearly all texts fit, and are not made
/// twice.
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

/// What tcOrderFind writes, as JSON.
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

/// What tcProgramDescribe writes, as JSON.
std::string describeProgram(const std::string &text,
                            const std::string &notation) {
  textOf(text, "the text");
  textOf(notation, "the notation");
  return textFrom([&](char *buffer, size_t size, size_t *length) {
    return tcProgramDescribe(text.c_str(), notation.c_str(), buffer, size,
                             length);
  });
}

/// What tcCandidatesFind writes, as JSON; tensors are contiguous.
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
      .def("get", &Contraction::get, nb::arg("artifact"));

  nb::class_<QuickCall>(module, "QuickCall")
      .def(
          nb::init<nb::object, nb::handle, nb::handle, nb::tuple, nb::object>(),
          nb::arg("contraction"), nb::arg("a"), nb::arg("b"), nb::arg("shape"),
          nb::arg("dtype"))
      .def("call", &QuickCall::call, nb::arg("a").none(), nb::arg("b").none());
  nb::class_<QuickCalls>(module, "QuickCalls")
      .def(nb::init<>())
      .def("keep", &QuickCalls::keep, nb::arg("contraction"),
           nb::arg("subscripts"), nb::arg("specialize"), nb::arg("threads"),
           nb::arg("a"), nb::arg("b"), nb::arg("shape"), nb::arg("dtype"))
      .def("call", &QuickCalls::call, nb::arg("subscripts").none(),
           nb::arg("a").none(), nb::arg("b").none(), nb::arg("threads").none(),
           nb::arg("specialize").none())
      .def("clear", &QuickCalls::clear);

  nb::class_<QuickLaunch>(module, "QuickLaunch")
      .def(nb::init<nb::object, const nb::tuple &, const nb::tuple &,
                    const nb::tuple &>(),
           nb::arg("contraction"), nb::arg("a"), nb::arg("b"), nb::arg("out"))
      .def("launch", &QuickLaunch::launch, nb::arg("a").none(),
           nb::arg("b").none(), nb::arg("out").none());

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
