//===- CodeOption.cpp - Options that pipelines have in common -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/CodeOption.h"

using namespace tc;

std::string detail::helpOf(const OptionInfo &info) {
  std::string help(info.help);
  if (info.isChoice)
    help += ": " + options::joinChoices(info, "or");
  if (info.none && !info.unsaid.empty())
    help +=
        "; " + std::to_string(*info.none) + " for " + std::string(info.unsaid);
  return help;
}
