//===- Arguments.h - Arguments of calls that are remembered -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments are read here without rules and messages: those are Python's.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_ARGUMENTS_H
#define TC_PYTHON_ARGUMENTS_H

#include "NumPyArrays.h"

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

/// The arguments of a call. Those that are not remembered are not valid.
class Arguments {
public:
  /// Those of einsum: a text and arrays, or arrays each with a list of axes
  /// behind it, and perhaps a last one.
  Arguments(nb::handle subscripts, const nb::tuple &operands,
            const nb::dict &options)
      : isValid(readOperands(subscripts, operands) && readOptions(options) &&
                readOut()) {}
  /// Those of a compiled contraction.
  Arguments(nb::handle a, nb::handle b, nb::handle out)
      : out(out),
        isValid(add(a, false) && (b.is_none() || add(b, false)) && readOut()) {}

  size_t size() const { return count; }
  const ArrayView &operator[](size_t i) const {
    return i < few.size() ? *few[i] : *more[i - few.size()];
  }

  size_t hash() const {
    uint64_t hash = count;
    auto mix = [&](uint64_t value) {
      hash = (hash ^ value) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    };
    if (subscripts.is_valid())
      mix(static_cast<uint64_t>(PyObject_Hash(subscripts.ptr())));
    for (const std::vector<int64_t> *list : {&axes, &path})
      for (int64_t number : *list)
        mix(static_cast<uint64_t>(number));
    if (strategy.is_valid())
      mix(PyUnicode_CheckExact(strategy.ptr())
              ? static_cast<uint64_t>(PyObject_Hash(strategy.ptr()))
              : reinterpret_cast<uintptr_t>(strategy.ptr()));
    for (size_t number = 0; number < count; ++number) {
      const ArrayView &array = (*this)[number];
      mix(reinterpret_cast<uintptr_t>(array.dtype.ptr()));
      for (int i = 0; i < array.view.ndim; ++i) {
        mix(static_cast<uint64_t>(array.view.shape[i]));
        mix(static_cast<uint64_t>(array.view.strides[i]));
      }
    }
    return hash;
  }

  /// The path as the option of the C interface has it.
  std::string pathText() const {
    std::string text;
    const char *separator = "";
    for (int64_t number : path) {
      if (number == endOfList) {
        separator = " ";
        continue;
      }
      text += separator + std::to_string(number);
      separator = ",";
    }
    return text;
  }

  /// A text, or nothing.
  nb::handle subscripts;
  /// Of lists, each of which ends with `endOfList`.
  std::vector<int64_t> axes;
  nb::handle out, specialize;
  int64_t threads = 0;
  static constexpr int64_t notSaid = INT64_MIN;
  int64_t memoryLimit = notSaid;
  double searchSeconds = -1;
  /// The order: True, False, a text, an optimizer or a tree, or nothing, if
  /// there is a path, whose steps each end with `endOfList`.
  nb::handle strategy;
  std::vector<int64_t> path;

private:
  std::array<std::optional<ArrayView>, 4> few;
  std::vector<std::unique_ptr<ArrayView>> more;
  size_t count = 0;

public:
  /// The last member: reading the arguments fills the others.
  bool isValid;

private:
  static constexpr int64_t endOfList = INT64_MIN;

  bool add(nb::handle array, bool isWritten) {
    size_t number = count++;
    if (number < few.size())
      return few[number].emplace(array, isWritten).isValid;
    more.push_back(std::make_unique<ArrayView>(array, isWritten));
    return more.back()->isValid;
  }

  bool readOptions(const nb::dict &options) {
    const NumPy &names = NumPy::get();
    out = Py_None;
    specialize = names.automatic;
    strategy = Py_True;
    Py_ssize_t left = PyDict_Size(options.ptr());
    if (left == 0)
      return true;
    auto take = [&](const nb::object &name) {
      PyObject *found = PyDict_GetItem(options.ptr(), name.ptr());
      left -= found != nullptr;
      return nb::handle(found);
    };
    if (nb::handle found = take(names.out))
      out = found;
    if (nb::handle found = take(names.specialize))
      specialize = found;
    if (nb::handle found = take(names.threads);
        found && !readInteger(found, threads))
      return false;
    if (nb::handle found = take(names.memoryLimit);
        found && !found.is_none() &&
        (!readInteger(found, memoryLimit) || memoryLimit == notSaid))
      return false;
    if (nb::handle found = take(names.searchSeconds);
        found && !found.is_none()) {
      if (!readSeconds(found))
        return false;
    }
    if (nb::handle found = take(names.optimize); found && !readOrder(found))
      return false;
    return left == 0 && PyUnicode_CheckExact(specialize.ptr());
  }

