//===- Errors.h - Errors of the C interface as exceptions -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_ERRORS_H
#define TC_PYTHON_ERRORS_H

#include "tc-c/Base.h"

#include <nanobind/nanobind.h>

#include <string>

namespace {

/// The package's own exceptions.
nanobind::handle unsupportedError, driverError;

/// Finds them; a module does so when it is imported.
inline void findExceptions() {
  nanobind::object errors = nanobind::module_::import_("tc._messages.errors");
  unsupportedError =
      nanobind::object(errors.attr("UnsupportedError")).release();
  driverError = nanobind::object(errors.attr("DriverError")).release();
}

/// Raises what the error is in Python, if there is one.
inline void check(TcError *error) {
  if (!error)
    return;
  TcErrorCode code = tcErrorGetCode(error);
  std::string message = tcErrorGetMessage(error);
  tcErrorDestroy(error);
  PyObject *type = code == TC_ERROR_INVALID_ARGUMENT ? PyExc_ValueError
                   : code == TC_ERROR_NOT_AVAILABLE  ? PyExc_AttributeError
                   : code == TC_ERROR_OUT_OF_MEMORY  ? PyExc_MemoryError
                   : code == TC_ERROR_UNSUPPORTED    ? unsupportedError.ptr()
                   : code == TC_ERROR_DRIVER         ? driverError.ptr()
                                                     : PyExc_RuntimeError;
  PyErr_SetString(type, message.c_str());
  throw nanobind::python_error();
}

/// A text for the C interface, which ends at a NUL character.
inline std::string textOf(const std::string &text, const char *what) {
  if (text.find('\0') == std::string::npos)
    return text;
  throw nanobind::value_error(
      (std::string(what) + " has a NUL character").c_str());
}

inline void *toPointer(uintptr_t address) {
  return reinterpret_cast<void *>(address);
}

} // namespace

#endif // TC_PYTHON_ERRORS_H
