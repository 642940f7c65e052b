//===- Passes.td - From contractions to code for CPUs ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that take a scheduled contraction to loops over packed
// panels in the scf, vector and memref dialects.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOCPU_PASSES_TD
#define TC_CONVERSION_TCTOCPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def TCOutlineContractions
    : Pass<"tc-outline-contractions", "::mlir::ModuleOp"> {
  let summary = "Move contractions into functions of their own";
  let description = [{
    Replaces each `tc.contract` on buffers by a call of a new function that holds
    it: its arguments are A, B and C, then `alpha` and `beta` where they are no
    constants. A buffer whose offset only the run knows, such as a tile in a loop,
    is passed as one at the address of its lowest element. One whose extents or
    strides are unknown is passed as the address of the element whose coordinates
    are all zero; behind the factors come the unknown extents of indices and
    unknown strides. The function is named after the one that it was taken from, and
    carries what it computes as `tc.contraction`, the names of its arguments
    as `tc.contraction.arguments`, and where there are such buffers a text for each
    tensor as `tc.contraction.shapes`. Contractions with an extent of zero, which multiply
    nothing, stay where they are.

    Errors: a contraction on tensors (bufferize first).

    Examples (test/Conversion/TCToCPU/outline-contractions.mlir):

    ```mlir
    func.func @matmul_contraction(%a: memref<64x32xf64>,
        %b: memref<32x48xf64>, %c: memref<64x48xf64>) attributes {
          tc.contraction = "C[m,n] = A[m,k] * B[k,n]",
          tc.contraction.arguments = ["A", "B", "C"]}
    func.func @product_contraction(%a: memref<f64>, %b: memref<f64>, %c: memref<f64>,
        %extent_m: i64, %extent_n: i64, %extent_k: i64, %stride_b_0: i64)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def TCOutlinePrograms : Pass<"tc-outline-programs", "::mlir::ModuleOp"> {
  let summary = "Make a function that runs all contractions of another one";
  let description = [{
    Adds to each function that calls several functions of contractions, or whose
    arguments have names (`tc.name`), one that other programs can call: it runs them
    in the same order. Its arguments are the tensors, then the results, and last
    a workspace for all temporaries, whose size is known: each lies where it
    overlaps no other that lives at the same time. It returns the status of the
    contraction that failed, or zero. Loops are unrolled; what is copied or filled
    with a number in between is so there, too.

    A function in which something else happens is left alone.

    If extents of arguments are unknown, the function takes them, before the
    workspace, and another one says how many bytes that has for them: temporaries
    that never live at the same time share a slot, which is as large as the largest
    of them. Arguments are contiguous. The attribute `tc.indices` of an argument
    names its extents; those of one name are one. Operations of linalg in between
    are copied, too, and a remark says what else keeps a function from being a
    program.

    Example (test/Conversion/TCToCPU/outline-programs.mlir):

    ```mlir
    func.func @chain_run(%A: memref<20x30xf64>, %B: memref<30x25xf64>,
        %C: memref<25x10xf64>, %D: memref<20x10xf64>, %workspace: memref<4000xi8>) -> i32
        attributes {tc.program = ["A", "B", "C", "D"],
                    tc.program.workspace = 4000 : i64,
                    tc.program.writes = array<i1: false, false, false, true>}
    func.func @shaped_workspace_bytes(%extent_i: i64, %extent_j: i64) -> i64
    func.func @shaped_run(%A: memref<f64>, %x: memref<f64>, %y: memref<f64>,
        %extent_i: i64, %extent_j: i64, %workspace: memref<i8>) -> i32
        attributes {tc.program.extents = ["extent_i", "extent_j"], ...}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::complex::ComplexDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def TCCallRuntime : Pass<"tc-call-runtime", "::mlir::ModuleOp"> {
  let summary = "Have contractions computed by a library";
  let description = [{
    Replaces each `tc.contract` on buffers of which an extent or a stride is
    unknown at compile time, or whose `#tc.cpu_schedule` has `strategy = library`
    and says for how many threads, by a call of `tcCpuContract`, the function of
    `libtc_cpu_runtime` (`tc-c/CpuRuntime.h`), with an array of extents and strides
    on the stack. All element types are passed on, and so are `alpha`, `beta` and
    conjugates. A prologue that does more than widen is applied to a copy of its
    input before, and an epilogue to the sums afterwards, which wait in C or, if
    that has another type or its old contents count, in new memory: both by a
    `linalg.generic`. `precision` is dropped: the library computes in IEEE
    arithmetic.

    A function that --tc-outline-contractions made returns a status where there is
    no memory; elsewhere a `cf.assert` follows.

    What has another semiring than `plus_times` becomes a `linalg.generic`, as
    `--convert-tc-to-linalg` makes it, and a remark says so; with the option
    `strict`, that is an error.

    Errors: such a contraction on tensors (bufferize first), one with
    `strategy = library` that has another semiring, a prologue that does more than
    widen, or an epilogue, and a symbol `tcCpuContract` of another type in the module.

    Example (test/Conversion/TCToCPU/call-runtime.mlir):

    ```mlir
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<?x?xf64>, memref<?x?xf64>)
                                         outs(%C : memref<?x?xf64>)
    // becomes
    %status = llvm.call @tcCpuContract(%indices, %rank, %f64, %f64, %f64, %none,
                                       %a, %b, %c, %null, %null, %threads) : ...
    ```
  }];
  let options = [
    Option<"threads", "threads", "int64_t", /*default=*/"1",
           "Threads that a call may use; 0 for one of each core">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Whether what the library does not compute is an error">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def TCTransposeOperands : Pass<"tc-transpose-operands"> {
  let summary = "Copy tensors to matrices where the schedule's strategy is ttgt";
  let description = [{
    Replaces each `tc.contract` on buffers whose `#tc.cpu_schedule` has
    `strategy = ttgt` by transpositions (`linalg.transpose`) of A and B into new
    memory, as `transpose` orders their indices, a `tc.contract` of what is then
    matrices, and a transposition of its result into C. Tensors that `transpose`
    does not name are used where they are; C is copied out before, too, if its old
    contents contribute. The schedule of the new contraction is the rest of the
    given one.

    Each transposition carries the elements of a vector register as `tc.lanes`,
    which `--tc-lower-transposes` obeys.

    Errors: a contraction on tensors (bufferize first), with run-time extents or
    strides, or with a schedule that cannot be obeyed.

    Example (test/Conversion/TCToCPU/transpose-operands.mlir):

    ```mlir
    tc.contract [d, m, k], [k, n] -> [m, d, n] ...
        {cpu_schedule = #tc.cpu_schedule<strategy = ttgt,
           transpose = [A: [m, d, k]], m = [md: 16], n = [n: 8], k = [k: 8], ...>}
    // becomes
    linalg.transpose ins(%A ...) outs(%copy ...) permutation = [1, 0, 2] {tc.lanes = 8}
    tc.contract [md, k], [k, n] -> [md, n] ...
    ```
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"
  ];
}

def TCLowerTransposes : Pass<"tc-lower-transposes"> {
  let summary = "Lower linalg.transpose with tc.lanes to loops over vectors";
  let description = [{
    Replaces each `linalg.transpose` on buffers that carries `tc.lanes` by loops.
    If one dimension has stride one in both buffers, vectors are copied along it.
    If one has it in the source and another in the target, squares of up to
    `tc.lanes` vectors are transposed in registers; the loops over squares visit
    tiles that the first cache holds. If none has, elements are copied one by one.

    Errors: extents or strides that are unknown at compile time, and a `tc.lanes`
    that is no power of two.

    Example: test/Conversion/TCToCPU/lower-transposes.mlir.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def TCToCPU : Pass<"tc-to-cpu"> {
  let summary = "Lower scheduled contractions to loops over packed panels";
  let description = [{
    Replaces each `tc.contract` on buffers by what its `#tc.cpu_schedule`
    denotes: loops over cache blocks, copies of blocks of A and B into panels,
    and a micro-kernel in the vector dialect that updates C in place. There is no
    other memory than the panels and the tables that say where rows and columns
    lie in C. With a schedule for several threads, all that stands in an
    `omp.parallel`, and the loop that is shared out is an `omp.wsloop`.

    A contraction of which some extent is zero multiplies nothing: what remains
    of it, `C = beta * C`, is done in place.

    Errors: a contraction on tensors (bufferize first), without a schedule, with
    run-time extents or strides, of different element types, or with a schedule
    that cannot be obeyed or has `strategy = ttgt` (run `--tc-transpose-operands`
    first) or `strategy = library` (run `--tc-call-runtime` first).

    Example (test/Conversion/TCToCPU/tc-to-cpu.mlir):

    ```mlir
    tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>)
        outs(%C : memref<64x48xf64>) {cpu_schedule = #tc.cpu_schedule<...>}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::omp::OpenMPDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // TC_CONVERSION_TCTOCPU_PASSES_TD
