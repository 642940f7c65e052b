//===- LLVM.h - Names of LLVM and MLIR used throughout ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Re-exports the names of LLVM and MLIR that the compiler uses all the time
// into `tc`, so that code in that namespace needs no qualification. MLIR's own
// re-exports of LLVM come along.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MLIR_LLVM_H
#define TC_SUPPORT_MLIR_LLVM_H

#include "mlir/Support/LLVM.h"

// Forward declarations, so that this header stays light.
namespace mlir {
class AsmParser;
class AsmPrinter;
class Attribute;
class ArrayAttr;
class Builder;
class Dialect;
class DialectRegistry;
class DictionaryAttr;
class FloatAttr;
class FloatType;
class ImplicitLocOpBuilder;
class IndexType;
class InFlightDiagnostic;
class IntegerAttr;
class IntegerType;
class Location;
class MemRefType;
class MLIRContext;
class ModuleOp;
class NamedAttribute;
class OpAsmParser;
class OpAsmPrinter;
class OpBuilder;
class Operation;
class OperationState;
class OpFoldResult;
class OpOperand;
class OpResult;
class Pass;
class PatternRewriter;
class RankedTensorType;
class RewritePatternSet;
class RewriterBase;
class ShapedType;
class StringAttr;
class Type;
class TypeRange;
class UnitAttr;
class Value;
class ValueRange;
} // namespace mlir

namespace tc {

using llvm::cast;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::StringLiteral;

using mlir::APFloat;
using mlir::APInt;
using mlir::ArrayRef;
using mlir::DenseMap;
using mlir::DenseSet;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::function_ref;
using mlir::LogicalResult;
using mlir::ParseResult;
using mlir::raw_ostream;
using mlir::SetVector;
using mlir::SmallString;
using mlir::SmallVector;
using mlir::SmallVectorImpl;
using mlir::SMLoc;
using mlir::StringRef;
using mlir::succeeded;
using mlir::success;
using mlir::Twine;

using mlir::ArrayAttr;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::Builder;
using mlir::Dialect;
using mlir::DialectRegistry;
using mlir::DictionaryAttr;
using mlir::FloatAttr;
using mlir::FloatType;
using mlir::ImplicitLocOpBuilder;
using mlir::IndexType;
using mlir::InFlightDiagnostic;
using mlir::IntegerAttr;
using mlir::IntegerType;
using mlir::Location;
using mlir::MemRefType;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::NamedAttribute;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::OperationState;
using mlir::OpFoldResult;
using mlir::OpOperand;
using mlir::OpResult;
using mlir::Pass;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::RewritePatternSet;
using mlir::RewriterBase;
using mlir::ShapedType;
using mlir::StringAttr;
using mlir::Type;
using mlir::TypeRange;
using mlir::UnitAttr;
using mlir::Value;
using mlir::ValueRange;

} // namespace tc

#endif // TC_SUPPORT_MLIR_LLVM_H
