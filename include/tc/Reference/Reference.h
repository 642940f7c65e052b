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

#include "tc/Buffers/Problem.h"
#include "tc/Problem/Expression.h"

#include <array>
#include <memory>
#include <optional>

namespace tc::runtime {

/// One element of C as it should be.
struct ReferenceValue {
  /// Exact for integers.
  long double value = 0;
  /// Measure of rounding errors. Where products are added up, it is the root of
  /// the sum of the squares of all terms: the size that a sum of such terms
  /// with random signs has, so that a sum that happens to cancel does not look
  /// wrong. Of maxima and minima, it is the largest size of two factors; in a
  /// user-defined semiring, that of all factors, products and sums on the way.
  /// Infinities are exact, and have no part in it. Terms and factors count at
  /// least as the least normal number of the sums' type, below which rounding
  /// errors do not become smaller. Zero for integers.
  long double magnitude = 0;
  /// Other values that a sum with the largest error allowed may lead to, where
  /// an epilogue makes numbers of one and an infinity or a NaN of the other.
  std::vector<long double> alternatives = {};
};

/// The lowest bits of an integer, as many as the type has.
int64_t wrap(model::ElementType type, uint64_t value);

/// True if all elements of a producer, each of so many products, are computed
/// at once, which takes about a second, or each time that one is read.
bool isAffordable(const TensorArgument &output, double products);

/// Computes elements of alpha * sum A * B + beta * C in the kernel's semiring,
/// with its prologues and its epilogue.
/// Integers wrap around in the type of the sums, and then in that of C. Of
/// complex numbers, an element is a real or an imaginary part.
class Reference {
public:
  /// Both must outlive the reference. The initial C comes from its random
  /// numbers, so C's buffer may be overwritten.
  /// The output is that of a node of the kernel's group which is stored.
  Reference(const Kernel &kernel, const Problem &problem, unsigned node = 0);
  Reference(Reference &&) = default;

  /// The element with these coordinates, one per dimension of C's geometry.
  ReferenceValue at(const std::vector<int64_t> &coordinates) const;

  /// True if elements are parts of complex numbers.
  bool computesParts() const { return isComplex[2]; }

  /// Products of one sum, of complex numbers those of either part; of all nodes
  /// that lead to the output together.
  int64_t sumLength() const;

  /// The errors, relative to their sizes, of what producers make, rounded to a
  /// type narrower than that of its sums, where elements that `at` has not been
  /// asked for may not count.
  double roundingOfProduced() const;

private:
  /// Elements of a producer for its consumer: in memory where computing all of
  /// them takes about a second, and else computed as they are read.
  class ProducedElements;
  class ProducedInMemory;
  class ProducedWhenRead;
  class SoftmaxWhenRead;

  /// Elements of a tensor, wherever they are.
  struct Elements {
    model::ElementType type;
    const std::byte *data;
    const ProducedElements *produced = nullptr;
    /// Products that reading one takes: zero where all are there.
    double products = 0;

    template <typename T> const T *as() const {
      return reinterpret_cast<const T *>(data);
    }
  };
  static Elements elementsOf(const HostTensor &tensor) {
    return {tensor.type(), tensor.data(), nullptr};
  }

  /// Of a contraction with its inputs, nothing being added to its output.
  Reference(const Kernel &kernel, const KernelContraction &contraction,
            const Problem &problem, std::array<Elements, 2> inputs);

  /// The inputs of a node: operands, and the elements of producers, which are
  /// computed first.
  std::array<Elements, 2> inputsOf(const Kernel &kernel, unsigned node);
  /// The elements of the producer at an edge.
  Elements computeProduced(const Kernel &kernel, const model::GroupEdge &edge);
  /// The softmax of the elements of the producer at an edge.
  Elements takeSoftmax(const Kernel &kernel, const model::GroupEdge &edge,
                       Elements scores);
  /// An element of an output that nothing is added to: a real one, or both
  /// parts of a complex one.
  ReferenceValue producedAt(const std::vector<int64_t> &coordinates) const;
  std::array<ReferenceValue, 2>
  complexProducedAt(const std::vector<int64_t> &coordinates) const;

  /// The element with what other contractions add to it.
  ReferenceValue addOthers(ReferenceValue value,
                           const std::vector<int64_t> &coordinates) const;
  int64_t integerAddends(const std::vector<int64_t> &coordinates) const;
  /// Position at which an element's sums begin in A and in B.
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
  /// A sum of complex numbers, with the square of its magnitude.
  struct ComplexSum {
    std::complex<long double> value;
    long double squares;
  };
  ComplexSum complexSum(int64_t a, int64_t b) const;
  ReferenceValue producedSum(int64_t a, int64_t b) const;

  ReferenceValue userSum(int64_t a, int64_t b) const;
  ReferenceValue complexAt(int64_t a, int64_t b, int64_t position,
                           bool isImaginary) const;
  int64_t integerSum(int64_t a, int64_t b) const;
  int64_t userIntegerSum(int64_t a, int64_t b) const;
  ReferenceValue scaled(const ReferenceValue &sum, int64_t position) const;
  /// The size of alpha or beta: of any but zero, at least the least normal
  /// number, as it is rounded to the sums' type.
  long double sizeOfFactor(const std::complex<double> &factor) const;
  /// A sum times alpha.
  int64_t scaledSum(int64_t sum) const;
  /// `others` is what other contractions add.
  ReferenceValue scaledInteger(int64_t sum, int64_t position,
                               int64_t others) const;
  ReferenceValue accumulatedInteger(int64_t sum, int64_t position) const;
  ReferenceValue afterEpilogue(const ReferenceValue &before, int64_t position,
                               const std::vector<int64_t> &coordinates) const;
  long double initialC(int64_t position) const;
  long double factor(const std::optional<model::Expression> &prologue,
                     long double element) const;

  const HostTensor &c() const { return problem.tensors[outputPlace]; }

  const Problem &problem;
  std::array<Elements, 2> inputs;
  /// The place of C.
  size_t outputPlace = 2;
  /// All producers, in the order in which they are computed.
  std::vector<std::shared_ptr<const ProducedElements>> between;
  int64_t producedLength = 0;
  double producedRounding = 0, softmaxRounding = 0;
  /// The input that is a softmax: kernels round other numbers than these to the
  /// factors' type, as they divide once, at the end.
  std::optional<size_t> unroundedInput;

  model::Constant alpha, beta;
  /// The other contractions that add to the output.
  std::vector<Reference> addends;
  model::Semiring semiring;
  model::Precision precision;
  /// True for tensors that are complex, and for factors that are conjugated.
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

/// Calls `visit` with where the factors of each term are, the first of which
/// are at `a` and `b`.
template <typename Visit>
void Reference::forAllPositions(int64_t a, int64_t b, Visit visit) const {
  const SummedIndex inner = summed.back();
  size_t outer = summed.size() - 1;
  std::vector<int64_t> coordinates(outer);
  for (;;) {
    for (int64_t i = 0; i < inner.extent; ++i)
      visit(a + i * inner.strideA, b + i * inner.strideB);
    size_t level = outer;
    for (; level-- > 0;) {
      a += summed[level].strideA;
      b += summed[level].strideB;
      if (++coordinates[level] < summed[level].extent)
        break;
      a -= summed[level].extent * summed[level].strideA;
      b -= summed[level].extent * summed[level].strideB;
      coordinates[level] = 0;
    }
    if (level == static_cast<size_t>(-1))
      return;
  }
}

} // namespace tc::runtime

#endif // TC_REFERENCE_REFERENCE_H
