// RUN: tc-opt %s --tc-tile --split-input-file | FileCheck %s
// RUN: tc-opt %s --tc-tile=target=sm_80 --split-input-file | FileCheck %s --check-prefix=SM80
// RUN: tc-opt %s --tc-tile=target=sm_75 --split-input-file | FileCheck %s --check-prefix=SM75
// RUN: tc-opt %s --tc-tile="schedule={target=\"sm_86\", m=[m: 16], n=[n: 8], k=[k: 4], register=[2, 4]}" --split-input-file | FileCheck %s --check-prefix=GIVEN
// RUN: tc-opt %s --tc-tile="schedule={#tc.schedule<target=\"sm_86\", m=[m: 16], n=[n: 8], k=[k: 4], register=[2, 4]>}" --split-input-file | FileCheck %s --check-prefix=GIVEN

// Doubles are multiplied by tensor cores where there are some for them.
// CHECK-LABEL: @product
// CHECK: #tc.schedule<target = "sm_90", m = [m: {{[0-9]+}}], n = [n: {{[0-9]+}}], k = [k: {{[0-9]+}}], register = [{{[0-9]+}}, {{[0-9]+}}], instruction = mma_m16n8k{{4|8|16}}{{(, stages = [0-9]+)?(, split_k = [0-9]+)?}}>
// SM80-LABEL: @product
// SM80: #tc.schedule<target = "sm_80", m = [m: {{[0-9]+}}], n = [n: {{[0-9]+}}], k = [k: {{[0-9]+}}], register = [{{[0-9]+}}, {{[0-9]+}}], instruction = mma_m8n8k4{{(, stages = [0-9]+)?(, split_k = [0-9]+)?}}>
// SM75-LABEL: @product
// SM75: #tc.schedule<target = "sm_75", m = [m: {{[0-9]+}}], n = [n: {{[0-9]+}}], k = [k: {{[0-9]+}}], register = [{{[0-9]+}}, {{[0-9]+}}]{{(, stages = [0-9]+)?(, split_k = [0-9]+)?}}>
// GIVEN-LABEL: @product
// GIVEN: #tc.schedule<target = "sm_86", m = [m: 16], n = [n: 8], k = [k: 4], register = [2, 4]>
func.func @product(%A: tensor<1024x512xf64>, %B: tensor<512x768xf64>, %C: tensor<1024x768xf64>)
    -> tensor<1024x768xf64> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<1024x512xf64>, tensor<512x768xf64>)
         outs(%C : tensor<1024x768xf64>) -> tensor<1024x768xf64>
  return %D : tensor<1024x768xf64>
}

// -----

// A schedule that is there stays, whatever the options say. Strides and an
// offset are no obstacle.
// CHECK-LABEL: @present
// CHECK: #tc.schedule<target = "sm_75", m = [m: 8], n = [n: 32], k = [k: 1], register = [1, 2]>
// SM80-LABEL: @present
// SM80: #tc.schedule<target = "sm_75", m = [m: 8], n = [n: 32], k = [k: 1], register = [1, 2]>
// GIVEN-LABEL: @present
// GIVEN: #tc.schedule<target = "sm_75", m = [m: 8], n = [n: 32], k = [k: 1], register = [1, 2]>
func.func @present(%A: memref<64x32xf32, strided<[1, 70], offset: 3>>, %B: memref<32x64xf32>, %C: memref<64x64xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32, strided<[1, 70], offset: 3>>, memref<32x64xf32>)
    outs(%C : memref<64x64xf32>)
    {schedule = #tc.schedule<target = "sm_75", m = [m: 8], n = [n: 32], k = [k: 1], register = [1, 2]>}
  return
}

// -----

// Nothing is multiplied, so there is nothing to schedule.
// CHECK-LABEL: @zero_extent
// CHECK-NOT: tc.schedule
// SM80-LABEL: @zero_extent
// GIVEN-LABEL: @zero_extent
// GIVEN-NOT: tc.schedule
func.func @zero_extent(%A: tensor<4x0xf32>, %B: tensor<0x2xf32>, %C: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x0xf32>, tensor<0x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}
