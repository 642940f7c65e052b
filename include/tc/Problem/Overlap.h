//===- Overlap.h - Elements of a tensor at one address ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that is written must not overlap itself: which of two values an
// address would hold in the end depends on the order in which elements are
// computed.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_OVERLAP_H
#define TC_PROBLEM_OVERLAP_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tc::model {

/// True if, with the dimensions sorted by stride, each stride steps over all
/// that the smaller ones reach: then no two elements lie at one address. Those
/// of a tensor without elements do not matter.
bool isPlainlyInjective(const std::vector<int64_t> &extents,
                        const std::vector<int64_t> &strides);

/// Reason for which two elements come to lie at one address, as in "stride 0
/// along index 'i' of extent 3" or "strides 2 along index 'i' and 3 along index
/// 'j'", by the fewest dimensions that take part. Nothing where none do, or
/// where more than two dimensions would take over 10,000 steps to tell.
///
/// @param strides  in elements, as many as there are extents and labels
std::optional<std::string>
describeOverlap(const std::vector<int64_t> &extents,
                const std::vector<int64_t> &strides,
                const std::vector<std::string> &labels);

} // namespace tc::model

#endif // TC_PROBLEM_OVERLAP_H
