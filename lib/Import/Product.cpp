//===- Product.cpp - The program of one product ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DraftProgram.h"

using namespace tc;
using namespace tc::notation;

static DraftTensor draftOf(std::string name, std::vector<std::string> labels) {
  DraftTensor tensor;
  tensor.name = std::move(name);
  tensor.labels.reserve(labels.size());
  for (std::string &label : labels)
    tensor.labels.push_back({std::move(label), {}});
  return tensor;
}

std::optional<ParsedProgram>
notation::makeProduct(std::vector<std::vector<std::string>> labels,
                      std::vector<Extent> extents, model::ElementType type,
                      const ParseOptions &options, Diagnostic &diagnostic) {
  auto refuse = [&](std::string message) {
    diagnostic = {options.source, {}, std::move(message)};
    return std::nullopt;
  };
  if (extents.size() > maxExtents)
    return refuse("more than " + std::to_string(maxExtents) + " extents");
  for (const Extent &extent : extents)
    if (extent.extent < 0)
      return refuse("extent of '" + extent.label +
                    "' is negative: " + std::to_string(extent.extent));
  DraftProgram draft;
  draft.extents = std::move(extents);
  draft.elementType = type;
  DraftStatement &statement = draft.statements.emplace_back();
  statement.output = draftOf("result", std::move(labels.back()));
  labels.pop_back();
  DraftProduct &product = statement.products.emplace_back();
  for (std::vector<std::string> &list : labels)
    product.factors.push_back(draftOf(
        "operand" + std::to_string(product.factors.size()), std::move(list)));
  return finish(draft, options, diagnostic);
}
