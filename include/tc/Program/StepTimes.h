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
#include "tc/Program/OperandSums.h"

#include <memory>
#include <optional>
#include <unordered_map>

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

/// Operands of which nothing is said count as inputs.
ElementType operandType(const Network &network, const Step &step,
                        size_t operand);

/// The contraction of contiguous tensors that a step is. Of a slice, inputs and
/// the output are parts of the tensors of the whole network, if that is given.
/// Fails on tensors of more than 2^63 - 1 bytes.
Result<ContractionRecord> recordOf(const Network &network, const Step &step,
                                   const Network *whole = nullptr);

/// The same, its indices collapsed where they run together.
Result<Contraction> contractionOf(const Network &network, const Step &step,
                                  const Network *whole = nullptr);

/// Joins indices that follow one another in all tensors that hold them.
Contraction joinIndices(Contraction contraction);

/// Operands of a contraction that are summed before they are multiplied.
struct SumsFirst {
  PerTensor<bool> operands = {};
  /// Of that, and of all products.
  double seconds = 0, secondsOfAll = 0;

  bool any() const { return operands[Tensor::A] || operands[Tensor::B]; }
};

/// Predicted times of steps on a machine, in seconds. Steps that differ in the
/// names of indices alone are worked out once.
class StepTimes {
public:
  virtual ~StepTimes() = default;

  /// False where steps multiply all that there is: `--tc-sum-operands` is not
  /// going to sum operands first.
  bool sumsOperands = true;
  /// True where predictions of contractions are those of the faster way, by
  /// code that chooses it when it runs.
  bool predictsSums = false;
  /// True where `estimate` stands for predictions, which a search that is to
  /// take less than small products waits for.
  bool isRough = false;

  /// A lower bound for all schedules: so many products and bytes at the
  /// machine's peaks.
  virtual double lowerBound(double products, double bytes) const = 0;

  /// About the time of a step, for searches that compare many: no bound.
  virtual double estimate(double products, double bytes) const {
    return lowerBound(products, bytes);
  }

  /// Time that the call of a step takes and predictions leave out: layouts of
  /// temporaries that save less are not searched for.
  virtual double secondsOfCall() const { return 0; }

  /// Predictions that take about a second.
  virtual size_t affordablePredictions() const = 0;

  /// The time of the schedule that the model chooses; the lower bound of a step
  /// for which it finds none. Operands are summed first where that is faster.
  double predict(const Network &network, const Step &step);

  /// The way that takes the least time. Without a schedule, nothing is summed
  /// first.
  SumsFirst chooseSums(const ContractionRecord &record);
  SumsFirst chooseSums(const Network &network, const Step &step);

  /// True if operands of steps may be summed first.
  bool mayChooseSums(const Network &network) const;
  /// Multiplications of a step at least: where operands may be summed first, an
  /// index that one operand has alone counts for this one only.
  double leastProducts(const Network &network, const Step &step) const;

  /// Steps that were worked out.
  size_t predictions() const { return known.size(); }

protected:
  virtual Result<double> predict(const Contraction &contraction) const = 0;

private:
  struct HashOfSignature {
    size_t operator()(const std::vector<int64_t> &signature) const;
  };

  /// Of a contraction whose indices are joined.
  double secondsOf(const Contraction &contraction);
  double secondsOf(const ContractionRecord &record);
  /// Nothing of a step with a tensor of too many bytes.
  std::optional<SumsFirst> findSums(const Network &network, const Step &step);

  /// Infinite where there is no schedule.
  std::unordered_map<std::vector<int64_t>, double, HashOfSignature> known;
};

/// Of a GPU, launches included, and of threads of a CPU. They keep a reference
/// to the target.
std::unique_ptr<StepTimes> makeStepTimes(const Target &target, ElementType type,
                                         Precision precision);
std::unique_ptr<StepTimes> makeStepTimes(const CpuTarget &target,
                                         ElementType type, int64_t threads);

} // namespace tc::model

#endif // TC_PROGRAM_STEPTIMES_H
