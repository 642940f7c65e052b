//===- TCDialect.td - Definition of the tc dialect ---------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the dialect that operations and attributes belong to.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCDIALECT_TD
#define TC_DIALECT_TC_IR_TCDIALECT_TD

include "mlir/IR/DialectBase.td"

def TC_Dialect : Dialect {
  let name = "tc";
  let cppNamespace = "::tc";
  let summary = "Contractions of dense tensors.";
  let description = [{
    The dialect holds contractions of dense tensors as whole operations, from
    the notation that a user writes down to the decisions that turn it into
    code.

    Two kinds of knowledge are kept apart. What follows from the operands, such
    as the part that each index plays, is computed by analyses and never
    stored. What somebody decided, such as the tiles of a thread block, is an
    attribute (`#tc.schedule`), which a cost model, a tuner or a user writes and
    every later pass obeys.

    The base pointers of buffers are taken to be aligned to 16 bytes. A function
    that is called with others says of its argument to multiples of how many
    elements it is aligned; of one whose offset is unknown, it speaks of the
    first element:

    ```mlir
    func.func @f(%A: memref<64x32xf32> {tc.base_alignment = 1}) {
      return
    }
    ```
  }];

  // Canonicalisation and tiling look at operands through other shapes; factors
  // may be complex; copies have tokens.
  let dependentDialects = ["::mlir::complex::ComplexDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect",
                           "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Of a function's argument, to multiples of how many elements it is
    /// aligned.
    static constexpr ::llvm::StringLiteral baseAlignmentAttrName =
        "tc.base_alignment";

    /// The type of a function, null if the operation is none or its type is
    /// missing or another one. Attributes are verified before the operation that
    /// carries them, and may ask it for nothing else.
    static ::mlir::FunctionType findFunctionType(::mlir::Operation *op);

    /// Registers the attributes of the dialect.
    void registerAttributes();
    /// Registers the operations of the dialect.
    void registerOperations();
  }];
}

#endif // TC_DIALECT_TC_IR_TCDIALECT_TD
