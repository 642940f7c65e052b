//===- Product.h - Products as callers say them -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_PRODUCT_H
#define TC_LIB_CAPI_PRODUCT_H

#include "Options.h"

#include "tc/Import/ParsedProgram.h"
#include "tc/Program/Network.h"

namespace tc::capi {

/// A product of contiguous tensors as a specification and tensors say it.
struct Product {
  /// Positions in `extents`, of the operands and the result.
  std::vector<model::IndexList> tensors;
  std::vector<notation::Extent> extents;
  model::ElementType type;

  /// The labels of the tensors.
  std::vector<std::vector<std::string>> labels() const;
};

/// Checks all but the extents and the size of tensors.
Result<Product> describeProduct(const char *spec, const TcTensor *tensors,
                                size_t operands);

/// The network of a product that can be written down as a program, and that
/// ahead-of-time kernels may compute as those options ask for; nothing of
/// others.
std::optional<model::Network> networkAhead(const Product &product,
                                           const TcOptions &options);

} // namespace tc::capi

#endif // TC_LIB_CAPI_PRODUCT_H
