//===- native.cpp - The C interface as a Python module --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As little as calls of the C interface take; the package does the rest in
// Python. Tensors come through the buffer protocol: no array library is needed
// to build this, and nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "tc-c/Contraction.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <unistd.h>

namespace nb = nanobind;

namespace {

/// The package's exception for what the compiler cannot do.
nb::handle unsupportedError;

/// Raises what the error is in Python, if there is one.
void check(TcError *error) {
  if (!error)
    return;
  TcErrorCode code = tcErrorGetCode(error);
  std::string message = tcErrorGetMessage(error);
  tcErrorDestroy(error);
  if (code == TC_ERROR_OUT_OF_MEMORY)
    throw std::bad_alloc();
  PyObject *type = code == TC_ERROR_INVALID_ARGUMENT ? PyExc_ValueError
                   : code == TC_ERROR_NOT_AVAILABLE  ? PyExc_AttributeError
                   : code == TC_ERROR_UNSUPPORTED    ? unsupportedError.ptr()
                                                     : PyExc_RuntimeError;
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

/// Lets other threads use the interpreter for as long as this lives.
class Unlocked {
public:
  Unlocked() : state(PyEval_SaveThread()) {}
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;
  ~Unlocked() {
    // Where the interpreter goes down meanwhile, CPython before 3.14 ends the
    // thread by unwinding its stack, which no destructor survives. The process
    // is about to end, and the thread with it, if it waits here.
    try {
      PyEval_RestoreThread(state);
    } catch (...) {
      while (true)
        pause();
    }
  }

private:
  PyThreadState *state;
};

/// The memory of an array, for as long as this lives.
class Buffer {
public:
  Buffer(nb::handle array, int flags) {
    if (PyObject_GetBuffer(array.ptr(), &view, flags | PyBUF_STRIDES) != 0)
      throw nb::python_error();
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { PyBuffer_Release(&view); }

  void *data() const { return view.buf; }

private:
  Py_buffer view;
};

/// Names, types, extents and strides of side tensors.
using SideLayouts =
    std::vector<std::tuple<std::string, int32_t, std::vector<int64_t>,
                           std::vector<int64_t>>>;

class Contraction {
public:
  Contraction(const std::string &spec, const std::vector<int32_t> &types,
              const std::vector<std::vector<int64_t>> &extents,
              const std::vector<std::vector<int64_t>> &strides,
              const nb::dict &options, const SideLayouts &sides) {
    size_t count = types.size();
    if (count < 2 || count > 3 || extents.size() != count ||
        strides.size() != count)
      throw nb::value_error("a contraction has two or three tensors");
    TcTensor tensors[3] = {};
    for (size_t i = 0; i < count; ++i) {
      if (strides[i].size() != extents[i].size())
        throw nb::value_error("a tensor has a stride for each extent");
      // The last one is C.
      tensors[i + 1 == count ? 2 : i] = {
          types[i], static_cast<int32_t>(extents[i].size()), extents[i].data(),
          strides[i].data()};
    }
    TcOptions *made = nullptr;
    check(tcOptionsCreate(&made));
    std::unique_ptr<TcOptions, void (*)(TcOptions *)> owner(made,
                                                            tcOptionsDestroy);
    for (auto [key, value] : options)
      check(tcOptionsSet(made, nb::str(key).c_str(), nb::str(value).c_str()));
    for (const auto &[name, type, sideExtents, sideStrides] : sides) {
      if (sideStrides.size() != sideExtents.size())
        throw nb::value_error("a tensor has a stride for each extent");
      TcTensor tensor = {type, static_cast<int32_t>(sideExtents.size()),
                         sideExtents.data(), sideStrides.data()};
      check(tcOptionsSetSide(made, name.c_str(), &tensor));
    }
    TcError *error;
    {
      Unlocked unlocked;
      error = tcContractionCompile(spec.c_str(), tensors, made, &contraction);
    }
    check(error);
    scalarType = tcContractionGetScalarType(contraction);
  }
  Contraction(const Contraction &) = delete;
  Contraction &operator=(const Contraction &) = delete;
  ~Contraction() { tcContractionDestroy(contraction); }

  void run(nb::handle a, nb::handle b, nb::handle c, nb::handle alpha,
           nb::handle beta, nb::handle sides) const {
    Buffer bufferA(a, PyBUF_SIMPLE), bufferC(c, PyBUF_WRITABLE);
    std::optional<Buffer> bufferB;
    if (!b.is_none())
      bufferB.emplace(b, PyBUF_SIMPLE);
    Scalar first(*this, alpha), second(*this, beta);
    std::vector<std::string> names;
    std::vector<TcSide> given;
    std::deque<Buffer> buffers;
    if (!sides.is_none())
      for (auto [name, array] : nb::cast<nb::dict>(sides)) {
        names.emplace_back(nb::str(name).c_str());
        given.push_back(
            {nullptr, buffers.emplace_back(array, PyBUF_SIMPLE).data()});
      }
    for (size_t i = 0; i < given.size(); ++i)
      given[i].name = names[i].c_str();
    TcError *error;
    {
      Unlocked unlocked;
      error = tcContractionRunWithSides(
          contraction, bufferA.data(), bufferB ? bufferB->data() : nullptr,
          bufferC.data(), first.pointer, second.pointer, given.data(),
          static_cast<int32_t>(given.size()));
    }
    check(error);
  }

  nb::bytes get(int32_t artifact) const {
    const char *data;
    size_t size;
    TcError *error;
    {
      Unlocked unlocked;
      error = tcContractionGet(contraction, artifact, &data, &size);
    }
    check(error);
    return nb::bytes(data, size);
  }

private:
  /// A factor in the type that the contraction takes it in; none for None.
  struct Scalar {
    Scalar(const Contraction &contraction, nb::handle value) {
      if (value.is_none())
        return;
      switch (contraction.scalarType) {
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

    template <typename T> void take(nb::handle value) {
      T number;
      if (!nb::try_cast(value, number)) {
        PyErr_Format(PyExc_TypeError, "factor %R does not fit the sums",
                     value.ptr());
        throw nb::python_error();
      }
      std::memcpy(bytes, &number, sizeof number);
      pointer = bytes;
    }

    alignas(16) unsigned char bytes[16];
    const void *pointer = nullptr;
  };

  TcContraction *contraction = nullptr;
  TcElementType scalarType = TC_ELEMENT_F64;
};

/// The specification with a list of names for each operand and the result.
std::string expand(const std::string &spec, const std::vector<int32_t> &ranks) {
  size_t length = 0;
  auto count = static_cast<int32_t>(ranks.size());
  check(tcSubscriptsExpand(spec.c_str(), ranks.data(), count, nullptr, 0,
                           &length));
  std::string text(length + 1, '\0');
  check(tcSubscriptsExpand(spec.c_str(), ranks.data(), count, text.data(),
                           text.size(), &length));
  text.resize(length);
  return text;
}

} // namespace

NB_MODULE(_native, module) {
  module.doc() = "The C interface of tc.";
  // A thread that computes while the interpreter goes down keeps what it uses.
  nb::set_leak_warnings(false);
  unsupportedError = nb::exception<std::exception>(module, "UnsupportedError",
                                                   PyExc_RuntimeError)
                         .release();
  nb::class_<Contraction>(module, "Contraction")
      .def(nb::init<const std::string &, const std::vector<int32_t> &,
                    const std::vector<std::vector<int64_t>> &,
                    const std::vector<std::vector<int64_t>> &, const nb::dict &,
                    const SideLayouts &>(),
           nb::arg("spec"), nb::arg("types"), nb::arg("extents"),
           nb::arg("strides"), nb::arg("options"), nb::arg("sides"))
      .def("run", &Contraction::run, nb::arg("a"), nb::arg("b").none(),
           nb::arg("c"), nb::arg("alpha").none(), nb::arg("beta").none(),
           nb::arg("sides").none() = nb::none())
      .def("get", &Contraction::get, nb::arg("artifact"));

  module.def("expand", &expand, nb::arg("spec"), nb::arg("ranks"));
  module.def("common_type", &tcElementTypeGetCommon, nb::arg("a"),
             nb::arg("b"));

  auto artifacts = nb::dict();
  artifacts["mlir"] = int32_t(TC_ARTIFACT_MLIR);
  artifacts["schedule"] = int32_t(TC_ARTIFACT_SCHEDULE);
  artifacts["explanation"] = int32_t(TC_ARTIFACT_EXPLANATION);
  artifacts["warnings"] = int32_t(TC_ARTIFACT_WARNINGS);
  artifacts["cache"] = int32_t(TC_ARTIFACT_CACHE);
  artifacts["object"] = int32_t(TC_ARTIFACT_OBJECT);
  artifacts["header"] = int32_t(TC_ARTIFACT_HEADER);
  artifacts["ptx"] = int32_t(TC_ARTIFACT_PTX);
  artifacts["package"] = int32_t(TC_ARTIFACT_PACKAGE);
  artifacts["page"] = int32_t(TC_ARTIFACT_EXPLANATION_PAGE);
  module.attr("ARTIFACTS") = artifacts;

  auto types = nb::dict();
  for (int32_t type = TC_ELEMENT_F64;
       const char *name = tcElementTypeGetName(type); ++type)
    types[name] = type;
  module.attr("ELEMENT_TYPES") = types;
  module.attr("VERSION") = tcGetVersion();
}
