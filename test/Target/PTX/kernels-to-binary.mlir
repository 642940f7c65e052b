// RUN: tc-opt %s --tc-to-gpu --tc-kernels-to-binary --split-input-file | FileCheck %s

// The binary has the name of the gpu.module, and launches refer to it. Memory
// of the host's code is not marked, be it a function's or its own.

// CHECK-LABEL: gpu.binary @tc_kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_90">, properties = {O = 3 : i32}, assembly = "
// CHECK-SAME: .target sm_90
// CHECK-SAME: .visible .entry tc_matmul(
// CHECK: func.func @matmul(%[[A:.*]]: memref<64x32xf64>, %[[B:.*]]: memref<32x48xf64>, %[[C:.*]]: memref<64x48xf64>)
// CHECK-NOT: memory_space_cast
// CHECK: gpu.launch_func @tc_kernels::@tc_matmul
// CHECK-SAME: args(%[[A]] : memref<64x32xf64>, %[[B]] : memref<32x48xf64>, %[[C]] : memref<64x48xf64>)
// CHECK: func.func @marked(%{{.*}}: memref<64x32xf64>
// CHECK: memref.alloc() : memref<128xf64>
// CHECK: memref.alloc() : memref<128xf64, 3>
// CHECK-NOT: gpu.module @tc_kernels
func.func @matmul(%A: memref<64x32xf64>, %B: memref<32x48xf64>, %C: memref<64x48xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>) outs(%C : memref<64x48xf64>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>}
  return
}
func.func @marked(%A: memref<64x32xf64, #gpu.address_space<global>>) {
  %0 = memref.alloc() : memref<128xf64, #gpu.address_space<global>>
  %1 = memref.alloc() : memref<128xf64, 3>
  return
}

// -----

// Other kernels stay for upstream.

// CHECK: gpu.module @others
// CHECK: gpu.func @f(%{{.*}}: memref<4xf32, #gpu.address_space<global>>)
// CHECK: func.func @nothing_to_do(%{{.*}}: memref<4xf32, #gpu.address_space<global>>)
module attributes {gpu.container_module} {
  gpu.module @others {
    gpu.func @f(%a: memref<4xf32, #gpu.address_space<global>>) kernel {
      gpu.return
    }
  }
  func.func @nothing_to_do(%a: memref<4xf32, #gpu.address_space<global>>) {
    return
  }
}
