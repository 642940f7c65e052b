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

// -----

func.func @semiring(%a: memref<4xf64>, %c: memref<f64>) {
  // expected-error @+1 {{strategy library: the library has no semiring max_plus}}
  tc.contract [k], [k] -> [] ins(%a, %a : memref<4xf64>, memref<4xf64>) outs(%c : memref<f64>) semiring = max_plus
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = library>}
  return
}

// -----

func.func @more(%a: memref<4xf64>, %c: memref<f64>) {
  // expected-error @+1 {{cpu_schedule: with strategy = library, nothing else is decided than 'threads' of 'batch'}}
  tc.contract [k], [k] -> [] ins(%a, %a : memref<4xf64>, memref<4xf64>) outs(%c : memref<f64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = library, lanes = 4>}
  return
}

// -----

func.func @threads(%a: memref<4xf64>, %c: memref<f64>) {
  // expected-error @+1 {{cpu_schedule: with strategy = library, 'threads' must be 1 to 4096, but is 0}}
  tc.contract [k], [k] -> [] ins(%a, %a : memref<4xf64>, memref<4xf64>) outs(%c : memref<f64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = library, threads = [batch: 0]>}
  return
}
