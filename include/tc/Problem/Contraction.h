//===- Contraction.h - A contraction as indices and strides -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal form of D = alpha * sum_K A * B + beta * C on which the model and
// the lowerings work: a set of indices, each with an extent and one stride per
// tensor. Absence from a tensor is a stride of zero, a diagonal is a sum of
// strides, so no later stage needs to know how the operation was written.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_CONTRACTION_H
#define TC_PROBLEM_CONTRACTION_H

#include "tc/Support/Result.h"

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::model {

/// The three tensors, in the order in which arrays over them are laid out.
enum class Tensor : unsigned { A = 0, B = 1, C = 2 };
inline constexpr std::array<Tensor, 3> allTensors = {Tensor::A, Tensor::B,
                                                     Tensor::C};

/// An array with one entry per tensor, indexed by `Tensor`.
template <typename T> struct PerTensor : std::array<T, 3> {
  using std::array<T, 3>::operator[];
  T &operator[](Tensor t) { return (*this)[static_cast<unsigned>(t)]; }
  const T &operator[](Tensor t) const {
    return (*this)[static_cast<unsigned>(t)];
  }
};

/// The part that an index plays, by the tensors that hold it: batch (A, B and
/// C), M (A and C), N (B and C), K (summed: in A, in B or in both).
enum class Role : unsigned { Batch, M, N, K };
std::string_view stringify(Role role);

/// F16 and F32 are IEEE 754 binary16 and binary32, F64 is binary64; BF16 has
/// the sign, the exponent and the first seven fraction bits of F32. F8E4M3FN
/// and F8E5M2 are the 8-bit formats of the Open Compute Project (OFP8), with
/// four exponent bits, no infinities and one NaN of either sign, and with the
/// first byte of F16; a number beyond their range is rounded to the end of it.
/// C32 and C64 are complex numbers, a real part of F32 or F64 and then an
/// imaginary one. I8, I32 and I64 are integers in two's complement, whose
/// arithmetic wraps around.
enum class ElementType : unsigned {
  F8E4M3FN,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64,
  I8,
  I32,
  I64,
  C32,
  C64
};
inline constexpr std::array<ElementType, 11> allElementTypes = {
    ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F16,
    ElementType::BF16,     ElementType::F32,    ElementType::F64,
    ElementType::I8,       ElementType::I32,    ElementType::I64,
    ElementType::C32,      ElementType::C64};
std::string_view stringify(ElementType type);
/// The element type of that name, as `stringify` gives it, if there is one.
std::optional<ElementType> symbolizeElementType(std::string_view name);
/// "f8e4m3fn, f8e5m2, f16, ... c32 or c64", for messages.
std::string elementTypeNames();
bool isInteger(ElementType type);
bool isComplex(ElementType type);
bool isFloat8(ElementType type);
/// True if a floating-point type has infinities.
bool hasInfinity(ElementType type);
/// The type of the parts of a complex one, and any other type itself.
ElementType realTypeOf(ElementType type);
/// Bytes of one element in memory.
int64_t byteWidth(ElementType type);
/// Bits of the significand of a floating-point type after the point; the
/// machine epsilon is two to the power of minus as many.
int fractionBits(ElementType type);
/// The exponent of the least number of a floating-point type that has all bits
/// of its significand.
int minExponent(ElementType type);
/// The type in which products of such inputs are summed, and that alpha and
/// beta have: f32 for floats of 8 and 16 bits, i32 for i8, and else the inputs'
/// own.
ElementType accumulatorTypeOf(ElementType input);
/// True if sums of such inputs may be stored as such elements: as all that are
/// summed in the same type, which is rounded once, or in integers wraps around.
bool mayStoreAs(ElementType input, ElementType output);
/// "i8 or i32": the types as which sums of such inputs may be stored, for
/// messages.
std::string outputTypeNames(ElementType input);
/// True if every number of `other` is one of `type`, too; complex types hold
/// none but their own.
bool holds(ElementType type, ElementType other);
/// The least type that holds the numbers of both, in which elements of A and B
/// of these types are multiplied; none for an integer and a float. A complex
/// type has one with that of its parts, itself, which multiplies the numbers as
/// they are.
std::optional<ElementType> commonTypeOf(ElementType a, ElementType b);
/// The type of the factors of a contraction without fused code whose tensors
/// have these elements. Fails, naming the types, if A and B have no common
/// type, and if C may not hold sums of such factors.
Result<ElementType> factorTypeOf(const PerTensor<ElementType> &types);

/// The least precise arithmetic that is allowed; more precise always is. TF32
/// has the range of f32 and the fraction of f16 (10 bits), BF16 the same range
/// and 7 bits.
enum class Precision : unsigned {
  IEEE,   ///< factors as they are, products and sums in the accumulation type
  TF32,   ///< factors of f32 may be rounded to TF32
  TF32x3, ///< factors of f32 may be split into two of TF32 each, of whose four
          ///< products the smallest is dropped
  BF16x3, ///< the same with two of BF16
};
inline constexpr std::array<Precision, 4> allPrecisions = {
    Precision::IEEE, Precision::TF32, Precision::TF32x3, Precision::BF16x3};
/// "ieee", "tf32", "3xtf32" or "bf16x3".
std::string_view stringify(Precision precision);
std::optional<Precision> symbolizePrecision(std::string_view name);
/// "ieee, tf32, 3xtf32 or bf16x3", for messages.
std::string precisionNames();
/// True if inputs of that type can be multiplied with that precision: with ieee
/// all can, with the others only f32 and complex numbers of it.
bool appliesTo(Precision precision, ElementType input);
/// Products of parts that matrix instructions compute for a product of factors:
/// one, or three where factors are split in two.
int64_t partProducts(Precision precision);

/// Sum and product of a contraction: `MaxPlus` takes the largest of the
/// factors' sums. Semiring.h tells more of those that have names; of
/// `UserDefined`, `UserSemiring` does.
enum class Semiring : unsigned {
  PlusTimes,
  MaxPlus,
  MinPlus,
  MaxTimes,
  MaxMin,
  MinMax,
  OrAnd,
  XorAnd,
  UserDefined,
};
/// Those that have names.
inline constexpr std::array<Semiring, 8> allSemirings = {
    Semiring::PlusTimes, Semiring::MaxPlus, Semiring::MinPlus,
    Semiring::MaxTimes,  Semiring::MaxMin,  Semiring::MinMax,
    Semiring::OrAnd,     Semiring::XorAnd};
/// "plus_times", "max_plus" and so on.
std::string_view stringify(Semiring semiring);
std::optional<Semiring> symbolizeSemiring(std::string_view name);
/// All names, for messages.
std::string semiringNames();

/// Contents of a shared tile where its tensor has no element: 0, 1, or the
/// least or greatest number of its type (infinite, or an end of the range of
/// integers).
enum class Fill : unsigned { Zero, One, Least, Greatest };
inline constexpr std::array<Fill, 4> allFills = {Fill::Zero, Fill::One,
                                                 Fill::Least, Fill::Greatest};
/// "zero", "one", "least" or "greatest".
std::string_view stringify(Fill fill);
std::optional<Fill> symbolizeFill(std::string_view name);

/// Of a contraction in a user-defined semiring.
struct UserSemiring {
  /// Operations on two factors and on a sum.
  int64_t operations = 2;
  /// Factors whose product is the identity of what combines sums; none if it is
  /// not known of any.
  std::optional<PerTensor<Fill>> padding;
};

/// Of a contraction of complex numbers, the indices of extent two that run over
/// the parts of an element, real and imaginary: tensors count as real ones of
/// twice the elements. See `Contraction::parts`.
struct ComplexParts {
  /// The input whose parts `output` runs over, which is complex.
  Tensor expanded = Tensor::B;
  /// Over the parts of C, in N or M: or over all elements along an index of
  /// both C and that input and their parts, which lie side by side.
  unsigned output = 0;
  /// Over the parts of the other input, in K, if it is complex, too. An element
  /// of the expanded one takes the place of the matrix ((re, im), (-im, re)),
  /// whose rows are along this index and whose columns are along `output`; its
  /// stride is zero along the rows.
  std::optional<unsigned> summed;
};

/// Facts about the extents and strides with which a kernel is launched, if they
/// are its arguments. Those of the contraction are representative then.
struct DynamicShape {
  /// An extent is a multiple of what this number and the representative one
  /// have in common, and so are a stride and an offset, except that a stride of
  /// one by which accesses are wider than an element is one. One for any.
  int64_t multiples = 1;
  /// Of offsets in elements, 32 or 64.
  int64_t offsetBits = 64;
};

/// One index of a contraction.
struct Index {
  std::string label;
  /// Number of values; at least one.
  int64_t extent = 1;
  Role role = Role::M;
  /// Distance in elements between neighbours along the index, zero where the
  /// tensor does not hold it.
  PerTensor<int64_t> stride = {};
};

/// A binary contraction of dense tensors.
struct Contraction {
  std::vector<Index> indices;
  PerTensor<ElementType> elementType = {
      {ElementType::F64, ElementType::F64, ElementType::F64}};
  /// The type of the elements of A and B after their prologues, and those that
  /// have one.
  ElementType factorType = ElementType::F64;
  PerTensor<bool> hasPrologue = {};
  ElementType accumulatorType = ElementType::F64;
  Precision precision = Precision::IEEE;
  Semiring semiring = Semiring::PlusTimes;
  UserSemiring userSemiring;
  /// If C is complex. Element types, extents and strides are those of the real
  /// tensors then.
  std::optional<ComplexParts> parts;
  /// If C is complex and each complex product is computed by three real ones
  /// (ComplexParts.h): the index of K over these three. Tensors stay complex,
  /// factors and sums are real.
  std::optional<unsigned> threeProducts;
  /// True if factors of A or B are conjugated.
  PerTensor<bool> conjugates = {};
  /// Distance in elements from each tensor's (aligned) base pointer to its
  /// first element.
  PerTensor<int64_t> offset = {};
  /// Elements to whose multiples each tensor's base pointer is aligned; zero if
  /// it is to as many bytes as any access has.
  PerTensor<int64_t> baseAlignment = {};
  /// True if C is read (beta is not the constant zero, or an epilogue uses it).
  bool readsC = false;
  /// True if elements of C are mapped before they are stored.
  bool hasEpilogue = false;
  /// True if elements of C follow from complete sums only, so that no sum of
  /// some of the products may stand in C until the others are added: C has
  /// another type than sums, the epilogue uses what C held before, or the
  /// product with alpha does not distribute over sums.
  bool needsWholeSums = false;

  /// True if a kernel adds other contractions to it: accumulators are in places
  /// then that do not depend on how shared tiles lie, so that terms agree on
  /// them.
  bool isTerm = false;
  /// True if all elements of C, as they would be stored, are added up to one
  /// number, which takes C's place: its strides are zero (`reduceOutput`).
  bool reducesC = false;
  /// If all extents, strides and offsets are known at launch only.
  std::optional<DynamicShape> runTime;

  /// Number that the extent of an index is known to be a multiple of: itself,
  /// if it is known.
  int64_t multipleOfExtent(unsigned index) const {
    return multipleOf(indices[index].extent);
  }
  /// The same, or zero if the extent is known.
  int64_t runTimeMultiple(unsigned index) const {
    return runTime ? multipleOfExtent(index) : 0;
  }
  /// The same of an extent, a stride or an offset of that representative value.
  int64_t multipleOf(int64_t number) const {
    return runTime ? std::gcd(number, runTime->multiples) : number;
  }
  /// True if elements of A or B become other numbers before they are
  /// multiplied: by a prologue, or as parts of complex numbers.
  bool mapsElements(Tensor tensor) const {
    return hasPrologue[tensor] || threeProducts ||
           (parts && tensor == parts->expanded &&
            (parts->summed || conjugates[tensor]));
  }
  /// The positions in `indices` of the indices with that role, in order.
  std::vector<unsigned> withRole(Role role) const;
  /// The position of a label in `indices`.
  std::optional<unsigned> find(std::string_view label) const;
  /// The product of the extents with that role (1 if there are none).
  int64_t extent(Role role) const;
  /// The index of stride one and extent above one in that tensor, if any.
  std::optional<unsigned> strideOneIndex(Tensor tensor) const;
  /// Elements from the first to the last one that the tensor reaches, both
  /// included.
  int64_t span(Tensor tensor) const;
  /// Multiplications (and as many additions) in the whole contraction.
  double fusedMultiplyAdds() const;
  /// Elements of a tensor that the contraction touches, without repetition.
  double elements(Tensor tensor) const;
};

/// The same contraction with all elements of C added up to one number.
Contraction reduceOutput(Contraction contraction);

/// The type in which elements of an output of that type are added up.
inline ElementType reductionTypeOf(ElementType output) {
  return accumulatorTypeOf(output);
}

/// Builds the contraction of row-major contiguous tensors that index lists and
/// extents describe; the last index of a list has stride one. `lists` holds the
/// labels of A, B and C, all of that type. Fails on a label of C that is in no
/// input, on an extent below one, and on tensors of more than 2^63 - 1 bytes.
Result<Contraction>
makeContiguous(const PerTensor<std::vector<std::string>> &lists,
               const std::vector<std::pair<std::string, int64_t>> &extents,
               ElementType type);

/// True if a label is a legal index name: [A-Za-z_][A-Za-z0-9_]*.
bool isValidLabel(std::string_view label);

} // namespace tc::model

#endif // TC_PROBLEM_CONTRACTION_H
