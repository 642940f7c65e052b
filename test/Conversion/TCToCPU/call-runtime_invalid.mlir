// RUN: tc-opt %s -split-input-file -tc-call-runtime -verify-diagnostics

func.func @tensors(%a: tensor<?xf64>, %c: tensor<f64>) -> tensor<f64> {
  // expected-error @+1 {{works on tensors: bufferize it first}}
  %d = tc.contract [k], [k] -> [] ins(%a, %a : tensor<?xf64>, tensor<?xf64>) outs(%c : tensor<f64>) -> tensor<f64>
  return %d : tensor<f64>
}

// -----

// expected-error @+1 {{redefinition of function 'tcCpuContract' of different type}}
llvm.func @tcCpuContract()

func.func @taken(%a: memref<?xf64>, %c: memref<f64>) {
  tc.contract [k], [k] -> [] ins(%a, %a : memref<?xf64>, memref<?xf64>) outs(%c : memref<f64>)
  return
}
