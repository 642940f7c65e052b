//===- PastCalls.h - Calls that were made before ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions of small arrays take less time than Python takes to look at the
// arrays. So calls of NumPy's arrays, with at most an `out`, `threads`,
// `specialize` and what decides about the order, are remembered here with what
// their arrays looked like. Whatever differs in any way is for Python, which
// knows all rules and messages.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_PASTCALLS_H
#define TC_PYTHON_PASTCALLS_H

#include "Arguments.h"
#include "Contraction.h"
#include "DirectContraction.h"
#include "Program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

/// Compiled code, and what the arrays looked like for which it was compiled.
class PastCall {
public:
  /// Takes arguments of a contraction for which nothing is compiled yet.
  PastCall(const Arguments &arguments, DirectContraction made,
           nb::tuple resultShape, nb::object resultDtype)
      : PastCall(arguments, std::move(resultShape), std::move(resultDtype)) {
    direct.emplace(std::move(made));
  }
  /// Takes arguments for which `native`, a contraction or a program, was
  /// compiled. `workspace` makes what a program needs, if it needs any. Raises
  /// ValueError for arrays that it is not for.
  PastCall(const Arguments &arguments, nb::object owner, nb::tuple resultShape,
           nb::object resultDtype, nb::object makeWorkspace)
      : PastCall(arguments, std::move(resultShape), std::move(resultDtype)) {
    native = std::move(owner);
    workspace = std::move(makeWorkspace);
    std::vector<const Py_buffer *> views;
    for (size_t i = 0; i < arguments.size(); ++i)
      views.push_back(&arguments[i].view);
    // Later arrays look like these.
    std::optional<Buffer> result;
    if (!hasOut)
      views.push_back(&result.emplace(makeResult(), PyBUF_WRITABLE).layout());
    if (nb::isinstance<Program>(native)) {
      program = nb::cast<const Program *>(native);
      program->checkLayouts(views);
      return;
    }
    contraction = nb::cast<const Contraction *>(native);
    if (views.size() < 2 || views.size() > 3)
      throw nb::value_error("a contraction has one operand or two");
    contraction->checkLayouts(
        *views.front(), views.size() == 3 ? views[1] : nullptr, *views.back());
  }

  bool isFor(const Arguments &arguments) const {
    if (threads != arguments.threads || memoryLimit != arguments.memoryLimit ||
        searchSeconds != arguments.searchSeconds ||
        layouts.size() != arguments.size() ||
        hasOut == arguments.out.is_none() || axes != arguments.axes ||
        path != arguments.path || !areEqual(strategy, arguments.strategy) ||
        !areEqual(subscripts, arguments.subscripts) ||
        !areEqual(specialize, arguments.specialize))
      return false;
    for (size_t i = 0; i < layouts.size(); ++i)
      if (!layouts[i].isOf(arguments[i]))
        return false;
    return true;
  }

  /// The result, which is `out` or a new array; None if `out` may overlap what
  /// is read.
  nb::object run(const Arguments &arguments) const {
    if (hasOut) {
      const ArrayView &out = arguments[arguments.size() - 1];
      auto [begin, end] = out.bounds();
      for (size_t i = 0; i + 1 < arguments.size(); ++i) {
        auto [low, high] = arguments[i].bounds();
        if (low < end && begin < high)
          return nb::none();
      }
      compute(arguments, out.view.buf, 0);
      return nb::borrow(arguments.out);
    }
    nb::object made = makeResult();
    Buffer result(made, PyBUF_WRITABLE);
    compute(arguments, result.data(), result.size());
    return made;
  }

  /// True of the run of a contraction for which nothing is compiled before
  /// which that pays, of one in all.
  bool isDue() const {
    return direct && !contraction && directRuns++ == mostDirectRuns;
  }

  /// Takes a compiled contraction of such arrays. Another thread may have made
  /// one meanwhile, and use it.
  void take(nb::object made) const {
    if (contraction)
      return;
    native = std::move(made);
    contraction = nb::cast<const Contraction *>(native);
  }

