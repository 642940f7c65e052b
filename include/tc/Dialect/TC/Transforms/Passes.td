//===- Passes.td - Transforms of the tc dialect ------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes from the dialect to itself.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_PASSES_TD
#define TC_DIALECT_TC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "tc/Dialect/TC/Transforms/OrderPasses.td"

def ClassifyPass : Pass<"tc-classify"> {
  let summary = "Writes the role of each index on its contraction";
  let description = [{
    Sets the discardable attribute `tc.roles` on every `tc.contract`: the labels
    that are batch, M, N and K (the sets that papers on GETT and TTGT call batch,
    `I_m`, `I_n` and `I_k`), each in the order of the operation's iteration
    space. It is for people and tests to read: roles follow from the index lists,
    and passes that need them compute them.

    ```mlir
    %D = tc.contract [m, k], [k, n] -> [m, n] ...
           {tc.roles = {batch = [], k = ["k"], m = ["m"], n = ["n"]}} ...
    ```
  }];
}

def CollapseIndicesPass : Pass<"tc-collapse-indices"> {
  let summary = "Drops indices of extent one and merges those that move together";
  let description = [{
    An index of extent one is dropped. Indices that are adjacent, in the same
    order and contiguous in every operand that holds them are merged into one
    super-index. Neither changes or moves data: operands are reshaped by
    `tensor.collapse_shape` and `memref.collapse_shape` (or, where a memref's
    strides do not allow it, by `memref.reinterpret_cast`), results by
    `tensor.expand_shape`. A contraction of tensors of rank 20 and extent 2 ends
    as an ordinary matrix product.

    An operation that carries a schedule is left alone, because the schedule
    speaks of its indices.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def WidenInputsPass : Pass<"tc-widen-inputs"> {
  let summary = "Widens factors of different types in prologues";
  let description = [{
    If the elements of A and B, or what their prologues make of them, differ
    in type, those that are not of the factors' type yet, which is the least that
    holds the numbers of both, are converted to it in their prologue. No later
    pass has to know of mixed inputs then; `--tc-tile` and what comes after it
    refuse them. Attributes, the schedule included, stay.

    Example (test/Dialect/TC/widen-inputs.mlir):

    ```mlir
    %D = tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : tensor<4x5xf16>, tensor<5x6xf32>)
      outs(%C : tensor<4x6xf32>) -> tensor<4x6xf32>
    // becomes
    %D = tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : tensor<4x5xf16>, tensor<5x6xf32>)
      outs(%C : tensor<4x6xf32>)
      prologue_a {
      ^bb0(%x: f16):
        %wide = arith.extf %x : f16 to f32
        tc.yield %wide : f32
      } -> tensor<4x6xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FuseElementwisePass : Pass<"tc-fuse-elementwise"> {
  let summary = "Fuses elementwise linalg operations into contractions";
  let description = [{
    Lets each `tc.contract` on tensors do the work of the elementwise operations
    of linalg beside it (`linalg.generic`, `linalg.map`, `linalg.transpose`, the
    named ones): nothing is stored and loaded in between.

    - A consumer that is the only one to read the result goes into the epilogue.
      Other tensors that it reads become auxiliary tensors, scalars those of rank zero, but
      constants, and what a `linalg.fill` makes of one, part of the code; its
      destination becomes C. It may permute the result, and its other operands
      may lack dimensions, as a bias does.
    - A producer that only makes A or only makes B, of one tensor, goes into the
      prologue of that operand. It may permute, too.

    Code that could go either way becomes an epilogue, which runs once for each
    element. Each value is rounded to the type that it had between the
    operations, so that results are the same.

    An operation is left where it is if its value has other uses or it is in
    another block, which may run more often; if it has loops that are reductions, or more loops than the result has dimensions; if
    its payload has other than elementwise operations on numbers, or takes
    values from outside that are no constants; if an element type is none of
    `tc.contract`'s; and, as a consumer, if the contraction adds to C, unless it
    has the same type and order and leaves its own destination unread.
    Contractions that carry a schedule stay as they are.

    Example (test/Dialect/TC/fuse-elementwise.mlir):

    ```mlir
    %product = tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
    %D = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%product, %bias : tensor<64x48xf32>, tensor<48xf32>)
      outs(%init : tensor<64x48xf32>) {
    ^bb0(%p: f32, %b: f32, %o: f32):
      %s = arith.addf %p, %b : f32
      linalg.yield %s : f32
    } -> tensor<64x48xf32>
    // becomes
    %D = tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : tensor<64x32xf32>, tensor<32x48xf32>)
      outs(%init : tensor<64x48xf32>) auxiliaries(%bias [n] : tensor<48xf32>)
      epilogue {
      ^bb0(%p: f32, %o: f32, %b: f32):
        %s = arith.addf %p, %b : f32
        tc.yield %s : f32
      } -> tensor<64x48xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numConsumers", "consumers", "Operations moved into epilogues">,
    Statistic<"numProducers", "producers", "Operations moved into prologues">
  ];
}

def MultiVersionPass : Pass<"tc-multi-version", "::mlir::ModuleOp"> {
  let summary = "Adds copies of functions for tensors of any alignment";
  let description = [{
    Kernels for GPUs take base pointers to be aligned to as many bytes as their
    accesses are wide, 16 at most. This pass gives each function with
    contractions a copy, called as it is with `_unaligned` behind it, whose
    kernels take them to be aligned to their elements only, as it says by
    `tc.unaligned`. By `tc.version_of` it says whose copy it is; its kernels are
    versions of the other's, of which those who launch packages choose the first
    that fits the pointers they get. Code of the host calls the one or the other
    itself.

    Example (test/Dialect/TC/multi-version.mlir):

    ```mlir
    func.func @f(%A: memref<8x4xf32>, %B: memref<4x6xf32>, %C: memref<8x6xf32>) {...}
    // gets a copy
    func.func @f_unaligned(...) attributes {tc.unaligned, tc.version_of = @f} {...}
    ```
  }];
  let statistics = [
    Statistic<"numVersions", "num-versions", "Functions that got a copy">
  ];
}

def DynamicShapesPass : Pass<"tc-dynamic-shapes", "::mlir::ModuleOp"> {
  let summary = "Lets kernels take extents and strides as arguments";
  let description = [{
    Makes kernels for GPUs of which one is for tensors of many shapes: those that
    the types say are representative, and schedules are chosen for them. Every
    contraction gets `dynamic_shape`, with `multiples = 32` and, unless the
    tensors are large, offsets of 32 bits. So that there is a kernel for every
    shape, each function with contractions gets a copy, called as it is with
    `_dynamic_shapes` behind it and marked by `tc.version_of`, with `multiples = 1` and
    offsets of 64 bits. Whoever launches a package of them gets the kernel that
    takes the shape and was tuned for the nearest one; code of the host calls the
    one or the other itself, with the shape that the types say.

    Functions that are versions already get no copies. It is an error if a
    contraction has an extent of zero.

    A contraction with an extent or a stride that its types don't say gets a kernel
    for every shape in any case, which code of the host launches with the one at
    hand; with `unknown-only`, others are left alone. The representative extents
    are those of `representative-extents` or else such that M, N and K, as far as
    they are unknown, are in the hundreds: 512 for one index, 16 for each of two.
    A kernel for what types do say of functions with such contractions is for that
    shape only.

    Example (test/Dialect/TC/dynamic-shapes.mlir):

    ```mlir
    tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<24x16xf64>, memref<16x32xf64>)
      outs(%C : memref<24x32xf64>)
      {dynamic_shape = #tc.dynamic_shape<multiples = 32, offset_bits = 32>}
    ```
  }];
  let options = [
    Option<"unknownOnly", "unknown-only", "bool", "false",
           "Leave contractions alone whose extents and strides are known">,
    ListOption<"representativeExtents", "representative-extents", "std::string",
           "Extents (m=4096,k=512) to choose schedules for where they are "
           "unknown at compile time">,
  ];
  let statistics = [
    Statistic<"numContractions", "num-contractions",
              "Contractions of dynamic shape, those of versions included">
  ];
}

def DispatchVersionsPass : Pass<"tc-dispatch-versions"> {
  let summary = "Chooses between kernels where shapes are known at run time";
  let description = [{
    A contraction of buffers whose extents or strides are known at run time only
    has by `--tc-dynamic-shapes` a kernel for every shape, which accesses single
    elements. This pass makes another contraction of it beside that, in whose
    `dynamic_shape` extents and strides are multiples of 8 (or what the
    representative ones have in common with that) and strides along last
    dimensions are one. Code of the host asks whether all of that holds, and
    whether base pointers are aligned to 16 bytes. The new contraction has no
    schedule yet; `--tc-tile` comes next.

    Example (test/Dialect/TC/dispatch-versions.mlir):

    ```mlir
    tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<?x64xf64>, memref<64x64xf64>)
      outs(%C : memref<?x64xf64>)
      {dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64, representative = {m = 512}>}
    // becomes
    scf.if %fits {
      tc.contract ... {dynamic_shape = #tc.dynamic_shape<multiples = 8, offset_bits = 64, representative = {m = 512}>}
    } else {
      tc.contract ... // as it was
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numDispatched", "num-dispatched",
              "Contractions that got a second one">
  ];
}

def FuseChainsPass : Pass<"tc-fuse-chains", "::mlir::ModuleOp"> {
  let summary = "Compute chains of contractions in one kernel";
  let description = [{
    Gives the contractions of each `tc.fused` that is a chain, each computing an
    input of the next one, schedules with which one kernel computes them all and keeps
    the tensors between them in shared memory. A tile then spans all indices that the next
    contraction sums over, so that this is for small ones; the last contraction may
    sum step by step, and over a `linalg.softmax`. Groups that have schedules stay as
    they are.

    The contractions of a `tc.fused` that share an input get schedules with which blocks of one kernel read one tile of that, and all else that
    their outputs need.

    With `find`, contractions on tensors that are producer and consumer, and then those that
    have an input in common, are put into groups where one kernel is predicted to be
    faster than one for each. Of the latter, that is all of them, or else those of them
    that make the group save the most, found one by one.
    Groups whose contractions have factors of two types stay as they are:
    `--tc-widen-inputs` comes first. With `explain`, what both are predicted to take is printed on standard error for each
    group and each chain that was looked at, or why one kernel is not possible.

    Example: test/Dialect/TC/fuse-chains.mlir
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"",
           "The GPU to schedule for, such as sm_90">,
    Option<"targetFile", "target-file", "std::string", /*default=*/"\"\"",
           "A JSON file with further targets">,
    Option<"find", "find", "bool", /*default=*/"false",
           "Look for chains that no group says">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "Print what is predicted of each chain">
  ];
  let statistics = [
    Statistic<"numChains", "chains", "Chains that became groups">,
    Statistic<"numSharedInputs", "shared-inputs",
              "Inputs whose products became groups">
  ];
}

def TileChainsPass : Pass<"tc-tile-chains"> {
  let summary = "Compute chains of contractions tile by tile";
  let description = [{
    For CPUs: contractions on tensors of which each takes what the one before
    computes, and softmaxes and elementwise operations of linalg between them, are
    computed a tile at a time, by loops over indices that all of them have in
    common. What is between them is as large as a tile then, and stays in
    the second cache, in place of going through memory. No tile is computed twice,
    and nothing is copied: contractions work on slices.

    Operations belong to a chain if only others of it use what they compute. A tile
    takes up to half of a core's second cache (`tile-bytes`). The index is cut along
    which the most bytes run, of equal ones the outermost of the result, and the next
    one where a tile of one element along it is too large. Its length divides the
    extent if some such length is more than half of the largest; else the last tile
    is shorter, and has code of its own.

    With `when=auto`, a chain is computed in tiles if what is between its operations
    does not fit, and the model does not predict that tiles take a tenth longer, as
    most gain more than it predicts; `always` leaves the
    prediction out, `never` leaves chains alone. With `explain`, it is printed on
    standard error of each chain what was predicted. Contractions with a
    schedule, on buffers and in a `tc.fused` stay as they are.

    Example (test/Dialect/TC/tile-chains.mlir):

    ```mlir
    %0 = tc.contract [e, l, m], [j, m] -> [e, l, j]
      ins(%U, %B : tensor<2000x10x10xf64>, tensor<12x10xf64>)
      outs(%t0 : tensor<2000x10x12xf64>) -> tensor<2000x10x12xf64>
    %1 = tc.contract [e, l, j], [i, l] -> [e, i, j]
      ins(%0, %A : tensor<2000x10x12xf64>, tensor<12x10xf64>)
      outs(%t1 : tensor<2000x12x12xf64>) -> tensor<2000x12x12xf64>
    // becomes
    %t = tensor.empty() : tensor<100x10x12xf64>
    %1 = scf.for %e = %c0 to %c2000 step %c100 iter_args(%v = %t1) -> (tensor<2000x12x12xf64>) {
      %u = tensor.extract_slice %U[%e, 0, 0] [100, 10, 10] [1, 1, 1] : ...
      %2 = tc.contract [e, l, m], [j, m] -> [e, l, j]
        ins(%u, %B : tensor<100x10x10xf64>, tensor<12x10xf64>)
        outs(%t : tensor<100x10x12xf64>) -> tensor<100x10x12xf64>
      %w = tensor.extract_slice %v[%e, 0, 0] [100, 12, 12] [1, 1, 1] : ...
      %3 = tc.contract [e, l, j], [i, l] -> [e, i, j]
        ins(%2, %A : tensor<100x10x12xf64>, tensor<12x10xf64>)
        outs(%w : tensor<100x12x12xf64>) -> tensor<100x12x12xf64>
      %4 = tensor.insert_slice %3 into %v[%e, 0, 0] [100, 12, 12] [1, 1, 1] : ...
      scf.yield %4 : tensor<2000x12x12xf64>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"targetFile", "target-file", "std::string", "\"\"",
           "JSON file with the CPU, instead of the one at hand">,
    Option<"when", "when", "std::string", "\"auto\"",
           "When to tile: auto, always or never">,
    Option<"tileBytes", "tile-bytes", "int64_t", "0",
           "Bytes that a tile may take; 0 for half of the second cache">,
    Option<"explain", "explain", "bool", "false",
           "Print on standard error what is predicted of each chain">,
  ];
  let statistics = [
    Statistic<"numChains", "num-chains", "Chains that are computed in tiles">,
  ];
}

def FuseReductionsPass : Pass<"tc-fuse-reductions"> {
  let summary = "Has kernels add up contractions that are only added up";
  let description = [{
    Finds contractions of whose result another operation adds up all elements,
    and which nothing else uses:

    $$ E = \sum_{I_C} e\Bigl(\alpha \sum A\, B\Bigr) $$

    That is a `linalg.reduce` over all dimensions, or a `linalg.generic` like it,
    which adds to zeros that a `linalg.fill` makes. The contraction, or the group
    that `--tc-fuse-accumulations` has made of a sum, and the reduction become one
    `tc.fused`. On buffers, C must be allocated for that, nothing may touch memory
    between the two, and groups stay
    as they are. Schedules are chosen then for a kernel that does both, which
    `--tc-outline-kernels` makes: the elements are never stored. They are added up
    in the type in which such elements are accumulated (f32 for f16), in an order
    that is the same for the same schedule, but is not specified.

    A contraction that reads C, be it by `beta` or in the epilogue, one of complex
    numbers and one that carries a schedule that loops over tiles or splits K stay as they
    are, and so does all code for CPUs.

    Example (test/Dialect/TC/fuse-reductions.mlir), the squared norm of a product:

    ```mlir
    %D = tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : tensor<64x32xf64>, tensor<32x48xf64>)
      outs(%C : tensor<64x48xf64>)
      epilogue {
      ^bb0(%p: f64, %o: f64):
        %square = arith.mulf %p, %p : f64
        tc.yield %square : f64
      } -> tensor<64x48xf64>
    %zero = linalg.fill ins(%f0 : f64) outs(%e : tensor<f64>) -> tensor<f64>
    %norm = linalg.reduce { arith.addf } ins(%D : tensor<64x48xf64>)
      outs(%zero : tensor<f64>) dimensions = [0, 1]
    // The contraction and the last operation are put into a tc.fused.
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numReductions", "num-reductions", "Contractions not stored">
  ];
}

def InlineFusedPass : Pass<"tc-inline-fused"> {
  let summary = "Puts contractions of groups back where the groups are";
  let description = [{
    Replaces each `tc.fused` by what its region holds, so that each contraction
    stands by itself: for machines and lowerings that make nothing of groups.
    Sums that a contraction adds to are rounded to C's type then.
  }];
}

def DissolveGroupsPass : Pass<"tc-dissolve-groups"> {
  let summary = "Takes groups apart that cannot be one kernel";
  let description = [{
    Replaces each `tc.fused` that is `dissolvable` by what its region holds, without
    schedules, if it cannot be one kernel; a remark says why. `--tc-outline-kernels`
    asks the same, and refuses what this leaves. Groups are made on tensors, where one may
    be possible that buffers rule out: of a chain, the buffer between producer and
    consumer may be used by what stands elsewhere. Contractions get schedules of their own
    then (`--tc-tile`), and a softmax between them is decomposed.

    Example: test/Dialect/TC/dissolve-groups.mlir
  }];
  let statistics = [
    Statistic<"numDissolved", "groups", "Groups that were taken apart">
  ];
}

def DecomposeSoftmaxPass : Pass<"tc-decompose-softmax"> {
  let summary = "Writes softmaxes as reductions and elementwise code";
  let description = [{
    Replaces each `linalg.softmax` that is not in a `tc.fused` by what it stands for:
    the maximum of each row, the exponentials of what is less by that, their
    sum, and the quotients. Upstream's passes lower these, but not the softmax.

    Example (test/Dialect/TC/decompose-softmax.mlir):

    ```mlir
    %P = linalg.softmax dimension(1) ins(%S : tensor<8x12xf32>)
        outs(%T : tensor<8x12xf32>) -> tensor<8x12xf32>
    ```

    becomes two `linalg.generic` that reduce, one that exponentiates and one that
    divides. On buffers, it does so by way of tensors, which are bufferized again.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseAccumulationsPass : Pass<"tc-fuse-accumulations"> {
  let summary = "Has one kernel add up contractions that add to one another's C";
  let description = [{
    Finds chains of contractions, each of which but the first adds to what the
    one before has computed:

    $$ D = \sum_i \alpha_i A_i B_i + \beta\, C $$

    Their index lists may differ in which indices of C are M and which are N, and
    what these are called. Where the model predicts that one kernel, which keeps
    sums in registers from term to term and stores them once, is faster than one
    for each, the contractions get the schedules of that kernel and are put into
    a `tc.fused`, of which `--tc-outline-kernels` makes one kernel. A chain of
    more than `most-terms` becomes several kernels. If the result is only added
    up, as `--tc-fuse-reductions` has it, the one kernel is taken not to store
    it. A `tc.fused` that is there already, whose contractions have no schedules
    yet, gets those of one kernel, whatever the model predicts.

    The contractions of a chain are moved to its last. A contraction
    stays by itself if its result has other uses; if it carries a schedule; if
    it has a semiring other than plus_times, complex numbers, or an alpha that is
    zero or not a constant; if a later one has a beta other than the constant
    one; or if an earlier one has an epilogue or the last one's uses the old
    elements of C. C is rounded to its type once, at the end.

    Example (test/Dialect/TC/fuse-accumulations.mlir):

    ```mlir
    %0 = tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : tensor<64x32xf64>, tensor<32x64xf64>)
      outs(%C : tensor<64x64xf64>) -> tensor<64x64xf64>
    %1 = tc.contract [n, k], [k, m] -> [m, n]
      ins(%E, %F : tensor<64x32xf64>, tensor<32x64xf64>)
      outs(%0 : tensor<64x64xf64>) beta(%one : f64) -> tensor<64x64xf64>
    // Both are put into a tc.fused, with schedules.
    ```
  }];
  let dependentDialects = ["::mlir::DLTIDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"",
           "Name of the target to choose schedules for">,
    Option<"targetFile", "target-file", "std::string", "\"\"",
           "JSON file with the target to choose schedules for, which is then "
           "described on the module">,
    Option<"maxTerms", "most-terms", "unsigned", "32",
           "Most contractions of one kernel">,
  ];
  let statistics = [
    Statistic<"numSums", "num-sums", "Number of kernels for several terms">,
    Statistic<"numTerms", "num-terms", "Number of their terms">,
  ];
}

def TilePass : Pass<"tc-tile"> {
  let summary = "Chooses a schedule for every contraction";
  let description = [{
    Writes the attribute `schedule` on every `tc.contract` that has none: the one
    that the search over the model of the target finds best, or the one given by
    the option `schedule`. An operation that carries a schedule keeps it.

    Every schedule, whoever wrote it, is checked against the target that it
    names. One that cannot be obeyed is an error that says which constraint it
    breaks. Operations with an index of extent zero need no schedule and get
    none; unknown extents and strides are an error.

    With `representative-extents`, a schedule is chosen, checked and explained as
    if indices whose extent is unknown at compile time had the one given there:

    ```mlir
    // tc-opt --tc-tile="representative-extents=m=4096,k=512"
    %D = tc.contract [m, k], [k, n] -> [m, n]
           ins(%A, %B : tensor<?x?xf32>, tensor<?x256xf32>)
           outs(%C : tensor<?x256xf32>) -> tensor<?x256xf32>
    ```

    Targets are those that an enclosing module describes in
    `dlti.target_system_spec` and those that are built in. With `target-file`, the
    target is read from a JSON file and described on the module, so that later
    passes and tools find it.

    With `refine=8`, the eight best schedules of the search are compiled down to
    machine code, with other block or register tiles each, and the one is taken
    whose time, predicted from that, is least. That needs ptxas and nvdisasm, and
    seconds rather than milliseconds. Schedules of sums of contractions that one
    kernel adds up, which another pass chooses, stay. The test
    `test/Dialect/TC/tile_refine.mlir` shows it.

    With `tuned`, the schedule is taken that the database in that file, which
    `tc-tune` fills, has found best for the contraction and the target. A remark
    says so, or says that there is none, or none that can be obeyed, and that the
    search or the judgement of `refine` has chosen. A database that cannot be
    read is an error. The test `test/Dialect/TC/tile_tuned.mlir` shows it.

    With `explain`, why each schedule was chosen and others were not is printed
    on standard error; `explain-html` and `explain-json` write the same to files,
    one for all operations that the pass runs on. Schedules that were there or
    that `schedule` gives are explained beside what the search would choose.
  }];
  let dependentDialects = ["::mlir::DLTIDialect", "::mlir::func::FuncDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"",
           "Name of the target to search a schedule for">,
    Option<"targetFile", "target-file", "std::string", "\"\"",
           "JSON file with the target to search a schedule for, which is then "
           "described on the module">,
    Option<"schedule", "schedule", "std::string", "\"\"",
           "Schedule to write instead of searching one, in the syntax of "
           "#tc.schedule<...>, with or without its name">,
    ListOption<"representativeExtents", "representative-extents", "std::string",
           "Extents (m=4096,k=512) to choose schedules for where they are "
           "unknown at compile time">,
    Option<"refine", "refine", "unsigned", "1",
           "Best schedules of the search to compile to machine code, of which the "
           "one is taken that is predicted from it to be fastest">,
    Option<"tuned", "tuned", "std::string", "\"\"",
           "Tuning database to take schedules from before any are searched">,
    Option<"explain", "explain", "bool", "false",
           "Print on standard error why each schedule was chosen">,
    Option<"explainHtml", "explain-html", "std::string", "\"\"",
           "File to write the explanations to as a page with pictures">,
    Option<"explainJson", "explain-json", "std::string", "\"\"",
           "File to write the explanations to as JSON">,
    Option<"runnersUp", "runners-up", "unsigned", "5",
           "Schedules to explain beside each chosen one">,
  ];
  let statistics = [
    Statistic<"numScheduled", "num-scheduled",
              "Number of contractions that got a schedule">,
  ];
}

def TileCpuPass : Pass<"tc-tile-cpu"> {
  let summary = "Chooses a CPU schedule for every contraction";
  let description = [{
    Writes `cpu_schedule` on every `tc.contract` that has none: the schedule
    that the model finds for the CPU at hand, or for the one that `target-file`
    describes, and for up to `threads` threads, or the one given by the option
    `schedule`, which says itself for how many it is. An operation that
    carries one keeps it. Every schedule is checked; one that cannot be obeyed is
    an error that says which constraint it breaks. Operations with an index of
    extent zero get none, nor do those of which an extent or a stride is unknown:
    these are left to `--tc-call-runtime`.

    `strategy` says how contractions are computed: `gett` as they are, `ttgt` by
    transpositions and a matrix product, `loop_over_gemm` by loops over matrix products of
    slices, `direct` by loops that load elements from where they lie, `library` by a
    call of `libtc_cpu_runtime`, `auto` as the model finds fastest, which is `library`
    with `library-calls` and for the CPU at hand only. It is an error if the strategy
    cannot be used: `loop_over_gemm` needs a matrix product that has the indices of stride
    one of all tensors, `direct` an index of stride one and no prologue, `library` neither prologue nor epilogue nor another semiring, and the copies of `ttgt` may take up to `workspace-limit`
    bytes. A given schedule is held against that limit, too.

    With `tuned`, the schedule is taken that the database in that file has found
    best for the contraction, the CPU and `threads`, as with `--tc-tile`. One of
    another strategy than the one that is asked for, or whose copies exceed the
    limit, cannot be obeyed.
  }];
  let options = [
    Option<"targetFile", "target-file", "std::string", "\"\"",
           "JSON file with the CPU to choose schedules for">,
    Option<"strategy", "strategy", "std::string", "\"auto\"",
           "Strategy to compute by: auto, gett, ttgt, loop_over_gemm, direct or "
           "library">,
    Option<"libraryCalls", "library-calls", "bool", "false",
           "Whether libtc_cpu_runtime, which code then needs, may be called for "
           "contractions that it is predicted to compute faster">,
    Option<"workspaceLimit", "workspace-limit", "int64_t", "-1",
           "Most bytes that the copies of ttgt may take; -1 for any">,
    Option<"schedule", "schedule", "std::string", "\"\"",
           "Schedule to write instead of choosing one, in the syntax of "
           "#tc.cpu_schedule<...>, with or without its name">,
    Option<"tuned", "tuned", "std::string", "\"\"",
           "Tuning database to take schedules from before any are chosen">,
    Option<"threads", "threads", "int64_t", "1",
           "Threads that chosen schedules may use">,
  ];
}

#endif // TC_DIALECT_TC_TRANSFORMS_PASSES_TD
