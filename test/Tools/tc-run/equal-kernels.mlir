// RUN: tc-run %s --target=sim --ptxas=0 --check --seed=1 | FileCheck %s

// The last products of both are one, once indices with one value are gone. The
// kernels to check are listed before that, as two.

// CHECK-COUNT-4: {{^}}kernel
// CHECK: check {{ *}}passed: all 1 elements
func.func @products(%A: tensor<2xi32>, %B: tensor<1x1xi32>) -> (tensor<1x1xi32>, tensor<1x1xi32>) {
  %e = tensor.empty() : tensor<1x1xi32>
  %0 = tc.einsum [c], [a, f], [d], [a, a] -> [f, a]
    ins(%A, %B, %A, %B : tensor<2xi32>, tensor<1x1xi32>, tensor<2xi32>, tensor<1x1xi32>)
    outs(%e : tensor<1x1xi32>) -> tensor<1x1xi32>
  %1 = tc.einsum [c], [b, b], [e], [b, f] -> [b, f]
    ins(%A, %B, %A, %B : tensor<2xi32>, tensor<1x1xi32>, tensor<2xi32>, tensor<1x1xi32>)
    outs(%e : tensor<1x1xi32>) -> tensor<1x1xi32>
  return %0, %1 : tensor<1x1xi32>, tensor<1x1xi32>
}
