// RUN: tc-opt %s -split-input-file -verify-diagnostics -tc-lower-transposes

func.func @lanes(%A: memref<3x9xf64>, %B: memref<9x3xf64>) {
  // expected-error@+1 {{'tc.lanes' must be a power of two, but is 3}}
  linalg.transpose ins(%A : memref<3x9xf64>) outs(%B : memref<9x3xf64>)
    permutation = [1, 0] {tc.lanes = 3 : i64}
  return
}

// -----

func.func @dynamic(%A: memref<3x?xf64>, %B: memref<?x3xf64>) {
  // expected-error@+1 {{extents and strides of its buffers must be known at compile time}}
  linalg.transpose ins(%A : memref<3x?xf64>) outs(%B : memref<?x3xf64>)
    permutation = [1, 0] {tc.lanes = 4 : i64}
  return
}

// -----

func.func @tensors(%A: tensor<3x9xf64>, %B: tensor<9x3xf64>) -> tensor<9x3xf64> {
  // expected-error@+1 {{works on tensors: bufferize it first}}
  %T = linalg.transpose ins(%A : tensor<3x9xf64>) outs(%B : tensor<9x3xf64>)
    permutation = [1, 0] {tc.lanes = 4 : i64}
  return %T : tensor<9x3xf64>
}
