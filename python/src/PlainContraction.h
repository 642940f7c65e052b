//===- PlainContraction.h - Contractions in letters -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of einsum whose subscripts are letters, on arrays of one dtype. Python,
// which knows all rules and messages, takes longer than that to read them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_PLAINCONTRACTION_H
#define TC_PYTHON_PLAINCONTRACTION_H

#include "Contraction.h"

#include <nanobind/nanobind.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// The letters of operands and of the result.
class PlainSubscripts {
public:
  /// Nothing unless the text is letters, commas, spaces and perhaps an arrow.
  static std::optional<PlainSubscripts> read(std::string_view text) {
    PlainSubscripts made;
    made.lists.emplace_back();
    bool hasArrow = false;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (isLetter(c)) {
        made.lists.back() += c;
      } else if (c == ',' && !hasArrow) {
        made.lists.emplace_back();
      } else if (c == '-' && !hasArrow && text.substr(i, 2) == "->") {
        hasArrow = true;
        made.lists.emplace_back();
        ++i;
      } else if (c != ' ') {
        return std::nullopt;
      }
    }
    if (!hasArrow)
      made.lists.push_back(made.lettersOfOne());
    return made;
  }

  size_t operands() const { return lists.size() - 1; }
  const std::string &operator[](size_t tensor) const { return lists[tensor]; }

  /// With an arrow.
  std::string text() const {
    std::string made;
    for (size_t i = 0; i < operands(); ++i)
      made += (i == 0 ? "" : ",") + lists[i];
    return made + "->" + lists.back();
  }

private:
  static bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  /// As NumPy has it, in the order of the alphabet.
  std::string lettersOfOne() const {
    std::array<int, 128> counts = {};
    for (const std::string &list : lists)
      for (char c : list)
        ++counts[static_cast<size_t>(c)];
    std::string made;
    for (char c = 'A'; c <= 'z'; ++c)
      if (counts[static_cast<size_t>(c)] == 1)
        made += c;
    return made;
  }

  std::vector<std::string> lists;
};

/// Extents and strides in elements that letters give to operands and, without
/// gaps, to the result, the last one.
struct PlainLayouts {
  std::vector<std::vector<int64_t>> extents, strides;
  /// True of operands without gaps.
  bool areContiguous = true;

  size_t operands() const { return extents.size() - 1; }
  nb::tuple shape() const { return nb::tuple(nb::cast(extents.back())); }

  /// Nothing where anything is to be said about subscripts, shapes or strides,
  /// an extent is zero, extents of one go with others, or there is a scalar
  /// that is not one of two operands.
  static std::optional<PlainLayouts>
  read(const PlainSubscripts &subscripts,
       const std::vector<const Py_buffer *> &arrays) {
    const size_t count = arrays.size();
    if (subscripts.operands() != count || count == 0)
      return std::nullopt;
    std::array<int64_t, 128> extentOf;
    extentOf.fill(-1);
    PlainLayouts made;
    made.extents.resize(count + 1);
    made.strides.resize(count + 1);
    for (size_t i = 0; i < count; ++i) {
      const Py_buffer &array = *arrays[i];
      const std::string &letters = subscripts[i];
      if (letters.size() != static_cast<size_t>(array.ndim) ||
          (letters.empty() && !mayBeScalar(subscripts, i)))
        return std::nullopt;
      for (int axis = 0; axis < array.ndim; ++axis) {
        int64_t &extent =
            extentOf[static_cast<size_t>(letters[static_cast<size_t>(axis)])];
        if (array.shape[axis] == 0 ||
            (extent != -1 && extent != array.shape[axis]) ||
            array.strides[axis] % array.itemsize != 0)
          return std::nullopt;
        extent = array.shape[axis];
        made.extents[i].push_back(extent);
        made.strides[i].push_back(array.strides[axis] / array.itemsize);
      }
      made.areContiguous &= PyBuffer_IsContiguous(&array, 'C') != 0;
    }
    std::array<bool, 128> isThere = {};
    for (char letter : subscripts[count]) {
      const auto place = static_cast<size_t>(letter);
      if (extentOf[place] == -1 || isThere[place])
        return std::nullopt;
      isThere[place] = true;
      made.extents[count].push_back(extentOf[place]);
    }
    made.strides[count].resize(made.extents[count].size());
    int64_t elements = 1;
    for (size_t i = made.extents[count].size(); i-- > 0;) {
      made.strides[count][i] = elements;
      elements = tc::saturatingMultiply(elements, made.extents[count][i]);
    }
    return made;
  }

private:
  /// One of two operands may be a scalar.
  static bool mayBeScalar(const PlainSubscripts &subscripts, size_t operand) {
    return subscripts.operands() == 2 && !subscripts[1 - operand].empty();
  }
};

/// The contraction of one array or two of one type.
inline nb::object makePlainContraction(const PlainSubscripts &subscripts,
                                       const PlainLayouts &layouts,
                                       int32_t type, TcOptions *options) {
  auto made = std::make_unique<Contraction>(
      subscripts.text(), std::vector<int32_t>(layouts.operands() + 1, type),
      layouts.extents, layouts.strides, options, AuxiliaryLayouts());
  return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

/// The same of arrays, with the shape of its result; None of others.
inline nb::object compilePlain(const std::string &text,
                               const nb::tuple &operands, int32_t type,
                               const nb::dict &options) {
  std::optional<PlainSubscripts> subscripts = PlainSubscripts::read(text);
  if (!subscripts || operands.size() > 2)
    return nb::none();
  std::deque<Buffer> buffers;
  std::vector<const Py_buffer *> arrays;
  for (nb::handle operand : operands)
    arrays.push_back(&buffers.emplace_back(operand, PyBUF_SIMPLE).layout());
  std::optional<PlainLayouts> layouts = PlainLayouts::read(*subscripts, arrays);
  if (!layouts)
    return nb::none();
  return nb::make_tuple(makePlainContraction(*subscripts, *layouts, type,
                                             makeOptions(options).get()),
                        layouts->shape());
}

} // namespace

#endif // TC_PYTHON_PLAINCONTRACTION_H
