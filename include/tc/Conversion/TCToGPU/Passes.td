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
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
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
    denotes: the block's origins from its number, a pipelined loop over the tiles
    along K, and `tc.store_tile`. Shared memory holds as many pairs of shared tiles as
    the schedule has stages: a step waits for its tile and for the other
    threads (`tc.wait_for_tiles`), starts `tc.copy_tile` of the tile that is `stages - 1`
    steps ahead into the shared tiles that the last step has read, and does
    `tc.multiply_tiles`. What cannot be copied asynchronously is loaded by
    `tc.load_tile_from_global` before the multiplication and stored by `tc.store_tile_to_shared`
    after it.

    A function whose `tc.kernel` has `terms` holds a contraction for each, and
    last its own: their loops stand one after the other, each adding to the sums
    of those before, which `tc.convert_accumulators` brings to the threads that want
    them where layouts differ. Where the factors `alpha` differ, sums are
    multiplied by their ratio in between.

    If an operand is stationary, the loop is over the tiles along the other
    side instead. Where blocks share sums, each goes through its part of the K
    tiles, and the block for which `tc.store_partial_sums` holds stores what
    `tc.add_partial_sums` yields.

    Example: test/Conversion/TCToGPU/materialize-loop-nest.mlir and
    test/Conversion/TCToGPU/block-tiles.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def TCLowerTileCopies
    : Pass<"tc-lower-tile-copies", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the fetching and depositing of tiles";
  let description = [{
    Expands `tc.load_tile_from_global` into one vector load an access, guarded where the
    access may leave the tensor or the tile, and `tc.store_tile_to_shared` into stores to
    the shared tile: vectors where neighbours stay neighbours, or where halves of
    several accesses are neighbours there, single elements where the tile is
    transposed otherwise. On the way, 8-bit floats become halves where the
    instruction multiplies those. `tc.copy_tile` becomes `nvgpu.device_async_copy`,
    which writes zeros for what is outside the tensor.

    An element's offset is the sum of a part that depends on the block and the
    thread only and of a part that depends on the K tile only, so the former
    leaves the loop. Accesses of one thread differ by constants wherever the
    number of threads splits the tile's extents evenly.

    Example: test/Conversion/TCToGPU/lower-tile-copies.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def TCLowerTileWaits
    : Pass<"tc-lower-tile-waits", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the waits for shared tiles";
  let description = [{
    Expands `tc.group_copies` into `nvvm.cp.async.commit.group`, and
    `tc.wait_for_tiles` into `nvvm.cp.async.wait.group`, if there are asynchronous copies,
    and `gpu.barrier`. Loops carry no tokens any more. The operations that read tiles are
    expanded before: each demands tiles that were waited for.

    Example: test/Conversion/TCToGPU/lower-tile-waits.mlir
  }];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"
  ];
}

def TCLowerMultiplyTiles
    : Pass<"tc-lower-multiply-tiles", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the multiplication of shared tiles into outer products";
  let description = [{
    Expands `tc.multiply_tiles`: for every step along K, vector loads of the
    thread's fragments of A and B, and one fused multiply-add for each pair of
    them or, where the schedule's instruction is a matrix instruction, calls of
    `llvm.nvvm.mma.*`. Steps are unrolled until the body holds `max-unrolled`
    instructions that multiply, beyond which code grows but does not run faster;
    further steps are trips of a loop.

    Example: test/Conversion/TCToGPU/lower-multiply-tiles.mlir
  }];
  let options = [
    Option<"maxUnrolled", "max-unrolled", "int64_t", "1024",
           "Most instructions that multiply to unroll">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def TCLowerConvertAccumulators
    : Pass<"tc-lower-convert-accumulators", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the conversion of accumulators between terms";
  let description = [{
    Expands `tc.convert_accumulators`: each thread stores its sums to shared memory as
    the term before has them and, after a barrier, loads those that it has of the
    next term. A sum's place is its number in the tile of C, each bit of which
    flips some of those that number the banks: such ones that words which a warp
    stores or loads at once have no bank conflicts, whatever the indices of C along
    which its lanes lie.

    Example: test/Conversion/TCToGPU/lower-convert-accumulators.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"
  ];
}

def TCLowerStoreAccumulators
    : Pass<"tc-lower-store-accumulators", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the storing of accumulators to a shared tile";
  let description = [{
    Expands `tc.store_accumulators_to_shared`: each thread multiplies its sums by
    alpha, applies the code between the two contractions, rounds, and stores each
    element to its place in the next one's shared tile.
    If that is summed over and its tile reaches over the extent, there are zeros.

    Example: test/Conversion/TCToGPU/lower-store-accumulators.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def TCLowerRowStatistics
    : Pass<"tc-lower-row-statistics", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the steps of a softmax";
  let description = [{
    Expands `tc.exponentiate_accumulators`, `tc.store_row_reciprocals` and
    `tc.rescale_accumulators`. The threads that have elements of a row combine their
    maxima, or their sums, by shuffles in a warp and by way of shared memory between
    warps. Exponentials are powers of two, which the hardware has.

    Example: test/Conversion/TCToGPU/lower-row-statistics.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def TCLowerStoreTile
    : Pass<"tc-lower-store-tile", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the storing or adding up of accumulators";
  let description = [{
    Expands `tc.store_tile`: alpha and beta are applied, and neighbours along C's
    stride-one index are stored as vectors, guarded where the tile may leave the
    tensor. C is only loaded where there is a beta. Likewise `tc.reduce_tile`,
    which adds up what would be stored. Empty inline PTX keeps fused multiply-adds
    that are in no loop from being sunk into what is guarded.

    Example: test/Conversion/TCToGPU/lower-store-tile.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def TCLowerReduceBlocks
    : Pass<"tc-lower-reduce-blocks", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the sum of what all threads have";
  let description = [{
    Expands `tc.reduce_blocks`. Threads store their sums to shared memory and add
    them up in rounds, those of the upper half to those of the lower. The first
    thread stores the block's sum to the workspace and counts the block in, as
    blocks that share the sum of a tile do. The threads of the last block add up
    one in as many of all blocks' sums as they are, then their sums in rounds as
    before, and the first one stores the total.

    Example: test/Conversion/TCToGPU/lower-reduce-blocks.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def TCLowerPartialSums
    : Pass<"tc-lower-partial-sums", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand the sharing of a tile's sum among blocks";
  let description = [{
    Expands `tc.store_partial_sums` and `tc.add_partial_sums`. Each thread of a block stores
    its partial sums to the block's place in the workspace. After a barrier, the
    first thread counts the block in, with an atomic increment of the tile's
    counter between two fences; that orders the stores of all threads before the
    loads of the block that is the last. The increment wraps around at the number
    of parts, so that the counters are zero again when the kernel has ended. The
    last block adds up the parts in their order, its own among them, so that
    equal input gives equal bits whichever block is the last.

    Example: test/Conversion/TCToGPU/lower-partial-sums.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // TC_CONVERSION_TCTOGPU_PASSES_TD
