//===- ShapeArguments.h - Shapes as arguments of functions ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of a function, besides addresses, for a contraction whose shape
// is not known at compile time: extents by index, and strides that follow from
// none.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOCPU_SHAPEARGUMENTS_H
#define TC_LIB_CONVERSION_TCTOCPU_SHAPEARGUMENTS_H

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tc {

class ShapeArguments {
public:
  /// Of a contraction on buffers, which has to be there for `pass` only.
  explicit ShapeArguments(ContractOp op);

  bool isEmpty() const { return sources.empty(); }

  /// The arguments' names, which are those of C.
  ArrayRef<std::string> getNames() const { return names; }

  /// Texts on the tensors, in the order of the operation's, as "extents (m, 8),
  /// strides in elements (8, 1)".
  std::vector<std::string> describe() const;

  /// The numbers to call the function with, as i64.
  SmallVector<Value> pass(ImplicitLocOpBuilder &builder, ContractOp op) const;

  /// In the function, the buffer that begins with an element of that address, a
  /// memref of rank 0.
  Value rebuild(ImplicitLocOpBuilder &builder, size_t tensor, Value first,
                ValueRange numbers) const;

private:
  /// A constant times arguments.
  struct Number {
    int64_t constant = 1;
    SmallVector<size_t, 2> arguments;

    Number times(const Number &other) const;
  };
  /// The source of an argument: an extent of a tensor, or a stride.
  struct Source {
    size_t tensor, dim;
    bool isStride;
  };
  struct Shape {
    SmallVector<Number> extents, strides;
  };

  Number addArgument(std::string name, Source source);
  std::string write(const Number &number) const;

  std::vector<std::string> names;
  SmallVector<Source> sources;
  SmallVector<Shape> shapes;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOCPU_SHAPEARGUMENTS_H
