//===- Reference.h - Elements of C from the definition ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle: each element is summed on its own over all indices that C does
// not hold, in long double. It shares nothing with the compiler but the index
// lists.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_REFERENCE_H
#define TC_REFERENCE_REFERENCE_H

#include "tc/Problem/Expression.h"
#include "tc/Reference/Problem.h"

#include <array>
#include <optional>

namespace tc::runtime {

/// One element of C as it should be.
struct ReferenceValue {
  /// Exact for integers.
  long double value = 0;
  /// What rounding errors are measured by. Where products are added up, it is
  /// the root of the sum of the squares of all terms: the size that a sum of
  /// such terms with random signs has, so that a sum that happens to cancel
  /// does not look wrong. Of maxima and minima, it is the largest
  /// size of two factors; in a user-defined semiring, that of all factors,
  /// products and sums on the way. Zero for integers.
  double magnitude = 0;
};

/// The lowest bits of an integer, as many as the type has.
int64_t wrap(model::ElementType type, uint64_t value);

/// Computes elements of alpha * sum A * B + beta * C in the kernel's semiring,
/// with its prologues and its epilogue.
/// Integers wrap around in the type of the sums, and then in that of C. Of
/// complex numbers, an element is a real or an imaginary part.
class Reference {
public:
  /// Both must outlive the reference. The initial C comes from its random
  /// numbers, so C's buffer may be overwritten.
  Reference(const Kernel &kernel, const Problem &problem);
  Reference(Reference &&) = default;

  /// The element with these coordinates, one per dimension of C's geometry.
  ReferenceValue at(const std::vector<int64_t> &coordinates) const;

  /// Products of one sum, of complex numbers those of either part; of all terms
  /// together.
  int64_t sumLength() const;

private:
  /// Of another term of a sum, whose inputs are the problem's tensors from that
  /// place on.
  Reference(const Kernel &term, const Problem &problem, size_t inputs);

  /// What other terms add to the element.
  ReferenceValue addTerms(ReferenceValue value,
                          const std::vector<int64_t> &coordinates) const;
  int64_t integerTerms(const std::vector<int64_t> &coordinates) const;
  /// Where an element's sums begin in A and in B.
  std::pair<int64_t, int64_t>
  inputsAt(const std::vector<int64_t> &coordinates) const;
  struct SummedIndex {
    int64_t extent, strideA, strideB;
  };

  template <typename Visit>
  void forAllPositions(int64_t a, int64_t b, Visit visit) const;
  template <typename TA, typename TB, typename Visit>
  void forAllFactors(int64_t a, int64_t b, Visit visit) const;
  template <typename Wide, typename Visit>
  void forAllFactorsAs(int64_t a, int64_t b, Visit visit) const;
  bool factorsHaveOneType() const;
  ReferenceValue sum(int64_t a, int64_t b) const;
  ReferenceValue userSum(int64_t a, int64_t b) const;
  ReferenceValue complexAt(int64_t a, int64_t b, int64_t position,
                           bool isImaginary) const;
  int64_t integerSum(int64_t a, int64_t b) const;
  int64_t userIntegerSum(int64_t a, int64_t b) const;
  ReferenceValue scaled(ReferenceValue sum, int64_t position) const;
  /// A sum times alpha.
  int64_t scaledSum(int64_t sum) const;
  /// `others` is what other terms add.
  ReferenceValue scaledInteger(int64_t sum, int64_t position,
                               int64_t others) const;
  ReferenceValue accumulatedInteger(int64_t sum, int64_t position) const;
  ReferenceValue afterEpilogue(ReferenceValue before, int64_t position,
                               const std::vector<int64_t> &coordinates) const;
  long double initialC(int64_t position) const;
  long double factor(const std::optional<model::Expression> &prologue,
                     long double element) const;

  const Problem &problem;
  /// The place of A among the problem's tensors; B is the next one.
  size_t inputs = 0;
  model::Constant alpha, beta;
  std::vector<Reference> terms;
  model::Semiring semiring;
  /// Whether tensors are complex, and whether they are conjugated.
  std::array<bool, 3> isComplex;
  std::array<bool, 2> conjugates;
  model::ElementType factorType, sumType;
  std::optional<model::Expression> prologueA, prologueB, epilogue;
  /// Of a user-defined semiring.
  std::optional<model::Expression> product, combine;
  model::Constant identity;
  /// Per dimension of C: the strides of the index in A and in B.
  std::vector<std::pair<int64_t, int64_t>> outputStrides;
  int64_t offsetA, offsetB;
  /// An auxiliary tensor that the epilogue reads: its place among the
  /// problem's, and per dimension of C the stride of the index.
  struct Auxiliary {
    size_t place;
    std::vector<int64_t> strides;
  };
  std::vector<Auxiliary> auxiliaries;
  /// Innermost last.
  std::vector<SummedIndex> summed;
  int64_t length = 1;
};

} // namespace tc::runtime

#endif // TC_REFERENCE_REFERENCE_H
