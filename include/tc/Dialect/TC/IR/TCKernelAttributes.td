//===- TCKernelAttributes.td - What a kernel computes ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines #tc.kernel, the record that a GPU function carries of the contraction
// that it computes and of the schedule that it obeys.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCKERNELATTRIBUTES_TD
#define TC_DIALECT_TC_IR_TCKERNELATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TC/IR/TCAttributes.td"

def TC_KernelAttr : TC_Attr<"Kernel", "kernel"> {
  let summary = "The contraction that a GPU function computes.";
  let description = [{
    Stands on a `gpu.func` under the name `tc.kernel`. The function's first three
    arguments are A, B and C; their types carry extents and strides. Everything
    else, such as grid, block and shared memory, follows from these and is
    recomputed where it is needed.

    `alpha` and `beta` are the constants that the code was specialised for; one
    that is missing is an argument of the function, after those of the tensors.
    `precision` and `semiring` are those of the contraction, `ieee` and
    `plus_times` if absent. Of a user-defined semiring, whose code is in the
    function, there are the identity, how many `operations` a product takes, and
    with what `padding` shared tiles of A and of B can stand for no product, if that
    is known.

    `conjugate_a` and `conjugate_b` say that the contraction conjugates the
    factors of that input.

    `prologue_a` and `prologue_b` say that the contraction has a prologue of A
    or of B, and the type that it yields. `epilogue` says that the contraction has an epilogue: with `write`, it
    depends on the old elements of C by `beta` only; with `read_write`, it uses
    them. `auxiliaries` are the index lists of its auxiliary tensors, which are the
    arguments after C.

    With `reduce`, all elements of the result, as the epilogue leaves them, are
    added up, and the sum takes the place of C: strides of C are zero, and the
    last argument is a workspace in which the blocks meet. C is not read.

    `alignment` says for each tensor, in the order of the arguments, to
    multiples of how many elements its base pointer is aligned. Zero, for all of
    them if absent, is 16 bytes.

    With `dynamic_shape` (see that attribute), the types of A, B and C have the
    representative extents, strides and offsets only: those of the tensors, and
    what follows from them, are the arguments after alpha and beta that
    `tc/Gpu/Layout/DynamicShape.h` lists.

    A function that adds several contractions up has the others as `terms`. C is
    the same for all; the A and the B of each are arguments after the auxiliaries. They
    are computed in that order, and then the contraction that has them, whose
    `beta`, epilogue and auxiliaries are those of the sum. The others have a constant
    `alpha`, a `beta` of zero and no terms. Labels of C may differ: its
    dimensions do not.

    With `chained_a` or `chained_b`, the terms are no sum but a chain: A or B of
    the contraction is what the last term computes, of that type, and likewise A or
    B of each term but the first is what the term before computes. These tensors
    stay on the chip; their elements lie densely, in the order of the indices of the
    term that computes them. The first term's A is the argument in the place of the
    input that is chained, and its B and the other input of each further term are
    the arguments after the auxiliaries. Terms may have an epilogue then, without
    auxiliaries and without a use of C, and a prologue of their chained input.

    With `softmax`, the contraction takes the softmax of its chained input along all
    indices that it sums over, before any prologue. No term has that.

    With `shared_a` or `shared_b`, the terms are neither a sum nor a chain but a fan: A
    or B of the contraction is A or B of each term, as its own `shared_a` or
    `shared_b` says, and each term has a C of its own. The other input and the C of
    each term are the arguments after the auxiliaries. The terms have a constant
    `alpha` and a `beta` of zero, and may have an epilogue without auxiliaries and
    without a use of C.

    `expressions` has the texts of fused code, as `prologue_a`, `prologue_b`,
    `product`, `combine` and `epilogue` in a dictionary, if there are texts for
    all of it, terms included (`tc/Analysis/FusedCodeText.h`).

    Example:

    ```mlir
    #tc.kernel<a = [m, k], b = [k, n], c = [m, n],
               alpha = 1.0 : f64, beta = 0.0 : f64,
               schedule = #tc.schedule<target = "sm_90", m = [m: 32],
                                       n = [n: 16], k = [k: 8],
                                       register = [4, 2]>>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::tc::KernelFields", "the fields, tc/Dialect/TC/IR/KernelFields.h",
                  "const ::tc::KernelFields &">:$value);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The name under which the attribute stands on a function.
    static constexpr ::llvm::StringLiteral attrName = "tc.kernel";

    const ::tc::KernelFields *operator->() const { return &getValue(); }

    /// The number of the function's first argument after A, B, C and the auxiliaries:
    /// tensors of the other terms, if there are any.
    unsigned getFirstTermArgument() const;

    /// The number of the first argument after these: a scalar.
    unsigned getFirstScalarArgument() const;

    /// How the contraction, which is node zero, and the terms meet.
    ::tc::model::Group getGroup() const;

    /// Whether the terms are a chain.
    bool isChain() const;

    /// Whether the terms are a fan.
    bool isFan() const;

    /// The input of a contraction that is that of all others of a fan.
    ::std::optional<::tc::model::Tensor> getSharedInput() const;

    /// The input of a contraction that the term before it computes; none of one
    /// that is no further link of a chain.
    ::std::optional<::tc::model::Tensor> getChainedInput() const;

    /// The argument that is a tensor of a term, of which number zero is the
    /// contraction itself; none if the tensor stays on the chip.
    ::std::optional<unsigned>
    getArgument(int64_t term, ::tc::model::Tensor tensor) const;

    /// Of a function with these arguments, the types of the tensors of a term:
    /// none where they are not memrefs of known strides.
    ::std::optional<::tc::model::PerTensor<::mlir::MemRefType>>
    getTensorTypes(::llvm::ArrayRef<::mlir::Type> arguments, int64_t term) const;

    /// Of a user-defined semiring.
    ::tc::model::UserSemiring getUserSemiring() const;

    /// Whether the factors of that tensor are conjugated.
    bool getConjugates(::tc::model::Tensor tensor) const;

    /// The type that the prologue of A or B yields, null if there is none.
    ::mlir::Type getPrologue(::tc::model::Tensor tensor) const;
  }];
}

#endif // TC_DIALECT_TC_IR_TCKERNELATTRIBUTES_TD
