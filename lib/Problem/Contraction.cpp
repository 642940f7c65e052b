//===- Contraction.cpp - A contraction as indices and strides -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about a contraction, and its construction from index lists.
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Contraction.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

std::string_view stringify(Role role) {
  switch (role) {
  case Role::Batch:
    return "batch";
  case Role::M:
    return "M";
  case Role::N:
    return "N";
  case Role::K:
    return "K";
  }
  return {};
}

/// "a, b or c".
template <typename Values> static std::string joinNames(const Values &values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    const char *separator = i == 0                   ? ""
                            : i + 1 == values.size() ? " or "
                                                     : ", ";
    text.append(separator).append(stringify(values[i]));
  }
  return text;
}

/// The value of that name, if there is one.
template <typename Enum, size_t count>
static std::optional<Enum> symbolize(const std::array<Enum, count> &values,
                                     std::string_view name) {
  for (Enum value : values)
    if (name == stringify(value))
      return value;
  return std::nullopt;
}

namespace {

enum class NumberKind { Float, Integer, Complex };

/// Facts of ElementTypes.def about a type.
struct ElementTypeFacts {
  std::string_view name;
  NumberKind kind;
  int64_t bytes;
  int fractionBits, minExponent;
  bool hasInfinity;
  ElementType sums, parts;
};

} // namespace

static const ElementTypeFacts &factsOf(ElementType type) {
  static constexpr ElementTypeFacts facts[] = {
#define TC_ELEMENT_TYPE(TYPE, NAME, CXX, C, MLIR, NUMPY, DLPACK, KIND, BYTES,  \
                        FRACTION_BITS, LEAST_EXPONENT, HAS_INFINITY, SUMS,     \
                        PARTS)                                                 \
  {NAME,                                                                       \
   NumberKind::KIND,                                                           \
   BYTES,                                                                      \
   FRACTION_BITS,                                                              \
   LEAST_EXPONENT,                                                             \
   HAS_INFINITY,                                                               \
   ElementType::SUMS,                                                          \
   ElementType::PARTS},
#include "tc/Problem/ElementTypes.def"
  };
  static_assert(std::size(facts) == allElementTypes.size());
  return facts[static_cast<unsigned>(type)];
}

std::string_view stringify(ElementType type) { return factsOf(type).name; }

std::optional<ElementType> symbolizeElementType(std::string_view name) {
  return symbolize(allElementTypes, name);
}

bool isInteger(ElementType type) {
  return factsOf(type).kind == NumberKind::Integer;
}

bool isComplex(ElementType type) {
  return factsOf(type).kind == NumberKind::Complex;
}

bool isFloat8(ElementType type) {
  return factsOf(type).kind == NumberKind::Float && byteWidth(type) == 1;
}

bool hasInfinity(ElementType type) { return factsOf(type).hasInfinity; }

ElementType realTypeOf(ElementType type) { return factsOf(type).parts; }

std::string elementTypeNames() { return joinNames(allElementTypes); }

int64_t byteWidth(ElementType type) { return factsOf(type).bytes; }

int fractionBits(ElementType type) { return factsOf(type).fractionBits; }

int minExponent(ElementType type) { return factsOf(type).minExponent; }

ElementType accumulatorTypeOf(ElementType input) { return factsOf(input).sums; }

bool mayStoreAs(ElementType input, ElementType output) {
  return accumulatorTypeOf(output) == accumulatorTypeOf(input);
}

std::string outputTypeNames(ElementType input) {
  std::vector<ElementType> outputs;
  std::copy_if(allElementTypes.begin(), allElementTypes.end(),
               std::back_inserter(outputs),
               [&](ElementType type) { return mayStoreAs(input, type); });
  return joinNames(outputs);
}

bool holds(ElementType type, ElementType other) {
  if (isComplex(type) || isComplex(other))
    return type == other;
  if (isInteger(type) != isInteger(other))
    return false;
  return byteWidth(type) >= byteWidth(other) &&
         fractionBits(type) >= fractionBits(other) &&
         minExponent(type) <= minExponent(other);
}

