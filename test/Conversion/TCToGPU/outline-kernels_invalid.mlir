// RUN: tc-opt %s --tc-outline-kernels -split-input-file -verify-diagnostics

func.func @tensors(%A: tensor<4xf64>, %B: tensor<4xf64>, %C: tensor<f64>) -> tensor<f64> {
  // expected-error @below {{'tc.contract' op works on tensors: bufferize it before outlining}}
  %D = tc.contract [k], [k] -> [] ins(%A, %B : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>) -> tensor<f64>
  return %D : tensor<f64>
}

// -----

func.func @no_schedule(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<f64>) {
  // expected-error @below {{'tc.contract' op has no schedule: run --tc-tile or write one}}
  tc.contract [k], [k] -> [] ins(%A, %B : memref<4xf64>, memref<4xf64>) outs(%C : memref<f64>)
  return
}

// -----

func.func @impossible_schedule(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<f64>) {
  // expected-error @below {{schedule: tile of index 'k' is 8, but its extent is 4}}
  tc.contract [k], [k] -> [] ins(%A, %B : memref<4xf64>, memref<4xf64>) outs(%C : memref<f64>)
      {schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [k: 8], register = [1, 1]>}
  return
}

// -----

func.func @unknown_target(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<f64>) {
  // expected-error @below {{sm_1}}
  tc.contract [k], [k] -> [] ins(%A, %B : memref<4xf64>, memref<4xf64>) outs(%C : memref<f64>)
      {schedule = #tc.schedule<target = "sm_1", m = [], n = [], k = [k: 4], register = [1, 1]>}
  return
}

// -----

func.func @extent_at_run_time(%A: memref<?xf64>, %B: memref<?xf64>, %C: memref<f64>) {
  // expected-error @below {{'k'}}
  tc.contract [k], [k] -> [] ins(%A, %B : memref<?xf64>, memref<?xf64>) outs(%C : memref<f64>)
      {schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [k: 4], register = [1, 1]>}
  return
}

// -----

func.func @sum_that_is_none(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>) {
  %two = arith.constant 2.0 : f64
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
    // expected-error @below {{cannot be in one kernel with the contraction before, with which it is in a 'tc.fused': beta of a later term is not the constant one}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>) beta(%two : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
  }
  return
}
