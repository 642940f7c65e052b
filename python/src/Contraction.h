//===- Contraction.h - Contractions for Python ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_CONTRACTION_H
#define TC_PYTHON_CONTRACTION_H

#include "Errors.h"
#include "Scalar.h"
#include "Unlocked.h"

#include "tc-c/Contraction.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

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
  Py_ssize_t size() const { return view.len; }

private:
  Py_buffer view;
};

/// Names, types, extents and strides of auxiliary tensors.
using AuxiliaryLayouts =
    std::vector<std::tuple<std::string, int32_t, std::vector<int64_t>,
                           std::vector<int64_t>>>;

using OptionsOwner = std::unique_ptr<TcOptions, void (*)(TcOptions *)>;

OptionsOwner makeOptions(const nb::dict &options) {
  TcOptions *made = nullptr;
  check(tcOptionsCreate(&made));
  OptionsOwner owner(made, tcOptionsDestroy);
  for (auto [key, value] : options) {
    auto name = textOf(nb::cast<std::string>(nb::str(key)), "an option");
    auto text = textOf(nb::cast<std::string>(nb::str(value)),
                       ("option '" + name + "'").c_str());
    check(tcOptionsSet(made, name.c_str(), text.c_str()));
  }
  return owner;
}

class Contraction {
public:
  Contraction(const std::string &spec, const std::vector<int32_t> &types,
              const std::vector<std::vector<int64_t>> &extents,
              const std::vector<std::vector<int64_t>> &strides,
              const nb::dict &options, const AuxiliaryLayouts &auxiliaries) {
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
    OptionsOwner owner = makeOptions(options);
    TcOptions *made = owner.get();
    for (const auto &[name, type, auxiliaryExtents, auxiliaryStrides] :
         auxiliaries) {
      if (auxiliaryStrides.size() != auxiliaryExtents.size())
        throw nb::value_error("a tensor has a stride for each extent");
      TcTensor tensor = {type, static_cast<int32_t>(auxiliaryExtents.size()),
                         auxiliaryExtents.data(), auxiliaryStrides.data()};
      check(tcOptionsSetAuxiliary(
          made, textOf(name, "the name of an auxiliary tensor").c_str(),
          &tensor));
    }
    std::string whole = textOf(spec, "the specification");
    TcError *error;
    {
      Unlocked unlocked;
      error = tcContractionCompile(whole.c_str(), tensors, made, &contraction);
    }
    check(error);
    scalarType = tcContractionGetScalarType(contraction);
  }
  Contraction(const Contraction &) = delete;
  Contraction &operator=(const Contraction &) = delete;
  ~Contraction() { tcContractionDestroy(contraction); }

  void run(nb::handle a, nb::handle b, nb::handle c, nb::handle alpha,
           nb::handle beta, nb::handle auxiliaries) const {
    Buffer bufferA(a, PyBUF_SIMPLE), bufferC(c, PyBUF_WRITABLE);
    std::optional<Buffer> bufferB;
    if (!b.is_none())
      bufferB.emplace(b, PyBUF_SIMPLE);
    Scalar first(scalarType, alpha, "alpha"), second(scalarType, beta, "beta");
    std::vector<std::string> names;
    std::vector<TcAuxiliary> given;
    std::deque<Buffer> buffers;
    if (!auxiliaries.is_none())
      for (auto [name, array] : nb::cast<nb::dict>(auxiliaries)) {
        names.push_back(textOf(nb::cast<std::string>(nb::str(name)),
                               "the name of an auxiliary tensor"));
        given.push_back(
            {nullptr, buffers.emplace_back(array, PyBUF_SIMPLE).data()});
      }
    for (size_t i = 0; i < given.size(); ++i)
      given[i].name = names[i].c_str();
    TcError *error;
    {
      Unlocked unlocked;
      error = tcContractionRunWithAuxiliaries(
          contraction, bufferA.data(), bufferB ? bufferB->data() : nullptr,
          bufferC.data(), first.pointer, second.pointer, given.data(),
          static_cast<int32_t>(given.size()));
    }
    check(error);
  }

  /// The same of tensors with these extents and strides, in elements.
  void runShaped(
      nb::handle a, nb::handle b, nb::handle c, nb::handle alpha,
      nb::handle beta,
      const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>
          &shapes) const {
    Buffer bufferA(a, PyBUF_SIMPLE), bufferC(c, PyBUF_WRITABLE);
    std::optional<Buffer> bufferB;
    if (!b.is_none())
      bufferB.emplace(b, PyBUF_SIMPLE);
    Scalar first(scalarType, alpha, "alpha"), second(scalarType, beta, "beta");
    if (shapes.size() != (bufferB ? 3 : 2))
      throw nb::value_error("a contraction has a shape for each tensor");
    TcTensorShape given[3] = {};
    for (size_t i = 0; i < shapes.size(); ++i)
      // The last one is C's.
      given[i + 1 == shapes.size() ? 2 : i] = {shapes[i].first.data(),
                                               shapes[i].second.data()};
    TcError *error;
    {
      Unlocked unlocked;
      error =
          tcContractionRunShaped(contraction, given, bufferA.data(),
                                 bufferB ? bufferB->data() : nullptr,
                                 bufferC.data(), first.pointer, second.pointer);
    }
    check(error);
  }

  /// The same on memory, without factors and auxiliary tensors. Other threads
  /// may use the interpreter meanwhile, or have to wait.
  void runOn(const void *a, const void *b, void *c, bool unlocks) const {
    std::optional<Unlocked> unlocked;
    if (unlocks)
      unlocked.emplace();
    TcError *error = tcContractionRun(contraction, a, b, c, nullptr, nullptr);
    unlocked.reset();
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

  /// Queues it on a device. Tensors are addresses of elements whose coordinates
  /// are all zero; B's is zero if there is none.
  void launch(uintptr_t a, uintptr_t b, uintptr_t c, nb::handle alpha,
              nb::handle beta,
              const std::vector<std::pair<std::string, uintptr_t>> &auxiliaries,
              uintptr_t stream) const {
    Scalar first(scalarType, alpha, "alpha"), second(scalarType, beta, "beta");
    std::vector<TcAuxiliary> given;
    for (const auto &[name, address] : auxiliaries) {
      textOf(name, "the name of an auxiliary tensor");
      given.push_back({name.c_str(), toPointer(address)});
    }
    TcError *error;
    {
      Unlocked unlocked;
      error = tcContractionLaunch(
          contraction, toPointer(a), toPointer(b), toPointer(c), first.pointer,
          second.pointer, given.data(), static_cast<int32_t>(given.size()),
          toPointer(stream));
    }
    check(error);
  }

  /// The same on the default stream, without factors and auxiliary tensors;
  /// whether it is done.
  bool tryLaunch(uintptr_t a, uintptr_t b, uintptr_t c) const {
    TcError *error;
    {
      Unlocked unlocked;
      error = tcContractionLaunch(contraction, toPointer(a), toPointer(b),
                                  toPointer(c), nullptr, nullptr, nullptr, 0,
                                  nullptr);
    }
    tcErrorDestroy(error);
    return !error;
  }

private:
  TcContraction *contraction = nullptr;
  TcElementType scalarType = TC_ELEMENT_F64;
};

} // namespace

#endif // TC_PYTHON_CONTRACTION_H
