//===- Scalar.h - Factors of a contraction ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_SCALAR_H
#define TC_PYTHON_SCALAR_H

#include "tc-c/Base.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>

#include <complex>
#include <cstring>

namespace {

/// A factor in the type in which it is taken; none for None.
struct Scalar {
  Scalar(TcElementType type, nanobind::handle value) {
    if (value.is_none())
      return;
    switch (type) {
    case TC_ELEMENT_F64:
      take<double>(value);
      break;
    case TC_ELEMENT_F32:
      take<float>(value);
      break;
    case TC_ELEMENT_I32:
      take<int32_t>(value);
      break;
    case TC_ELEMENT_C32:
      take<std::complex<float>>(value);
      break;
    case TC_ELEMENT_C64:
      take<std::complex<double>>(value);
      break;
    default:
      take<int64_t>(value);
    }
  }

  template <typename T> void take(nanobind::handle value) {
    T number;
    if (!nanobind::try_cast(value, number)) {
      PyErr_Format(PyExc_TypeError, "factor %R does not fit the sums",
                   value.ptr());
      throw nanobind::python_error();
    }
    std::memcpy(bytes, &number, sizeof number);
    pointer = bytes;
  }

  alignas(16) unsigned char bytes[16];
  const void *pointer = nullptr;
};

} // namespace

#endif // TC_PYTHON_SCALAR_H
