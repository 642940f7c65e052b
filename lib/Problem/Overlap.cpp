//===- Overlap.cpp - Elements of a tensor at one address ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Overlap.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace tc;
using namespace tc::model;

namespace {

/// A dimension along which there is more than one element.
struct Dimension {
  /// Its place among all dimensions.
  size_t place;
  /// The size of the stride, and the most steps from one element to another.
  int64_t stride, steps;
};

} // namespace

/// The dimensions that matter, the least stride first.
static std::vector<Dimension>
dimensionsOf(const std::vector<int64_t> &extents,
             const std::vector<int64_t> &strides) {
  std::vector<Dimension> dims;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end())
    return dims;
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] > 1)
      dims.push_back({i, magnitude(strides[i]), extents[i] - 1});
  std::sort(dims.begin(), dims.end(),
            [](const Dimension &a, const Dimension &b) {
              return std::tie(a.stride, a.place) < std::tie(b.stride, b.place);
            });
  return dims;
}

/// Reaches of the dimensions, each together with those before it, or
/// `saturated`.
static std::vector<int64_t> reachesOf(const std::vector<Dimension> &dims) {
  std::vector<int64_t> reaches;
  int64_t reach = 0;
  for (const Dimension &dim : dims) {
    reach = saturatingAdd(reach, saturatingMultiply(dim.stride, dim.steps));
    reaches.push_back(reach);
  }
  return reaches;
}

static bool areNested(const std::vector<Dimension> &dims,
                      const std::vector<int64_t> &reaches) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i].stride <= (i == 0 ? 0 : reaches[i - 1]))
      return false;
  return dims.empty() || reaches.back() < saturated;
}

bool tc::model::isPlainlyInjective(const std::vector<int64_t> &extents,
                                   const std::vector<int64_t> &strides) {
  std::vector<Dimension> dims = dimensionsOf(extents, strides);
  return areNested(dims, reachesOf(dims));
}

namespace {

/// Steps along dimensions, not all zero, that lead from an element to another
/// one at the same address.
class Search {
public:
  Search(const std::vector<Dimension> &dims,
         const std::vector<int64_t> &reaches)
      : dims(dims), reaches(reaches), steps(dims.size()) {}

  /// True if there are any.
  bool find() { return go(dims.size(), 0, false); }

  /// Those that `find` has found.
  const std::vector<int64_t> &found() const { return steps; }

private:
  /// @param count  how many dimensions are left, of the least strides
  bool go(size_t count, int64_t distance, bool isMoved) {
    if (count == 0)
      return isMoved && distance == 0;
    const Dimension &dim = dims[count - 1];
    int64_t rest = count == 1 ? 0 : reaches[count - 2];
    if (magnitude(distance) > reaches[count - 1])
      return false;
    // Back would be the same way from the other element.
    int64_t first =
        isMoved ? std::max(-dim.steps, -((distance + rest) / dim.stride)) : 0;
    int64_t last = std::min(dim.steps, (rest - distance) / dim.stride);
    for (int64_t step = first; step <= last && tries > 0; ++step, --tries) {
      steps[count - 1] = step;
      if (go(count - 1, distance + step * dim.stride, isMoved || step != 0))
        return true;
    }
    return false;
  }

  const std::vector<Dimension> &dims;
  const std::vector<int64_t> &reaches;
  std::vector<int64_t> steps;
  int tries = 10000;
};

} // namespace

/// The dimensions along which an element lies where another one does, by their
/// places; none if there are no such elements.
static std::vector<size_t> findOverlap(const std::vector<int64_t> &extents,
                                       const std::vector<int64_t> &strides) {
  std::vector<Dimension> dims = dimensionsOf(extents, strides);
  std::sort(
      dims.begin(), dims.end(),
      [](const Dimension &a, const Dimension &b) { return a.place < b.place; });
  for (const Dimension &dim : dims) {
    if (dim.stride == 0)
      return {dim.place};
    for (const Dimension &other : dims) {
      if (other.place == dim.place)
        break;
      // The least steps along both dimensions that lead to the same address.
      int64_t divisor = std::gcd(dim.stride, other.stride);
      if (other.stride / divisor <= dim.steps &&
          dim.stride / divisor <= other.steps)
        return {other.place, dim.place};
    }
  }
  dims = dimensionsOf(extents, strides);
  std::vector<int64_t> reaches = reachesOf(dims);
  // Distances are to be added up without overflow.
  if (dims.size() < 3 || areNested(dims, reaches) ||
      reaches.back() > saturated / 4)
    return {};
  Search search(dims, reaches);
  std::vector<size_t> places;
  if (search.find())
    for (size_t i = 0; i < dims.size(); ++i)
      if (search.found()[i] != 0)
        places.push_back(dims[i].place);
  std::sort(places.begin(), places.end());
  return places;
}

std::optional<std::string>
tc::model::describeOverlap(const std::vector<int64_t> &extents,
                           const std::vector<int64_t> &strides,
                           const std::vector<std::string> &labels) {
  std::vector<size_t> places = findOverlap(extents, strides);
  if (places.empty())
    return std::nullopt;
  std::string text = places.size() == 1 ? "stride " : "strides ";
  for (size_t i = 0; i < places.size(); ++i) {
    if (i > 0)
      text += i + 1 == places.size() ? " and " : ", ";
    text += std::to_string(strides[places[i]]) + " along index '" +
            labels[places[i]] + "'";
  }
  if (places.size() == 1)
    text += " of extent " + std::to_string(extents[places.front()]);
  return text;
}
