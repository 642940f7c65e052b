// RUN: tc-opt %s -split-input-file -convert-linalg-to-tc | FileCheck %s
// RUN: tc-opt %s -split-input-file -convert-linalg-to-tc -convert-tc-to-linalg | FileCheck %s --check-prefix=BACK

// Complex numbers, of which the payload may conjugate one or both.

// CHECK-LABEL: func.func @matmul(
// CHECK-NOT: linalg
// CHECK: tc.contract [m, k], [k, n] -> [m, n]
// CHECK-SAME: outs(%{{.*}} : tensor<4x5xcomplex<f64>>) -> tensor<4x5xcomplex<f64>>
// BACK-LABEL: func.func @matmul(
// BACK: complex.constant [0.000000e+00, 0.000000e+00] : complex<f64>
// BACK: linalg.contract
func.func @matmul(%A: tensor<4x8xcomplex<f64>>, %B: tensor<8x5xcomplex<f64>>) -> tensor<4x5xcomplex<f64>> {
  %zero = complex.constant [0.0, 0.0] : complex<f64>
  %empty = tensor.empty() : tensor<4x5xcomplex<f64>>
  %C = linalg.fill ins(%zero : complex<f64>) outs(%empty : tensor<4x5xcomplex<f64>>) -> tensor<4x5xcomplex<f64>>
  %D = linalg.matmul ins(%A, %B : tensor<4x8xcomplex<f64>>, tensor<8x5xcomplex<f64>>)
                     outs(%C : tensor<4x5xcomplex<f64>>) -> tensor<4x5xcomplex<f64>>
  return %D : tensor<4x5xcomplex<f64>>
}

// -----

// The addend need not be a fill, and products may swap their factors.

// CHECK-LABEL: func.func @adjoint(
// CHECK: %[[ONE:.*]] = complex.constant [1.000000e+00 : f32, 0.000000e+00 : f32] : complex<f32>
// CHECK: tc.contract [k, m], [k, n] -> [m, n]
// CHECK-SAME: beta(%[[ONE]] : complex<f32>) conjugate_a{{$}}
// BACK-LABEL: func.func @adjoint(
// BACK: complex.conj
// BACK: complex.mul
// BACK: complex.add
func.func @adjoint(%A: memref<8x4xcomplex<f32>>, %B: memref<8x5xcomplex<f32>>, %C: memref<4x5xcomplex<f32>>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<8x4xcomplex<f32>>, memref<8x5xcomplex<f32>>) outs(%C : memref<4x5xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %c: complex<f32>):
    %conjugate = complex.conj %a : complex<f32>
    %p = complex.mul %b, %conjugate : complex<f32>
    %s = complex.add %c, %p : complex<f32>
    linalg.yield %s : complex<f32>
  }
  return
}

// -----

// The square of a vector's norm.

// CHECK-LABEL: func.func @norm(
// CHECK: tc.contract [k], [k] -> []
// CHECK-SAME: ins(%[[A:.*]], %[[A]] : {{.*}} conjugate_b{{$}}
func.func @norm(%A: memref<8xcomplex<f64>>, %C: memref<complex<f64>>) {
  linalg.generic {
    indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
    iterator_types = ["reduction"]
  } ins(%A : memref<8xcomplex<f64>>) outs(%C : memref<complex<f64>>) {
  ^bb0(%a: complex<f64>, %c: complex<f64>):
    %conjugate = complex.conj %a : complex<f64>
    %p = complex.mul %a, %conjugate : complex<f64>
    %s = complex.add %c, %p : complex<f64>
    linalg.yield %s : complex<f64>
  }
  return
}