  /// True if results are new arrays without axes.
  bool isScalar() const { return !hasOut && PyTuple_Size(shape.ptr()) == 0; }

private:
  /// All but what computes it.
  PastCall(const Arguments &arguments, nb::tuple resultShape,
           nb::object resultDtype)
      : dtype(std::move(resultDtype)), shape(std::move(resultShape)),
        axes(arguments.axes), path(arguments.path),
        hasOut(!arguments.out.is_none()), threads(arguments.threads),
        memoryLimit(arguments.memoryLimit),
        searchSeconds(arguments.searchSeconds) {
    if (arguments.subscripts.is_valid())
      subscripts = nb::borrow(arguments.subscripts);
    if (arguments.specialize.is_valid())
      specialize = nb::borrow(arguments.specialize);
    if (arguments.strategy.is_valid())
      strategy = nb::borrow(arguments.strategy);
    layouts.reserve(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i)
      layouts.emplace_back(arguments[i]);
  }

  void compute(const Arguments &arguments, void *out,
               Py_ssize_t newBytes) const {
    size_t operands = arguments.size() - hasOut;
    if (contraction || direct) {
      Py_ssize_t bytes = newBytes;
      for (size_t i = 0; i < arguments.size(); ++i)
        bytes += arguments[i].view.len;
      const void *a = arguments[0].view.buf;
      const void *b = operands == 2 ? arguments[1].view.buf : nullptr;
      if (contraction)
        contraction->runOn(a, b, out, bytes > largeBytes);
      else
        direct->runOn(a, b, out, bytes > largeBytes);
      return;
    }
    std::vector<void *> pointers;
    for (size_t i = 0; i < operands; ++i)
      pointers.push_back(arguments[i].view.buf);
    pointers.push_back(out);
    program->runOn(pointers, workspace.is_none() ? nb::none() : workspace());
  }

  nb::object makeResult() const {
    PyObject *arguments[] = {shape.ptr(), dtype.ptr()};
    nb::object made = nb::steal(
        PyObject_Vectorcall(NumPy::get().empty.ptr(), arguments, 2, nullptr));
    if (!made.is_valid())
      throw nb::python_error();
    return made;
  }

  /// Of texts, and of what is one object.
  static bool areEqual(nb::handle a, nb::handle b) {
    auto isText = [](nb::handle object) {
      return object.is_valid() && PyUnicode_CheckExact(object.ptr());
    };
    return a.is(b) ||
           (isText(a) && isText(b) && PyUnicode_Compare(a.ptr(), b.ptr()) == 0);
  }

  /// Other threads may use the interpreter while arrays that take more bytes
  /// are contracted. Less takes a few microseconds.
  static constexpr Py_ssize_t largeBytes = 8192;

  /// To compile a contraction takes as long as about ten runs of small arrays,
  /// and pays where there are many.
  static constexpr unsigned mostDirectRuns = 2;

  mutable nb::object native;
  nb::object dtype, workspace, subscripts, specialize, strategy;
  nb::tuple shape;
  std::vector<int64_t> axes, path;
  bool hasOut;
  int64_t threads, memoryLimit;
  double searchSeconds;
  /// One of these; a contraction goes before the one that was run before it was
  /// compiled. Who holds the interpreter's lock may change what is mutable.
  mutable const Contraction *contraction = nullptr;
  const Program *program = nullptr;
  std::optional<DirectContraction> direct;
  mutable unsigned directRuns = 0;
  /// Of operands, and of `out` if it is given.
  std::vector<ArrayLayout> layouts;
};

