//===- Buffers.h - Memory of arrays, and what is expected there -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code reads and writes what it was compiled for, whatever lies there.
// So each array is compared with that once, here, where its address is taken:
// no mistake of the package lets code reach outside an array.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_BUFFERS_H
#define TC_PYTHON_BUFFERS_H

#include "tc-c/Base.h"
#include "tc/Problem/Contraction.h"
#include "tc/Support/Arithmetic.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace {

/// The memory of an array, for as long as this lives.
class Buffer {
public:
  Buffer(nanobind::handle array, int flags) {
    if (PyObject_GetBuffer(array.ptr(), &view, flags | PyBUF_STRIDES) != 0)
      throw nanobind::python_error();
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { PyBuffer_Release(&view); }

  void *data() const { return view.buf; }
  Py_ssize_t size() const { return view.len; }
  const Py_buffer &layout() const { return view; }

private:
  Py_buffer view;
};

/// The bytes of an element; of unknown types, which nothing is compiled for,
/// none.
inline int64_t byteWidthOf(TcElementType type) {
  const char *name = tcElementTypeGetName(type);
  return name ? tc::model::byteWidth(*tc::model::symbolizeElementType(name))
              : 0;
}

/// Layout that code expects of an array.
class ExpectedLayout {
public:
  /// @param name     what messages call it
  /// @param strides  in elements, as many as there are extents
  ExpectedLayout(std::string name, TcElementType type,
                 std::vector<int64_t> extents, std::vector<int64_t> strides)
      : name(std::move(name)), itemsize(byteWidthOf(type)),
        extents(std::move(extents)), strides(std::move(strides)),
        isEmpty(std::find(this->extents.begin(), this->extents.end(), 0) !=
                this->extents.end()) {
    // No array has strides beyond 64 bits.
    for (int64_t &stride : this->strides)
      if (__builtin_mul_overflow(stride, itemsize, &stride))
        stride = tc::saturated;
  }

  /// One whose last dimension has stride one, and which has no gaps.
  static ExpectedLayout contiguous(std::string name, TcElementType type,
                                   std::vector<int64_t> extents) {
    std::vector<int64_t> strides(extents.size());
    int64_t step = 1;
    for (size_t i = extents.size(); i-- > 0;) {
      strides[i] = step;
      step = tc::saturatingMultiply(step, extents[i]);
    }
    return {std::move(name), type, std::move(extents), std::move(strides)};
  }

  size_t rank() const { return extents.size(); }

  /// Raises ValueError, with both shapes or strides, for an array that lies
  /// otherwise.
  void check(const Py_buffer &array) const {
    if (!isOf(array))
      refuse(array);
  }

  /// The same where calls say extents and strides. Those of the array are
  /// written to the end of the lists, strides in elements.
  void take(const Py_buffer &array, std::vector<int64_t> &extentsOfArray,
            std::vector<int64_t> &stridesOfArray) const {
    if (static_cast<size_t>(array.ndim) != rank())
      fail("has " + std::to_string(array.ndim) +
           " axes, but it was compiled for " + std::to_string(rank()));
    checkItemsize(array);
    for (int i = 0; i < array.ndim; ++i) {
      if (array.shape[i] > 1 && array.strides[i] % itemsize != 0)
        fail("has a stride of " + std::to_string(array.strides[i]) +
             " bytes along axis " + std::to_string(i) +
             ", which is no multiple of the " + std::to_string(itemsize) +
             " bytes of an element: copy it");
      extentsOfArray.push_back(array.shape[i]);
      stridesOfArray.push_back(array.strides[i] / itemsize);
    }
  }

private:
  bool isOf(const Py_buffer &array) const {
    if (array.itemsize != itemsize ||
        static_cast<size_t>(array.ndim) != extents.size())
      return false;
    for (size_t i = 0; i < extents.size(); ++i) {
      if (array.shape[i] != extents[i])
        return false;
      // Strides say nothing along extents of one, or of nothing.
      if (array.strides[i] != strides[i] && extents[i] != 1 && !isEmpty)
        return false;
    }
    return true;
  }

  [[noreturn]] void refuse(const Py_buffer &array) const {
    checkItemsize(array);
    std::vector<int64_t> shape(array.shape, array.shape + array.ndim);
    if (shape != extents)
      fail("has shape " + spell(shape) + ", but was compiled for " +
           spell(extents));
    std::vector<int64_t> steps(array.strides, array.strides + array.ndim);
    fail("has strides " + spell(steps) + ", but was compiled for " +
         spell(strides));
  }

  void checkItemsize(const Py_buffer &array) const {
    if (array.itemsize != itemsize)
      fail("has elements of " + std::to_string(array.itemsize) +
           " bytes, but was compiled for " + std::to_string(itemsize));
  }

  [[noreturn]] void fail(const std::string &what) const {
    throw nanobind::value_error((name + " " + what).c_str());
  }

  /// As Python writes tuples.
  static std::string spell(const std::vector<int64_t> &numbers) {
    std::string text = "(";
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
    return text + (numbers.size() == 1 ? ",)" : ")");
  }

  std::string name;
  int64_t itemsize;
  /// Strides are in bytes.
  std::vector<int64_t> extents, strides;
  bool isEmpty;
};

} // namespace

#endif // TC_PYTHON_BUFFERS_H