std::optional<ElementType> commonTypeOf(ElementType a, ElementType b) {
  if (a == b)
    return a;
  if (isComplex(a) || isComplex(b)) {
    if (realTypeOf(a) != realTypeOf(b))
      return std::nullopt;
    return isComplex(a) ? a : b;
  }
  std::optional<ElementType> least;
  for (ElementType type : allElementTypes)
    if (holds(type, a) && holds(type, b) &&
        (!least || byteWidth(type) < byteWidth(*least)))
      least = type;
  return least;
}

Result<ElementType> factorTypeOf(const PerTensor<ElementType> &types) {
  auto name = [](ElementType type) { return std::string(stringify(type)); };
  ElementType a = types[Tensor::A], b = types[Tensor::B], c = types[Tensor::C];
  std::optional<ElementType> factors = commonTypeOf(a, b);
  if (!factors)
    return Error{"no type holds the elements of both A and B, which are " +
                 name(a) + " and " + name(b) + ": convert one of them"};
  if (mayStoreAs(*factors, c))
    return *factors;
  return Error{"element type of C must be " + outputTypeNames(*factors) +
               " for factors of " + name(*factors) + ", but is " + name(c)};
}

std::string_view stringify(Precision precision) {
  switch (precision) {
  case Precision::IEEE:
    return "ieee";
  case Precision::TF32:
    return "tf32";
  case Precision::TF32x3:
    return "3xtf32";
  case Precision::BF16x3:
    return "bf16x3";
  }
  return {};
}

std::optional<Precision> symbolizePrecision(std::string_view name) {
  return symbolize(allPrecisions, name);
}

std::string precisionNames() { return joinNames(allPrecisions); }

bool appliesTo(Precision precision, ElementType input) {
  return precision == Precision::IEEE || realTypeOf(input) == ElementType::F32;
}

int64_t partProducts(Precision precision) {
  return precision == Precision::TF32x3 || precision == Precision::BF16x3 ? 3
                                                                          : 1;
}

std::string_view stringify(Semiring semiring) {
  switch (semiring) {
  case Semiring::PlusTimes:
    return "plus_times";
  case Semiring::MaxPlus:
    return "max_plus";
  case Semiring::MinPlus:
    return "min_plus";
  case Semiring::MaxTimes:
    return "max_times";
  case Semiring::MaxMin:
    return "max_min";
  case Semiring::MinMax:
    return "min_max";
  case Semiring::OrAnd:
    return "or_and";
  case Semiring::XorAnd:
    return "xor_and";
  case Semiring::UserDefined:
    return "user_defined";
  }
  return {};
}

std::optional<Semiring> symbolizeSemiring(std::string_view name) {
  return symbolize(allSemirings, name);
}

std::string semiringNames() { return joinNames(allSemirings); }

std::string_view stringify(Fill fill) {
  switch (fill) {
  case Fill::Zero:
    return "zero";
  case Fill::One:
    return "one";
  case Fill::Least:
    return "least";
  case Fill::Greatest:
    return "greatest";
  }
  return {};
}

std::optional<Fill> symbolizeFill(std::string_view name) {
  return symbolize(allFills, name);
}

std::vector<unsigned> Contraction::withRole(Role role) const {
  std::vector<unsigned> positions;
  for (unsigned i = 0; i < indices.size(); ++i)
    if (indices[i].role == role)
      positions.push_back(i);
  return positions;
}

std::optional<unsigned> Contraction::find(std::string_view label) const {
  for (unsigned i = 0; i < indices.size(); ++i)
    if (indices[i].label == label)
      return i;
  return std::nullopt;
}

int64_t Contraction::extent(Role role) const {
  int64_t product = 1;
  for (const Index &index : indices)
    if (index.role == role)
      product = saturatingMultiply(product, index.extent);
  return product;
}

std::optional<unsigned> Contraction::strideOneIndex(Tensor tensor) const {
  for (unsigned i = 0; i < indices.size(); ++i)
    if (indices[i].stride[tensor] == 1 && indices[i].extent > 1)
      return i;
  return std::nullopt;
}

int64_t Contraction::span(Tensor tensor) const {
  int64_t last = 0;
  for (const Index &index : indices)
    last = saturatingAdd(
        last,
        saturatingMultiply(index.extent - 1, magnitude(index.stride[tensor])));
  return saturatingAdd(last, 1);
}

double Contraction::fusedMultiplyAdds() const {
  double product = 1;
  for (const Index &index : indices)
    product *= static_cast<double>(index.extent);
  return product;
}

