//===- ProgramResults.cpp - Results of functions as parameters ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/HostCode/ProgramResults.h"

#include "tc/Dialect/TC/IR/ParameterNames.h"

using namespace tc;

StringAttr ProgramResults::findName(unsigned number) const {
  return function.getResultAttrOfType<StringAttr>(number,
                                                  parameterNameAttrName);
}

std::string ProgramResults::nameOf(unsigned number) const {
  StringAttr name = findName(number);
  return name ? name.str() : "result" + std::to_string(number);
}

std::optional<unsigned> ProgramResults::argumentOf(unsigned number) const {
  StringAttr name = findName(number);
  for (unsigned argument = 0; name && argument < function.getNumArguments();
       ++argument)
    if (function.getArgAttrOfType<StringAttr>(argument,
                                              parameterNameAttrName) == name)
      return argument;
  return std::nullopt;
}

ResultRole ProgramResults::roleOf(unsigned number, uintptr_t buffer,
                                  std::optional<StringRef> argument,
                                  bool isAllocated) {
  StringAttr name = findName(number);
  bool isItself = argument && (!name || name == *argument);
  if (!isItself && argumentOf(number))
    return ResultRole::Update;
  if ((!isItself && !isAllocated) || !taken.insert(buffer).second)
    return ResultRole::Copy;
  return isItself ? ResultRole::Argument : ResultRole::Parameter;
}
