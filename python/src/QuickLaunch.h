//===- QuickLaunch.h - Launches that were made before -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading three arrays on a device takes Python longer than the driver takes to
// queue a kernel. So a contraction remembers what the arrays of its last launch
// looked like, if they have `__cuda_array_interface__` and belong to no library
// that has a current stream. Whatever differs in any way, or fails, is for
// Python, which knows all rules and messages.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_QUICKLAUNCH_H
#define TC_PYTHON_QUICKLAUNCH_H

#include "Contraction.h"

#include <array>
#include <cstdint>

namespace {

/// Bytes of which the compiler takes addresses to be a multiple.
constexpr uint64_t alignmentOfTensors = 16;

/// The `__cuda_array_interface__` of an array, for as long as this lives.
class Interface {
public:
  /// Of what says nothing, or something else than is expected, it is not valid.
  explicit Interface(nb::handle array) {
    static const Names &names = *new Names();
    dict = nb::steal(PyObject_GetAttr(array.ptr(), names.interface.ptr()));
    if (!dict.is_valid() || !PyDict_CheckExact(dict.ptr())) {
      PyErr_Clear();
      return;
    }
    auto get = [&](const nb::object &name) {
      PyObject *found = PyDict_GetItem(dict.ptr(), name.ptr());
      return nb::handle(found ? found : Py_None);
    };
    nb::handle data = get(names.data);
    // A call may have to wait for a stream, or be queued there.
    if (!get(names.stream).is_none() || !get(names.mask).is_none() ||
        !PyTuple_CheckExact(data.ptr()) || PyTuple_Size(data.ptr()) != 2)
      return;
    version = get(names.version);
    shape = get(names.shape);
    typestr = get(names.typestr);
    strides = get(names.strides);
    pointer = PyTuple_GetItem(data.ptr(), 0);
    isReadOnly = PyTuple_GetItem(data.ptr(), 1);
    address = PyLong_CheckExact(pointer.ptr())
                  ? PyLong_AsUnsignedLongLong(pointer.ptr())
                  : ~uint64_t(0);
    isValid = address != ~uint64_t(0);
    PyErr_Clear();
  }

  nb::handle version, shape, typestr, strides, pointer, isReadOnly;
  uint64_t address = 0;
  bool isValid = false;

private:
  struct Names {
    nb::str interface{"__cuda_array_interface__"}, version{"version"},
        shape{"shape"}, typestr{"typestr"}, strides{"strides"}, data{"data"},
        stream{"stream"}, mask{"mask"};
  };

  nb::object dict;
};

/// The address of an array, all else that decides what is launched on it, and
/// None; None if it has no interface that says so.
nb::object readInterface(nb::handle array, nb::handle /*stream*/) {
  Interface found(array);
  if (!found.isValid)
    return nb::none();
  return nb::make_tuple(
      found.pointer,
      nb::make_tuple(found.version, found.shape, found.typestr, found.strides,
                     found.isReadOnly, found.address % alignmentOfTensors),
      nb::none());
}

/// The `__cuda_array_interface__` that an array had.
class InterfaceLayout {
public:
  /// The type of the array; shape, typestr and strides (None if contiguous) of
  /// its interface; bytes from its address to the least one and behind the
  /// last; and the bytes by which `address` minus `offset` is divisible.
  InterfaceLayout(const nb::tuple &parts)
      : type(parts[0]), shape(parts[1]), typestr(parts[2]), strides(parts[3]),
        low(nb::cast<int64_t>(parts[4])), high(nb::cast<int64_t>(parts[5])),
        alignment(nb::cast<int64_t>(parts[6])),
        offset(nb::cast<int64_t>(parts[7])) {}

  struct Place {
    uint64_t address, begin, end;
  };

  /// Place of an array; none if it is not as described, or cannot be `written`,
  /// though it is.
  std::optional<Place> find(nb::handle array, bool written) const {
    if (!array.type().is(type))
      return std::nullopt;
    Interface found(array);
    if (!found.isValid || !PyLong_CheckExact(found.version.ptr()) ||
        !areEqual(found.shape, shape) || !areEqual(found.typestr, typestr) ||
        !areEqual(found.strides, strides))
      return std::nullopt;
    int64_t number = PyLong_AsLong(found.version.ptr());
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return std::nullopt;
    }
    Place place = {found.address, found.address + static_cast<uint64_t>(low),
                   found.address + static_cast<uint64_t>(high)};
    bool isAligned =
        (place.begin - static_cast<uint64_t>(offset)) % alignment == 0;
    if ((number != 2 && number != 3) || !isAligned ||
        (written && found.isReadOnly.ptr() != Py_False))
      return std::nullopt;
    return place;
  }

private:
  static bool areEqual(nb::handle a, nb::handle b) {
    if (a.is(b))
      return true;
    int equal = PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ);
    if (equal < 0)
      PyErr_Clear();
    return equal == 1;
  }

  nb::object type, shape, typestr, strides;
  int64_t low, high;
  uint64_t alignment;
  int64_t offset;
};

/// A contraction of two operands for a GPU, and what the arrays looked like on
/// which it was launched.
class QuickLaunch {
public:
  QuickLaunch(nb::object owner, const nb::tuple &a, const nb::tuple &b,
              const nb::tuple &out)
      : contraction(std::move(owner)),
        native(nb::cast<const Contraction *>(contraction)), layouts{a, b, out} {
  }

  /// Queues it on the default stream, and returns whether that is done.
  bool launch(nb::handle a, nb::handle b, nb::handle out) const {
    auto placeA = layouts[0].find(a, false), placeB = layouts[1].find(b, false),
         placeC = layouts[2].find(out, true);
    if (!placeA || !placeB || !placeC)
      return false;
    for (const auto &place : {*placeA, *placeB})
      if (place.begin < placeC->end && placeC->begin < place.end)
        return false;
    return native->tryLaunch(placeA->address, placeB->address, placeC->address);
  }

private:
  nb::object contraction;
  const Contraction *native;
  std::array<InterfaceLayout, 3> layouts;
};

} // namespace

#endif // TC_PYTHON_QUICKLAUNCH_H
