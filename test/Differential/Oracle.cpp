//===- Oracle.cpp - Interpreting the operation tc.contract ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"
#include "ElementwiseCode.h"
#include "Semirings.h"

#include "tc/Reference/ErrorSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace tc;
using namespace tc::differential;
using model::Tensor;

//===----------------------------------------------------------------------===//
// Places of elements
//===----------------------------------------------------------------------===//

namespace {

/// The indices that some loops run over, and how far each of them moves in each
/// of the tensors.
struct Loops {
  std::vector<int64_t> extents;
  /// By tensor, then by index.
  std::vector<std::vector<int64_t>> strides;
};

/// The place of a step through loops: the values of the indices, and the
/// positions in all tensors.
struct Place {
  std::vector<int64_t> coordinates, positions;
};

} // namespace

/// Visits all values of the indices, the last one running fastest.
template <typename Visit>
static void forEachPlace(const Loops &loops, std::vector<int64_t> begin,
                         Visit visit) {
  if (llvm::is_contained(loops.extents, 0))
    return;
  Place place{std::vector<int64_t>(loops.extents.size()), std::move(begin)};
  auto move = [&](size_t index, int64_t steps) {
    place.coordinates[index] += steps;
    for (size_t tensor = 0; tensor < place.positions.size(); ++tensor)
      place.positions[tensor] += steps * loops.strides[tensor][index];
  };
  for (;;) {
    visit(place);
    size_t index = loops.extents.size();
    while (index > 0 &&
           place.coordinates[index - 1] + 1 == loops.extents[index - 1]) {
      --index;
      move(index, -place.coordinates[index]);
    }
    if (index == 0)
      return;
    move(index - 1, 1);
  }
}

/// Loops over some labels of a contraction, through its tensors.
static Loops loopsOver(ContractOp op, ArrayRef<StringAttr> labels) {
  Loops loops;
  for (StringAttr label : labels)
    loops.extents.push_back(op.getExtent(label));
  for (auto [tensor, list] :
       llvm::zip_equal(op.getTensors(), op.getIndexLists())) {
    auto [strides, offset] =
        cast<MemRefType>(tensor.getType()).getStridesAndOffset();
    std::vector<int64_t> &moves = loops.strides.emplace_back(labels.size());
    // A label that a list holds twice runs along the diagonal.
    for (auto [dimension, name] : llvm::enumerate(list))
      for (auto [index, label] : llvm::enumerate(labels))
        if (name == label)
          moves[index] += strides[dimension];
  }
  return loops;
}

/// The positions of the elements at which all indices are zero.
static std::vector<int64_t> firstPositions(ContractOp op) {
  std::vector<int64_t> positions;
  for (mlir::Value tensor : op.getTensors())
    positions.push_back(
        cast<MemRefType>(tensor.getType()).getStridesAndOffset().second);
  return positions;
}

/// The elements of a tensor that the contraction reads, by position: of one
/// with a label twice, those on the diagonal.
static Result<std::vector<Number>>
readTensor(ContractOp op, unsigned number, const std::vector<std::byte> &bytes,
           llvm::function_ref<Number(const Number &)> change) {
  auto type = cast<MemRefType>(op.getTensors()[number].getType());
  llvm::SetVector<StringAttr> labels;
  for (StringAttr label : op.getIndexLists()[number])
    labels.insert(label);
  int64_t size = bytesOf(type.getElementType());
  std::vector<Number> elements(bytes.size() / size);
  bool isInside = true;
  auto read = [&](const Place &place) {
    int64_t position = place.positions[number];
    if (position < 0 || position >= static_cast<int64_t>(elements.size())) {
      isInside = false;
      return;
    }
    elements[position] = change(
        readElement(type.getElementType(), bytes.data() + position * size));
  };
  forEachPlace(loopsOver(op, labels.getArrayRef()), firstPositions(op), read);
  if (!isInside)
    return Error{"an operand has fewer bytes than its type"};
  return elements;
}

