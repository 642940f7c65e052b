//===- Scalar.h - Factors of a contraction ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_SCALAR_H
#define TC_PYTHON_SCALAR_H

#include "tc-c/Base.h"
#include "tc/Problem/Constants.h"

#include <nanobind/nanobind.h>

#include <complex>
#include <cstring>
#include <string>

namespace {

/// A factor in the type in which it is taken; none for None.
class Scalar {
public:
  /// Raises ValueError, with the factor's name, for a number that the type does
  /// not hold, and TypeError for what is no number.
  Scalar(TcElementType type, nanobind::handle value, const char *name) {
    const char *typeName = tcElementTypeGetName(type);
    if (value.is_none() || !typeName)
      return;
    tc::model::ElementType known = *tc::model::symbolizeElementType(typeName);
    tc::model::Constant constant = read(value, name, known);
    if (tc::Status status = tc::model::checkConstant(constant, known); !status)
      throw nanobind::value_error(
          (std::string(name) + ": " + status.error()).c_str());
    store(constant, known);
    pointer = bytes;
  }

  const void *pointer = nullptr;

private:
  static tc::model::Constant read(nanobind::handle value, const char *name,
                                  tc::model::ElementType type) {
    PyObject *object = value.ptr();
    if (PyFloat_Check(object))
      return PyFloat_AsDouble(object);
    auto integer = nanobind::steal<nanobind::object>(PyNumber_Index(object));
    if (integer.is_valid())
      return readInteger(integer, name, type);
    PyErr_Clear();
    // Numbers of NumPy and others convert themselves, but texts do not.
    if (!PyUnicode_Check(object)) {
      auto number =
          nanobind::steal<nanobind::object>(PyObject_CallFunctionObjArgs(
              reinterpret_cast<PyObject *>(&PyComplex_Type), object, nullptr));
      if (number.is_valid())
        return {PyComplex_RealAsDouble(number.ptr()),
                PyComplex_ImagAsDouble(number.ptr())};
      PyErr_Clear();
    }
    PyErr_Format(PyExc_TypeError, "%s is %R, which is no number", name, object);
    throw nanobind::python_error();
  }

  /// Not by way of a double, which would round it.
  static tc::model::Constant readInteger(nanobind::handle integer,
                                         const char *name,
                                         tc::model::ElementType type) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow == 0)
      return tc::model::Constant::ofInteger(number);
    PyLong_AsDouble(integer.ptr());
    if (!PyErr_Occurred())
      return *tc::model::parseConstant(nanobind::str(integer).c_str());
    PyErr_Clear();
    std::string typeName(tc::model::stringify(type));
    throw nanobind::value_error(
        (std::string(name) +
         ": an integer beyond all doubles is too large for " + typeName)
            .c_str());
  }

  template <typename T> void keep(T number) {
    static_assert(sizeof number <= sizeof bytes);
    std::memcpy(bytes, &number, sizeof number);
  }

  void store(const tc::model::Constant &constant, tc::model::ElementType type) {
    switch (type) {
    case tc::model::ElementType::F64:
      return keep(constant.real());
    case tc::model::ElementType::F32:
      return keep(static_cast<float>(constant.real()));
    case tc::model::ElementType::I32:
      return keep(static_cast<int32_t>(tc::model::integerOf(constant, type)));
    case tc::model::ElementType::C32:
      return keep(std::complex<float>(constant.value()));
    case tc::model::ElementType::C64:
      return keep(constant.value());
    default:
      return keep(tc::model::integerOf(constant, type));
    }
  }

  alignas(16) unsigned char bytes[16];
};

} // namespace

#endif // TC_PYTHON_SCALAR_H
