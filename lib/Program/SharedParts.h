//===- SharedParts.h - Common parts of products -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PROGRAM_SHAREDPARTS_H
#define TC_LIB_PROGRAM_SHAREDPARTS_H

#include "tc/Program/SharedOrders.h"

#include <map>

namespace tc::model {

/// Inputs of a product, one bit for each.
using Inputs = uint32_t;

/// The identity of a part of a product, whatever its indices are called.
using Key = std::vector<int64_t>;

/// A part of a product.
struct Part {
  size_t product = 0;
  Inputs inputs = 0;
  /// Those inputs, by their tensors.
  std::vector<unsigned> sorted;
  /// The product's index for each of the part's, by their first places.
  std::vector<unsigned> indices;
  /// Those of the part's indices that the result made of it has.
  IndexList output;
};

/// The part that some inputs of a product are, which is the one of that number.
/// Nothing if there is a tensor twice, or no index that joins an input to the
/// others.
std::optional<std::pair<Key, Part>> describePart(const SharingProduct &of,
                                                 size_t product, Inputs inputs);

/// The parts that several products have, without those of products that have
/// more than `mostInputsOfSharing` inputs.
std::map<Key, std::vector<Part>>
findCommonParts(const std::vector<SharingProduct> &products);

} // namespace tc::model

#endif // TC_LIB_PROGRAM_SHAREDPARTS_H