//===----------------------------------------------------------------------===//
// The definition
//===----------------------------------------------------------------------===//

/// A factor of the type that sums have.
static Number factorOf(mlir::Value operand, std::complex<double> argument,
                       const Number &absent, Type type) {
  if (!operand)
    return absent;
  if (auto constant = operand.getDefiningOp<mlir::arith::ConstantOp>()) {
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return integer.getValue().getSExtValue();
    return Real(cast<FloatAttr>(constant.getValue()).getValueAsDouble());
  }
  if (auto constant = operand.getDefiningOp<mlir::complex::ConstantOp>()) {
    auto part = [&](unsigned number) {
      return Real(
          cast<FloatAttr>(constant.getValue()[number]).getValueAsDouble());
    };
    return Complex{part(0), part(1)};
  }
  if (isa<mlir::IntegerType>(type))
    return static_cast<int64_t>(argument.real());
  if (isa<mlir::ComplexType>(type))
    return convertTo(type, Complex{argument.real(), argument.imag()});
  return convertTo(type, Real(argument.real()));
}

static bool isSame(const Number &x, const Number &y) {
  if (const int64_t *integer = std::get_if<int64_t>(&x))
    return *integer == std::get<int64_t>(y);
  Complex first = toComplex(x), second = toComplex(y);
  return first.real == second.real && first.imaginary == second.imaginary;
}

namespace {

class Interpreter {
public:
  explicit Interpreter(ContractOp op);

  Status read(const Operands &operands);
  /// Leaves out the contents of C.
  void ignoreC() { beta = arithmetic.zero; }
  /// Computes each element of C before anything else is done with it.
  ExpectedResult add();
  /// The same with others' added, as it is stored.
  ExpectedResult store(ArrayRef<ExpectedResult> others);

private:
  Result<std::vector<Number>> readFactors(Tensor tensor,
                                          const std::vector<std::byte> &bytes);
  ExpectedElement elementAt(const Place &place) const;
  ExpectedElement userElementAt(const Place &place) const;
  void applyEpilogue(ExpectedElement &element, const Place &place) const;
  void store(ExpectedElement &element, const Place &place) const;

  ContractOp op;
  /// The types in which factors are multiplied, summed and scaled, and in
  /// which results are stored.
  Type type, storedType;
  /// True if sums are combined with C, in a semiring of the contraction's own.
  bool accumulates;
  Arithmetic arithmetic;
  Number alpha, beta;
  /// The least normal number of the type of sums.
  long double least = 0;
  Loops outer, inner;
  /// By tensor, then by position: factors of A and of B, elements of the
  /// others.
  std::vector<std::vector<Number>> tensors;
  std::optional<ElementwiseCode> epilogue;
};

} // namespace

Interpreter::Interpreter(ContractOp op)
    : op(op), type(op.getAccumulatorType()),
      storedType(op.getTypeOf(Tensor::C).getElementType()),
      accumulates(op.getAccumulate()) {
  SmallVector<StringAttr> kept(op.getIndices(Tensor::C).begin(),
                               op.getIndices(Tensor::C).end());
  SmallVector<StringAttr> summed;
  for (StringAttr label : op.getLabels())
    if (!llvm::is_contained(kept, label))
      summed.push_back(label);
  least = runtime::leastNormal(*getModelElementType(type));
  outer = loopsOver(op, kept);
  inner = loopsOver(op, summed);
}

