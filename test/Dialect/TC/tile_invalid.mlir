// RUN: tc-opt %s --tc-tile --verify-diagnostics --split-input-file
// RUN: echo "module {}" > %t
// RUN: not tc-opt %t --tc-tile=target=sm_1 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not tc-opt %t --tc-tile="schedule={tiles=[m: 16]}" 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: not tc-opt %t --tc-tile="schedule={#tc.indices<[m]>}" 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not tc-opt %t --tc-tile="schedule={#tc.schedule<target=\"sm_90\", m=[], n=[], k=[], register=[1, 1]> x}" 2>&1 | FileCheck %s --check-prefix=REST

// TARGET: error: option 'target': unknown target 'sm_1'; known are sm_75,
// KEY: error: unknown key 'tiles' in schedule
// KIND: error: expected a schedule, but got #tc.indices<[m]>
// REST: error: found trailing characters

func.func @unknown_extent(%A: tensor<?x32xf32>, %B: tensor<32x64xf32>, %C: tensor<?x64xf32>) {
  // expected-error @+1 {{extent of index 'm' is unknown at compile time}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<?x32xf32>, tensor<32x64xf32>)
         outs(%C : tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @unknown_stride(%A: memref<64x32xf32, strided<[?, 1]>>, %B: memref<32x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{stride of A along index 'm' is unknown at compile time}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32, strided<[?, 1]>>, memref<32x64xf32>)
    outs(%C : memref<64x64xf32>)
  return
}

// -----

// All operations at fault are named.
func.func @constraints(%A: memref<64x32xf32>, %B: memref<32x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{schedule: unknown target 'sm_7'}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>)
    {schedule = #tc.schedule<target = "sm_7", m = [m: 8], n = [n: 8], k = [k: 1], register = [1, 1]>}
  // expected-error @+1 {{op schedule: tile of index 'm' is 65, but its extent is 64}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 65], n = [n: 8], k = [k: 1], register = [1, 1]>}
  return
}

// -----

func.func @roles(%A: memref<64x32xf32>, %B: memref<32x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{op schedule: the list of M names index 'n', whose role is N}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>)
    {schedule = #tc.schedule<target = "sm_90", m = [n: 8], n = [m: 8], k = [k: 1], register = [1, 1]>}
  return
}

// -----

func.func @threads(%A: memref<64x32xf32>, %B: memref<32x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{op schedule: number of threads of a block is 4096, but sm_90 allows 1024}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 64], n = [n: 64], k = [k: 1], register = [1, 1]>}
  return
}
