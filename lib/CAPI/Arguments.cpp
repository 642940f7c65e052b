//===- Arguments.cpp - Arguments of a contraction -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <algorithm>

using namespace tc;
using namespace tc::capi;

Status capi::checkFactors(const Problem &problem, const void *alpha,
                          const void *beta) {
  for (auto [name, factor, given] :
       {std::tuple("alpha", &problem.record.alpha, alpha),
        std::tuple("beta", &problem.record.beta, beta)}) {
    if (factor->isArgument && !given)
      return Error{std::string(name) + " is NULL, but is an argument"};
    if (!factor->isArgument && given)
      return Error{std::string(name) +
                   " is given, but was compiled in: set option '" + name +
                   "' to 'argument'"};
  }
  return {};
}

static const std::vector<model::Expression::Auxiliary> &
auxiliariesOf(const Problem &problem) {
  // Without an epilogue there are no auxiliary tensors.
  static const std::vector<model::Expression::Auxiliary> none;
  return problem.fused.epilogue ? problem.fused.epilogue->auxiliaries() : none;
}

std::string capi::nameOfAuxiliary(const Problem &problem, size_t number) {
  return nameOfAuxiliary(auxiliariesOf(problem)[number].name);
}

Status capi::takeAuxiliaries(
    const Problem &problem, const TcAuxiliary *auxiliaries, int32_t count,
    const std::function<Status(size_t number, const void *zero)> &take) {
  std::vector<bool> isGiven(problem.auxiliaries.size());
  const auto &names = auxiliariesOf(problem);
  for (int32_t i = 0; i < count; ++i) {
    if (!auxiliaries[i].name)
      return Error{"the name of auxiliary tensor " + std::to_string(i) +
                   " is NULL"};
    auto named =
        std::find_if(names.begin(), names.end(), [&](const auto &auxiliary) {
          return auxiliary.name == auxiliaries[i].name;
        });
    if (named == names.end())
      return Error{nameOfAuxiliary(auxiliaries[i].name) +
                   " is not in the epilogue"};
    auto number = static_cast<size_t>(named - names.begin());
    if (isGiven[number])
      return Error{nameOfAuxiliary(problem, number) + " is given twice"};
    isGiven[number] = true;
    if (Status status = take(number, auxiliaries[i].data); !status)
      return status;
  }
  for (size_t i = 0; i < isGiven.size(); ++i)
    if (!isGiven[i])
      return Error{nameOfAuxiliary(problem, i) + " is not given"};
  return {};
}

const void *capi::beginOf(const model::TensorRecord &tensor, const void *zero) {
  return static_cast<const char *>(zero) -
         tensor.offset * model::byteWidth(tensor.type);
}