Result<std::vector<Number>>
Interpreter::readFactors(Tensor tensor, const std::vector<std::byte> &bytes) {
  std::optional<ElementwiseCode> prologue;
  if (mlir::Region *region = op.getPrologue(tensor)) {
    Result<ElementwiseCode> code =
        ElementwiseCode::read(*region, /*storesResult=*/false);
    if (!code)
      return Error{code.error()};
    prologue = std::move(*code);
  }
  auto toFactor = [&](const Number &element) -> Number {
    Number factor = element;
    if (prologue)
      factor =
          convertTo(op.getFactorTypeOf(tensor), prologue->evaluate({element}));
    if (!isa<mlir::ComplexType>(type))
      return factor;
    Complex pair = toComplex(factor);
    return op.conjugates(tensor) ? conjugate(pair) : pair;
  };
  return readTensor(op, static_cast<unsigned>(tensor), bytes, toFactor);
}

Status Interpreter::read(const Operands &operands) {
  Result<Arithmetic> known = arithmeticOf(op);
  if (!known)
    return Error{known.error()};
  arithmetic = std::move(*known);
  alpha = factorOf(op.getAlpha(), operands.alpha, arithmetic.one, type);
  beta = factorOf(op.getBeta(), operands.beta, arithmetic.zero, type);
  for (auto [number, operand] : llvm::enumerate(op.getTensors())) {
    const std::vector<std::byte> &bytes = operands.tensors[number];
    auto memref = dyn_cast<MemRefType>(operand.getType());
    if (!memref || !memref.hasStaticShape())
      return Error{"the oracle needs memrefs of known extents"};
    Result<std::vector<Number>> numbers =
        number < 2 ? readFactors(number == 0 ? Tensor::A : Tensor::B, bytes)
                   : readTensor(
                         op, number, bytes,
                         [](const Number &element) { return element; });
    if (!numbers)
      return Error{numbers.error()};
    tensors.push_back(std::move(*numbers));
  }
  if (mlir::Region *region = op.getEpilogue()) {
    Result<ElementwiseCode> code =
        ElementwiseCode::read(*region, /*storesResult=*/true);
    if (!code)
      return Error{code.error()};
    epilogue = std::move(*code);
  }
  return {};
}

/// Errors are passed on as the epilogue's slope says, which is measured close
/// to the value.
void Interpreter::applyEpilogue(ExpectedElement &element,
                                const Place &place) const {
  SmallVector<Number> arguments = {element.value};
  for (size_t tensor = 2; tensor < tensors.size(); ++tensor)
    arguments.push_back(tensors[tensor][place.positions[tensor]]);
  Number before = element.value;
  element.value = epilogue->evaluate(arguments);
  const Real *value = std::get_if<Real>(&before);
  const Real *stored = std::get_if<Real>(&element.value);
  if (!value || !stored)
    return;
  Real step = Real(1e-4) * element.magnitude;
  Real slope = 1;
  for (Real moved : {*value - step, *value + step}) {
    arguments.front() = moved;
    Real change = abs(std::get<Real>(epilogue->evaluate(arguments)) - *stored);
    if (step > 0 && change > slope * step && !isNaN(change - change))
      slope = change / step;
  }
  element.magnitude = static_cast<long double>(slope) * element.magnitude +
                      sizeOf(element.value) + least;
}

ExpectedElement Interpreter::elementAt(const Place &place) const {
  Number sum = arithmetic.zero;
  // Below that, rounding errors do not become smaller.
  long double squares = 0, largest = least;
  forEachPlace(inner, place.positions, [&](const Place &term) {
    const Number &a = tensors[0][term.positions[0]];
    const Number &b = tensors[1][term.positions[1]];
    Number product = arithmetic.product(a, b);
    sum = arithmetic.sum(sum, product);
    long double size = std::max(sizeOf(product), least);
    squares += size * size;
    largest = std::max(largest, sizeOf(a) + sizeOf(b));
  });

  ExpectedElement element;
  element.coordinates = place.coordinates;
  element.position = place.positions[2];
  element.value = arithmetic.product(alpha, sum);
  long double addend = 0;
  // Without beta, the contents of C have no part in it, be they NaN.
  if (!isSame(beta, arithmetic.zero)) {
    Number scaled =
        arithmetic.product(beta, convertTo(type, tensors[2][element.position]));
    element.value = arithmetic.sum(element.value, scaled);
    addend = sizeOf(scaled);
  }
  // Factors are rounded to the type of sums, too.
  long double factor = sizeOf(alpha) == 0 ? 0 : std::max(sizeOf(alpha), least);
  if (arithmetic.accumulatesErrors)
    element.magnitude =
        std::sqrt(factor * factor * squares + addend * addend + least * least);
  else
    element.magnitude =
        (arithmetic.scalesErrors ? factor * largest : factor + largest) +
        addend;
  return element;
}

