//===- QuickCall.h - Calls that were made before ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions of small arrays take less time than Python takes to look at the
// arrays. So calls of two arrays without factors, an `out` and all else are
// remembered here with what their arrays looked like. Whatever differs in any
// way is for Python, which knows all rules and messages.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_QUICKCALL_H
#define TC_PYTHON_QUICKCALL_H

#include "Contraction.h"

#include <cstdint>
#include <unordered_map>

namespace {

/// What is needed of NumPy.
struct NumPy {
  nb::object array, empty, dtypeName;

  /// Imports it the first time.
  static const NumPy &get() {
    // Never destroyed, as the interpreter may be gone by then.
    static const auto *numpy = [] {
      nb::module_ module = nb::module_::import_("numpy");
      return new NumPy{module.attr("ndarray"), module.attr("empty"),
                       nb::steal(PyUnicode_InternFromString("dtype"))};
    }();
    return *numpy;
  }
};

/// The memory and the layout of a NumPy array, for as long as this lives; what
/// is no such array, or has elements that the buffer protocol does not know, is
/// not valid.
class ArrayView {
public:
  explicit ArrayView(nb::handle array) {
    if (!array.type().is(NumPy::get().array))
      return;
    dtype =
        nb::steal(PyObject_GetAttr(array.ptr(), NumPy::get().dtypeName.ptr()));
    isValid = dtype.is_valid() &&
              PyObject_GetBuffer(array.ptr(), &view, PyBUF_STRIDES) == 0;
    if (!isValid)
      PyErr_Clear();
  }
  ArrayView(const ArrayView &) = delete;
  ArrayView &operator=(const ArrayView &) = delete;
  ~ArrayView() {
    if (isValid)
      PyBuffer_Release(&view);
  }

  nb::object dtype;
  Py_buffer view;
  bool isValid = false;
};

/// What an array looked like.
struct ArrayLayout {
  nb::object dtype;
  std::vector<Py_ssize_t> shape, strides;

  explicit ArrayLayout(const ArrayView &array)
      : dtype(array.dtype),
        shape(array.view.shape, array.view.shape + array.view.ndim),
        strides(array.view.strides, array.view.strides + array.view.ndim) {}

  /// Another object may be the same dtype: that takes the slow way.
  bool isOf(const ArrayView &array) const {
    const Py_buffer &view = array.view;
    return array.isValid && array.dtype.is(dtype) &&
           shape.size() == static_cast<size_t>(view.ndim) &&
           std::equal(shape.begin(), shape.end(), view.shape) &&
           std::equal(strides.begin(), strides.end(), view.strides);
  }
};

/// A contraction, and what the arrays looked like for which it was compiled.
class QuickCall {
public:
  /// Takes arrays with which `contraction` has been run. Raises TypeError for
  /// what is no NumPy array, and ValueError for arrays that it is not for.
  QuickCall(nb::object contraction, nb::handle a, nb::handle b, nb::tuple shape,
            nb::object dtype)
      : QuickCall(std::move(contraction), ArrayView(a), ArrayView(b),
                  std::move(shape), std::move(dtype)) {}

  QuickCall(nb::object owner, const ArrayView &a, const ArrayView &b,
            nb::tuple resultShape, nb::object resultDtype)
      : contraction(std::move(owner)), dtype(std::move(resultDtype)),
        shape(std::move(resultShape)) {
    if (!a.isValid || !b.isValid)
      throw nb::type_error("a quick call takes two NumPy arrays");
    layouts.emplace_back(a);
    layouts.emplace_back(b);
    native = nb::cast<const Contraction *>(contraction);
    // Later arrays look like these.
    Buffer result(makeResult(), PyBUF_WRITABLE);
    native->checkLayouts(a.view, &b.view, result.layout());
  }

  bool isFor(const ArrayView &a, const ArrayView &b) const {
    return layouts[0].isOf(a) && layouts[1].isOf(b);
  }

  /// A new array with the result.
  nb::object run(const ArrayView &a, const ArrayView &b) const {
    nb::object made = makeResult();
    Buffer result(made, PyBUF_WRITABLE);
    native->runOn(a.view.buf, b.view.buf, result.data(),
                  a.view.len + b.view.len + result.size() > largeBytes);
    return made;
  }

  /// Whether the result is one element.
  bool isScalar() const { return PyTuple_Size(shape.ptr()) == 0; }