  /// An integer of Python or NumPy, but no bool.
  static bool readInteger(nb::handle object, int64_t &number) {
    int overflow = 0;
    nb::object integer = nb::borrow(object);
    if (isOf(object, NumPy::get().integer))
      integer = nb::steal(PyNumber_Index(object.ptr()));
    if (!PyLong_CheckExact(integer.ptr()))
      return false;
    number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    return overflow == 0;
  }

  /// The same, and floating-point numbers.
  bool readSeconds(nb::handle object) {
    const NumPy &names = NumPy::get();
    if (!PyFloat_CheckExact(object.ptr()) && !PyLong_CheckExact(object.ptr()) &&
        !isOf(object, names.integer) && !isOf(object, names.floating))
      return false;
    searchSeconds = PyFloat_AsDouble(object.ptr());
    // Python has the words for those too large for a double and for negative
    // ones, which mean here that nothing is said.
    PyErr_Clear();
    return searchSeconds >= 0;
  }

  static bool isSequence(nb::handle object) {
    return PyTuple_CheckExact(object.ptr()) || PyList_CheckExact(object.ptr());
  }

  bool readOrder(nb::handle order) {
    strategy = order.is_none() ? nb::handle(Py_False) : order;
    // Optimizers and trees are known by their identity. Objects that are none
    // are never remembered.
    if (!isSequence(strategy))
      return true;
    strategy = nb::handle();
    for (Py_ssize_t i = 0; i < PySequence_Size(order.ptr()); ++i) {
      nb::object step = nb::steal(PySequence_GetItem(order.ptr(), i));
      // NumPy's paths begin with a word.
      if (i == 0 && PyUnicode_CheckExact(step.ptr()) &&
          PyUnicode_Compare(step.ptr(), NumPy::get().einsumPath.ptr()) == 0)
        continue;
      if (!isSequence(step))
        return false;
      for (Py_ssize_t j = 0; j < PySequence_Size(step.ptr()); ++j)
        if (!readNumber(nb::steal(PySequence_GetItem(step.ptr(), j)), path))
          return false;
      path.push_back(endOfList);
    }
    return true;
  }

  /// Adds an integer that is not negative.
  static bool readNumber(const nb::object &number,
                         std::vector<int64_t> &numbers) {
    int overflow = 0;
    if (!PyLong_CheckExact(number.ptr()))
      return false;
    numbers.push_back(PyLong_AsLongLongAndOverflow(number.ptr(), &overflow));
    return overflow == 0 && numbers.back() >= 0;
  }

  bool readOperands(nb::handle first, const nb::tuple &rest) {
    auto size = static_cast<size_t>(PyTuple_Size(rest.ptr()));
    if (PyUnicode_CheckExact(first.ptr())) {
      subscripts = first;
      for (size_t i = 0; i < size; ++i)
        if (!add(PyTuple_GetItem(rest.ptr(), static_cast<Py_ssize_t>(i)),
                 false))
          return false;
      return size != 0;
    }
    // An array and a list take turns, beginning with the first argument.
    if (size == 0 || !add(first, false))
      return false;
    for (size_t i = 0; i < size; ++i) {
      nb::handle each = PyTuple_GetItem(rest.ptr(), static_cast<Py_ssize_t>(i));
      bool isArray = i % 2 == 1 && i + 1 < size;
      if (!(isArray ? add(each, false) : readList(each)))
        return false;
    }
    return true;
  }

  bool readList(nb::handle list) {
    if (!PyList_CheckExact(list.ptr()))
      return false;
    for (Py_ssize_t i = 0; i < PyList_Size(list.ptr()); ++i)
      if (!readNumber(nb::borrow(PyList_GetItem(list.ptr(), i)), axes))
        return false;
    axes.push_back(endOfList);
    return true;
  }

  bool readOut() { return out.is_none() || add(out, true); }
};

} // namespace

#endif // TC_PYTHON_ARGUMENTS_H
