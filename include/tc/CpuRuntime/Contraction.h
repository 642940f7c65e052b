//===- Contraction.h - Contractions by ahead-of-time kernels ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contracts two tensors of any extents, strides and element types on this
// machine's CPU with kernels that were compiled with this library, so that
// nothing is compiled when a contraction is met for the first time.
// docs/cpu-runtime.md says how.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CPURUNTIME_CONTRACTION_H
#define TC_CPURUNTIME_CONTRACTION_H

#include "tc/Problem/Contraction.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tc::cpu {

using model::Index;

/// C = alpha * sum of A * B + beta * C: a contraction in normal form, of which
/// the following counts. Strides are zero where a tensor does not have an index
/// or repeats its elements along it. They say all of an index's role: without
/// one in C it is summed, unless it has but one value. Extents may be zero, and
/// labels empty. Products are summed in the accumulator's type, which alpha and
/// beta have.
struct Problem : model::Contraction {
  /// True if numbers beyond the range of an 8-bit float become its largest one,
  /// and not infinite or, without infinities, NaN.
  bool saturates = true;

  /// Adds an index without a label.
  void add(int64_t extent, const model::PerTensor<int64_t> &stride);
};

/// The problem that a contraction in normal form is; none if it has anything
/// that is not computed here: another semiring, a prologue, an epilogue, terms,
/// a sum of all elements.
std::optional<Problem> problemOf(const model::Contraction &contraction);

/// Seconds of one thread of this machine for so many products of elements of a
/// type: no contraction is predicted to take less. No other type takes less
/// than F32, but for BF16 where it is multiplied two by two.
double leastSecondsOf(double products,
                      model::ElementType type = model::ElementType::F32);

/// About the seconds of one thread for so many products of numbers of 64 bits,
/// and for as many bytes of all tensors.
double roughSecondsOf(double products, double bytes);

/// Bytes a second that one thread of this machine reads of so many that it goes
/// through again and again: the rate of the level of memory that holds them.
double readRateOf(double bytes);

/// Bytes of a core's cache of that number, from one; of one that several share,
/// a core's part.
int64_t bytesOfCache(size_t number);

/// The name of the instruction set that is used.
std::string_view instructionSetName();

enum class Outcome {
  Done,
  OutOfMemory, ///< C is as it was
};

struct CopyPlan;
struct DirectPlan;
struct ElementwisePlan;
struct OperandSumsPlan;
struct Plan;
struct SkinnyPlan;
class Team;

/// A contraction whose loops are ordered and whose blocks are chosen, which
/// takes microseconds. It does not change: any number of threads may run it at
/// once.
class Contraction {
public:
  /// `threads` are used at most; 0 is as many as `threadsByDefault()` when it
  /// runs, of which other runs leave some.
  explicit Contraction(const Problem &problem, unsigned threads = 0);
  Contraction(Contraction &&) noexcept;
  Contraction &operator=(Contraction &&) noexcept;
  ~Contraction();

  /// Computes C. Pointers are aligned to a real number of their type; one to a
  /// tensor without elements may be null. Different elements of C lie at
  /// different addresses, which are none of A's or B's.
  ///
  /// `alpha` and `beta` are numbers of the type of sums; null stands for one
  /// and for zero. Where beta is zero, C is not read. No bit of the result
  /// depends on the number of threads.
  [[nodiscard]] Outcome run(const void *a, const void *b, void *c,
                            const void *alpha = nullptr,
                            const void *beta = nullptr) const;

  /// The most threads that a run uses; of 0, as long as nobody sets another
  /// number.
  unsigned threads() const { return prediction().threads; }

  /// The approximate time of a run: to decide whether it pays to do more ahead.
  double seconds() const { return prediction().seconds; }

  /// Times of a run with all its threads and with one, and how many these are.
  struct Prediction {
    double seconds = 0, secondsAlone = 0;
    unsigned threads = 1;
  };
  Prediction prediction() const;

  /// Returns true if nothing is summed, so that a run is as fast as memory is.
  bool isElementwise() const { return elementwise != nullptr; }

  /// Returns true if something is summed, by loops that read each element once
  /// or a few times, without panels.
  bool isSkinny() const;

  /// Returns true if these loops use each element no more than twice, so that
  /// a run is about as fast as memory is.
  bool isReadOnce() const;

  /// Returns true if register tiles are computed from where elements of both
  /// operands lie, or of one where the other one's rows are packed.
  bool isDirect() const { return direct != nullptr; }

  /// Returns true if elements of both operands are packed into panels.
  bool usesPanels() const;

private:
  void plan(const Problem &problem, unsigned threads, unsigned most);
  int64_t wantedThreads() const;
  void planPanels(const Problem &problem, unsigned threads);
  Outcome runShared(const void *a, const void *b, void *c, const void *alpha,
                    const void *beta) const;
  Outcome runBy(const Team &team, const void *a, const void *b, void *c,
                const void *alpha, const void *beta) const;

  model::ElementType sums;
  /// Elements are used no more than twice.
  bool readsOnce = false;
  /// The most threads that runs ask for.
  int64_t wanted = 1;
  /// Those that it is planned for, and the problem, of which each run that gets
  /// another number makes a plan; zero and null where threads are given.
  int64_t planned = 0;
  std::shared_ptr<const Problem> again;
  /// One for each part of C; none if there is another plan.
  std::vector<Plan> plans;
  /// A copy, if B may be one and nothing is summed; null otherwise.
  std::shared_ptr<const CopyPlan> copy;
  /// A plan element by element, if nothing is summed; null otherwise.
  std::shared_ptr<const ElementwisePlan> elementwise;
  /// A plan of sums that read elements once or a few times, if that is the
  /// fastest; null otherwise.
  std::shared_ptr<const SkinnyPlan> skinny;
  /// A plan of products of elements where they lie, if that is the fastest;
  /// null otherwise.
  std::shared_ptr<const DirectPlan> direct;
  /// A plan of sums of operands ahead of their product, if that is faster; null
  /// otherwise.
  std::shared_ptr<const OperandSumsPlan> operandSums;
};

} // namespace tc::cpu

#endif // TC_CPURUNTIME_CONTRACTION_H
