//===- Arguments.h - Arguments of a contraction -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that are alike for runs on the host and launches on a device.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_ARGUMENTS_H
#define TC_LIB_CAPI_ARGUMENTS_H

#include "Problem.h"

#include <functional>

namespace tc::capi {

/// Checks that a factor is given exactly if it is an argument.
Status checkFactors(const Problem &problem, const void *alpha,
                    const void *beta);

/// Calls `take` for each auxiliary tensor with its place in the epilogue and
/// the element whose coordinates are all zero, until that fails.
Status takeAuxiliaries(
    const Problem &problem, const TcAuxiliary *auxiliaries, int32_t count,
    const std::function<Status(size_t number, const void *zero)> &take);

/// Name of an auxiliary tensor, by its place in the epilogue.
std::string nameOfAuxiliary(const Problem &problem, size_t number);

/// An element's address, as that of the tensor's least one.
const void *beginOf(const model::TensorRecord &tensor, const void *zero);

} // namespace tc::capi

#endif // TC_LIB_CAPI_ARGUMENTS_H
