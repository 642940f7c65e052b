//===- ShapeArguments.cpp - Shapes as arguments of functions --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeArguments.h"

#include "tc/Analysis/ContractionDims.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace tc;
using mlir::OpFoldResult;
using mlir::ShapedType;
namespace arith = mlir::arith;
namespace memref = mlir::memref;

ShapeArguments::Number
ShapeArguments::Number::times(const Number &other) const {
  Number product = *this;
  product.constant *= other.constant;
  llvm::append_range(product.arguments, other.arguments);
  return product;
}

ShapeArguments::Number ShapeArguments::addArgument(std::string name,
                                                   Source source) {
  Number number;
  number.arguments.push_back(sources.size());
  names.push_back(std::move(name));
  sources.push_back(source);
  return number;
}

/// The name of a tensor in names of arguments.
static std::string nameOfTensor(size_t tensor) {
  static constexpr std::array plain = {"a", "b", "c"};
  return tensor < plain.size() ? plain[tensor]
                               : "side" + std::to_string(tensor - plain.size());
}

ShapeArguments::ShapeArguments(ContractOp op) {
  SmallVector<Value> tensors = op.getTensors();
  SmallVector<IndexListAttr> lists = op.getIndexLists();
  llvm::MapVector<StringAttr, Number> extents;
  for (auto [tensor, labels] : llvm::enumerate(lists))
    for (auto [dim, label] : llvm::enumerate(labels)) {
      if (extents.contains(label))
        continue;
      Number extent;
      if (std::optional<int64_t> known = findExtent(op, label))
        extent.constant = *known;
      else
        extent = addArgument("extent_" + label.str(), {tensor, dim, false});
      extents[label] = extent;
    }
  for (auto [tensor, labels] : llvm::enumerate(lists)) {
    auto type = cast<MemRefType>(tensors[tensor].getType());
    Shape &shape = shapes.emplace_back();
    for (StringAttr label : labels)
      shape.extents.push_back(extents[label]);
    bool isContiguous = type.getLayout().isIdentity();
    auto strides = type.getStridesAndOffset().first;
    Number behind;
    shape.strides.resize(strides.size());
    for (size_t dim = strides.size(); dim-- > 0;) {
      Number &stride = shape.strides[dim];
      if (isContiguous)
        stride = behind;
      else if (!ShapedType::isDynamic(strides[dim]))
        stride.constant = strides[dim];
      behind = behind.times(shape.extents[dim]);
    }
    if (isContiguous)
      continue;
    for (auto [dim, stride] : llvm::enumerate(strides)) {
      if (!ShapedType::isDynamic(stride))
        continue;
      StringAttr label = labels[dim];
      std::string name = "stride_" + nameOfTensor(tensor) + "_" + label.str();
      // Of a diagonal.
      auto before = llvm::make_range(labels.begin(), labels.begin() + dim);
      shape.strides[dim] = addArgument(
          llvm::is_contained(before, label) ? name + "_second" : name,
          {tensor, dim, true});
    }
  }
}

std::string ShapeArguments::write(const Number &number) const {
  SmallVector<std::string> factors;
  if (number.constant != 1 || number.arguments.empty())
    factors.push_back(std::to_string(number.constant));
  for (size_t argument : number.arguments)
    factors.push_back(names[argument]);
  return llvm::join(factors, " * ");
}

std::vector<std::string> ShapeArguments::describe() const {
  auto list = [&](ArrayRef<Number> numbers) {
    return "(" +
           llvm::join(llvm::map_range(
                          numbers,
                          [&](const Number &number) { return write(number); }),
                      ", ") +
           ")";
  };
  std::vector<std::string> texts;
  for (const Shape &shape : shapes)
    texts.push_back("extents " + list(shape.extents) +
                    ", strides in elements " + list(shape.strides));
  return texts;
}

SmallVector<Value> ShapeArguments::pass(ImplicitLocOpBuilder &builder,
                                        ContractOp op) const {
  SmallVector<Value> tensors = op.getTensors(), numbers;
  for (auto [tensor, dim, isStride] : sources) {
    Value buffer = tensors[tensor];
    Value number =
        isStride
            ? Value(memref::ExtractStridedMetadataOp::create(builder, buffer)
                        .getStrides()[dim])
            : memref::DimOp::create(builder, buffer, static_cast<int64_t>(dim));
    numbers.push_back(
        arith::IndexCastOp::create(builder, builder.getI64Type(), number));
  }
  return numbers;
}

Value ShapeArguments::rebuild(ImplicitLocOpBuilder &builder, size_t tensor,
                              Value first, ValueRange numbers) const {
  auto valueOf = [&](const Number &number) -> OpFoldResult {
    if (number.arguments.empty())
      return builder.getIndexAttr(number.constant);
    Value product;
    auto multiply = [&](Value factor) {
      product = product ? builder.createOrFold<arith::MulIOp>(product, factor)
                        : factor;
    };
    for (size_t argument : number.arguments)
      multiply(arith::IndexCastOp::create(builder, builder.getIndexType(),
                                          numbers[argument]));
    if (number.constant != 1)
      multiply(arith::ConstantIndexOp::create(builder, number.constant));
    return product;
  };
  const Shape &shape = shapes[tensor];
  SmallVector<OpFoldResult> extents =
                                llvm::map_to_vector(shape.extents, valueOf),
                            strides =
                                llvm::map_to_vector(shape.strides, valueOf);
  auto constants = [](ArrayRef<Number> values) {
    return llvm::map_to_vector(values, [](const Number &number) {
      return number.arguments.empty() ? number.constant : ShapedType::kDynamic;
    });
  };
  auto layout = mlir::StridedLayoutAttr::get(builder.getContext(), /*offset=*/0,
                                             constants(shape.strides));
  auto type = MemRefType::get(
      constants(shape.extents),
      cast<MemRefType>(first.getType()).getElementType(), layout);
  return memref::ReinterpretCastOp::create(
      builder, type, first, builder.getIndexAttr(0), extents, strides);
}
