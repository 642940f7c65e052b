// DEFINE: %{to-llvm} = -convert-linalg-to-loops -expand-strided-metadata -lower-affine -convert-scf-to-cf -convert-vector-to-llvm -finalize-memref-to-llvm -convert-math-to-llvm -convert-func-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so
// RUN: tc-opt %s -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s -tc-inline-fused -tc-tile-chains="when=always tile-bytes=30" | FileCheck %s --check-prefix=TILES
// RUN: tc-opt %s -tc-inline-fused -tc-tile-chains="when=always tile-bytes=30" -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s

// On CPUs, a softmax between two contractions is computed by itself, on tensors and on
// buffers. Scores of 0 and 0 have the weights 1/2 and 1/2; of 0 and ln 3, 1/4 and 3/4.

// Row by row, it is the same.

// TILES: scf.for
// TILES: linalg.softmax {{.*}} tensor<1x2xf32>

// CHECK-COUNT-2: {{\[\[}}6, 60],{{ *[[:space:]] *}}[7, 70]]

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @attention(%Q: tensor<2x1xf32>, %K: tensor<2x1xf32>, %V: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %t = tensor.empty() : tensor<2x2xf32>
  %O = tc.fused -> tensor<2x2xf32> {
    %0 = tc.contract [q, d], [k, d] -> [q, k] ins(%Q, %K : tensor<2x1xf32>, tensor<2x1xf32>) outs(%t : tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = linalg.softmax dimension(1) ins(%0 : tensor<2x2xf32>) outs(%t : tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = tc.contract [q, k], [k, d] -> [q, d] ins(%1, %V : tensor<2x2xf32>, tensor<2x2xf32>) outs(%t : tensor<2x2xf32>) -> tensor<2x2xf32>
    tc.fused_yield %2 : tensor<2x2xf32>
  }
  return %O : tensor<2x2xf32>
}

func.func @on_buffers(%Q: memref<2x1xf32>, %K: memref<2x1xf32>, %V: memref<2x2xf32>, %O: memref<2x2xf32>) {
  %S = memref.alloc() : memref<2x2xf32>
  tc.fused {
    tc.contract [q, d], [k, d] -> [q, k] ins(%Q, %K : memref<2x1xf32>, memref<2x1xf32>) outs(%S : memref<2x2xf32>)
    linalg.softmax dimension(1) ins(%S : memref<2x2xf32>) outs(%S : memref<2x2xf32>)
    tc.contract [q, k], [k, d] -> [q, d] ins(%S, %V : memref<2x2xf32>, memref<2x2xf32>) outs(%O : memref<2x2xf32>)
  }
  return
}

func.func @main() {
  %Q = arith.constant dense<[[0.0], [1.0986123]]> : tensor<2x1xf32>
  %K = arith.constant dense<[[0.0], [1.0]]> : tensor<2x1xf32>
  %V = arith.constant dense<[[4.0, 40.0], [8.0, 80.0]]> : tensor<2x2xf32>
  %O = call @attention(%Q, %K, %V) : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %o = bufferization.to_buffer %O : tensor<2x2xf32> to memref<2x2xf32>
  %first = memref.cast %o : memref<2x2xf32> to memref<*xf32>
  call @printMemrefF32(%first) : (memref<*xf32>) -> ()
  %q = bufferization.to_buffer %Q : tensor<2x1xf32> to memref<2x1xf32>
  %k = bufferization.to_buffer %K : tensor<2x1xf32> to memref<2x1xf32>
  %v = bufferization.to_buffer %V : tensor<2x2xf32> to memref<2x2xf32>
  %p = memref.alloc() : memref<2x2xf32>
  call @on_buffers(%q, %k, %v, %p) : (memref<2x1xf32>, memref<2x1xf32>, memref<2x2xf32>, memref<2x2xf32>) -> ()
  %second = memref.cast %p : memref<2x2xf32> to memref<*xf32>
  call @printMemrefF32(%second) : (memref<*xf32>) -> ()
  return
}
