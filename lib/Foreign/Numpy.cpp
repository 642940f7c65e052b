//===- Numpy.cpp - Arrays in NumPy's format -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Foreign/Numpy.h"

#include "tc/Buffers/NarrowFloat.h"
#include "tc/Support/Arithmetic.h"

#include <charconv>
#include <cstring>
#include <string_view>

using namespace tc;
using namespace tc::foreign;

namespace {

/// Reads the dictionary of a header, which NumPy writes as Python does.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text(text) {}

  bool parse() {
    if (!accept("{"))
      return false;
    while (!accept("}")) {
      std::string_view key;
      if (!readString(key) || !accept(":") || !readValue(key))
        return false;
      if (!accept(",") && !isNext("}"))
        return false;
    }
    skipBlanks();
    return text.empty() && hasType && hasOrder && hasShape;
  }

  std::string_view type;
  bool isFortran = false;
  std::vector<int64_t> shape;

private:
  void skipBlanks() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n'))
      text.remove_prefix(1);
  }
  bool isNext(std::string_view word) {
    skipBlanks();
    return text.substr(0, word.size()) == word;
  }
  bool accept(std::string_view word) {
    if (!isNext(word))
      return false;
    text.remove_prefix(word.size());
    return true;
  }
  bool readString(std::string_view &value) {
    if (!accept("'"))
      return false;
    size_t end = text.find('\'');
    if (end == text.npos)
      return false;
    value = text.substr(0, end);
    text.remove_prefix(end + 1);
    return true;
  }
  bool readShape() {
    constexpr size_t maxDimensions = 64;
    if (!accept("("))
      return false;
    while (!accept(")")) {
      skipBlanks();
      int64_t extent = 0;
      auto [end, code] =
          std::from_chars(text.data(), text.data() + text.size(), extent);
      if (code != std::errc() || extent < 0 || shape.size() == maxDimensions)
        return false;
      shape.push_back(extent);
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      if (!accept(",") && !isNext(")"))
        return false;
    }
    return true;
  }
  bool readValue(std::string_view key) {
    if (key == "descr")
      return hasType = readString(type);
    if (key == "shape")
      return hasShape = readShape();
    if (key != "fortran_order")
      return false;
    isFortran = accept("True");
    return hasOrder = isFortran || accept("False");
  }

  std::string_view text;
  bool hasType = false, hasOrder = false, hasShape = false;
};

} // namespace

Result<NumpyArray> NumpyArray::parse(std::string contents,
                                     const std::string &name) {
  constexpr std::string_view magic = "\x93NUMPY";
  auto byteAt = [&](size_t i) { return static_cast<uint8_t>(contents[i]); };
  if (contents.size() < 10 || contents.compare(0, magic.size(), magic) != 0)
    return Error{name + ": is no array in NumPy's format"};
  unsigned version = byteAt(6);
  size_t lengthBytes = version == 1 ? 2 : 4;
  size_t headerBegin = 8 + lengthBytes, length = 0;
  if (version < 1 || version > 3 || contents.size() < headerBegin)
    return Error{name + ": version " + std::to_string(version) +
                 " of NumPy's format is not supported"};
  for (size_t i = lengthBytes; i-- > 0;)
    length = length << 8 | byteAt(8 + i);
  if (length > contents.size() - headerBegin)
    return Error{name + ": ends in its header"};

  HeaderReader header(std::string_view(contents).substr(headerBegin, length));
  if (!header.parse())
    return Error{name + ": has a malformed header"};
  NumpyArray array;
  bool known = header.type.size() == 3 &&
               (header.type[0] == '<' || header.type[0] == '|');
  if (known) {
    array.kind = header.type[1];
    array.width = static_cast<unsigned>(header.type[2] - '0');
    unsigned width = array.width;
    known = array.kind == 'f' ? width == 2 || width == 4 || width == 8
            : array.kind == 'i' || array.kind == 'u'
                ? width == 1 || width == 2 || width == 4 || width == 8
                : array.kind == 'c' && width == 8;
  } else if (header.type == "<c16") {
    array.kind = 'c';
    array.width = 16;
    known = true;
  }
  if (!known)
    return Error{name + ": elements of type '" + std::string(header.type) +
                 "' are not supported"};
  int64_t elements = 1;
  for (int64_t extent : header.shape)
    elements = saturatingMultiply(elements, extent);
  array.begin = headerBegin + length;
  if (saturatingMultiply(elements, array.width) !=
      static_cast<int64_t>(contents.size() - array.begin))
    return Error{name + ": has " +
                 std::to_string(contents.size() - array.begin) +
                 " bytes of numbers, not what its shape needs"};
  array.isFortran = header.isFortran;
  array.extents = std::move(header.shape);
  array.contents = std::move(contents);
  if (array.isComplex())
    array.width /= 2;
  return array;
}

template <typename T> static T read(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

long double NumpyArray::at(int64_t number) const {
  int64_t parts = isComplex() ? 2 : 1, part = number % parts;
  int64_t place = number / parts;
  if (isFortran) {
    int64_t rest = place, total = 1;
    for (int64_t extent : extents)
      total *= extent;
    place = 0;
    for (size_t i = extents.size(); i-- > 0;) {
      total /= extents[i];
      place += rest % extents[i] * total;
      rest /= extents[i];
    }
  }
  const char *from = contents.data() + begin +
                     static_cast<size_t>(place * parts + part) * width;
  if (kind == 'i')
    switch (width) {
    case 1:
      return read<int8_t>(from);
    case 2:
      return read<int16_t>(from);
    case 4:
      return read<int32_t>(from);
    default:
      return static_cast<long double>(read<int64_t>(from));
    }
  if (kind == 'u')
    switch (width) {
    case 1:
      return read<uint8_t>(from);
    case 2:
      return read<uint16_t>(from);
    case 4:
      return read<uint32_t>(from);
    default:
      return static_cast<long double>(read<uint64_t>(from));
    }
  if (width == 2)
    return runtime::Float16::ofBits(read<uint16_t>(from));
  return width == 4 ? read<float>(from) : read<double>(from);
}
