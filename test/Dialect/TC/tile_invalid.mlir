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

// -----

func.func @instruction_of_floats(%A: memref<64x32xf32>, %B: memref<32x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m16n8k8' multiplies f64, f32 with precision tf32, f32 with precision 3xtf32, f32 with precision bf16x3, f16, bf16, f8e4m3fn, f8e5m2, not f32}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 8], k = [k: 8], register = [2, 2], instruction = mma_m16n8k8>}
  return
}

// -----

func.func @no_tensor_cores(%A: memref<64x32xf64>, %B: memref<32x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m8n8k4' for f64 needs tensor cores of sm_80, which sm_75 does not have}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
    {schedule = #tc.schedule<target = "sm_75", m = [m: 8], n = [n: 8], k = [k: 4], register = [1, 2], instruction = mma_m8n8k4>}
  return
}

// -----

func.func @older_tensor_cores(%A: memref<64x32xf64>, %B: memref<32x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m16n8k4' for f64 needs tensor cores of sm_90, which sm_80 does not have}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
    {schedule = #tc.schedule<target = "sm_80", m = [m: 16], n = [n: 8], k = [k: 4], register = [2, 2], instruction = mma_m16n8k4>}
  return
}

// -----

func.func @rows_of_threads(%A: memref<64x32xf64>, %B: memref<32x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m8n8k4' needs a number of threads along M that is a multiple of 8, but it is 4}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
    {schedule = #tc.schedule<target = "sm_80", m = [m: 4], n = [n: 16], k = [k: 4], register = [1, 2], instruction = mma_m8n8k4>}
  return
}

// -----

func.func @columns_of_threads(%A: memref<64x32xf64>, %B: memref<32x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m8n8k4' needs a number of threads along N that is a multiple of 4, but it is 2}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
    {schedule = #tc.schedule<target = "sm_80", m = [m: 16], n = [n: 4], k = [k: 4], register = [1, 2], instruction = mma_m8n8k4>}
  return
}

// -----

func.func @rows_of_a_thread(%A: memref<64x32xf64>, %B: memref<32x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m16n8k8' needs a register tile along M that is a multiple of 2, but it is 1}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 8], k = [k: 8], register = [1, 2], instruction = mma_m16n8k8>}
  return
}

// -----

func.func @columns_of_a_thread(%A: memref<64x32xf64>, %B: memref<32x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m16n8k8' needs a register tile along N that is a multiple of 2, but it is 1}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 4], k = [k: 8], register = [2, 1], instruction = mma_m16n8k8>}
  return
}

// -----

func.func @depth(%A: memref<64x32xf64>, %B: memref<32x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m16n8k16' needs a block tile along K that is a multiple of 16, but it is 8}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 8], k = [k: 8], register = [2, 2], instruction = mma_m16n8k16>}
  return
}

// -----

func.func @stages(%A: memref<64x32xf64>, %B: memref<32x64xf64>, %C: memref<64x64xf64>) {
  // expected-error @+1 {{op schedule: number of stages is 9, but must be from 2 to 8}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 8], k = [k: 1], register = [1, 1], stages = 9>}
  return
}

// -----

func.func @shape_of_doubles(%A: memref<64x32xf16>, %B: memref<32x64xf16>, %C: memref<64x64xf16>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m8n8k4' multiplies f64, not f16}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf16>, memref<32x64xf16>) outs(%C : memref<64x64xf16>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 8], k = [k: 4], register = [1, 2], instruction = mma_m8n8k4>}
  return
}

// -----

func.func @brain_floats_before_sm_80(%A: memref<64x32xbf16>, %B: memref<32x64xbf16>, %C: memref<64x64xbf16>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m16n8k8' for bf16 needs tensor cores of sm_80, which sm_75 does not have}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xbf16>, memref<32x64xbf16>) outs(%C : memref<64x64xbf16>)
    {schedule = #tc.schedule<target = "sm_75", m = [m: 16], n = [n: 8], k = [k: 8], register = [2, 2], instruction = mma_m16n8k8>}
  return
}

// -----

func.func @eight_bits_before_sm_89(%A: memref<64x32xf8E4M3FN>, %B: memref<32x64xf8E4M3FN>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m16n8k32' for f8e4m3fn needs tensor cores of sm_89, which sm_80 does not have}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf8E4M3FN>, memref<32x64xf8E4M3FN>) outs(%C : memref<64x64xf32>)
    {schedule = #tc.schedule<target = "sm_80", m = [m: 16], n = [n: 8], k = [k: 32], register = [2, 2], instruction = mma_m16n8k32>}
  return
}

// -----

func.func @halves_of_eight_bits_depth(%A: memref<64x32xf16>, %B: memref<32x64xf16>, %C: memref<64x64xf16>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m16n8k32' multiplies f8e4m3fn, f8e5m2, not f16}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf16>, memref<32x64xf16>) outs(%C : memref<64x64xf16>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 8], k = [k: 32], register = [2, 2], instruction = mma_m16n8k32>}
  return
}

// -----

func.func @tf32_of_another_shape(%A: memref<64x32xf32>, %B: memref<32x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{op schedule: instruction 'mma_m16n8k16' multiplies f64, f32 with precision bf16x3, f16, bf16, f8e4m3fn, f8e5m2, not f32 with precision tf32}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>) precision = "tf32"
    {schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 8], k = [k: 16], register = [2, 2], instruction = mma_m16n8k16>}
  return
}

// -----

func.func @mixed_inputs(%A: memref<64x32xf16>, %B: memref<32x64xf32>, %C: memref<64x64xf32>) {
  // expected-error @+1 {{op has factors of 'f16' and 'f32', of which --tc-widen-inputs makes one type}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf16>, memref<32x64xf32>) outs(%C : memref<64x64xf32>)
  return
}