/// The same in a semiring of the contraction's own, which has no factors.
ExpectedElement Interpreter::userElementAt(const Place &place) const {
  ExpectedElement element;
  element.coordinates = place.coordinates;
  element.position = place.positions[2];
  element.value = arithmetic.zero;
  element.magnitude = least;
  auto meet = [&](const Number &number) {
    element.magnitude = std::max(element.magnitude, sizeOf(number));
  };
  auto combine = [&](const Number &number) {
    element.value = arithmetic.sum(element.value, number);
    meet(number);
    meet(element.value);
  };
  forEachPlace(inner, place.positions, [&](const Place &term) {
    const Number &a = tensors[0][term.positions[0]];
    const Number &b = tensors[1][term.positions[1]];
    meet(a);
    meet(b);
    combine(arithmetic.product(a, b));
  });
  if (accumulates)
    combine(convertTo(type, tensors[2][element.position]));
  return element;
}

/// Turns the sum of an element into the value that is stored.
void Interpreter::store(ExpectedElement &element, const Place &place) const {
  if (epilogue)
    applyEpilogue(element, place);
  if (isa<mlir::IntegerType>(type))
    element.value = convertTo(storedType, element.value);
  // The comparison knows of rounding, but not that 8-bit floats are cut off.
  auto *value = std::get_if<Real>(&element.value);
  if (!value || storedType.getIntOrFloatBitWidth() != 8)
    return;
  Real largest = std::get<Real>(convertTo(storedType, Real(1e300)));
  *value = *value > largest ? largest : *value < -largest ? -largest : *value;
}

ExpectedResult Interpreter::add() {
  ExpectedResult result;
  for (int64_t extent : inner.extents)
    result.sumLength *= extent;
  auto isComplex = [&](Tensor tensor) {
    return isa<mlir::ComplexType>(op.getTypeOf(tensor).getElementType());
  };
  if (isComplex(Tensor::A) && isComplex(Tensor::B))
    result.sumLength *= 2;
  bool isUserDefined = op.getSemiring() == model::Semiring::UserDefined;
  forEachPlace(outer, firstPositions(op), [&](const Place &place) {
    result.elements.push_back(isUserDefined ? userElementAt(place)
                                            : elementAt(place));
  });
  return result;
}

ExpectedResult Interpreter::store(ArrayRef<ExpectedResult> others) {
  ExpectedResult result = add();
  for (const ExpectedResult &other : others) {
    result.sumLength += other.sumLength;
    for (auto [element, addend] :
         llvm::zip_equal(result.elements, other.elements)) {
      element.value = arithmetic.sum(addend.value, element.value);
      element.magnitude = std::hypot(element.magnitude, addend.magnitude);
    }
  }
  auto element = result.elements.begin();
  forEachPlace(outer, firstPositions(op),
               [&](const Place &place) { store(*element++, place); });
  return result;
}

Result<ExpectedResult> differential::interpret(ArrayRef<Term> terms) {
  std::vector<ExpectedResult> others;
  for (const Term &term : terms) {
    Interpreter interpreter(term.op);
    if (Status status = interpreter.read(term.operands); !status)
      return Error{status.error()};
    if (&term != &terms.front())
      interpreter.ignoreC();
    if (&term == &terms.back())
      return interpreter.store(others);
    others.push_back(interpreter.add());
  }
  return Error{"nothing to interpret"};
}
