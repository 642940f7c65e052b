// Upstream's mlir-opt, with the project as a plugin, raises, chooses schedules
// and lowers for GPUs and CPUs.

// REQUIRES: plugin
// DEFINE: %{plugin} = --load-dialect-plugin=%tc-plugin --load-pass-plugin=%tc-plugin

// RUN: mlir-opt %s %{plugin} --pass-pipeline='builtin.module(convert-linalg-to-tc,tc-collapse-indices,tc-tile{target=sm_90})' \
// RUN:   | FileCheck %s --check-prefix=TILED
// TILED: tc.contract [b, m, k], [b, n, k] -> [b, m, n]
// TILED-SAME: schedule = #tc.schedule<target = "sm_90"

// RUN: mlir-opt %s %{plugin} --pass-pipeline='builtin.module(convert-linalg-to-tc,tc-gpu-pipeline{target=sm_90})' \
// RUN:   | FileCheck %s --check-prefix=GPU
// GPU: gpu.module
// GPU: gpu.func @scores
// GPU-SAME: #tc.kernel<
// GPU: nvvm.mma
// GPU: func.func @scores
// GPU: gpu.launch_func

// RUN: mlir-opt %s %{plugin} --pass-pipeline='builtin.module(convert-linalg-to-tc,tc-cpu-pipeline)' \
// RUN:   | FileCheck %s --check-prefix=CPU
// CPU-LABEL: func.func @scores
// CPU: scf.for
// CPU: vector.fma
// CPU-NOT: tc.contract

// RUN: mlir-opt %s %{plugin} --pass-pipeline='builtin.module(convert-linalg-to-tc,convert-tc-to-linalg)' \
// RUN:   | FileCheck %s --check-prefix=BACK
// BACK: linalg.contract

// The compiled code runs, with other code around it.
// DEFINE: %{to-llvm} = func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-vector-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts
// RUN: mlir-opt %S/../../Pipelines/linalg-cpu.mlir %{plugin} --pass-pipeline='builtin.module(convert-linalg-to-tc,tc-cpu-pipeline,%{to-llvm})' \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %S/../../Pipelines/linalg-cpu.mlir

// Scripts in the transform dialect know the project's operations.
// RUN: mlir-opt %S/../../Dialect/TC/transform.mlir %{plugin} --pass-pipeline='builtin.module(transform-interpreter)' --split-input-file \
// RUN:   | FileCheck %S/../../Dialect/TC/transform.mlir

// Errors are the project's.
// RUN: not mlir-opt %s %{plugin} --pass-pipeline='builtin.module(convert-linalg-to-tc,tc-tile{target=sm_1})' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR
// ERROR: error: option 'target': unknown target 'sm_1'

func.func @scores(%q: tensor<8x512x64xf64>, %k: tensor<8x384x64xf64>) -> tensor<8x512x384xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<8x512x384xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<8x512x384xf64>) -> tensor<8x512x384xf64>
  %s = linalg.contract
    indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>,
                     affine_map<(h, i, j, d) -> (h, i, j)>]
    ins(%q, %k : tensor<8x512x64xf64>, tensor<8x384x64xf64>)
    outs(%init : tensor<8x512x384xf64>) -> tensor<8x512x384xf64>
  return %s : tensor<8x512x384xf64>
}
