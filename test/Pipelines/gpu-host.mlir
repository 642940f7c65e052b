// A program with host code around its contractions is lowered completely: the
// project compiles the kernels, upstream the rest, and it runs on
// libtc_cuda_runtime. Here the driver's device is the simulator.

// REQUIRES: plugin
// DEFINE: %{to-llvm} = --pass-pipeline='builtin.module(func.func(gpu-async-region,convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,gpu-to-llvm{use-bare-pointers-for-kernels=1},convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)'
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so,%tc-cuda-runtime

// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_90 --tc-kernels-to-binary | tc-opt %{to-llvm} -o %t.llvm.mlir
// RUN: env LD_LIBRARY_PATH=%fake-cuda %{run} %t.llvm.mlir | FileCheck %s

// Upstream's mlir-opt does the same with the plugin.
// RUN: mlir-opt %s --load-dialect-plugin=%tc-plugin --load-pass-plugin=%tc-plugin --pass-pipeline='builtin.module(tc-gpu-pipeline{target=sm_90},tc-kernels-to-binary)' \
// RUN:   | mlir-opt %{to-llvm} | env LD_LIBRARY_PATH=%fake-cuda %{run} | FileCheck %s

// The host's code makes the workspace of blocks that share sums.
// RUN: tc-opt %s '--tc-gpu-pipeline=schedule={target = "sm_90", m = [m: 4], n = [n: 5], k = [k: 2], register = [1, 1], split_k = 2}' --tc-kernels-to-binary \
// RUN:   | tc-opt %{to-llvm} -o %t.split.mlir
// RUN: FileCheck %s --check-prefix=SPLIT < %t.split.mlir
// SPLIT: llvm.call @mgpuMemset32
// RUN: env LD_LIBRARY_PATH=%fake-cuda %{run} %t.split.mlir | FileCheck %s

// Without a driver, the program ends with an error that names it.
// RUN: not %{run} %t.llvm.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: libtc_cuda_runtime: error: mgpuModuleLoadJIT: no CUDA driver: libcuda.so.1: cannot open shared object file

// a[m,k] = m + k and b[k,n] = k n, so that the sum over k from 0 to 3 is
// n (6 m + 14); the host has put 100 into c, which is added.
// CHECK: {{\[\[}}100, 114, 128, 142, 156],
// CHECK-NEXT: {{^ *\[}}100, 120, 140, 160, 180],
// CHECK-NEXT: {{^ *\[}}100, 126, 152, 178, 204],
// CHECK-NEXT: {{^ *\[}}100, 132, 164, 196, 228{{\]\]}}

#rows = affine_map<(i, j) -> (i, j)>

func.func @main() {
  %a = memref.alloc() : memref<4x4xf64>
  %b = memref.alloc() : memref<4x5xf64>
  %c = memref.alloc() : memref<4x5xf64>
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%a : memref<4x4xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %sum = arith.addi %i, %j : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%b : memref<4x5xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %product = arith.muli %i, %j : index
    %int = arith.index_cast %product : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  %hundred = arith.constant 100.0 : f64
  linalg.fill ins(%hundred : f64) outs(%c : memref<4x5xf64>)
  %da = gpu.alloc () : memref<4x4xf64>
  %db = gpu.alloc () : memref<4x5xf64>
  %dc = gpu.alloc () : memref<4x5xf64>
  gpu.memcpy %da, %a : memref<4x4xf64>, memref<4x4xf64>
  gpu.memcpy %db, %b : memref<4x5xf64>, memref<4x5xf64>
  gpu.memcpy %dc, %c : memref<4x5xf64>, memref<4x5xf64>
  %one = arith.constant 1.0 : f64
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%da, %db : memref<4x4xf64>, memref<4x5xf64>) outs(%dc : memref<4x5xf64>) beta(%one : f64)
  gpu.memcpy %c, %dc : memref<4x5xf64>, memref<4x5xf64>
  gpu.dealloc %da : memref<4x4xf64>
  gpu.dealloc %db : memref<4x5xf64>
  gpu.dealloc %dc : memref<4x5xf64>
  %any = memref.cast %c : memref<4x5xf64> to memref<*xf64>
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  return
}
func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
