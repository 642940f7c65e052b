//===- OldGroups.cpp - Groups of older packages ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OldGroups.h"

#include "VerifierSupport.h"

#include "tc/Package/KernelText.h"
#include "tc/Package/PackageFormat.h"

#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::runtime;

/// The value of a key of an object, null if it has none, which is taken from
/// the object.
static Json take(Json &object, const char *key) {
  auto found = object.find(key);
  if (found == object.end())
    return nullptr;
  Json value = std::move(*found);
  object.erase(found);
  return value;
}

/// "A2" for the input "a" of contraction 2, whose number is left out if it is
/// zero. The reader refuses what is made of other values.
static Json tensorName(const Json &input, size_t node) {
  std::string name = input == "a" ? "A" : input == "b" ? "B" : "?";
  return node == 0 ? name : name + std::to_string(node);
}

/// Sets a key unless the value is missing.
static void set(Json &object, const char *key, Json value) {
  if (!value.is_null())
    object[key] = std::move(value);
}

/// A term had the type of the kernel's sums, and its labels of C.
static Json upgradeTerm(Json &term, size_t node, size_t, const Json &kernel) {
  Json rest = Json::object();
  if (term.contains("accumulator"))
    rest["accumulator"] = nullptr;
  auto sums = kernel.find("accumulator");
  // Anything else, which may be large, is refused where the kernel is read.
  if (sums != kernel.end() && sums->is_string() &&
      model::symbolizeElementType(sums->get_ref<const std::string &>()))
    term["accumulator"] = *sums;
  Json edge;
  edge["from"] = "C" + std::to_string(node);
  set(edge, "from_indices", take(term, "output"));
  edge["to"] = "C";
  edge["rest"] = std::move(rest);
  return edge;
}

/// A link said what the next one made of its output.
static Json upgradeLink(Json &link, size_t node, size_t count, const Json &) {
  Json feeds = take(link, "feeds");
  if (!feeds.is_object())
    feeds = Json::object();
  Json edge;
  edge["from"] = "C" + std::to_string(node);
  set(edge, "from_indices", take(link, "output"));
  edge["to"] = tensorName(take(feeds, "input"), node < count ? node + 1 : 0);
  set(edge, "to_indices", take(feeds, "indices"));
  set(edge, "type", take(feeds, "type"));
  if (feeds.contains("through"))
    edge["through"] = take(feeds, "through");
  edge["rest"] = std::move(feeds);
  return edge;
}

/// A branch said which of its inputs was which of the kernel's.
static Json upgradeBranch(Json &branch, size_t node, size_t, const Json &) {
  Json shares = take(branch, "shares");
  if (!shares.is_object())
    shares = Json::object();
  Json edge;
  edge["from"] = tensorName(take(shares, "input"), 0);
  edge["to"] = tensorName(take(shares, "as"), node);
  set(edge, "to_indices", take(shares, "indices"));
  edge["rest"] = std::move(shares);
  return edge;
}

static Status upgradeKernel(const std::string &path, Json &kernel) {
  using Upgrade = Json (*)(Json &, size_t, size_t, const Json &);
  for (const char *key : {"contractions", "edges"})
    if (kernel.contains(key))
      return fault(path, "unknown key \"" + std::string(key) +
                             "\", which versions from " +
                             std::to_string(firstVersionWithGroups) +
                             " on have");
  for (auto [key, upgrade] :
       {std::pair<const char *, Upgrade>("terms", upgradeTerm),
        std::pair<const char *, Upgrade>("links", upgradeLink),
        std::pair<const char *, Upgrade>("branches", upgradeBranch)}) {
    if (!kernel.contains(key))
      continue;
    Json others = take(kernel, key);
    std::string where = path + "." + key;
    if (!others.is_array() || others.empty() || others.size() > maxContractions)
      return fault(where, "expected an array of 1 to " +
                              std::to_string(maxContractions) +
                              " contractions");
    if (kernel.contains("contractions"))
      return fault(where, "is the second list of contractions of its kernel");
    Json edges = Json::array();
    for (size_t i = 0; i < others.size(); ++i) {
      if (!others[i].is_object())
        return fault(at(where, i), "expected an object");
      Json edge = upgrade(others[i], i + 1, others.size(), kernel);
      if (auto rest = edge.find("rest"); rest != edge.end()) {
        if (!rest->empty())
          return fault(at(where, i),
                       "unknown key \"" + rest->begin().key() + "\"");
        edge.erase(rest);
      }
      edges.push_back(std::move(edge));
    }
    kernel["contractions"] = std::move(others);
    kernel["edges"] = std::move(edges);
  }
  return {};
}

Status tc::runtime::upgradeGroups(Json &package) {
  if (!package.is_object() || !package.contains("version") ||
      !package["version"].is_number_integer() ||
      package["version"].get<int64_t>() >= firstVersionWithGroups)
    return {};
  auto kernels = package.find("kernels");
  if (kernels == package.end() || !kernels->is_array())
    return {};
  for (size_t i = 0; i < kernels->size(); ++i)
    if (Json &kernel = (*kernels)[i]; kernel.is_object())
      if (Status s = upgradeKernel(at("$.kernels", i), kernel); !s)
        return s;
  return {};
}
