//===- SharedParts.cpp - Common parts of products -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedParts.h"

#include <algorithm>
#include <set>

using namespace tc;
using namespace tc::model;

std::optional<std::pair<Key, Part>>
tc::model::describePart(const SharingProduct &of, size_t product,
                        Inputs inputs) {
  const Network &network = of.network;
  Part part;
  part.product = product;
  part.inputs = inputs;
  for (unsigned i = 0; i < network.inputs.size(); ++i)
    if (inputs >> i & 1)
      part.sorted.push_back(i);
  std::sort(
      part.sorted.begin(), part.sorted.end(),
      [&](unsigned x, unsigned y) { return of.tensors[x] < of.tensors[y]; });
  Key key;
  for (size_t place = 0; place < part.sorted.size(); ++place) {
    unsigned input = part.sorted[place];
    if (place > 0 && of.tensors[part.sorted[place - 1]] == of.tensors[input])
      return std::nullopt;
    key.push_back(static_cast<int64_t>(of.tensors[input]));
    for (unsigned index : network.inputs[input]) {
      auto known = std::find(part.indices.begin(), part.indices.end(), index);
      key.push_back(-1 - (known - part.indices.begin()));
      if (known == part.indices.end())
        part.indices.push_back(index);
    }
  }
  std::set<unsigned> reached = {part.sorted.front()};
  for (bool grows = true; grows;) {
    grows = false;
    for (unsigned input : part.sorted)
      for (unsigned other : std::set<unsigned>(reached))
        for (unsigned index : network.inputs[input])
          if (contains(network.inputs[other], index))
            grows |= reached.insert(input).second;
  }
  if (reached.size() < part.sorted.size())
    return std::nullopt;
  for (unsigned i = 0; i < part.indices.size(); ++i) {
    bool isKept = contains(network.output, part.indices[i]);
    for (unsigned other = 0; other < network.inputs.size(); ++other)
      isKept |= !(inputs >> other & 1) &&
                contains(network.inputs[other], part.indices[i]);
    if (isKept)
      part.output.push_back(i);
    key.push_back(isKept);
  }
  return std::pair(std::move(key), std::move(part));
}

std::map<Key, std::vector<Part>>
tc::model::findCommonParts(const std::vector<SharingProduct> &products) {
  std::map<Key, std::vector<Part>> parts;
  for (size_t product = 0; product < products.size(); ++product) {
    size_t inputs = products[product].network.inputs.size();
    if (inputs > mostInputsOfSharing)
      continue;
    Inputs all = (Inputs(1) << inputs) - 1;
    for (Inputs part = 1; part <= all; ++part) {
      bool isOne = (part & (part - 1)) == 0;
      if (isOne || (part == all && !products[product].isPlain))
        continue;
      if (auto described = describePart(products[product], product, part))
        parts[described->first].push_back(std::move(described->second));
    }
  }
  // Those of one product alone are no matter.
  for (auto each = parts.begin(); each != parts.end();) {
    const std::vector<Part> &found = each->second;
    bool isAlone = std::all_of(found.begin(), found.end(), [&](const Part &p) {
      return p.product == found.front().product;
    });
    each = isAlone ? parts.erase(each) : std::next(each);
  }
  return parts;
}
