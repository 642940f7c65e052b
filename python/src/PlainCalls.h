//===- PlainCalls.h - Calls that native code reads itself -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most calls of einsum have subscripts in letters, and arrays of NumPy of one
// dtype which are read as they lie. When they come for the first time, all that
// Python has to look at takes as long as what native code does for them, or
// longer. Whatever else is said is for Python, which knows all rules and
// messages.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_PLAINCALLS_H
#define TC_PYTHON_PLAINCALLS_H

#include "PastCalls.h"
#include "PlainContraction.h"

#include "tc-c/Order.h"

#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace {

class PlainCalls {
public:
  /// @param past       where calls are kept
  /// @param types      the compiler's numbers of dtypes that nothing converts
  /// @param findType   makes that of another dtype, or None
  /// @param wide       those of which a temporary is as precise as a sum
  /// @param workspace  makes the memory of so many bytes and that alignment
  /// @param few        bytes of temporaries that are within any limit that
  ///                   nobody has asked for
  PlainCalls(nb::object past, const nb::dict &types, nb::object findType,
             nb::handle wide, nb::object workspace, int64_t few)
      : owner(std::move(past)), calls(nb::cast<PastCalls &>(owner)),
        partial(nb::module_::import_("functools").attr("partial")),
        findType(std::move(findType)), makeWorkspace(std::move(workspace)),
        few(few) {
    for (auto [dtype, number] : types)
      plain.push_back({nb::borrow(dtype), nb::cast<int32_t>(number),
                       PySequence_Contains(wide.ptr(), dtype.ptr()) == 1});
  }

  /// The result of a call that is remembered, or that is read here and is
  /// remembered from then on; else None.
  nb::object call(nb::handle subscripts, const nb::tuple &operands,
                  const nb::dict &options) {
    Arguments arguments(subscripts, operands, options);
    SharedCall found = calls.find(arguments);
    const bool isDue = found && found->isDue();
    if ((!found || isDue) && isPlain(arguments))
      found = compile(arguments, found);
    return found ? PastCalls::resultOf(found, arguments) : nb::none();
  }

private:
  struct PlainType {
    nb::object dtype;
    int32_t number;
    bool isWide;
  };

  static bool isPlain(const Arguments &arguments) {
    // A tuning database that is named is consulted.
    const char *tuned = std::getenv("TC_TUNED");
    return arguments.isValid && arguments.subscripts.is_valid() &&
           arguments.out.is_none() &&
           arguments.memoryLimit == Arguments::notSaid &&
           arguments.searchSeconds < 0 &&
           arguments.specialize.is(NumPy::get().automatic) &&
           (arguments.strategy.is(nb::handle(Py_True)) ||
            !arguments.path.empty()) &&
           (!tuned || *tuned == '\0');
  }

  /// The type of all arrays, if nothing is to be copied before they are read.
  const PlainType *typeOf(const Arguments &arguments) {
    const nb::object &dtype = arguments[0].dtype;
    const PlainType *type = nullptr;
    for (const PlainType &each : plain)
      if (each.dtype.is(dtype))
        type = &each;
    if (!type) {
      nb::object number = findType(dtype);
      if (number.is_none() || plain.size() >= mostTypes)
        return nullptr;
      type = &plain.emplace_back(
          PlainType{dtype, nb::cast<int32_t>(number), /*isWide=*/false});
    }
    const auto alignment = static_cast<uintptr_t>(tc::model::byteWidth(
        tc::model::realTypeOf(*tc::model::symbolizeElementType(
            tcElementTypeGetName(type->number)))));
    for (size_t i = 0; i < arguments.size(); ++i)
      if (!arguments[i].dtype.is(dtype) ||
          reinterpret_cast<uintptr_t>(arguments[i].view.buf) % alignment != 0)
        return nullptr;
    return type;
  }

