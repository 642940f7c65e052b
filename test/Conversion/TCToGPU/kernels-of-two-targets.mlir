// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-materialize-loop-nest,tc-lower-tile-copies))" | FileCheck %s

// Kernels that differ in nothing but in what a target's name means around them
// have plans of their own.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "mine", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @copies_on_the_way
  // CHECK: nvgpu.device_async_copy
  gpu.func @copies_on_the_way(%A: memref<10x6xf64, #gpu.address_space<global>>, %B: memref<6x12xf64, #gpu.address_space<global>>, %C: memref<10x12xf64, #gpu.address_space<global>>) kernel
      attributes {tc.kernel = #kernel, known_block_size = array<i32: 4, 1, 1>,
                  dlti.target_system_spec = #dlti.target_system_spec<"mine" = #dlti.target_device_spec<"tc.base" = "sm_90">>} {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<10x6xf64, #gpu.address_space<global>>, memref<6x12xf64, #gpu.address_space<global>>) outs(%C : memref<10x12xf64, #gpu.address_space<global>>)
      {schedule = #tc.schedule<target = "mine", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>}
    gpu.return
  }

  // CHECK-LABEL: gpu.func @copies_by_registers
  // CHECK-NOT: nvgpu.device_async_copy
  gpu.func @copies_by_registers(%A: memref<10x6xf64, #gpu.address_space<global>>, %B: memref<6x12xf64, #gpu.address_space<global>>, %C: memref<10x12xf64, #gpu.address_space<global>>) kernel
      attributes {tc.kernel = #kernel, known_block_size = array<i32: 4, 1, 1>,
                  dlti.target_system_spec = #dlti.target_system_spec<"mine" = #dlti.target_device_spec<"tc.base" = "sm_75">>} {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<10x6xf64, #gpu.address_space<global>>, memref<6x12xf64, #gpu.address_space<global>>) outs(%C : memref<10x12xf64, #gpu.address_space<global>>)
      {schedule = #tc.schedule<target = "mine", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>}
    gpu.return
  }
}
