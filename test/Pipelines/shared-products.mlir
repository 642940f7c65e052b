// Two operations of many tensors whose trees have a subtree in common, which is
// computed once, and one with a single input: the same numbers by either
// pipeline's first passes and without them.

// DEFINE: %{to-llvm} = -convert-linalg-to-loops -expand-strided-metadata -lower-affine -convert-scf-to-cf -convert-vector-to-llvm -finalize-memref-to-llvm -convert-func-to-llvm -convert-math-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so
// DEFINE: %{bufferize} = -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map"

// RUN: tc-opt %s -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s -tc-order -tc-share-contractions -convert-tc-to-linalg %{bufferize} %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s -tc-order -convert-tc-to-linalg %{bufferize} %{to-llvm} | %{run} | FileCheck %s

// The product of A and B, two with it, and the sum are a kernel each, or the two
// that share it are one.
// RUN: tc-opt %s -tc-gpu-pipeline=fuse-chains=false | FileCheck %s --check-prefix=APART
// APART-COUNT-4: gpu.func
// APART-NOT: gpu.func
// RUN: tc-opt %s -tc-gpu-pipeline | FileCheck %s --check-prefix=GPU
// GPU-COUNT-3: gpu.func
// GPU-NOT: gpu.func
// RUN: tc-opt %s -tc-cpu-pipeline=outline | FileCheck %s --check-prefix=CPU
// CPU-COUNT-4: func.func @main_contraction{{.*}}(
// CPU-NOT: func.func @main_contraction

// A * B is [[7, 6], [2, 5], [-3, 4]].
// CHECK: {{^[[ ]*}}11{{, +}}16{{ *\]}}
// CHECK: {{^[[ ]*}}-11{{, +}}7{{ *\]}}
// CHECK: {{^[[ ]*}}19{{, +}}12{{, +}}5{{ *\]}}
// CHECK: {{^[[ ]*}}5{{, +}}1{{ *\]}}

func.func private @printMemrefF64(%values: memref<*xf64>) attributes {llvm.emit_c_interface}

func.func @main() {
  %A = arith.constant dense<[[1.0, 2.0], [0.0, 1.0], [-1.0, 0.0]]> : tensor<3x2xf64>
  %B = arith.constant dense<[[3.0, -4.0], [2.0, 5.0]]> : tensor<2x2xf64>
  %C = arith.constant dense<[[1.0, 0.0], [2.0, -1.0], [0.0, 3.0]]> : tensor<3x2xf64>
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %out0 = tensor.empty() : tensor<2x2xf64>
  %0 = tc.einsum [i, j], [j, k], [i, l] -> [l, k]
         ins(%A, %B, %C : tensor<3x2xf64>, tensor<2x2xf64>, tensor<3x2xf64>)
         outs(%out0 : tensor<2x2xf64>) path = [[0, 1], [0, 1]] -> tensor<2x2xf64>
  %out1 = tensor.empty() : tensor<3xf64>
  %1 = tc.einsum [k], [b, k], [a, b] -> [a]
         ins(%x, %B, %A : tensor<2xf64>, tensor<2x2xf64>, tensor<3x2xf64>)
         outs(%out1 : tensor<3xf64>) path = [[1, 2], [0, 1]] -> tensor<3xf64>
  %out2 = tensor.empty() : tensor<2xf64>
  %2 = tc.einsum [j, k] -> [k] ins(%B : tensor<2x2xf64>) outs(%out2 : tensor<2xf64>) -> tensor<2xf64>
  %buffer0 = bufferization.to_buffer %0 : tensor<2x2xf64> to memref<2x2xf64>
  %unranked0 = memref.cast %buffer0 : memref<2x2xf64> to memref<*xf64>
  call @printMemrefF64(%unranked0) : (memref<*xf64>) -> ()
  %buffer1 = bufferization.to_buffer %1 : tensor<3xf64> to memref<3xf64>
  %unranked1 = memref.cast %buffer1 : memref<3xf64> to memref<*xf64>
  call @printMemrefF64(%unranked1) : (memref<*xf64>) -> ()
  %buffer2 = bufferization.to_buffer %2 : tensor<2xf64> to memref<2xf64>
  %unranked2 = memref.cast %buffer2 : memref<2xf64> to memref<*xf64>
  call @printMemrefF64(%unranked2) : (memref<*xf64>) -> ()
  return
}
