//===- TCOps.td - Operations of the tc dialect -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on whole tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCOPS_TD
#define TC_DIALECT_TC_IR_TCOPS_TD

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "tc/Dialect/TC/IR/TCAttributes.td"
include "tc/Dialect/TC/IR/TCCpuAttributes.td"
include "tc/Dialect/TC/IR/TCDialect.td"

class TC_Op<string opMnemonic, list<Trait> traits = []>
    : Op<TC_Dialect, opMnemonic, traits>;

/// Tensors and memrefs of any shape. The verifier checks element types, to
/// speak of the operand by its name.
def TC_TensorOrMemRef
    : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "ranked tensor or memref">;

def TC_ContractOp : TC_Op<"contract", [
    AttrSizedOperandSegments,
    IsolatedFromAbove,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<BufferizableOpInterface, [
      "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues",
      "bufferize"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<TilingInterface, [
      "getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
      "getResultTilePosition", "generateResultTileValue",
      "getIterationDomainTileFromResultTile"]>
  ]> {
  let summary = "a contraction of two dense tensors";
  let description = [{
    Multiplies two tensors and sums over indices, in the notation of Einstein:

    ```
    D[c...] = alpha * sum over k... of A[a...] * B[b...] + beta * C[c...]
    ```

    Each operand has an index list, which names its dimensions; equal labels run
    together. Let $I_A$, $I_B$ and $I_C$ be the sets of labels of the three
    lists. The operation computes, for every value of the labels of $I_C$,

    $$ D_{I_C} = e\left(\alpha \sum_{(I_A \cup I_B) \setminus I_C}
                 p_A(A_{I_A})\, p_B(B_{I_B}) + \beta\, C_{I_C}\right) $$

    where the prologues $p_A$ and $p_B$ and the epilogue $e$ are the identity
    unless regions define them, and sum and product are those of a semiring.

    The part that a label plays follows from the lists that hold it:

    | role  | in A | in B | in C |                                          |
    | ----- | ---- | ---- | ---- | ---------------------------------------- |
    | batch | x    | x    | x    | one contraction for each value           |
    | M     | x    |      | x    | rows of the equivalent matrix product    |
    | N     |      | x    | x    | columns                                  |
    | K     | x    | x    |      | summed                                   |
    | K     | x    |      |      | summed, within A                         |
    | K     |      | x    |      | summed, within B                         |

    Any of these sets may be empty, so the operation covers matrix-vector, outer
    and inner products as well as plain matrix products. A label that an input's
    list holds twice runs along that input's diagonal. The output's list holds no
    label twice and none that is in neither input.

    | factors, C                         | sums, `alpha`, `beta` |
    | ---------------------------------- | --------------------- |
    | f8E4M3FN, f8E5M2, f16, bf16 or f32 | f32                   |
    | f64                                | f64                   |
    | i8 or i32                          | i32                   |
    | i64                                | i64                   |
    | complex<f32>                       | complex<f32>          |
    | complex<f64>                       | complex<f64>          |

    C has any type of its factors' row, be it narrower than theirs or wider.

    The factors are the elements of A and B, or what prologues make of them.
    If these differ in type, they are widened, which is exact, to the least
    type that holds the numbers of both: f32 for f16 and bf16, f16 for f8E4M3FN
    and f8E5M2, else the wider one. Real and complex factors, in parts of one type, are multiplied as they
    are. For an integer and a float there is none: a prologue has to convert one
    of them. Integers have a sign, and their arithmetic wraps around. Products are summed in the accumulation
    type of the table. `alpha` and `beta` have that type, too: an element of C is
    `alpha` times its sum plus `beta` times its old value, all in the
    accumulation type, and is rounded to C's type once, at the end; what is too
    large for an 8-bit float becomes the largest finite number of that sign, and
    so it does where code in regions converts to one. Without `alpha`, the
    factor is one; without `beta`, it is zero. Where `beta` is zero, be it
    absent, a constant or a value at run time, the old contents of C do not
    contribute: not even NaN or infinity spreads from them.

    If a summed index has an extent of zero, the sum is empty and the result is
    `beta * C`. If an index of the output has, the result is empty.

    The order of summation is not specified, but the same for the same operation,
    schedule and target.

    `semiring` says what takes the place of addition and multiplication, here
    written $x \oplus y$ and $x \otimes y$: `plus_times`, the default, or one of
    those of `#tc.semiring`. An element of C becomes

    $$ \alpha \otimes \Bigl(\bigoplus a \otimes b\Bigr)
       \;\oplus\; \beta \otimes c $$

    and all that is said of zero and one here means the semiring's: without
    `beta`, or with one that is the semiring's zero, C does not contribute;
    an empty sum is the semiring's zero. With `min_plus`, for one, `beta` is 0.0
    where the minimum is to include C. Where a product is NaN, a minimum or
    maximum leaves it out; which zero it takes of two that differ in sign is not
    specified.

    With `semiring = user_defined(identity)`, two regions say it: `product`
    multiplies two factors, which are converted to the accumulation type first,
    and `combine` combines two sums; arguments, results and the identity all
    have the accumulation type, which is not complex. `combine` has to be
    associative and commutative, and `identity` has to change nothing that it is
    combined with, among the numbers that occur; nobody checks that, but for the
    identity combined with itself. An element of C becomes

    $$ e\Bigl(\bigoplus p_A(a) \otimes p_B(b)\Bigr) $$

    and an empty sum is the identity. Such a semiring need not distribute, so
    that it has neither `alpha` nor `beta`; with `accumulate`, the old element
    of C is combined with the sum. The operations of both regions are like those
    of a prologue, and defined for all numbers: products of what lies beyond the
    tensors may be computed and left out. Matrix instructions are never used.

    `prologue_a` and `prologue_b` map each element of A and of B before it is
    multiplied; what they yield are the factors, of any element type of the
    table. `epilogue` maps each element of the result before it is stored. Its
    arguments are the result in the accumulation type, the old element of C, and
    an element of each tensor of `auxiliaries`; it yields what is stored, of C's
    element type, which need not be in the table then. The labels of an auxiliary
    tensor are some of C's, each at most once: its element is the one at the
    same values of these labels, so a tensor without labels is a scalar. Old
    elements of C are read if `beta` is not zero, with `accumulate`, or if the
    epilogue uses them. The
    operations of a region are elementwise and free of side effects, and use
    nothing from outside but constants that they hold.

    Complex numbers can only be added and multiplied, so their semiring is
    `plus_times`, and they have neither prologues nor epilogues yet. With
    `conjugate_a` or `conjugate_b`, the conjugates of that input's elements are
    multiplied. With `allow_three_products`, the sum of products of complex
    numbers $u + iv$ and $x + iy$ may be computed from three sums of real
    products instead of four (the 3M method), as

    $$ \sum (u + v) x - \sum v (x + y) + i \left(\sum (u + v) x
       + \sum u (y - x)\right) $$

    whose error is as small beside the modulus of the result, but not beside
    each part: one that is much smaller than the other has fewer correct digits.

    `precision` is the least precise arithmetic that is allowed; what is more
    precise always is. With `ieee`, the default, factors are taken as they are.
    The others let f32 be computed on units that multiply bf16 or TF32, a format
    with the range of f32 and 10 fraction bits. With `tf32`, factors may be rounded to
    it: the relative error of a product is at most about $2^{-10}$. With
    `3xtf32`, a factor $x$ may be split into two TF32 numbers $x_1 + x_2$ and a
    product computed as $a_1 b_1 + a_1 b_2 + a_2 b_1$: its relative error is at
    most about $3 \cdot 2^{-22}$, close to that of f32 itself. `bf16x3` is the
    same with two numbers of bf16, which has 7 fraction bits: the relative error
    of a product is at most about $3 \cdot 2^{-16}$. Sums are in f32 either
    way. The precision is an error where the inputs are not f32: it would
    change nothing.

    The operation is in destination style. On tensors it returns D, of C's type.
    On memrefs, which may have any strides, it overwrites C; no two elements of C
    may lie at the same address, and C may not overlap A or B.

    When the operation is tiled along a summed index, every tile adds to C, so
    `beta` must be the constant one, or there must be `accumulate`, and there
    must be no epilogue.

    Index lists are row-major: in a contiguous tensor the last label has stride
    one.

    Of how the operation is carried out, `schedule` holds the decisions for a
    GPU (`#tc.schedule`), `cpu_schedule` those for a CPU (`#tc.cpu_schedule`),
    and with `dynamic_shape` the GPU's kernel is one for other shapes, too
    (`#tc.dynamic_shape`).

    Example, which is a matrix product after its indices are grouped into
    M = (d, e, a), N = (f, b, c), K = (g):

    ```mlir
    %D = tc.contract [d, e, g, a], [g, f, b, c] -> [a, b, c, d, e, f]
           ins(%A, %B : tensor<24x16x24x24xf64>, tensor<24x16x16x16xf64>)
           outs(%C : tensor<24x16x16x24x16x16xf64>)
           -> tensor<24x16x16x24x16x16xf64>
    ```

    Example, in half precision with sums in single precision, and one whose
    factors may be rounded to TF32:

    ```mlir
    %D = tc.contract [m, k], [k, n] -> [m, n]
           ins(%A, %B : tensor<512x256xf16>, tensor<256x512xf16>)
           outs(%C : tensor<512x512xf16>) alpha(%alpha : f32)
           -> tensor<512x512xf16>
    %H = tc.contract [m, k], [k, n] -> [m, n]
           ins(%E, %F : tensor<512x256xf32>, tensor<256x512xf32>)
           outs(%G : tensor<512x512xf32>) precision = tf32
           -> tensor<512x512xf32>
    ```

    Example, which is the product of the adjoint of a complex matrix with
    another one:

    ```mlir
    %D = tc.contract [k, m], [k, n] -> [m, n]
           ins(%A, %B : tensor<48x32xcomplex<f64>>, tensor<48x64xcomplex<f64>>)
           outs(%C : tensor<32x64xcomplex<f64>>) conjugate_a
           -> tensor<32x64xcomplex<f64>>
    ```

    Example, which is a step of finding the shortest paths between all pairs of
    nodes, by way of one more edge each:

    ```mlir
    %D = tc.contract [from, via], [via, to] -> [from, to]
           ins(%paths, %edges : tensor<90x90xf32>, tensor<90x90xf32>)
           outs(%C : tensor<90x90xf32>) semiring = min_plus
           -> tensor<90x90xf32>
    ```

    Example, which is the Manhattan distance between all pairs of two sets of
    points:

    ```mlir
    %D = tc.contract [p, k], [q, k] -> [p, q]
           ins(%X, %Y : tensor<100x30xf32>, tensor<90x30xf32>)
           outs(%C : tensor<100x90xf32>) semiring = user_defined(0.0 : f32)
           product {
           ^bb0(%x: f32, %y: f32):
             %difference = arith.subf %x, %y : f32
             %distance = math.absf %difference : f32
             tc.yield %distance : f32
           } combine {
           ^bb0(%x: f32, %y: f32):
             %sum = arith.addf %x, %y : f32
             tc.yield %sum : f32
           } -> tensor<100x90xf32>
    ```

    Example, which is a layer of a neural network, with a bias and a rectifier:

    ```mlir
    %D = tc.contract [m, k], [k, n] -> [m, n]
           ins(%A, %B : tensor<512x256xf16>, tensor<256x512xf16>)
           outs(%C : tensor<512x512xf16>)
           auxiliaries(%bias [n] : tensor<512xf32>)
           epilogue {
           ^bb0(%sum: f32, %old: f16, %b: f32):
             %biased = arith.addf %sum, %b : f32
             %zero = arith.constant 0.0 : f32
             %rectified = arith.maximumf %biased, %zero : f32
             %stored = arith.truncf %rectified : f32 to f16
             tc.yield %stored : f16
           } -> tensor<512x512xf16>
    ```

    Example, which accumulates into a memref, with a schedule given by hand:

    ```mlir
    tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<512x256xf32>, memref<256x512xf32>)
      outs(%C : memref<512x512xf32>) alpha(%alpha : f32) beta(%one : f32)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 64], n = [n: 64],
                               k = [k: 16], register = [4, 4]>}
    ```
  }];

  let arguments = (ins
    Arg<TC_TensorOrMemRef, "the left input">:$a,
    Arg<TC_TensorOrMemRef, "the right input">:$b,
    Arg<TC_TensorOrMemRef, "the destination">:$c,
    Arg<Optional<AnyType>, "the factor of the product, one if absent">:$alpha,
    Arg<Optional<AnyType>, "the factor of C, zero if absent">:$beta,
    Arg<Variadic<TC_TensorOrMemRef>, "what the epilogue reads, too">:$auxiliaries,
    TC_IndexListAttr:$a_indices,
    TC_IndexListAttr:$b_indices,
    TC_IndexListAttr:$c_indices,
    OptionalAttr<TC_ScheduleAttr>:$schedule,
    OptionalAttr<TC_CpuScheduleAttr>:$cpu_schedule,
    OptionalAttr<TC_DynamicShapeAttr>:$dynamic_shape,
    DefaultValuedAttr<TC_PrecisionAttr, "::tc::model::Precision::IEEE">:$precision,
    DefaultValuedAttr<TC_SemiringAttr, "::tc::model::Semiring::PlusTimes">:$semiring,
    OptionalAttr<TypedAttrInterface>:$identity, UnitAttr:$accumulate,
    UnitAttr:$conjugate_a, UnitAttr:$conjugate_b,
    UnitAttr:$allow_three_products,
    OptionalAttr<TypedArrayAttrBase<TC_IndexListAttr, "index lists">>:$auxiliary_indices,
    UnitAttr:$has_prologue_a, UnitAttr:$has_prologue_b, UnitAttr:$has_epilogue
  );
  // Those that there are: copying operations with empty regions crashes in
  // upstream patterns.
  let regions = (region VariadicRegion<AnyRegion>:$fused);
  let results = (outs
    Res<Optional<AnyRankedTensor>, "the result, on tensors">:$result
  );

  let assemblyFormat = [{
    custom<IndexList>($a_indices) `,` custom<IndexList>($b_indices) `->`
    custom<IndexList>($c_indices)
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    `outs` `(` $c `:` type($c) `)`
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)?
    (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`precision` `=` custom<Precision>($precision)^)?
    (`semiring` `=` custom<Semiring>($semiring, $identity)^)?
    (`accumulate` $accumulate^)?
    (`conjugate_a` $conjugate_a^)? (`conjugate_b` $conjugate_b^)?
    (`allow_three_products` $allow_three_products^)?
    (`auxiliaries` `(` custom<Auxiliaries>($auxiliaries, type($auxiliaries), $auxiliary_indices)^ `)`)?
    (custom<FusedCode>($fused, $has_prologue_a, $has_prologue_b,
                       $has_epilogue)^)?
    attr-dict (`->` type($result)^)?
  }];

  let builders = [
    OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$c,
      "::tc::IndexListAttr":$aIndices, "::tc::IndexListAttr":$bIndices,
      "::tc::IndexListAttr":$cIndices,
      CArg<"::mlir::Value", "{}">:$alpha, CArg<"::mlir::Value", "{}">:$beta,
      CArg<"::tc::ScheduleAttr", "{}">:$schedule,
      CArg<"::tc::model::Precision", "::tc::model::Precision::IEEE">:$precision,
      CArg<"::tc::model::Semiring", "::tc::model::Semiring::PlusTimes">:$semiring)>
  ];

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getCMutable(); }

    ::tc::IndexListAttr getIndices(::tc::model::Tensor tensor);
    ::mlir::Value getOperandOf(::tc::model::Tensor tensor);
    ::mlir::ShapedType getTypeOf(::tc::model::Tensor tensor);

    /// A, B, C and the auxiliaries, and their index lists.
    ::llvm::SmallVector<::mlir::Value> getTensors();
    ::llvm::SmallVector<::tc::IndexListAttr> getIndexLists();

    /// Returns true if the factors of that tensor are conjugated.
    bool conjugates(::tc::model::Tensor tensor);

    /// The type of the elements of A or of B after its prologue.
    ::mlir::Type getFactorTypeOf(::tc::model::Tensor tensor);

    /// Returns true if these types are the same for both, or those of real
    /// numbers and of complex ones of such parts.
    bool hasEqualFactors();

    /// The type in which they are multiplied: the least that holds both. Before
    /// the verifier has found that there is one, it may be that of A alone.
    ::mlir::Type getFactorType();

    /// The type in which products are summed, that of alpha and beta.
    ::mlir::Type getAccumulatorType();

    /// The prologue of A or B and the epilogue, null if there is none.
    ::mlir::Region *getPrologue(::tc::model::Tensor tensor);
    ::mlir::Region *getEpilogue();

    /// The regions by which a user-defined semiring multiplies and combines,
    /// null of another one.
    ::mlir::Region *getProduct();
    ::mlir::Region *getCombine();

    /// A contraction that does the same to other operands: `tensors` and
    /// `indices` are in the order of getTensors(). It has the factors, copies of
    /// the regions, and all attributes of the operation's own, its schedules
    /// among them.
    ::tc::ContractOp recreate(::mlir::OpBuilder &builder, ::mlir::Location loc,
                              ::mlir::ValueRange tensors,
                              ::llvm::ArrayRef<::tc::IndexListAttr> indices);

    /// Returns true if the operands are memrefs; else they are tensors.
    bool hasBuffers() {
      return ::llvm::isa<::mlir::MemRefType>(getC().getType());
    }

    /// Returns true if the old contents of C contribute: beta is neither absent
    /// nor the constant zero, they are accumulated to, or the epilogue uses
    /// them.
    bool readsC();

    /// Returns true if products are combined with the old contents of C as they
    /// are, so that C may be the sum of some of the products.
    bool addsToC();

    /// All labels, in the order of the iteration space: those of C, then those
    /// of A and of B that are summed.
    ::llvm::SmallVector<::mlir::StringAttr> getLabels();

    /// Returns true if some index has the static extent zero.
    bool hasZeroExtent();

    /// The extent of a label, or `ShapedType::kDynamic` if no type says it.
    int64_t getExtent(::mlir::StringAttr label);
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  // Regions are verified before the operation: types of factors are read from
  // them.
  let hasRegionVerifier = 1;
}

def TC_YieldOp : TC_Op<"yield", [Pure, ReturnLike, Terminator,
                                 ParentOneOf<["::tc::AccumulatorsToFactorsOp",
                                             "::tc::AddPartialSumsOp",
                                              "::tc::ContractOp",
                                              "::tc::ExponentiateAccumulatorsOp",
                                              "::tc::StoreAccumulatorsToSharedOp",
                                              "::tc::StoreTileToSharedOp",
                                              "::tc::MultiplyTilesOp",
                                              "::tc::ReduceTileOp",
                                              "::tc::StoreTileOp"]>]> {
  let summary = "ends a region of a contraction";
  let description = [{
    Yields what a prologue or an epilogue makes of an element, or what a
    user-defined semiring makes of two numbers.

    Example:

    ```mlir
    tc.yield %stored : f16
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // TC_DIALECT_TC_IR_TCOPS_TD
