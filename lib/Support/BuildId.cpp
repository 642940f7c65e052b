//===- BuildId.cpp - Identity of the running compiler ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/BuildId.h"

#include <cstring>
#include <link.h>
#include <set>
#include <string_view>
#include <sys/stat.h>

using namespace tc;

/// The bytes of the note that holds the build id; empty if there is none.
static std::string_view findBuildId(const dl_phdr_info &file) {
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = file.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    // Names and descriptions are padded to the segment's alignment (ELF gABI,
    // chapter 5, "Note Section"; four bytes if it states less).
    size_t alignment = segment.p_align == 8 ? 8 : 4;
    auto pad = [&](size_t n) { return (n + alignment - 1) & ~(alignment - 1); };
    auto *at = reinterpret_cast<const char *>(file.dlpi_addr + segment.p_vaddr);
    for (size_t left = segment.p_memsz; left >= sizeof(ElfW(Nhdr));) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof(note));
      size_t description = sizeof(note) + pad(note.n_namesz);
      size_t size = description + pad(note.n_descsz);
      if (size > left)
        break;
      if (note.n_type == NT_GNU_BUILD_ID &&
          std::string_view(at + sizeof(note), note.n_namesz) ==
              std::string_view("GNU\0", 4))
        return {at + description, note.n_descsz};
      at += size;
      left -= size;
    }
  }
  return {};
}

static std::string toHex(std::string_view bytes) {
  constexpr const char *digits = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

/// The text that stands in for a build id.
static std::string describeFile(const std::string &path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0)
    return path;
  return path + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

static bool contains(const dl_phdr_info &file, const void *address) {
  auto at = reinterpret_cast<ElfW(Addr)>(address) - file.dlpi_addr;
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = file.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && at - segment.p_vaddr < segment.p_memsz)
      return true;
  }
  return false;
}

/// Returns true if a path ends in a file name such as libLLVM.so.22.1.
static bool isLLVM(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  return name.substr(0, 7) == "libLLVM" || name.substr(0, 7) == "libMLIR";
}

/// Stands in this file's own code or data.
static const char anchor = 0;

static int addLine(dl_phdr_info *file, size_t, void *lines) {
  std::string path = file->dlpi_name;
  if (!isLLVM(path) && !contains(*file, &anchor))
    return 0;
  std::string_view id = findBuildId(*file);
  // The program itself has no name.
  static_cast<std::set<std::string> *>(lines)->insert(
      !id.empty() ? toHex(id)
                  : describeFile(path.empty() ? "/proc/self/exe" : path));
  return 0;
}

std::string tc::identifyCompiler() {
  std::set<std::string> lines;
  dl_iterate_phdr(addLine, &lines);
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}
