//===- TCNumbers.cpp - Constant numbers and semirings ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants of all element types, complex ones included, and which of them are
// the zero and the one of a semiring.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "tc/Problem/Semiring.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <complex>
#include <limits>

using namespace tc;
namespace complex = mlir::complex;

/// A floating-point or complex number or an integer as a constant of a type or
/// of a vector of it. `integer` gets the element type. Null for an integer type
/// that elements do not have.
template <typename Integer>
static mlir::TypedAttr makeConstant(Type type, double number, Integer integer) {
  Type elementType = mlir::getElementTypeOrSelf(type);
  auto shaped = dyn_cast<ShapedType>(type);
  mlir::TypedAttr attr;
  auto complexType = dyn_cast<mlir::ComplexType>(elementType);
  if (complexType && shaped) {
    const auto &format =
        cast<FloatType>(complexType.getElementType()).getFloatSemantics();
    auto part = [&](double value) {
      llvm::APFloat result(value);
      bool losesInfo;
      result.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      return result;
    };
    return mlir::DenseElementsAttr::get(
        shaped, std::complex<llvm::APFloat>(part(number), part(0)));
  }
  if (complexType)
    attr = complex::NumberAttr::get(complexType, number, 0.0);
  else if (isa<FloatType>(elementType))
    attr = FloatAttr::get(elementType, number);
  else if (auto known = getModelElementType(elementType))
    attr = IntegerAttr::get(elementType, integer(*known));
  else
    return {};
  if (shaped)
    return mlir::DenseElementsAttr::get(shaped, Attribute(attr));
  return attr;
}

mlir::TypedAttr tc::getZero(model::Semiring semiring, Type type) {
  return makeConstant(type, model::zeroOf(semiring),
                      [&](model::ElementType element) {
                        return model::integerZeroOf(semiring, element);
                      });
}

mlir::TypedAttr tc::getOne(model::Semiring semiring, Type type) {
  return makeConstant(type, model::oneOf(semiring),
                      [&](model::ElementType element) {
                        return model::integerOneOf(semiring, element);
                      });
}

mlir::TypedAttr tc::getConstantNumber(Value value) {
  Attribute constant;
  if (!value || !matchPattern(value, mlir::m_Constant(&constant)))
    return {};
  auto type = dyn_cast<mlir::ComplexType>(value.getType());
  if (!type)
    return dyn_cast<mlir::TypedAttr>(constant);
  auto parts = dyn_cast<mlir::ArrayAttr>(constant);
  if (!parts || parts.size() != 2)
    return dyn_cast<complex::NumberAttr>(constant);
  return complex::NumberAttr::get(type,
                                  cast<FloatAttr>(parts[0]).getValueAsDouble(),
                                  cast<FloatAttr>(parts[1]).getValueAsDouble());
}

Value tc::createNumber(OpBuilder &builder, Location loc,
                       mlir::TypedAttr constant) {
  auto number = dyn_cast<complex::NumberAttr>(constant);
  if (!number)
    return mlir::arith::ConstantOp::create(builder, loc, constant);
  auto type = cast<mlir::ComplexType>(number.getType());
  Attribute parts[] = {FloatAttr::get(type.getElementType(), number.getReal()),
                       FloatAttr::get(type.getElementType(), number.getImag())};
  return complex::ConstantOp::create(builder, loc, type,
                                     builder.getArrayAttr(parts));
}

model::Constant tc::getNumber(mlir::TypedAttr constant) {
  if (auto number = dyn_cast<complex::NumberAttr>(constant))
    return {number.getReal().convertToDouble(),
            number.getImag().convertToDouble()};
  if (auto number = dyn_cast<FloatAttr>(constant))
    return number.getValueAsDouble();
  return model::Constant::ofInteger(cast<IntegerAttr>(constant).getInt());
}

std::optional<model::Constant> tc::findNumber(Attribute constant) {
  if (isa<complex::NumberAttr, FloatAttr, IntegerAttr>(constant))
    return getNumber(cast<mlir::TypedAttr>(constant));
  auto parts = dyn_cast<ArrayAttr>(constant);
  if (!parts || parts.size() != 2 || !isa<FloatAttr>(parts[0]) ||
      !isa<FloatAttr>(parts[1]))
    return std::nullopt;
  return model::Constant(cast<FloatAttr>(parts[0]).getValueAsDouble(),
                         cast<FloatAttr>(parts[1]).getValueAsDouble());
}

model::Constant tc::getSplatNumber(mlir::SplatElementsAttr elements) {
  if (!isa<mlir::ComplexType>(elements.getElementType()))
    return getNumber(
        cast<mlir::TypedAttr>(elements.getSplatValue<Attribute>()));
  auto number = elements.getSplatValue<std::complex<llvm::APFloat>>();
  return {number.real().convertToDouble(), number.imag().convertToDouble()};
}

double tc::getRatio(mlir::TypedAttr number, mlir::TypedAttr of) {
  if (isa<FloatAttr>(number))
    return getNumber(number).real() / getNumber(of).real();
  const llvm::APInt &integer = cast<IntegerAttr>(number).getValue();
  const llvm::APInt &other = cast<IntegerAttr>(of).getValue();
  if (integer == other)
    return 1;
  return integer == -other ? -1 : std::numeric_limits<double>::quiet_NaN();
}

bool tc::areEqual(mlir::TypedAttr constant, mlir::TypedAttr other) {
  if (isa<FloatAttr, complex::NumberAttr>(constant))
    return getNumber(constant) == getNumber(other);
  return constant == other;
}

bool tc::isZero(model::Semiring semiring, mlir::TypedAttr constant) {
  return areEqual(constant, getZero(semiring, constant.getType()));
}

bool tc::isOne(model::Semiring semiring, mlir::TypedAttr constant) {
  return areEqual(constant, getOne(semiring, constant.getType()));
}

bool tc::isZero(model::Semiring semiring, Value value) {
  mlir::TypedAttr constant = getConstantNumber(value);
  return constant && isZero(semiring, constant);
}

bool tc::isOne(model::Semiring semiring, Value value) {
  mlir::TypedAttr constant = getConstantNumber(value);
  return constant && isOne(semiring, constant);
}
