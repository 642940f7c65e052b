//===- NumPyArrays.h - Arrays of NumPy, as calls look at them ----*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of NumPy by their dtype, shape and strides, which are read without
// objects of Python's where that is possible.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_NUMPYARRAYS_H
#define TC_PYTHON_NUMPYARRAYS_H

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

/// NumPy's objects that are needed, and names of options.
struct NumPy {
  nb::object array, scalar, integer, floating, empty, dtype, out, threads,
      specialize, automatic, optimize, einsumPath, memoryLimit, searchSeconds;

  /// Imports it the first time.
  static const NumPy &get() {
    // Never destroyed, as the interpreter may be gone by then.
    static const auto *numpy = [] {
      nb::module_ module = nb::module_::import_("numpy");
      auto intern = [](const char *text) {
        return nb::steal(PyUnicode_InternFromString(text));
      };
      return new NumPy{module.attr("ndarray"), module.attr("generic"),
                       module.attr("integer"), module.attr("floating"),
                       module.attr("empty"),   intern("dtype"),
                       intern("out"),          intern("threads"),
                       intern("specialize"),   intern("auto"),
                       intern("optimize"),     intern("einsum_path"),
                       intern("memory_limit"), intern("search_seconds")};
    }();
    return *numpy;
  }
};

/// True of an object of a class or of one that is derived from it.
bool isOf(nb::handle object, const nb::object &type) {
  return PyType_IsSubtype(Py_TYPE(object.ptr()),
                          reinterpret_cast<PyTypeObject *>(type.ptr())) != 0;
}

/// The memory and the layout of an array or a scalar of NumPy, for as long as
/// this lives; what is neither, or cannot be written though it is to be, or has
/// elements that the buffer protocol does not know, is not valid.
class ArrayView {
public:
  ArrayView(nb::handle array, bool isWritten) {
    if (!array.type().is(NumPy::get().array) &&
        !isOf(array, NumPy::get().scalar))
      return;
    dtype = nb::steal(PyObject_GetAttr(array.ptr(), NumPy::get().dtype.ptr()));
    isValid = dtype.is_valid() &&
              PyObject_GetBuffer(array.ptr(), &view,
                                 isWritten ? PyBUF_STRIDES | PyBUF_WRITABLE
                                           : PyBUF_STRIDES) == 0;
    if (!isValid)
      PyErr_Clear();
  }
  ArrayView(const ArrayView &) = delete;
  ArrayView &operator=(const ArrayView &) = delete;
  ~ArrayView() {
    if (isValid)
      PyBuffer_Release(&view);
  }

  /// The least address, and the one behind the last.
  std::pair<uintptr_t, uintptr_t> bounds() const {
    auto begin = reinterpret_cast<uintptr_t>(view.buf);
    uintptr_t end = begin;
    for (int i = 0; i < view.ndim; ++i) {
      if (view.shape[i] == 0)
        return {0, 0};
      auto reach =
          static_cast<uintptr_t>((view.shape[i] - 1) * view.strides[i]);
      (view.strides[i] < 0 ? begin : end) += reach;
    }
    return {begin, end + static_cast<uintptr_t>(view.itemsize)};
  }

  nb::object dtype;
  Py_buffer view;
  bool isValid = false;
};

/// The look of an array: its dtype, shape and strides.
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
    return array.dtype.is(dtype) &&
           shape.size() == static_cast<size_t>(view.ndim) &&
           std::equal(shape.begin(), shape.end(), view.shape) &&
           std::equal(strides.begin(), strides.end(), view.strides);
  }
};

} // namespace

#endif // TC_PYTHON_NUMPYARRAYS_H
