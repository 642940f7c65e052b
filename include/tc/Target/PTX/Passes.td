//===- Passes.td - Code for GPUs inside of a module --------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the pass that compiles kernels where they are launched.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_PTX_PASSES_TD
#define TC_TARGET_PTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def TCKernelsToBinary : Pass<"tc-kernels-to-binary", "::mlir::ModuleOp"> {
  let summary = "Compile contraction kernels into a gpu.binary";
  let description = [{
    Replaces the `gpu.module` with the kernels that `--tc-to-gpu` has made by a
    `gpu.binary` of the same name, which holds their PTX or, with `format=cubin`,
    machine code from `ptxas`. It is the code that `tc-translate --tc-to-ptx`
    writes.

    Memory of the host's code that is marked as global memory of the GPU loses
    that mark: upstream's `gpu-to-llvm` knows one kind of pointers only. Kernels
    take bare pointers, so it needs `use-bare-pointers-for-kernels`.

    A module without such kernels stays as it is. Errors: kernels in several
    `gpu.module` operations or for several targets, and what `ptxas` says.

    Example (test/Target/PTX/kernels-to-binary.mlir):

    ```mlir
    gpu.binary @tc_kernels [#gpu.object<
      #nvvm.target<O = 3, chip = "sm_90">,
      properties = {O = 3 : i32}, assembly = "...">]
    func.func @matmul(%a: memref<64x32xf64>, ...) {
      gpu.launch_func @tc_kernels::@matmul blocks in (%c6, %c1, %c1)
        threads in (%c128, %c1, %c1) dynamic_shared_memory_size %shared
        args(%a : memref<64x32xf64>, ...)
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", "\"ptx\"",
           "What the binary holds: ptx, which the driver compiles when it loads "
           "it, or cubin">
  ];
}

#endif // TC_TARGET_PTX_PASSES_TD
