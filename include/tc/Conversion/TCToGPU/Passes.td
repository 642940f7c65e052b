//===- Passes.td - From contractions to GPU kernels --------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that take a scheduled contraction to a kernel in the gpu,
// scf, vector and memref dialects, one step each.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOGPU_PASSES_TD
#define TC_CONVERSION_TCTOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def TCOutlineKernels : Pass<"tc-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move scheduled contractions into GPU functions";
  let description = [{
    Replaces each `tc.contract` on buffers by a `gpu.launch_func` of a new
    function in a `gpu.module`, which holds the contraction and carries
    `#tc.kernel`. Grid, block and shared memory follow from the schedule.
    Constant `alpha` and `beta` become part of the kernel, others its arguments.

    A contraction of which some extent is zero launches nothing: what remains of
    it, `C = beta * C`, is done in place.

    Errors: a contraction on tensors (bufferize first), without a schedule, with
    run-time extents or strides, or with a schedule that cannot be obeyed.

    Example (test/Conversion/TCToGPU/outline-kernels.mlir):

    ```mlir
    tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>)
        outs(%C : memref<64x48xf64>) {schedule = #tc.schedule<...>}
    ```

    becomes

    ```mlir
    gpu.launch_func @tc_kernels::@matmul blocks in (%c6, %c1, %c1)
        threads in (%c64, %c1, %c1) dynamic_shared_memory_size %c3072_i32
        args(%a : memref<64x32xf64, #gpu.address_space<global>>, ...)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of kernels made">
  ];
}

def TCMaterializeLoopNest
    : Pass<"tc-materialize-loop-nest", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn a kernel's contraction into its loop over tiles";
  let description = [{
    Replaces the `tc.contract` of each kernel by the loop nest that its schedule
    denotes: the block's origins from its number, a loop over the tiles along K
    in which `tc.fetch_tile`, `tc.deposit_tile` and `tc.multiply_panels` run
    between barriers, and `tc.store_tile`. The fetch of the next tile is issued
    before the multiplication of the present one, so that it is under way
    meanwhile.

    Example: test/Conversion/TCToGPU/materialize-loop-nest.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def TCLowerTileCopies
    : Pass<"tc-lower-tile-copies", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the fetching and depositing of tiles";
  let description = [{
    Expands `tc.fetch_tile` into one vector load an access, guarded where the
    access may leave the tensor or the tile, and `tc.deposit_tile` into stores to
    the panel: vectors where neighbours stay neighbours, single elements where
    the tile is transposed.

    An element's offset is the sum of a part that depends on the block and the
    thread only and of a part that depends on the K tile only, so the former
    leaves the loop. Accesses of one thread differ by constants wherever the
    number of threads splits the tile's extents evenly.

    Example: test/Conversion/TCToGPU/lower-tile-copies.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def TCLowerMultiplyPanels
    : Pass<"tc-lower-multiply-panels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the multiplication of panels into outer products";
  let description = [{
    Expands `tc.multiply_panels`: for every row of the panels, vector loads of
    the thread's elements of A and B and one fused multiply-add for each pair of
    them. Rows are unrolled until the body holds `max-unrolled` multiply-adds of
    a thread, beyond which code grows but does not run faster; further rows are
    trips of a loop.

    Example: test/Conversion/TCToGPU/lower-multiply-panels.mlir
  }];
  let options = [
    Option<"maxUnrolled", "max-unrolled", "int64_t", "1024",
           "Most multiply-adds of one thread to unroll">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def TCLowerStoreTile
    : Pass<"tc-lower-store-tile", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the storing of accumulators";
  let description = [{
    Expands `tc.store_tile`: alpha and beta are applied, and neighbours along C's
    stride-one index are stored as vectors, guarded where the tile may leave the
    tensor. C is only loaded where there is a beta.

    Example: test/Conversion/TCToGPU/lower-store-tile.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // TC_CONVERSION_TCTOGPU_PASSES_TD