double Contraction::elements(Tensor tensor) const {
  double product = 1;
  for (const Index &index : indices)
    if (index.stride[tensor] != 0)
      product *= static_cast<double>(index.extent);
  // Strides may let elements overlap.
  return std::min(product, static_cast<double>(span(tensor)));
}

Contraction reduceOutput(Contraction contraction) {
  contraction.reducesC = true;
  contraction.offset[Tensor::C] = 0;
  contraction.baseAlignment[Tensor::C] = 0;
  for (Index &index : contraction.indices)
    index.stride[Tensor::C] = 0;
  return contraction;
}

bool isValidLabel(std::string_view label) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  return !label.empty() && isLetter(label.front()) &&
         std::all_of(label.begin(), label.end(),
                     [&](char c) { return isLetter(c) || isDigit(c); });
}

namespace {

constexpr PerTensor<char> tensorNames = {{'A', 'B', 'C'}};

bool contains(const std::vector<std::string> &list, const std::string &label) {
  return std::find(list.begin(), list.end(), label) != list.end();
}

Role classify(const PerTensor<std::vector<std::string>> &lists,
              const std::string &label) {
  if (!contains(lists[Tensor::C], label))
    return Role::K;
  bool inA = contains(lists[Tensor::A], label);
  bool inB = contains(lists[Tensor::B], label);
  return inA && inB ? Role::Batch : inA ? Role::M : Role::N;
}

Status
checkExtents(const std::vector<std::pair<std::string, int64_t>> &extents) {
  for (auto it = extents.begin(); it != extents.end(); ++it) {
    const auto &[label, extent] = *it;
    if (!isValidLabel(label))
      return Error{"extents: '" + label + "' is not an index name"};
    if (extent < 1)
      return Error{"extents: index '" + label + "' has extent " +
                   std::to_string(extent) + ", but must have at least 1"};
    for (auto earlier = extents.begin(); earlier != it; ++earlier)
      if (earlier->first == label)
        return Error{"extents: index '" + label + "' is given twice"};
  }
  return {};
}

} // namespace

Result<Contraction>
makeContiguous(const PerTensor<std::vector<std::string>> &lists,
               const std::vector<std::pair<std::string, int64_t>> &extents,
               ElementType type) {
  if (Status status = checkExtents(extents); !status)
    return Error{status.error()};

  Contraction contraction;
  contraction.elementType = {{type, type, type}};
  contraction.factorType = type;
  contraction.accumulatorType = accumulatorTypeOf(type);
  contraction.needsWholeSums = contraction.accumulatorType != type;
  // Indices stand in the order of C, then of A, then of B.
  for (Tensor tensor : {Tensor::C, Tensor::A, Tensor::B}) {
    for (const std::string &label : lists[tensor]) {
      if (contraction.find(label))
        continue;
      auto extent =
          std::find_if(extents.begin(), extents.end(),
                       [&](const auto &entry) { return entry.first == label; });
      if (extent == extents.end())
        return Error{"index '" + label + "' of " + tensorNames[tensor] +
                     " has no extent"};
      if (tensor == Tensor::C && !contains(lists[Tensor::A], label) &&
          !contains(lists[Tensor::B], label))
        return Error{"index '" + label + "' of C is in neither A nor B"};
      contraction.indices.push_back(
          {label, extent->second, classify(lists, label), {}});
    }
  }
  for (const auto &[label, extent] : extents)
    if (!contraction.find(label))
      return Error{"extents: index '" + label + "' is in no tensor"};

  for (Tensor tensor : allTensors) {
    int64_t stride = 1;
    for (auto label = lists[tensor].rbegin(); label != lists[tensor].rend();
         ++label) {
      Index &index = contraction.indices[*contraction.find(*label)];
      // Saturated strides cannot be told from legal ones by adding them up.
      if (__builtin_add_overflow(index.stride[tensor], stride,
                                 &index.stride[tensor]))
        stride = saturated;
      stride = saturatingMultiply(stride, index.extent);
    }
    if (stride > saturated / byteWidth(type))
      return Error{std::string("the bytes of ") + tensorNames[tensor] +
                   " exceed 64 bits"};
  }
  return contraction;
}

} // namespace tc::model
