//===- ListingFields.h - Fields of instructions, by name --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINECODE_LISTINGFIELDS_H
#define TC_MACHINECODE_LISTINGFIELDS_H

#include "tc/MachineCode/Listing.h"
#include "tc/Support/Record.h"

namespace tc::sass {

constexpr auto fieldsOf(const Control *) {
  return std::make_tuple(
      field("stall", &Control::stall), field("yields", &Control::yields),
      field("write_barrier", &Control::writeBarrier),
      field("read_barrier", &Control::readBarrier),
      field("awaits", &Control::awaits), field("reuse", &Control::reuse));
}

} // namespace tc::sass

#endif // TC_MACHINECODE_LISTINGFIELDS_H
