//===- Product.cpp - Products as callers say them -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Product.h"
#include "Ahead.h"
#include "ElementTypes.h"

#include "tc/Import/Notations.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <unordered_map>

using namespace tc;
using namespace tc::capi;

std::vector<std::vector<std::string>> Product::labels() const {
  std::vector<std::vector<std::string>> lists;
  for (const model::IndexList &tensor : tensors) {
    std::vector<std::string> &list = lists.emplace_back();
    for (unsigned index : tensor)
      list.push_back(extents[index].label);
  }
  return lists;
}

Result<Product> capi::describeProduct(const char *spec, const TcTensor *tensors,
                                      size_t operands) {
  std::vector<size_t> ranks;
  for (size_t i = 0; i < operands; ++i) {
    Result<TensorDescription> tensor = copy(tensors[i]);
    std::string name = "operand " + std::to_string(i);
    if (!tensor)
      return Error{name + ": " + tensor.error()};
    if (tensor->strides)
      return Error{name + ": has strides, and operands of a program are "
                          "contiguous"};
    if (tensor->type != tensors[0].type)
      return Error{name + ": its element type is not that of operand 0"};
    ranks.push_back(tensor->extents.size());
  }
  const std::optional<model::ElementType> type = toModel(tensors[0].type);
  if (!type)
    return Error{"unknown element type " + std::to_string(tensors[0].type)};
  notation::Diagnostic diagnostic;
  auto lists = notation::expandSubscripts(spec, ranks, "spec", diagnostic);
  if (!lists)
    return Error{diagnostic.str()};
  Product product;
  product.type = *type;
  product.tensors.resize(lists->size());
  // Labels may be letters that no text of a program could have.
  std::unordered_map<std::string_view, unsigned> numbers;
  for (size_t i = 0; i < operands; ++i)
    for (size_t dim = 0; dim < (*lists)[i].size(); ++dim) {
      const std::string &label = (*lists)[i][dim];
      const int64_t extent = tensors[i].extents[dim];
      auto [known, isNew] =
          numbers.emplace(label, static_cast<unsigned>(numbers.size()));
      if (isNew)
        product.extents.push_back(
            {"i" + std::to_string(known->second), extent, {}});
      const int64_t first = product.extents[known->second].extent;
      if (first != extent)
        return Error{"index '" + label + "' has extent " +
                     std::to_string(first) + ", but " + std::to_string(extent) +
                     " in operand " + std::to_string(i)};
      product.tensors[i].push_back(known->second);
    }
  // An operand has each of them.
  for (const std::string &label : lists->back())
    product.tensors.back().push_back(numbers.at(label));
  return product;
}

std::optional<model::Network> capi::networkAhead(const Product &product,
                                                 const TcOptions &options) {
  const model::ElementType type = product.type;
  const size_t operands = product.tensors.size() - 1;
  const bool isPlain = options.chosenSemiring() == model::Semiring::PlusTimes &&
                       options.chosenPrecision() == model::Precision::IEEE &&
                       !options.fused.any() && !options.conjugatesA &&
                       !options.conjugatesB && !options.allowsThreeProducts;
  if (operands < 2 || !isPlain || !mayRunAhead(options) ||
      product.extents.size() > notation::maxExtents)
    return std::nullopt;
  model::Network network;
  network.type = network.temporaryType = network.outputType = type;
  // Integers wrap around to the same result in either type.
  if (!model::isInteger(type))
    network.temporaryType = model::accumulatorTypeOf(type);
  if (network.temporaryType != type && !options.keepsSums)
    return std::nullopt;
  for (const notation::Extent &extent : product.extents) {
    if (extent.extent < 1)
      return std::nullopt;
    network.indices.push_back({extent.label, extent.extent});
  }
  for (const model::IndexList &tensor : product.tensors) {
    int64_t bytes = model::byteWidth(type);
    for (unsigned index : tensor)
      bytes = saturatingMultiply(bytes, product.extents[index].extent);
    if (bytes == saturated)
      return std::nullopt;
  }
  network.inputs.assign(product.tensors.begin(), product.tensors.end() - 1);
  network.output = product.tensors.back();
  return network;
}
