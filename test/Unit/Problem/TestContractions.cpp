//===- TestContractions.cpp - Contractions that tests start from ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestContractions.h"

namespace tc::model::test {

Contraction randomContraction(std::mt19937 &random) {
  Contraction contraction;
  ElementType type =
      uniform(random, 0, 1) ? ElementType::F64 : ElementType::F32;
  contraction.elementType = {{type, type, type}};
  contraction.factorType = contraction.accumulatorType = type;
  contraction.readsC = uniform(random, 0, 1);

  constexpr Role roles[] = {Role::Batch, Role::M, Role::M, Role::N,
                            Role::N,     Role::K, Role::K};
  PerTensor<std::vector<unsigned>> held;
  int64_t rank = uniform(random, 0, 7);
  for (unsigned i = 0; i < rank; ++i) {
    Role role = roles[uniform(random, 0, 6)];
    contraction.indices.push_back({std::string(1, static_cast<char>('a' + i)),
                                   uniform(random, 1, 9),
                                   role,
                                   {}});
    bool onlyInA = role == Role::K && uniform(random, 0, 9) == 0;
    if (role != Role::N)
      held[Tensor::A].push_back(i);
    if (role != Role::M && !onlyInA)
      held[Tensor::B].push_back(i);
    if (role != Role::K)
      held[Tensor::C].push_back(i);
  }
  for (Tensor tensor : allTensors) {
    std::vector<unsigned> &order = held[tensor];
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[uniform(random, 0, i - 1)]);
    int64_t stride = uniform(random, 0, 5) == 0 ? 2 : 1;
    contraction.offset[tensor] = uniform(random, 0, 3);
    for (unsigned i : order) {
      Index &index = contraction.indices[i];
      bool reversed = uniform(random, 0, 7) == 0;
      index.stride[tensor] = reversed ? -stride : stride;
      if (reversed)
        contraction.offset[tensor] += stride * (index.extent - 1);
      stride *= index.extent;
      if (uniform(random, 0, 3) == 0)
        stride += uniform(random, 0, 5);
    }
  }
  return contraction;
}

} // namespace tc::model::test
