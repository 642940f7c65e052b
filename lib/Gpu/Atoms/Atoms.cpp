//===- Atoms.cpp - Choice among atoms, and their names --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Atoms/CopyAtom.h"
#include "tc/Gpu/Atoms/MultiplyAtom.h"

namespace tc::model {

namespace {

/// Returns true if `atomOf` finds each line.
template <typename Atom, size_t size>
constexpr bool isInOrder(const Atom (&atoms)[size]) {
  for (size_t line = 0; line < size; ++line)
    if (static_cast<size_t>(atoms[line].instruction) != line)
      return false;
  return true;
}
static_assert(isInOrder(multiplyAtoms) && isInOrder(copyAtoms));

/// Returns true if the threads of each instruction are its lanes, which share
/// its sums out evenly.
constexpr bool areSharedOut() {
  for (const MultiplyAtom &atom : multiplyAtoms)
    if (atom.lanes.rows * atom.lanes.columns != atom.threads ||
        atom.shape.rows % atom.lanes.rows != 0 ||
        atom.shape.columns % atom.lanes.columns != 0 ||
        atom.shape.depth % atom.lanes.columns != 0)
      return false;
  return true;
}
static_assert(areSharedOut());

} // namespace

std::string_view stringify(Completion completion) {
  return completion == Completion::InOrder ? "in order" : "group";
}

std::string_view stringify(FactorPlace place) {
  return place == FactorPlace::Registers ? "registers" : "shared memory";
}

std::optional<Instruction> symbolizeInstruction(std::string_view name) {
  for (const MultiplyAtom &atom : multiplyAtoms)
    if (atom.name == name)
      return atom.instruction;
  return std::nullopt;
}

CopyInstruction chooseCopy(const CopyDemand &demand, const Target &target) {
  CopyInstruction chosen = CopyInstruction::Registers;
  for (const CopyAtom &atom : copyAtoms)
    if (!atom.passesRegisters && atom.bytes <= demand.bytes &&
        demand.arrivesAsIs && (!atom.feature || target.has(*atom.feature)) &&
        atom.bytes > atomOf(chosen).bytes)
      chosen = atom.instruction;
  return chosen;
}

} // namespace tc::model
