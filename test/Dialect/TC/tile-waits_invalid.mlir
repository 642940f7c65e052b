// RUN: tc-opt %s -verify-diagnostics -split-input-file

// Shared tiles are read when they have arrived.

func.func @wait_for_no_tile(%group: !nvgpu.device.async.token) {
  // expected-error @below {{'tc.wait_for_tiles' op waits for no tile}}
  "tc.wait_for_tiles"(%group) <{operandSegmentSizes = array<i32: 0, 1>}> : (!nvgpu.device.async.token) -> ()
  return
}

// -----

func.func @more_groups_than_count(%panel: memref<8x64xf64>, %group: !nvgpu.device.async.token) {
  // expected-error @below {{'tc.wait_for_tiles' op attribute 'later' failed to satisfy constraint}}
  %tile = tc.wait_for_tiles %panel after %group later 2147483648 : memref<8x64xf64>
  return
}

// -----

func.func @wait_for_a_copy(%A: memref<32xf64>, %panel: memref<8x64xf64>) {
  %copy = tc.copy_tile a of %A at [] into %panel : memref<32xf64> into memref<8x64xf64>
  // expected-error @below {{'tc.wait_for_tiles' op waits for a copy that is in no group}}
  %tile = tc.wait_for_tiles %panel after %copy : memref<8x64xf64>
  return
}

// -----

func.func @later_than_no_group(%panel: memref<8x64xf64>) {
  // expected-error @below {{'tc.wait_for_tiles' op lets later groups be under way, but waits for none}}
  %tile = tc.wait_for_tiles %panel later 1 : memref<8x64xf64>
  return
}

// -----

func.func @multiply_before_arrival(%pb: memref<8x32xf64>, %c: vector<2xf64>) {
  %pa = memref.alloca() : memref<8x64xf64>
  // expected-error @below {{'tc.multiply_tiles' op reads a shared tile that nothing waits for: 'tc.wait_for_tiles' yields those that have arrived}}
  %r = tc.multiply_tiles %pa, %pb into %c : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64> -> vector<2xf64>
  return
}

// -----

func.func @multiply_by_what_has_not_arrived(%pa: memref<8x64xf64>, %c: vector<2xf64>) {
  %pb = memref.alloca() : memref<8x32xf64>
  %arrived = tc.wait_for_tiles %pa : memref<8x64xf64>
  // expected-error @below {{'tc.multiply_tiles' op reads a shared tile that nothing waits for}}
  %r = tc.multiply_tiles %arrived, %pb into %c : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64> -> vector<2xf64>
  return
}

// -----

func.func @factors_by_what_has_not_arrived(%f: vector<2xf16>, %c: vector<2xf32>) {
  %pb = memref.alloca() : memref<16x8xf16>
  // expected-error @below {{'tc.multiply_factors' op reads a shared tile that nothing waits for}}
  %r = tc.multiply_factors %f by %pb into %c : vector<2xf16> by memref<16x8xf16> into vector<2xf32> -> vector<2xf32>
  return
}
