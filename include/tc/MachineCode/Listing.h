//===- Listing.h - Machine code as nvdisasm prints it -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the output of `nvdisasm -c -hex` for a cubin: instructions of 128 bits
// for compute capabilities from 7.5 on, with the control bits that ptxas sets.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINECODE_LISTING_H
#define TC_MACHINECODE_LISTING_H

#include "tc/Support/Result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::sass {

/// The decisions of ptxas about the issue of an instruction: bits 105 to 125 of
/// its encoding (Jia, Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA
/// Volta GPU Architecture via Microbenchmarking", arXiv 1804.06826, section
/// 2.1).
struct Control {
  /// Cycles until the warp may issue its next instruction.
  unsigned stall = 0;
  /// True if the scheduler should prefer another warp next.
  bool yields = false;
  /// The scoreboard that is raised until the result is written, and the one
  /// until the operands are read; none for instructions of fixed latency.
  std::optional<unsigned> writeBarrier, readBarrier;
  /// The scoreboards that must be clear before this is issued, a bit each.
  unsigned awaits = 0;
  /// The operands that stay in the reuse caches, a bit each.
  unsigned reuse = 0;

  /// Takes the encoding's second word, bits 64 to 127.
  static Control decode(std::uint64_t highWord);
};

struct Instruction {
  /// Its place in the function, in bytes.
  std::uint64_t offset = 0;
  /// The predicate before the opcode, as in "@!P0"; may be empty.
  std::string guard;
  /// With its modifiers, as in "LDS.128".
  std::string opcode;
  std::vector<std::string> operands;
  /// Of a jump with a known end: the number of that instruction in `code`.
  std::optional<std::uint32_t> target;
  std::array<std::uint64_t, 2> encoding = {0, 0};
  Control control;

  /// The opcode without its modifiers.
  std::string_view baseOpcode() const;
  /// Returns true if the opcode has that modifier.
  bool hasModifier(std::string_view modifier) const;
  /// Returns true if its predicate holds in no lane, as in "@!UPT UIADD3 URZ,
  /// UPT, UPT, URZ, URZ, URZ", by which ptxas keeps DMMA apart from version
  /// 13.1 on, as it did by NOP before.
  bool neverExecutes() const;
  /// The instruction as it is listed, without the encoding.
  std::string text() const;
};

struct Function {
  std::string name;
  std::vector<Instruction> code;
};

struct Listing {
  /// As in "sm_90".
  std::string architecture;
  std::vector<Function> functions;

  /// Null if there is none of that name.
  const Function *find(std::string_view name) const;
};

/// The longest listing that is read.
inline constexpr std::size_t maxListingBytes = std::size_t(256) << 20;

/// Reads a listing. Errors name the line, as `name`:line.
Result<Listing> parseListing(std::string_view text, const std::string &name);

} // namespace tc::sass

#endif // TC_MACHINECODE_LISTING_H
