// Contractions in linalg are raised, and do the elementwise work beside them: two
// products with a rectifier between them are one kernel for a GPU, and one program.

// RUN: tc-run %s --seed=1 --ptxas=0 --check | FileCheck %s
// CHECK: kernel layers
// CHECK: contraction  C[m,n] = A[m,k] * B[k,n]
// CHECK: contraction 1 A[m,n] = A1[m,k] * B1[k,n]
// CHECK: epilogue     max(x, 0)
// CHECK: check        passed: all 512 elements
// CHECK-NOT: kernel

// RUN: tc-run %s --seed=1 --target=cpu --check | FileCheck %s --check-prefix=CPU
// CPU: program      layers: 2 steps, a workspace of 4096 B
// CPU: contraction  C[m,n] = A[m,k] * B[k,n]
// CPU: epilogue     max(x, 0)
// CPU: check        passed: all 1024 elements
// CPU: contraction  C[m,n] = A[m,k] * B[k,n]
// CPU: results      A of kernel 0
// CPU: check        passed: all 512 elements

#rows = affine_map<(m, n) -> (m, n)>

func.func @layers(%x: tensor<64x12xf32>, %v: tensor<12x16xf32>, %w: tensor<16x8xf32>) -> tensor<64x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x16xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %t = linalg.matmul ins(%x, %v : tensor<64x12xf32>, tensor<12x16xf32>) outs(%t0 : tensor<64x16xf32>) -> tensor<64x16xf32>
  %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%t : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %max = arith.maximumf %in, %zero : f32
    linalg.yield %max : f32
  } -> tensor<64x16xf32>
  %f = tensor.empty() : tensor<64x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%f : tensor<64x8xf32>) -> tensor<64x8xf32>
  %y = linalg.matmul ins(%r, %w : tensor<64x16xf32>, tensor<16x8xf32>) outs(%y0 : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %y : tensor<64x8xf32>
}
