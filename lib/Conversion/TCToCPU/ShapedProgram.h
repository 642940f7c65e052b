//===- ShapedProgram.h - A program that takes its shape ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The construction of the functions of makeShapedProgram: the analysis of a
// function and the code that is made of it are a file each.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOCPU_SHAPEDPROGRAM_H
#define TC_LIB_CONVERSION_TCTOCPU_SHAPEDPROGRAM_H

#include "ShapedPrograms.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tc {

/// The functions that are made of another one.
class ShapedProgram {
public:
  ShapedProgram(mlir::func::FuncOp original, mlir::SymbolTable &symbols)
      : original(original), symbols(symbols),
        builder(original.getLoc(), original.getContext()) {}

  /// Finds out what it does, or why it is no program.
  Status check();
  void make();

private:
  /// A tensor that the function takes.
  struct Parameter {
    std::string name;
    /// The value in the original function.
    Value tensor;
    MemRefType type;
    /// True if the contents that the caller gives are read: of arguments.
    bool isRead = true;
    bool isWritten = false;
  };

  /// A callee that is a contraction, or null.
  static mlir::func::FuncOp findContraction(Operation &op);
  /// Returns true if it is the check behind a call of a contraction.
  static bool isStatusCheck(Operation &op);

  Status checkOp(Operation &op);
  bool followsFromExtents(Value value);
  llvm::SetVector<Value> rootsOf(Value value);
  void findWrites();
  Status listResults();
  void listExtents();
  void assignSlots();
  int64_t describeExtent(Value tensor, unsigned dim);
  mlir::DenseI64ArrayAttr describe(Value tensor);

  Value sizeFrom(Value size, ValueRange extents, mlir::IRMapping &mapping);
  Value saturatingProduct(Value first, Value second);
  Value saturated(Value bytes);
  Value bytesOf(mlir::memref::AllocOp alloc, ValueRange extents,
                mlir::IRMapping &mapping);
  SmallVector<Value> slotOffsets(ValueRange extents);
  void makeSizeFunction();
  void declare();
  Value rebuild(const Parameter &parameter, Value first,
                ArrayRef<Value> extents);
  void copyBody();
  void copyCall(Operation &op, mlir::IRMapping &mapping);

  mlir::func::FuncOp original;
  mlir::SymbolTable &symbols;
  mlir::ImplicitLocOpBuilder builder;
  mlir::func::FuncOp function;

  std::vector<Parameter> parameters;
  /// Arguments by name and their places: of an argument and a dimension.
  std::vector<std::string> extentNames;
  llvm::MapVector<std::pair<unsigned, unsigned>, unsigned> extentAt;
  /// The parameter that a result is stored to; none if it is there already.
  SmallVector<std::optional<unsigned>> targets;
  /// The result for which a value is allocated, by number.
  llvm::DenseMap<Value, unsigned> resultOf;
  SmallVector<mlir::memref::AllocOp> temporaries;
  SmallVector<unsigned> slotOf;
  unsigned slots = 0;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOCPU_SHAPEDPROGRAM_H
