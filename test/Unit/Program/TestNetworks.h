//===- TestNetworks.h - Networks and machines for tests ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_PROGRAM_TESTNETWORKS_H
#define TC_TEST_UNIT_PROGRAM_TESTNETWORKS_H

#include "tc/Program/OrderSearch.h"

#include <cmath>
#include <random>

namespace tc::model {

/// "ij,jk->ik" with extents by letter.
inline Network networkOf(const std::string &text,
                         const std::vector<std::pair<char, int64_t>> &extents,
                         ElementType type = ElementType::F64) {
  std::vector<std::vector<std::string>> lists(1);
  for (char letter : text.substr(0, text.find('-'))) {
    if (letter == ',')
      lists.emplace_back();
    else
      lists.back().push_back(std::string(1, letter));
  }
  std::vector<std::string> output;
  for (char letter : text.substr(text.find('>') + 1))
    output.push_back(std::string(1, letter));
  std::vector<std::pair<std::string, int64_t>> pairs;
  for (auto [letter, extent] : extents)
    pairs.push_back({std::string(1, letter), extent});
  return *makeNetwork(lists, output, pairs, type);
}

/// A machine whose times are known in closed form: products, and a price for
/// every element that is touched, which the bound leaves out.
class PricedSteps : public StepTimes {
public:
  double lowerBound(double products, double bytes) const override {
    return products;
  }

  size_t affordablePredictions() const override { return 1000; }

protected:
  Result<double> predict(const Contraction &contraction) const override {
    return contraction.fusedMultiplyAdds() +
           3 * (contraction.elements(Tensor::A) +
                contraction.elements(Tensor::B) +
                contraction.elements(Tensor::C));
  }
};

/// A connected network of so many inputs.
inline Network drawNetwork(std::mt19937_64 &random, size_t inputs) {
  std::string text;
  std::vector<std::string> lists(inputs);
  std::vector<std::pair<char, int64_t>> extents;
  char next = 'a';
  auto addTo = [&](std::initializer_list<size_t> places) {
    for (size_t place : places)
      if (lists[place].find(next) == std::string::npos)
        lists[place] += next;
    extents.push_back({next++, static_cast<int64_t>(1 + random() % 9)});
  };
  for (size_t i = 1; i < inputs; ++i)
    addTo({i, random() % i});
  for (size_t i = 0; i < inputs; ++i)
    addTo({random() % inputs, random() % inputs, random() % inputs});
  std::string output;
  for (auto [letter, extent] : extents)
    if (random() % 4 == 0)
      output += letter;
  for (size_t i = 0; i < inputs; ++i)
    text += (i ? "," : "") + lists[i];
  return networkOf(text + "->" + output, extents);
}

} // namespace tc::model

#endif // TC_TEST_UNIT_PROGRAM_TESTNETWORKS_H
