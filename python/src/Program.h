//===- Program.h - Programs for Python --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of several statements, and products of many operands, as the package
// runs them on arrays.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_PROGRAM_H
#define TC_PYTHON_PROGRAM_H

#include "Contraction.h"

#include "tc-c/Program.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
          const nb::dict &options)
      : Program(spec, type, extents, makeOptions(options).get()) {}
  Program(const std::string &spec, TcElementType type,
          const std::vector<std::vector<int64_t>> &extents,
          const TcOptions *options) {
    textOf(spec, "the specification");
    std::vector<TcTensor> tensors;
    for (const std::vector<int64_t> &shape : extents)
      tensors.push_back(
          {type, static_cast<int32_t>(shape.size()), shape.data(), nullptr});
    TcError *error;
    {
      Unlocked unlocked;
      error = tcProgramCompileEinsum(spec.c_str(), tensors.data(),
                                     static_cast<int32_t>(tensors.size()),
                                     options, &program);
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
      // The run checks their number.
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

  /// Raises ValueError for arrays that are not those which it was compiled for,
  /// in its order.
  void checkLayouts(const std::vector<const Py_buffer *> &arrays) const {
    if (arrays.size() != described.size())
      throw nb::value_error("a program takes another number of arrays");
    for (size_t i = 0; i < arrays.size(); ++i)
      checkLayout(described[i], *arrays[i], {});
  }

  /// The same on memory of such arrays, of a program that takes no extents.
  void runOn(const std::vector<void *> &pointers, nb::handle workspace) const {
    std::optional<Buffer> room;
    if (!workspace.is_none()) {
      room.emplace(workspace, PyBUF_WRITABLE);
      checkWorkspace(room->layout(), {});
    }
    TcError *error;
    {
      Unlocked unlocked;
      error = tcProgramRunShaped(program, nullptr, 0, pointers.data(),
                                 static_cast<int32_t>(pointers.size()),
                                 room ? room->data() : nullptr);
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
  /// Layout that code expects of one of its tensors.
  struct Parameter {
    TcElementType type;
    bool isWritten;
    /// As tcProgramGetParameter has them: negative ones are those of calls.
    std::vector<int64_t> extents;
    std::string name;
    /// Nothing where calls say extents.
    std::optional<ExpectedLayout> layout;
  };

  /// Name of a parameter in messages.
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

} // namespace

#endif // TC_PYTHON_PROGRAM_H