  /// The call of these arguments, which is made or, if it is due, compiled.
  SharedCall compile(const Arguments &arguments, const SharedCall &due) {
    const PlainType *type = typeOf(arguments);
    Py_ssize_t length = 0;
    const char *text =
        PyUnicode_AsUTF8AndSize(arguments.subscripts.ptr(), &length);
    if (!text)
      PyErr_Clear();
    if (!type || !text)
      return due;
    std::optional<PlainSubscripts> subscripts =
        PlainSubscripts::read({text, static_cast<size_t>(length)});
    if (!subscripts)
      return due;
    std::vector<const Py_buffer *> arrays;
    for (size_t i = 0; i < arguments.size(); ++i)
      arrays.push_back(&arguments[i].view);
    std::optional<PlainLayouts> layouts =
        PlainLayouts::read(*subscripts, arrays);
    if (!layouts)
      return due;
    try {
      if (!due && layouts->operands() <= 2 && arguments.path.empty())
        if (auto direct = DirectContraction::make(
                *subscripts, *layouts, type->number, arguments.threads))
          return calls.add(arguments, std::make_unique<const PastCall>(
                                          arguments, std::move(*direct),
                                          layouts->shape(), type->dtype));
      std::shared_ptr<TcOptions> options =
          optionsOf(arguments, *layouts, *type);
      if (layouts->operands() > 2)
        return compileProgram(arguments, *subscripts, *layouts, *type,
                              options.get());
      if (!arguments.path.empty())
        return {};
      nb::object made = makePlainContraction(*subscripts, *layouts,
                                             type->number, options.get());
      if (!due)
        return calls.add(arguments, std::move(made), layouts->shape(),
                         type->dtype, nb::none());
      due->take(std::move(made));
      return due;
    } catch (const std::exception &) {
      // Python finds the same fault, and has the words for it. What runs
      // without stays so.
      return due;
    }
  }

  /// Those of a call, which are mostly those of the one before it.
  std::shared_ptr<TcOptions> optionsOf(const Arguments &arguments,
                                       const PlainLayouts &layouts,
                                       const PlainType &type) {
    const bool keepsSums = layouts.operands() > 2 && !type.isWide;
    if (arguments.path.empty() && last.options &&
        last.threads == arguments.threads && last.keepsSums == keepsSums)
      return last.options;
    std::shared_ptr<TcOptions> made = makeOptions();
    auto set = [&](const char *name, const std::string &value) {
      check(tcOptionsSet(made.get(), name, value.c_str()));
    };
    set("threads", std::to_string(arguments.threads));
    set("specialize", "auto");
    if (keepsSums)
      set("keep-sums", "true");
    if (arguments.path.empty())
      last = {arguments.threads, keepsSums, made};
    else if (layouts.operands() > 2)
      set("path", arguments.pathText());
    return made;
  }

  SharedCall compileProgram(const Arguments &arguments,
                            const PlainSubscripts &subscripts,
                            PlainLayouts &layouts, const PlainType &type,
                            const TcOptions *options) {
    if (!layouts.areContiguous)
      return {};
    nb::tuple shape = layouts.shape();
    layouts.extents.pop_back();
    auto program = std::make_unique<Program>(subscripts.text(), type.number,
                                             layouts.extents, options);
    const int64_t bytes = program->workspaceBytes();
    if (arguments.path.empty() && bytes > few &&
        bytes > tcGetDefaultMemoryLimit())
      return {};
    nb::object workspace = nb::none();
    // Programs keep small ones themselves, which takes less time.
    if (bytes > mostOwnBytes)
      workspace = partial(makeWorkspace, bytes, program->workspaceAlignment());
    nb::object native =
        nb::cast(program.release(), nb::rv_policy::take_ownership);
    return calls.add(arguments, std::move(native), std::move(shape), type.dtype,
                     std::move(workspace));
  }

  /// Options of a call without a path, and what they depend on.
  struct LastOptions {
    int64_t threads = 0;
    bool keepsSums = false;
    std::shared_ptr<TcOptions> options;
  };

  /// All programs that are kept take no more than one large workspace.
  static constexpr int64_t mostOwnBytes = 1 << 14;
  /// There may be any number of objects for one dtype.
  static constexpr size_t mostTypes = 64;

  nb::object owner;
  PastCalls &calls;
  nb::object partial, findType, makeWorkspace;
  int64_t few;
  /// More are added while another thread uses one.
  std::deque<PlainType> plain;
  /// Shared, as another thread may replace them meanwhile.
  LastOptions last;
};

} // namespace

#endif // TC_PYTHON_PLAINCALLS_H
