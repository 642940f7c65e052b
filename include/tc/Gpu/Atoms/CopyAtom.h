//===- CopyAtom.h - Copies from global to shared memory ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the ways in which elements get from global to shared memory.
// Layouts, costs and lowerings ask for a column and never for a certain copy.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_ATOMS_COPYATOM_H
#define TC_GPU_ATOMS_COPYATOM_H

#include "tc/Gpu/Atoms/Completion.h"
#include "tc/Machine/Features.h"
#include "tc/Machine/Target.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace tc::model {

enum class CopyInstruction : std::uint8_t {
  Registers, ///< a load and stores
  CpAsync4,
  CpAsync8,
  CpAsync16
};

/// One line of the table.
struct CopyAtom {
  CopyInstruction instruction = CopyInstruction::Registers;
  std::string_view name;
  /// Bytes of an access, which starts at a multiple of them in both memories;
  /// zero for any number that a load and a store may have.
  int64_t bytes = 0;
  /// Elements are in registers on their way: they may be mapped to others,
  /// stored apart, and filled up with any number instead of zeros.
  bool passesRegisters = true;
  /// The L1 cache does not keep what was read.
  bool bypassesL1 = false;
  Completion completion = Completion::InOrder;
  /// The ability that a chip needs for it, if it is not every chip's.
  std::optional<Feature> feature = std::nullopt;
};

/// All lines, in the order of the instructions. `cp.async` is of the PTX ISA,
/// version 9.0, section 9.7.9.25.3; its variant that bypasses the L1 cache is
/// for 16 bytes only.
inline constexpr CopyAtom copyAtoms[] = {
    {CopyInstruction::Registers, "registers"},
    {CopyInstruction::CpAsync4, "cp_async_4", 4, false, false,
     Completion::Group, Feature::AsyncCopy},
    {CopyInstruction::CpAsync8, "cp_async_8", 8, false, false,
     Completion::Group, Feature::AsyncCopy},
    {CopyInstruction::CpAsync16, "cp_async_16", 16, false, true,
     Completion::Group, Feature::AsyncCopy},
};

constexpr const CopyAtom &atomOf(CopyInstruction instruction) {
  return copyAtoms[static_cast<size_t>(instruction)];
}

/// The demands of a copy on its instruction.
struct CopyDemand {
  /// The most neighbours in both memories that an access may move, in bytes.
  int64_t bytes = 0;
  /// Elements arrive as they are, and nothing but zeros fills them up.
  bool arrivesAsIs = false;
};

/// The widest copy of the target for these demands that needs no registers; if
/// there is none, the one by way of registers.
CopyInstruction chooseCopy(const CopyDemand &demand, const Target &target);

} // namespace tc::model

#endif // TC_GPU_ATOMS_COPYATOM_H
