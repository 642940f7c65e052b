//===- OptionList.h - The options of the C interface ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_OPTIONLIST_H
#define TC_LIB_CAPI_OPTIONLIST_H

#include "Options.h"

namespace tc::capi {

Status readTarget(const OptionInfo &info, std::string_view text,
                  std::string &target);
Status readPath(const OptionInfo &info, std::string_view text,
                std::optional<model::ContractionPath> &path);
Status readFactor(const OptionInfo &info, std::string_view text,
                  Factor &factor);
Status readName(const OptionInfo &info, std::string_view text,
                std::string &name);

/// Those that no other front door has.
constexpr auto listOptionsOfC() {
  return std::make_tuple(
      optionAt<&TcOptions::target>(
          called("target").does("This machine's CPU, or a GPU"), readTarget),
      optionAt<&TcOptions::specialize>(
          called("specialize")
              .does("When code is made for a contraction that "
                    "ahead-of-time kernels compute")
              .oneOf("always|never|auto")
              .of(OptionMachine::Cpu)),
      optionAt<&TcOptions::inBackground>(
          called("background")
              .does("Make code that nobody waits for")
              .of(OptionMachine::Cpu)),
      optionAt<&TcOptions::alpha>(alphaOption, readFactor),
      optionAt<&TcOptions::beta>(betaOption, readFactor),
      optionAt<&TcOptions::cutting>(
          called("slices")
              .does("Indices of which an order may have slices")
              .oneOf("none|output|all")),
      optionAt<&TcOptions::keepsSums>(
          called("keep-sums")
              .does("Keep results between the steps of a product in the type "
                    "of sums, by ahead-of-time kernels")
              .of(OptionMachine::Cpu)),
      optionAt<&TcOptions::path>(
          called("path").does("The order in which tensors are multiplied"),
          readPath),
      optionAt<&TcOptions::offsetA>(
          called("offset-a")
              .does("Elements from an aligned address to A")
              .from(0, 15)),
      optionAt<&TcOptions::offsetB>(
          called("offset-b")
              .does("Elements from an aligned address to B")
              .from(0, 15)),
      optionAt<&TcOptions::offsetC>(
          called("offset-c")
              .does("Elements from an aligned address to C")
              .from(0, 15)),
      optionAt<&TcOptions::name>(
          called("name").does("What functions and kernels are called"),
          readName));
}

} // namespace tc::capi

constexpr auto optionsOf(const TcOptions *options) {
  return std::tuple_cat(
      tc::capi::listOptionsOfC(),
      optionsOf(static_cast<const tc::CompileOptions *>(options)),
      optionsOf(static_cast<const tc::ContractionOptions *>(options)),
      optionsOf(static_cast<const tc::CacheOptions *>(options)));
}

#endif // TC_LIB_CAPI_OPTIONLIST_H
