//===- Contraction.h - Contractions for Python ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_CONTRACTION_H
#define TC_PYTHON_CONTRACTION_H

#include "Buffers.h"
#include "Errors.h"
#include "Scalar.h"
#include "Unlocked.h"

#include "tc-c/Contraction.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

/// Names, types, extents and strides of auxiliary tensors.
using AuxiliaryLayouts =
    std::vector<std::tuple<std::string, int32_t, std::vector<int64_t>,
                           std::vector<int64_t>>>;

using OptionsOwner = std::unique_ptr<TcOptions, void (*)(TcOptions *)>;

inline OptionsOwner makeOptions() {
  TcOptions *made = nullptr;
  check(tcOptionsCreate(&made));
  return {made, tcOptionsDestroy};
}

inline OptionsOwner makeOptions(const nb::dict &options) {
  OptionsOwner owner = makeOptions();
  for (auto [key, value] : options) {
    auto name = textOf(nb::cast<std::string>(nb::str(key)), "an option");
    auto text = textOf(nb::cast<std::string>(nb::str(value)),
                       ("option '" + name + "'").c_str());
    check(tcOptionsSet(owner.get(), name.c_str(), text.c_str()));
  }
  return owner;
}

class Contraction {
public:
  Contraction(const std::string &spec, const std::vector<int32_t> &types,
              const std::vector<std::vector<int64_t>> &extents,
              const std::vector<std::vector<int64_t>> &strides,
              const nb::dict &options, const AuxiliaryLayouts &auxiliaries)
      : Contraction(spec, types, extents, strides, makeOptions(options).get(),
                    auxiliaries) {}
  Contraction(const std::string &spec, const std::vector<int32_t> &types,
              const std::vector<std::vector<int64_t>> &extents,
              const std::vector<std::vector<int64_t>> &strides, TcOptions *made,
              const AuxiliaryLayouts &auxiliaries) {
    size_t count = types.size();
    if (count < 2 || count > 3 || extents.size() != count ||
        strides.size() != count)
      throw nb::value_error("a contraction has two or three tensors");
    TcTensor tensors[3] = {};
    for (size_t i = 0; i < count; ++i) {
      if (strides[i].size() != extents[i].size())
        throw nb::value_error("a tensor has a stride for each extent");
      // The last one is C.
      bool isC = i + 1 == count;
      tensors[isC ? 2 : i] = {types[i], static_cast<int32_t>(extents[i].size()),
                              extents[i].data(), strides[i].data()};
      layouts.emplace_back(isC ? "out" : "operand " + std::to_string(i),
                           types[i], extents[i], strides[i]);
    }
    for (const auto &[name, type, auxiliaryExtents, auxiliaryStrides] :
         auxiliaries) {
      if (auxiliaryStrides.size() != auxiliaryExtents.size())
        throw nb::value_error("a tensor has a stride for each extent");
      TcTensor tensor = {type, static_cast<int32_t>(auxiliaryExtents.size()),
                         auxiliaryExtents.data(), auxiliaryStrides.data()};
      check(tcOptionsSetAuxiliary(
          made, textOf(name, "the name of an auxiliary tensor").c_str(),
          &tensor));
      auxiliaryLayouts.emplace(
          name, ExpectedLayout("auxiliary tensor '" + name + "'", type,
                               auxiliaryExtents, auxiliaryStrides));
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
    checkLayouts(bufferA.layout(), bufferB ? &bufferB->layout() : nullptr,
                 bufferC.layout());
    Scalar first(scalarType, alpha, "alpha"), second(scalarType, beta, "beta");
    std::vector<std::string> names;
    std::vector<TcAuxiliary> given;
    std::deque<Buffer> buffers;
    if (!auxiliaries.is_none())
      for (auto [name, array] : nb::cast<nb::dict>(auxiliaries)) {
        names.push_back(textOf(nb::cast<std::string>(nb::str(name)),
                               "the name of an auxiliary tensor"));
        const Buffer &buffer = buffers.emplace_back(array, PyBUF_SIMPLE);
        auto expected = auxiliaryLayouts.find(names.back());
        if (expected == auxiliaryLayouts.end())
          throw nb::value_error(
              ("auxiliary tensor '" + names.back() + "' is not in the epilogue")
                  .c_str());
        expected->second.check(buffer.layout());
        given.push_back({nullptr, buffer.data()});
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

  /// The same of tensors of any extents and strides.
  void runShaped(nb::handle a, nb::handle b, nb::handle c, nb::handle alpha,
                 nb::handle beta) const {
    Buffer bufferA(a, PyBUF_SIMPLE), bufferC(c, PyBUF_WRITABLE);
    std::optional<Buffer> bufferB;
    if (!b.is_none())
      bufferB.emplace(b, PyBUF_SIMPLE);
    Scalar first(scalarType, alpha, "alpha"), second(scalarType, beta, "beta");
    const Py_buffer *views[] = {&bufferA.layout(),
                                bufferB ? &bufferB->layout() : nullptr,
                                &bufferC.layout()};
    std::array<std::vector<int64_t>, 3> extents, strides;
    TcTensorShape given[3] = {};
    for (size_t i = 0; i < 3; ++i)
      if (const ExpectedLayout *expected = views[i] ? layoutOf(i) : nullptr) {
        expected->take(*views[i], extents[i], strides[i]);
        given[i] = {extents[i].data(), strides[i].data()};
      }
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

  /// Raises ValueError for arrays that are not those which it was compiled for.
  /// How many there are is for the run to say.
  void checkLayouts(const Py_buffer &a, const Py_buffer *b,
                    const Py_buffer &c) const {
    layouts.front().check(a);
    if (const ExpectedLayout *expected = b ? layoutOf(1) : nullptr)
      expected->check(*b);
    layouts.back().check(c);
  }

  /// The same on memory of such arrays, without factors and auxiliary tensors.
  /// Other threads may use the interpreter meanwhile, or have to wait.
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

  /// The same without factors and auxiliary tensors.
  void queue(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t stream) const {
    check(queueOn(a, b, c, stream));
  }

  /// The same on the default stream; whether it is done.
  bool tryLaunch(uintptr_t a, uintptr_t b, uintptr_t c) const {
    TcError *error = queueOn(a, b, c, 0);
    tcErrorDestroy(error);
    return !error;
  }

private:
  TcError *queueOn(uintptr_t a, uintptr_t b, uintptr_t c,
                   uintptr_t stream) const {
    Unlocked unlocked;
    return tcContractionLaunch(contraction, toPointer(a), toPointer(b),
                               toPointer(c), nullptr, nullptr, nullptr, 0,
                               toPointer(stream));
  }

  /// Of A, B or C, by their numbers; null for a B that there is not.
  const ExpectedLayout *layoutOf(size_t tensor) const {
    if (tensor == 2)
      return &layouts.back();
    return tensor + 1 < layouts.size() ? &layouts[tensor] : nullptr;
  }

  TcContraction *contraction = nullptr;
  TcElementType scalarType = TC_ELEMENT_F64;
  /// Of A, of B if there is one, and of C.
  std::vector<ExpectedLayout> layouts;
  std::map<std::string, ExpectedLayout> auxiliaryLayouts;
};

} // namespace

#endif // TC_PYTHON_CONTRACTION_H