  /// The same for arrays, or None if any looks otherwise.
  nb::object call(nb::handle a, nb::handle b) const {
    ArrayView viewA(a), viewB(b);
    return isFor(viewA, viewB) ? run(viewA, viewB) : nb::none();
  }

private:
  nb::object makeResult() const {
    PyObject *arguments[] = {shape.ptr(), dtype.ptr()};
    nb::object made = nb::steal(
        PyObject_Vectorcall(NumPy::get().empty.ptr(), arguments, 2, nullptr));
    if (!made.is_valid())
      throw nb::python_error();
    return made;
  }

  /// Where arrays take more bytes, other threads may use the interpreter while
  /// they are contracted. Less takes a few microseconds.
  static constexpr Py_ssize_t largeBytes = 8192;

  nb::object contraction, dtype;
  nb::tuple shape;
  const Contraction *native;
  std::vector<ArrayLayout> layouts;
};

/// Calls of `einsum`, by subscripts, options and what arrays look like.
class QuickCalls {
public:
  /// Remembers a call that `contraction` has computed.
  void keep(nb::object contraction, nb::object subscripts,
            nb::object specialize, int64_t threads, nb::handle a, nb::handle b,
            nb::tuple shape, nb::object dtype) {
    ArrayView viewA(a), viewB(b);
    if (!viewA.isValid || !viewB.isValid)
      return;
    size_t hash = hashOf(subscripts, viewA, viewB);
    if (calls.size() >= maxCalls)
      calls.clear();
    calls.emplace(
        hash, std::make_shared<Entry>(
                  Entry{std::move(subscripts), std::move(specialize), threads,
                        QuickCall(std::move(contraction), viewA, viewB,
                                  std::move(shape), std::move(dtype))}));
  }

  /// The result of a call that is remembered, a new array or a number; else
  /// None.
  nb::object call(nb::handle subscripts, nb::handle a, nb::handle b,
                  nb::handle threads, nb::handle specialize) const {
    ArrayView viewA(a), viewB(b);
    if (!viewA.isValid || !viewB.isValid ||
        !PyUnicode_CheckExact(subscripts.ptr()) ||
        !PyLong_CheckExact(threads.ptr()))
      return nb::none();
    int overflow = 0;
    int64_t count = PyLong_AsLongLongAndOverflow(threads.ptr(), &overflow);
    auto [begin, end] = calls.equal_range(hashOf(subscripts, viewA, viewB));
    for (auto it = begin; it != end; ++it) {
      // Another thread may forget it meanwhile.
      std::shared_ptr<const Entry> entry = it->second;
      if (overflow == 0 && entry->threads == count &&
          areEqual(entry->subscripts, subscripts) &&
          areEqual(entry->specialize, specialize) &&
          entry->call.isFor(viewA, viewB)) {
        nb::object made = entry->call.run(viewA, viewB);
        return entry->call.isScalar() ? nb::object(made[nb::make_tuple()])
                                      : made;
      }
    }
    return nb::none();
  }

  void clear() { calls.clear(); }

private:
  struct Entry {
    nb::object subscripts, specialize;
    int64_t threads;
    QuickCall call;
  };

  static constexpr size_t maxCalls = 4096;

  static bool areEqual(nb::handle a, nb::handle b) {
    return a.is(b) || (PyUnicode_Check(a.ptr()) && PyUnicode_Check(b.ptr()) &&
                       PyUnicode_Compare(a.ptr(), b.ptr()) == 0);
  }

  static size_t hashOf(nb::handle subscripts, const ArrayView &a,
                       const ArrayView &b) {
    auto hash = static_cast<uint64_t>(PyObject_Hash(subscripts.ptr()));
    auto mix = [&](uint64_t value) {
      hash = (hash ^ value) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    };
    for (const ArrayView *array : {&a, &b}) {
      mix(reinterpret_cast<uintptr_t>(array->dtype.ptr()));
      for (int i = 0; i < array->view.ndim; ++i) {
        mix(static_cast<uint64_t>(array->view.shape[i]));
        mix(static_cast<uint64_t>(array->view.strides[i]));
      }
    }
    return hash;
  }

  std::unordered_multimap<size_t, std::shared_ptr<const Entry>> calls;
};

} // namespace

#endif // TC_PYTHON_QUICKCALL_H
