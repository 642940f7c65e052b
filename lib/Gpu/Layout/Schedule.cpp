//===- Schedule.cpp - The decisions that turn a contraction into code -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/Schedule.h"

#include "tc/Support/Arithmetic.h"

namespace tc::model {

std::string_view stringify(Stationary stationary) {
  switch (stationary) {
  case Stationary::Output:
    return "output";
  case Stationary::A:
    return "A";
  case Stationary::B:
    return "B";
  }
  return "";
}

} // namespace tc::model
