// MLIR: memrefs with any layout, tensors, factors known at run time.
//
// RUN: tc-run %s --check --ptxas=false --alpha=-2 --beta=0.25 | FileCheck %s
// RUN: tc-run %s --check --ptxas=false | FileCheck --check-prefix=DEFAULT %s
// A module that tc-opt has lowered runs as well.
// RUN: tc-opt --tc-gpu-pipeline %s -o %t.mlir
// RUN: tc-run %t.mlir --check --ptxas=false \
// RUN:   | FileCheck --check-prefix=LOWERED %s

// CHECK:      kernel strided
// CHECK-NEXT:   contraction  C[i,j] = A[i,k] * B[k,j] + -1 * C[i,j]
// CHECK:        check        passed: all 15 elements
// DEFAULT: kernel strided
// DEFAULT: check        passed: all 15 elements
// LOWERED: kernel strided
// LOWERED: check        passed: all 15 elements
func.func @strided(
    %A: memref<5x4xf64, strided<[9, 2], offset: 3>>,
    %B: memref<4x3xf64, strided<[1, 4]>>,
    %C: memref<5x3xf64, strided<[1, 6], offset: 1>>) {
  %beta = arith.constant -1.0 : f64
  tc.contract [i, k], [k, j] -> [i, j]
    ins(%A, %B : memref<5x4xf64, strided<[9, 2], offset: 3>>,
                 memref<4x3xf64, strided<[1, 4]>>)
    outs(%C : memref<5x3xf64, strided<[1, 6], offset: 1>>) beta(%beta : f64)
  return
}

// CHECK:      kernel tensors
// CHECK-NEXT:   contraction  C[a,b,c] = A[a,d,b] * B[d,c]
// CHECK:        check        passed: all 24 elements
// DEFAULT: check        passed: all 24 elements
// LOWERED: check        passed: all 24 elements
func.func @tensors(%A: tensor<2x5x3xf32>, %B: tensor<5x4xf32>,
                   %C: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %D = tc.contract [a, d, b], [d, c] -> [a, b, c]
    ins(%A, %B : tensor<2x5x3xf32>, tensor<5x4xf32>)
    outs(%C : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %D : tensor<2x3x4xf32>
}

// CHECK:      kernel factors
// CHECK-NEXT:   contraction  C[i] = alpha * A[i,k] * B[k] + beta * C[i]
// CHECK:        check        passed: all 6 elements
// DEFAULT: check        passed: all 6 elements
// LOWERED: check        passed: all 6 elements
func.func @factors(%A: memref<6x3xf64>, %B: memref<3xf64>, %C: memref<6xf64>,
                   %alpha: f64, %beta: f64) {
  tc.contract [i, k], [k] -> [i]
    ins(%A, %B : memref<6x3xf64>, memref<3xf64>)
    outs(%C : memref<6xf64>) alpha(%alpha : f64) beta(%beta : f64)
  return
}

// CHECK:      kernel scalar
// CHECK-NEXT:   contraction  C[] = A[i,i] * B[i]
// CHECK:        check        passed: all 1 elements
// DEFAULT: check        passed: all 1 elements
// LOWERED: check        passed: all 1 elements
func.func @scalar(%A: memref<6x6xf64>, %B: memref<6xf64>, %C: memref<f64>) {
  tc.contract [i, i], [i] -> []
    ins(%A, %B : memref<6x6xf64>, memref<6xf64>) outs(%C : memref<f64>)
  return
}
