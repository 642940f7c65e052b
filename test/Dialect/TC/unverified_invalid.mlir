// Verifiers run one after the other: none of an operation that carries an
// attribute, or of one in a region, relies on anything that another one has yet
// to see.
//
// RUN: tc-opt %s -split-input-file -verify-diagnostics

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>
#main = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has no function type, so it cannot carry 'tc.kernel'}}
  "gpu.func"() ({
  ^bb0(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>):
    "gpu.return"() : () -> ()
  }) {gpu.kernel, sym_name = "no_type", tc.kernel = #main} : () -> ()
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>
#main = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op attribute 'function_type' failed to satisfy constraint: type attribute of function type}}
  "gpu.func"() ({
  ^bb0(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>):
    "gpu.return"() : () -> ()
  }) {function_type = i32, gpu.kernel, sym_name = "another_type", tc.kernel = #main} : () -> ()
}

// -----

// A scalar of the kernel is none.
#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>
#main = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], beta = 0.0 : f64, schedule = #s>
gpu.module @kernels {
  // expected-error @below {{'tc.contract' op type of alpha must be that of the sums, 'f64', but is 'memref<f64>'}}
  gpu.func @alpha(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>, %alpha: memref<f64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

// expected-error @below {{requires attribute 'function_type'}}
"func.func"() ({
^bb0(%A: memref<8xf64>):
  "func.return"() : () -> ()
}) {arg_attrs = [{tc.base_alignment = 1}], sym_name = "no_type"} : () -> ()

// -----

func.func @yield_in_prologue(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %D = "tc.contract"(%A, %A, %C) <{a_indices = #tc.indices<[m, k]>, b_indices = #tc.indices<[k, n]>, c_indices = #tc.indices<[m, n]>, has_prologue_a, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}> ({
  ^bb0(%x: f64):
    // expected-error @below {{'tc.yield' op requires a single operand}}
    "tc.yield"() : () -> ()
  }) : (tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %D : tensor<4x4xf64>
}

// -----

func.func @combination(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %D = "tc.contract"(%A, %A, %C) <{a_indices = #tc.indices<[m, k]>, b_indices = #tc.indices<[k, n]>, c_indices = #tc.indices<[m, n]>, identity = 0.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, semiring = #tc.semiring<user_defined>}> ({
  ^bb0(%a: f64, %b: f64):
    %0 = "arith.mulf"(%a, %b) : (f64, f64) -> f64
    "tc.yield"(%0) : (f64) -> ()
  }, {
  ^bb0(%x: f64, %y: f64):
    // expected-error @below {{'arith.addf' op expected 2 operands, but found 1}}
    %0 = "arith.addf"(%x) : (f64) -> f64
    "tc.yield"(%0) : (f64) -> ()
  }) : (tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %D : tensor<4x4xf64>
}

// -----

func.func @yield_of_a_tile(%r: vector<4xi8>, %panel: memref<8x64xf32, #gpu.address_space<workgroup>>) {
  "tc.store_tile_to_shared"(%r, %panel) <{input = #tc<input b>, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%x: i8):
    // expected-error @below {{'tc.yield' op requires a single operand}}
    "tc.yield"() : () -> ()
  }) : (vector<4xi8>, memref<8x64xf32, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @combination_of_tiles(%a: memref<8x64xf64>, %b: memref<8x32xf64>, %c: vector<2xf64>) {
  %r = "tc.multiply_tiles"(%a, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%x: f64, %y: f64):
    "tc.yield"(%x) : (f64) -> ()
  }, {
  ^bb0(%x: f64, %y: f64):
    // expected-error @below {{'tc.yield' op requires a single operand}}
    "tc.yield"() : () -> ()
  }) : (memref<8x64xf64>, memref<8x32xf64>, vector<2xf64>) -> vector<2xf64>
  return
}

// -----

// The verifier of a sequence asks what it does with its handles.

module attributes {transform.with_named_sequence} {
  transform.named_sequence @lower(%root: !transform.any_op {transform.readonly}) {
    // expected-error @below {{'transform.tc.lower_to_gpu' op requires a single operand}}
    %launch = "transform.tc.lower_to_gpu"() : () -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @choose(%root: !transform.any_op {transform.readonly}) {
    // expected-error @below {{'transform.tc.choose_schedule' op requires a single operand}}
    "transform.tc.choose_schedule"() <{machine = "sm_90"}> : () -> ()
    transform.yield
  }
}
