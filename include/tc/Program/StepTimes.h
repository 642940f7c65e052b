//===- StepTimes.h - Times of pairwise contractions -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of the choice of an order to the models of machines.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROGRAM_STEPTIMES_H
#define TC_PROGRAM_STEPTIMES_H

#include "tc/Program/Network.h"

#include <map>
#include <memory>

namespace tc::model {

struct CpuTarget;
struct Target;

/// Two operands and a result with their indices, in the order of memory. A
/// transposition or a sum within one tensor has one operand.
struct Step {
  std::vector<IndexList> operands;
  IndexList result;
  /// True if the result is the output, which may have another type.
  bool isLast = false;
  /// The operands that are inputs, where `stepOf` made the step.
  std::vector<bool> areInputs = {};
};

Step stepOf(const ContractionTree &tree, unsigned node);

/// The contraction of contiguous tensors that a step is, its indices collapsed
/// where they run together. Of a slice, inputs and the output are parts of the
/// tensors of the whole network, if that is given. Fails on tensors of more
/// than 2^63 - 1 bytes.
Result<Contraction> contractionOf(const Network &network, const Step &step,
                                  const Network *whole = nullptr);

/// Joins indices that follow one another in all tensors that hold them.
Contraction joinIndices(const Contraction &contraction);

/// Predicted times of steps on a machine, in seconds. Steps that differ in the
/// names of indices alone are worked out once.
class StepTimes {
public:
  virtual ~StepTimes() = default;

  /// A lower bound for all schedules: so many products and bytes at the
  /// machine's peaks.
  virtual double lowerBound(double products, double bytes) const = 0;

  /// About the time of a step, for searches that compare many: no bound.
  virtual double estimate(double products, double bytes) const {
    return lowerBound(products, bytes);
  }

  /// Predictions that take about a second.
  virtual size_t affordablePredictions() const = 0;

  /// The time of the schedule that the model chooses; the lower bound of a step
  /// for which it finds none.
  double predict(const Network &network, const Step &step);

  /// Steps that were worked out.
  size_t predictions() const { return known.size(); }

protected:
  virtual Result<double> predict(const Contraction &contraction) const = 0;

private:
  std::map<std::vector<int64_t>, double> known;
};

/// Of a GPU, launches included, and of threads of a CPU. They keep a reference
/// to the target.
std::unique_ptr<StepTimes> makeStepTimes(const Target &target, ElementType type,
                                         Precision precision);
std::unique_ptr<StepTimes> makeStepTimes(const CpuTarget &target,
                                         ElementType type, int64_t threads);

} // namespace tc::model

#endif // TC_PROGRAM_STEPTIMES_H
