//===- Cubin.cpp - Contents of a cubin --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Cubin.h"

#include <cstdint>
#include <cstring>
#include <optional>

using namespace tc;

namespace {

/// The parts of the ELF-64 file and section headers that matter here.
struct FileHeader {
  static constexpr size_t size = 64;
  static constexpr size_t machine = 18, sectionTable = 40, sectionSize = 58,
                          sectionCount = 60, nameSection = 62;
};
struct SectionHeader {
  static constexpr size_t size = 64;
  static constexpr size_t name = 0, fileOffset = 24;
};

constexpr uint16_t machineCuda = 190;

/// Reads numbers out of the file, never from outside it.
class Bytes {
public:
  explicit Bytes(std::string_view text) : text(text) {}

  template <typename T> std::optional<T> number(uint64_t offset) const {
    if (offset > text.size() || text.size() - offset < sizeof(T))
      return std::nullopt;
    T value;
    std::memcpy(&value, text.data() + offset, sizeof(T));
    return value;
  }

  /// The text up to the next zero.
  std::optional<std::string> name(uint64_t offset) const {
    if (offset >= text.size())
      return std::nullopt;
    size_t end = text.find('\0', offset);
    if (end == std::string_view::npos)
      return std::nullopt;
    return std::string(text.substr(offset, end - offset));
  }

private:
  std::string_view text;
};

} // namespace

Result<std::vector<std::string>>
tc::runtime::entriesOfCubin(std::string_view cubin) {
  Bytes bytes(cubin);
  // 64 bits, little endian.
  std::string_view magic("\x7f"
                         "ELF\x02\x01",
                         6);
  if (cubin.size() < FileHeader::size || cubin.substr(0, 6) != magic ||
      bytes.number<uint16_t>(FileHeader::machine) != machineCuda)
    return Error{"not a cubin"};

  Error damaged{"damaged cubin"};
  uint64_t table = *bytes.number<uint64_t>(FileHeader::sectionTable);
  uint16_t entrySize = *bytes.number<uint16_t>(FileHeader::sectionSize);
  uint16_t count = *bytes.number<uint16_t>(FileHeader::sectionCount);
  uint16_t nameSection = *bytes.number<uint16_t>(FileHeader::nameSection);
  if (entrySize < SectionHeader::size || table > cubin.size())
    return damaged;
  auto names = bytes.number<uint64_t>(
      table + uint64_t(nameSection) * entrySize + SectionHeader::fileOffset);
  if (!names || *names > cubin.size())
    return damaged;

  std::vector<std::string> entries;
  const std::string prefix = ".text.";
  for (uint64_t i = 0; i < count; ++i) {
    auto nameOffset =
        bytes.number<uint32_t>(table + i * entrySize + SectionHeader::name);
    if (!nameOffset)
      return damaged;
    std::optional<std::string> name = bytes.name(*names + *nameOffset);
    if (!name)
      return damaged;
    if (name->compare(0, prefix.size(), prefix) == 0)
      entries.push_back(name->substr(prefix.size()));
  }
  return entries;
}
