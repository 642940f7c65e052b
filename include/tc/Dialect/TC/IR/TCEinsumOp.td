//===- TCEinsumOp.td - Contractions of many tensors --------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction of any number of tensors, before anything has decided in which
// order they are multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCEINSUMOP_TD
#define TC_DIALECT_TC_IR_TCEINSUMOP_TD

include "tc/Dialect/TC/IR/TCOps.td"

def TC_EinsumOp : TC_Op<"einsum", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<BufferizableOpInterface, [
      "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues",
      "bufferize"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>
  ]> {
  let summary = "a contraction of any number of dense tensors";
  let description = [{
    Multiplies tensors and sums over indices, in the notation of Einstein: what
    `tc.contract` does with two tensors, for $n \ge 1$ of them. Let $I_0, \dots,
    I_{n-1}$ and $I_D$ be the sets of labels of the inputs' index lists and of
    the output's. The operation computes, for every value of the labels of
    $I_D$,

    $$ D_{I_D} = \alpha \sum_{(I_0 \cup \dots \cup I_{n-1}) \setminus I_D}\;
                 \prod_{t=0}^{n-1} A^{(t)}_{I_t} + \beta\, C_{I_D} $$

    where $C$ are the old contents of the output.

    A label may be in one input or in any number of them. It is summed if it is
    not in the output, be it within a single input. A label that an input's list
    holds twice runs along that input's diagonal. The output's list holds no
    label twice and none that is in no input. All dimensions of one label have
    the same extent; if a summed one is zero, the sum is empty, and the result
    $\beta\, C$.

    The inputs have one element type, that of the factors, and the output any
    type that `tc.contract` stores for these factors. Sums, `alpha` and `beta`
    have the accumulation type of its table. `alpha` and `beta`, `precision` and
    `semiring` mean what they mean there: without `alpha`, the factor is the
    semiring's one; where `beta` is absent or zero, the old contents of the
    output do not contribute. `conjugate` lists the inputs, by number and in
    ascending order, whose complex conjugates are multiplied.

    The order of evaluation is not specified, neither that of products nor that
    of sums; the operation is there for a later pass to choose one. A tree of
    `tc.contract`s computes it in steps, each of which multiplies two operands
    and sums over the labels that neither the output nor another operand holds:

    $$ \sum_{jk} A_{ij}\, B_{jk}\, v_k
       = \sum_{j} A_{ij} \Bigl(\sum_{k} B_{jk}\, v_k\Bigr) $$

    Intermediate results are temporaries of the factors' type: they are rounded
    to it, and integers wrap around in it. That the order does not matter beside
    this relies on products that distribute over sums, as those of a semiring
    do; so the semiring cannot be `user_defined`, whose operations are not
    known to. Those of `max_times` do where no factor is negative, those of
    `max_plus` and `min_plus` where no sum overflows; of other factors, or of
    NaN, the result depends on the order.

    `path` asks for an order, in the convention of opt_einsum. Each step names
    one or two positions in the list of operands, which is that of the inputs at
    first. These are removed from the list, and what is made of them, their
    contraction or one operand summed by itself, is appended to its end. One
    operand is left after the last step.

    The operation is in destination style. On tensors it returns D, of the
    output's type. On memrefs, which may have any strides, it overwrites the
    output; no two elements of that may lie at the same address, and it may not
    overlap an input.

    Canonicalisation makes a `tc.contract` of an operation with two inputs.

    Example, a product of three matrices, of which the first two are multiplied
    first:

    ```mlir
    %D = tc.einsum [i, j], [j, k], [k, l] -> [i, l]
           ins(%A, %B, %C : tensor<3x4xf64>, tensor<4x5xf64>, tensor<5x6xf64>)
           outs(%out : tensor<3x6xf64>) path = [[0, 1], [0, 1]]
           -> tensor<3x6xf64>
    ```

    Example, the weighted inner product of a complex vector with another one:

    ```mlir
    %D = tc.einsum [i], [i], [i] -> []
           ins(%x, %w, %y : tensor<8xcomplex<f64>>, tensor<8xcomplex<f64>>,
                            tensor<8xcomplex<f64>>)
           outs(%out : tensor<complex<f64>>) alpha(%s : complex<f64>)
           conjugate = [0] -> tensor<complex<f64>>
    ```

    Example, the trace of a matrix, which is added to a memref:

    ```mlir
    tc.einsum [i, i] -> [] ins(%A : memref<4x4xf32>) outs(%out : memref<f32>)
      beta(%one : f32)
    ```

    Example, the shortest paths by way of two more edges each:

    ```mlir
    %D = tc.einsum [from, a], [a, b], [b, to] -> [from, to]
           ins(%paths, %edges, %edges : tensor<9x9xf32>, tensor<9x9xf32>,
                                        tensor<9x9xf32>)
           outs(%out : tensor<9x9xf32>) semiring = min_plus -> tensor<9x9xf32>
    ```
  }];

  let arguments = (ins
    Arg<Variadic<TC_TensorOrMemRef>, "what is multiplied">:$inputs,
    Arg<TC_TensorOrMemRef, "the destination">:$output,
    Arg<Optional<AnyType>, "the factor of the product, one if absent">:$alpha,
    Arg<Optional<AnyType>, "the factor of the destination, zero if absent">:$beta,
    TypedArrayAttrBase<TC_IndexListAttr, "index lists">:$input_indices,
    TC_IndexListAttr:$output_indices,
    DefaultValuedAttr<TC_PrecisionAttr, "::tc::model::Precision::IEEE">:$precision,
    DefaultValuedAttr<TC_SemiringAttr, "::tc::model::Semiring::PlusTimes">:$semiring,
    OptionalAttr<DenseI64ArrayAttr>:$conjugate,
    OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "steps, which are arrays of positions">>:$path
  );
  let results = (outs
    Res<Optional<AnyRankedTensor>, "the result, on tensors">:$result
  );

  let assemblyFormat = [{
    custom<IndexLists>($input_indices) `->` custom<IndexList>($output_indices)
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $output `:` type($output) `)`
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)?
    (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`precision` `=` custom<Precision>($precision)^)?
    (`semiring` `=` custom<Semiring>($semiring)^)?
    (`conjugate` `=` $conjugate^)?
    (`path` `=` custom<Path>($path)^)?
    attr-dict (`->` type($result)^)?
  }];

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }

    /// The inputs and the output, and their index lists.
    ::llvm::SmallVector<::mlir::Value> getTensors();
    ::llvm::SmallVector<::tc::IndexListAttr> getIndexLists();

    /// Returns true if the elements of that input are conjugated.
    bool conjugates(unsigned input);

    /// The type of the inputs' elements.
    ::mlir::Type getFactorType();

    /// The type in which products are summed, that of alpha and beta.
    ::mlir::Type getAccumulatorType();

    /// Returns true if the operands are memrefs; else they are tensors.
    bool hasBuffers() {
      return ::llvm::isa<::mlir::MemRefType>(getOutput().getType());
    }

    /// Returns true if the old contents of the output contribute: beta is
    /// neither absent nor the constant zero.
    bool readsOutput();

    /// All labels: those of the output, then those that are summed, as they
    /// appear in the inputs.
    ::llvm::SmallVector<::mlir::StringAttr> getLabels();

    /// The extent of a label, or `ShapedType::kDynamic` if no type says it.
    int64_t getExtent(::mlir::StringAttr label);

    /// The steps of the path, each with its positions; none without a path.
    ::llvm::SmallVector<::llvm::ArrayRef<int64_t>> getSteps();
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TC_IR_TCEINSUMOP_TD
