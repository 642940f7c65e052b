//===- TCOps.h - Operations of the tc dialect -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCOPS_H
#define TC_DIALECT_TC_IR_TCOPS_H

#include "tc/Dialect/TC/IR/TCAttributes.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Problem/Constants.h"
#include "tc/Problem/Contraction.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace tc {

/// Returns true if an operation of the linalg dialect adds all elements of one
/// tensor to one number.
bool addsAllElements(Operation *op);

/// The model's name of an element type. This is the one place that says which
/// element types the dialect supports: for others there is none.
std::optional<model::ElementType> getModelElementType(Type type);
/// The dialect's type of that name.
Type getElementType(MLIRContext *context, model::ElementType type);

/// Parses and prints an index list as operations show it: `[a, b]`.
ParseResult parseIndexList(AsmParser &parser, IndexListAttr &indices);
void printIndexList(AsmPrinter &printer, IndexListAttr indices);
inline void printIndexList(AsmPrinter &printer, Operation *,
                           IndexListAttr indices) {
  printIndexList(printer, indices);
}

/// Parses and prints the index lists of several tensors: `[a, b], [b, c]`.
ParseResult parseIndexLists(AsmParser &parser, ArrayAttr &lists);
void printIndexLists(AsmPrinter &printer, Operation *op, ArrayAttr lists);

/// Parses and prints the steps of a path: `[[0, 2], [0, 1]]`.
ParseResult parsePath(AsmParser &parser, ArrayAttr &path);
void printPath(AsmPrinter &printer, Operation *op, ArrayAttr path);

/// Parses and prints a precision as operations show it: `tf32`.
ParseResult parsePrecision(AsmParser &parser, PrecisionAttr &precision);
void printPrecision(AsmPrinter &printer, PrecisionAttr precision);
inline void printPrecision(AsmPrinter &printer, Operation *,
                           PrecisionAttr precision) {
  printPrecision(printer, precision);
}

ParseResult parseSemiring(AsmParser &parser, SemiringAttr &semiring);
void printSemiring(AsmPrinter &printer, SemiringAttr semiring);
inline void printSemiring(AsmPrinter &printer, Operation *,
                          SemiringAttr semiring) {
  printSemiring(printer, semiring);
}
/// The same with the identity of a user-defined one, `user_defined(0.0 : f32)`,
/// which is null of others.
ParseResult parseSemiring(AsmParser &parser, SemiringAttr &semiring,
                          mlir::TypedAttr &identity);
void printSemiring(AsmPrinter &printer, SemiringAttr semiring,
                   mlir::TypedAttr identity);
inline void printSemiring(AsmPrinter &printer, Operation *,
                          SemiringAttr semiring, mlir::TypedAttr identity) {
  printSemiring(printer, semiring, identity);
}

/// Parses and prints the auxiliary tensors of a contraction: `%bias [n] :
/// tensor<512xf32>`.
ParseResult parseAuxiliaries(
    mlir::OpAsmParser &parser,
    SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &auxiliaries,
    SmallVectorImpl<Type> &types, mlir::ArrayAttr &indices);
void printAuxiliaries(mlir::OpAsmPrinter &printer, Operation *op,
                      mlir::OperandRange auxiliaries, mlir::TypeRange types,
                      mlir::ArrayAttr indices);

/// Parses and prints the regions of a contraction after their names.
mlir::OptionalParseResult
parseFusedCode(mlir::OpAsmParser &parser,
               SmallVectorImpl<std::unique_ptr<mlir::Region>> &regions,
               mlir::UnitAttr &hasPrologueA, mlir::UnitAttr &hasPrologueB,
               mlir::UnitAttr &hasEpilogue);
void printFusedCode(mlir::OpAsmPrinter &printer, Operation *op,
                    mlir::RegionRange regions, mlir::UnitAttr hasPrologueA,
                    mlir::UnitAttr hasPrologueB, mlir::UnitAttr hasEpilogue);

/// The number that a value is, a complex one as #complex.number; null if it is
/// no constant.
mlir::TypedAttr getConstantNumber(Value value);
/// The constant operation that yields such a number.
Value createNumber(OpBuilder &builder, Location loc, mlir::TypedAttr constant);
/// The number, without its type.
model::Constant getNumber(mlir::TypedAttr constant);
/// The number that a constant is, a complex one also in MLIR's form, two
/// numbers in an array; none of what is no number.
std::optional<model::Constant> findNumber(Attribute constant);
/// The number that all elements are, complex ones included.
model::Constant getSplatNumber(mlir::SplatElementsAttr elements);
/// The ratio of one real number to another one other than zero; of integers,
/// NaN unless it is exactly 1 or -1.
double getRatio(mlir::TypedAttr number, mlir::TypedAttr of);

/// Returns true if two constants are equal numbers, as zeros of both signs are.
bool areEqual(mlir::TypedAttr constant, mlir::TypedAttr other);

/// The zero and the one of a semiring, as a constant of a type or of a vector
/// of it. Null for an integer type that elements do not have.
mlir::TypedAttr getZero(model::Semiring semiring, Type type);
mlir::TypedAttr getOne(model::Semiring semiring, Type type);
/// Returns true if a value is that constant; a zero may have either sign.
bool isZero(model::Semiring semiring, Value value);
bool isOne(model::Semiring semiring, Value value);
bool isZero(model::Semiring semiring, mlir::TypedAttr constant);
bool isOne(model::Semiring semiring, mlir::TypedAttr constant);

/// Patterns that drop indices of extent one and merge indices that are
/// adjacent, in the same order and contiguous in every operand that holds them.
/// Operations that carry a schedule stay as they are.
void populateCollapseIndicesPatterns(RewritePatternSet &patterns);

} // namespace tc

#define GET_OP_CLASSES
#include "tc/Dialect/TC/IR/TCOps.h.inc"

namespace tc {

/// The `linalg.softmax` of what `op` computes that stands between it and
/// `next`, null if there is none.
Operation *getSoftmaxBetween(ContractOp op, ContractOp next);

/// The input of `next` that is what `op` computes or the softmax of it between
/// the two, on memrefs as on tensors; none if neither is, or more than one
/// operand.
std::optional<model::Tensor> getProducedInput(ContractOp op, ContractOp next);

/// The input of a contraction that is that value, A if both are; none if
/// neither is.
std::optional<model::Tensor> getInputThatIs(ContractOp op, Value tensor);

/// The edges between the contractions of a `tc.fused`, the last of which is
/// node zero and the first one node one: they are of the kind that connects the
/// first two, and pairs that are not connected so have no edge.
model::Group groupOf(ArrayRef<ContractOp> ops);

} // namespace tc

#endif // TC_DIALECT_TC_IR_TCOPS_H
