//===- Axes.cpp - Indices of a problem as loops go along them -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Axes.h"

#include "Plan.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;

/// Makes one of indices that lie behind one another in all tensors.
static std::vector<Axis> merged(std::vector<Axis> axes) {
  auto key = [](const Axis &axis) {
    return std::make_tuple(axis.stride[Tensor::C],
                           std::abs(axis.stride[Tensor::A]),
                           std::abs(axis.stride[Tensor::B]), axis.extent);
  };
  std::sort(axes.begin(), axes.end(),
            [&](const Axis &a, const Axis &b) { return key(a) < key(b); });
  std::vector<Axis> found;
  for (const Axis &axis : axes) {
    auto continues = [&](const Axis &last) {
      return std::all_of(
          model::allTensors.begin(), model::allTensors.end(), [&](Tensor t) {
            return axis.stride[t] == last.extent * last.stride[t];
          });
    };
    auto last = std::find_if(found.begin(), found.end(), continues);
    if (last != found.end())
      last->extent *= axis.extent;
    else
      found.push_back(axis);
  }
  return found;
}

std::optional<Axes> cpu::axesOf(const Problem &problem) {
  Axes found;
  found.offset = problem.offset;
  for (const Index &index : problem.indices) {
    if (index.extent == 0)
      return std::nullopt;
    if (index.extent == 1)
      continue;
    Axis axis = {index.extent, index.stride};
    for (Tensor t : {Tensor::C, Tensor::A, Tensor::B}) {
      if (axis.stride[t] == 0)
        continue;
      if (axis.stride[t] < 0)
        for (Tensor each : model::allTensors) {
          found.offset[each] += (axis.extent - 1) * axis.stride[each];
          axis.stride[each] = -axis.stride[each];
        }
      break;
    }
    found.products *= static_cast<double>(axis.extent);
    found.axes.push_back(axis);
  }
  // Counts of values are numbers of 64 bits.
  if (found.products >= mostProducts)
    return std::nullopt;
  found.axes = merged(std::move(found.axes));
  return found;
}
