//===- TCKernelAttributes.td - The computation of a kernel -*- tablegen -*-===//
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
    last argument is a workspace, in which the blocks count themselves and leave
    their numbers. C is not read.

    `alignment` says for each tensor, in the order of the arguments, to
    multiples of how many elements its base pointer is aligned. Zero, for all of
    them if absent, is 16 bytes.

    With `dynamic_shape` (see that attribute), the types of A, B and C have the
    representative extents, strides and offsets only: those of the tensors, and
    what follows from them, are the arguments after alpha and beta that
    `tc/Gpu/Layout/DynamicShape.h` lists.

    A function that computes a group of contractions has the others as `terms`,
    which are numbered from one, and `edges` connect them. The tensors of the
    contraction itself are A, B and C in an edge, those of a term have its number
    behind. There is an edge for each term, all of one kind:

    - `C1 -> C`: the output of the term is added to C, as in all other terms. The
      terms are computed in their order, and then the contraction that has them,
      whose `beta`, epilogue and auxiliaries are those of the sum. Labels of C may
      differ: its dimensions do not.
    - `C1 -> A2 : f32`: the output of the term is an input of the next one or, of
      the last term, of the contraction itself. Its elements have that type, stay on
      the chip, and lie densely, in the order of the indices of the term. Terms may
      have an epilogue then, without auxiliaries and without a use of C, and a
      prologue of the input. With `softmax` behind the type, which only the edge to the
      contraction itself may have, that takes the softmax of the elements along all
      indices that it sums over, before any prologue.
    - `A -> B1`: the input of the term is that of the contraction, the same for all
      terms. Each term has a C of its own, and may have an epilogue without
      auxiliaries and without a use of C.

    The function's first three arguments are A, B and C then, but for an input that a
    term computes, in whose place the first tensor of the terms is. After the
    auxiliaries come the other tensors of the terms that no edge gives, in their
    order. Terms have a constant `alpha`, a `beta` of zero and no terms.

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

    /// The edges between the contraction, which is node zero, and the terms.
    ::tc::model::Group getGroup() const;

    /// The argument that is a tensor of a term, of which number zero is the
    /// contraction itself; none if the tensor stays on the chip.
    ::std::optional<unsigned>
    getArgument(int64_t term, ::tc::model::Tensor tensor) const;

    /// Of a function with these arguments, the types of the tensors of the
    /// contraction and of each term: null where they are no memrefs.
    ::llvm::SmallVector<::tc::model::PerTensor<::mlir::MemRefType>>
    getTensorTypes(::llvm::ArrayRef<::mlir::Type> arguments) const;

    /// Those of one term, none where one is no memref.
    ::std::optional<::tc::model::PerTensor<::mlir::MemRefType>>
    getTensorTypes(::llvm::ArrayRef<::mlir::Type> arguments, int64_t term) const;

    /// Of a user-defined semiring.
    ::tc::model::UserSemiring getUserSemiring() const;

    /// Returns true if the factors of that tensor are conjugated.
    bool getConjugates(::tc::model::Tensor tensor) const;

    /// The type that the prologue of A or B yields, null if there is none.
    ::mlir::Type getPrologue(::tc::model::Tensor tensor) const;
  }];
}

#endif // TC_DIALECT_TC_IR_TCKERNELATTRIBUTES_TD
