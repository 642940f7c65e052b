//===- RunExtents.cpp - Extents that runs say -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Import/RunExtents.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace tc;
using namespace tc::notation;

namespace {

/// Classes of names of indices that are of one extent.
class Classes {
public:
  /// The name that stands for all that are one with it.
  std::string find(const std::string &label) const {
    auto found = parents.find(label);
    return found == parents.end() ? label : find(found->second);
  }
  void unite(const std::string &first, const std::string &second) {
    std::string kept = find(first), other = find(second);
    if (kept != other)
      parents[other] = kept;
  }

private:
  std::map<std::string, std::string> parents;
};

} // namespace

/// Calls a function with the place of each tensor of a step in the program's
/// list, and with its record.
static void visitTensors(
    ProgramStep &step,
    const std::function<void(unsigned, model::TensorRecord &)> &visit) {
  model::PerTensor<model::TensorRecord> &records = step.product.record.tensors;
  for (size_t i = 0; i < step.inputs.size(); ++i)
    visit(step.inputs[i], i < 2 ? records[static_cast<model::Tensor>(i)]
                                : step.product.further[i - 2]);
  visit(step.output, records[model::Tensor::C]);
}

/// The first free number from one on, in steps that leave it a multiple of
/// what it is one of, as kernels for large multiples are faster.
static int64_t takeNear(int64_t extent, std::set<int64_t> &taken) {
  // An extent of one might be left out of a tensor.
  extent = std::max<int64_t>(extent, 2);
  constexpr int64_t largest = 32;
  int64_t step = std::min(largest, extent & -extent);
  while (!taken.insert(extent).second)
    extent += step;
  return extent;
}

std::vector<std::pair<std::string, int64_t>>
notation::closeExtents(ParsedProgram &program) {
  Classes classes;
  std::set<int64_t> taken;
  std::map<std::string, int64_t> representatives;
  for (ProgramStep &step : program.steps)
    visitTensors(step, [&](unsigned number, model::TensorRecord &record) {
      const model::TensorRecord &first = program.tensors[number].record;
      for (size_t i = 0; i < record.labels.size(); ++i) {
        if (!program.isUnknown(record.labels[i])) {
          taken.insert(record.extents[i]);
          continue;
        }
        classes.unite(first.labels[i], record.labels[i]);
        representatives[record.labels[i]] = record.extents[i];
      }
    });
  std::vector<std::pair<std::string, int64_t>> extents;
  std::map<std::string, int64_t> numbers;
  for (unsigned argument : program.arguments)
    for (const std::string &label : program.tensors[argument].record.labels)
      if (program.isUnknown(label) && !numbers.count(classes.find(label))) {
        int64_t number = takeNear(representatives[label], taken);
        numbers[classes.find(label)] = number;
        extents.emplace_back(label, number);
      }
  auto close = [&](model::TensorRecord &record) {
    for (size_t i = 0; i < record.labels.size(); ++i)
      if (program.isUnknown(record.labels[i]))
        record.extents[i] = numbers.at(classes.find(record.labels[i]));
    record.strides = model::contiguousStrides(record.extents);
  };
  for (ProgramTensor &tensor : program.tensors)
    close(tensor.record);
  for (ProgramStep &step : program.steps)
    visitTensors(step,
                 [&](unsigned, model::TensorRecord &record) { close(record); });
  program.unknown.clear();
  return extents;
}
