//===- IndexOrigins.cpp - Origins of compiled indices ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Explain/IndexOrigins.h"

#include "Facts.h"

#include <algorithm>

using namespace tc;
using namespace tc::explain;
using namespace tc::model;

static bool contains(const std::vector<std::string> &labels,
                     const std::string &label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The labels of the first list that make up each one of the second: as many in
/// a row as have its extent together. Those of extent one are in none.
static void traceTensor(const LabelledShape &written,
                        const LabelledShape &collapsed, IndexOrigins &origins) {
  size_t next = 0;
  for (size_t i = 0; i < collapsed.labels.size(); ++i) {
    IndexOrigin origin;
    origin.label = collapsed.labels[i];
    for (int64_t extent = 1;
         extent < collapsed.extents[i] && next < written.labels.size();
         ++next) {
      extent *= written.extents[next];
      if (written.extents[next] != 1)
        origin.from.push_back(written.labels[next]);
    }
    bool isNew = std::none_of(
        origins.indices.begin(), origins.indices.end(),
        [&](const IndexOrigin &known) { return known.label == origin.label; });
    if (isNew)
      origins.indices.push_back(std::move(origin));
  }
  for (size_t i = 0; i < written.labels.size(); ++i)
    if (written.extents[i] == 1 &&
        !contains(collapsed.labels, written.labels[i]) &&
        !contains(origins.dropped, written.labels[i]))
      origins.dropped.push_back(written.labels[i]);
}

/// Traces the indices over parts of numbers and over products.
static void traceParts(const Contraction &compiled, IndexOrigins &origins) {
  auto originOf = [&](unsigned index) -> IndexOrigin & {
    const std::string &label = compiled.indices[index].label;
    for (IndexOrigin &known : origins.indices)
      if (known.label == label)
        return known;
    origins.indices.push_back({label, {}, "", false});
    return origins.indices.back();
  };
  if (compiled.parts) {
    Tensor expanded = compiled.parts->expanded;
    Tensor other = expanded == Tensor::A ? Tensor::B : Tensor::A;
    originOf(compiled.parts->output).parts =
        std::string(nameOf(expanded)) + " and C";
    if (compiled.parts->summed)
      originOf(*compiled.parts->summed).parts = nameOf(other);
  }
  if (compiled.threeProducts)
    originOf(*compiled.threeProducts).isProducts = true;
}

IndexOrigins explain::findIndexOrigins(const LabelledShapes &written,
                                       const LabelledShapes &collapsed,
                                       const Contraction &compiled) {
  IndexOrigins origins;
  for (Tensor tensor : {Tensor::C, Tensor::A, Tensor::B})
    traceTensor(written[tensor], collapsed[tensor], origins);
  traceParts(compiled, origins);
  auto isAsWritten = [](const IndexOrigin &origin) {
    return origin.from == std::vector<std::string>{origin.label} &&
           origin.parts.empty();
  };
  std::vector<IndexOrigin> &indices = origins.indices;
  indices.erase(std::remove_if(indices.begin(), indices.end(), isAsWritten),
                indices.end());
  return origins;
}

static std::string joined(const std::vector<std::string> &labels) {
  std::string text;
  for (const std::string &label : labels)
    text += (text.empty() ? "" : ", ") + label;
  return text;
}

static std::string originText(const IndexOrigin &origin) {
  if (origin.isProducts)
    return origin.label + " = three products for a complex one";
  std::string parts =
      origin.parts.empty() ? "" : "parts of numbers of " + origin.parts;
  if (origin.from.empty())
    return origin.label + " = " + parts;
  std::string text =
      origin.label + " = " +
      (origin.from.size() == 1 ? origin.from.front()
                               : "(" + joined(origin.from) + ") collapsed");
  return parts.empty() ? text : text + " with " + parts;
}

std::string explain::originsText(const IndexOrigins &origins) {
  std::string text;
  for (const IndexOrigin &origin : origins.indices)
    text += (text.empty() ? "" : "; ") + originText(origin);
  if (!origins.dropped.empty())
    text += (text.empty() ? "" : "; ") + joined(origins.dropped) +
            ", of extent one, left out";
  return text;
}