/// A call that is kept, or was kept until another thread has forgotten it. Who
/// copies one holds the interpreter's lock, so that counting takes no atomics.
class SharedCall {
public:
  SharedCall() = default;
  explicit SharedCall(std::unique_ptr<const PastCall> made)
      : shared(made ? new Shared{std::move(made), 1} : nullptr) {}
  SharedCall(const SharedCall &other) : shared(other.shared) {
    if (shared)
      ++shared->users;
  }
  SharedCall &operator=(SharedCall other) {
    std::swap(shared, other.shared);
    return *this;
  }
  ~SharedCall() {
    if (shared && --shared->users == 0)
      delete shared;
  }

  explicit operator bool() const { return shared != nullptr; }
  const PastCall *operator->() const { return shared->call.get(); }

private:
  struct Shared {
    std::unique_ptr<const PastCall> call;
    size_t users;
  };
  Shared *shared = nullptr;
};

/// Calls, by all that they are told and what their arrays look like.
class PastCalls {
public:
  /// @param most  calls that are kept
  explicit PastCalls(size_t most) : most(most) {}

  /// The result of a call of einsum that is remembered, an array or a number;
  /// else None.
  nb::object call(nb::handle subscripts, const nb::tuple &operands,
                  const nb::dict &options) const {
    Arguments arguments(subscripts, operands, options);
    SharedCall found = find(arguments);
    return found ? resultOf(found, arguments) : nb::none();
  }

  /// The result of a call of einsum that is kept for such arguments.
  static nb::object resultOf(const SharedCall &found,
                             const Arguments &arguments) {
    nb::object made = found->run(arguments);
    return found->isScalar() ? nb::object(made[nb::make_tuple()]) : made;
  }

  /// Remembers a call for which `native` was compiled, unless such calls are
  /// not remembered.
  void keep(nb::handle subscripts, const nb::tuple &operands,
            const nb::dict &options, nb::object native, nb::tuple shape,
            nb::object dtype, nb::object workspace) {
    add(Arguments(subscripts, operands, options), std::move(native),
        std::move(shape), std::move(dtype), std::move(workspace));
  }

  /// The same of a compiled contraction.
  nb::object callArrays(nb::handle a, nb::handle b, nb::handle out) const {
    Arguments arguments(a, b, out);
    // Most are called on arrays of one layout.
    SharedCall found = newest;
    if (!found || !arguments.isValid || !found->isFor(arguments))
      found = find(arguments);
    return found ? found->run(arguments) : nb::none();
  }
  void keepArrays(nb::handle a, nb::handle b, nb::handle out, nb::object native,
                  nb::tuple shape, nb::object dtype) {
    add(Arguments(a, b, out), std::move(native), std::move(shape),
        std::move(dtype), nb::none());
  }

  size_t size() const { return calls.size(); }
  void clear() {
    calls.clear();
    newest = {};
  }

  /// Shared, as another thread may forget it meanwhile.
  SharedCall find(const Arguments &arguments) const {
    if (!arguments.isValid)
      return {};
    auto [begin, end] = calls.equal_range(arguments.hash());
    for (auto it = begin; it != end; ++it)
      if (it->second->isFor(arguments))
        return it->second;
    return {};
  }

  /// The call that is kept; nothing of arguments that are not remembered.
  SharedCall add(const Arguments &arguments, nb::object native, nb::tuple shape,
                 nb::object dtype, nb::object workspace) {
    if (!arguments.isValid)
      return {};
    return add(arguments, std::make_unique<const PastCall>(
                              arguments, std::move(native), std::move(shape),
                              std::move(dtype), std::move(workspace)));
  }

  /// The same of valid arguments and the call that they are of.
  SharedCall add(const Arguments &arguments,
                 std::unique_ptr<const PastCall> call) {
    SharedCall made(std::move(call));
    if (calls.size() >= most)
      calls.clear();
    newest = made;
    calls.emplace(arguments.hash(), made);
    return made;
  }

private:
  size_t most;
  SharedCall newest;
  std::unordered_multimap<size_t, SharedCall> calls;
};

} // namespace

#endif // TC_PYTHON_PASTCALLS_H
