//===- Completion.h - End of an instruction's work --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_ATOMS_COMPLETION_H
#define TC_GPU_ATOMS_COMPLETION_H

#include <cstdint>
#include <string_view>

namespace tc::model {

/// The way in which a thread learns that what it has started is done.
enum class Completion : std::uint8_t {
  InOrder, ///< it is, for the thread's next instruction
  Group,   ///< the thread closes groups of instructions, and waits for a group
};

/// "in order", "group".
std::string_view stringify(Completion completion);

} // namespace tc::model

#endif // TC_GPU_ATOMS_COMPLETION_H
