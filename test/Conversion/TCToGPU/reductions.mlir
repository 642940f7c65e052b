// RUN: tc-opt %s --tc-fuse-reductions --tc-tile --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --tc-outline-kernels --canonicalize | FileCheck %s
// RUN: tc-opt %s --tc-fuse-reductions --tc-tile --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --tc-outline-kernels | tc-opt --pass-pipeline="builtin.module(gpu.module(tc-materialize-loop-nest,canonicalize,cse))" | FileCheck %s --check-prefix=NEST

// The host has neither a buffer for the elements that are added up nor the sum;
// the kernel gets the number that takes its place, as a C whose elements all lie
// there, and a workspace. A sum that is not marked stays on the host.

// CHECK-LABEL: gpu.func @norm
// CHECK-SAME: memref<37x45xf32, strided<[0, 0]>, #gpu.address_space<global>>, %{{.*}}: memref<{{[0-9]+}}xi8, #gpu.address_space<global>>)
// CHECK-SAME: epilogue = write, reduce, schedule
// CHECK: tc.contract
// CHECK-LABEL: func.func @norm
// CHECK-NOT: linalg.fill
// CHECK-NOT: memref.alloc() {{.*}} : memref<37x45xf32>
// CHECK: %[[E:.*]] = memref.alloc() {{.*}} : memref<f32>
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[E]] to offset: [0], sizes: [37, 45], strides: [0, 0]
// CHECK: gpu.memset
// CHECK: gpu.launch_func @tc_kernels::@norm
// CHECK-NOT: linalg.reduce
// CHECK: return %[[E]]

// NEST-LABEL: gpu.func @norm
// NEST: %[[STORAGE:.*]] = gpu.dynamic_shared_memory
// NEST: tc.multiply_tiles
// NEST: %[[SUM:.*]] = tc.reduce_tile %{{.*}} at{{ ?}}[%{{.*}}, %{{.*}}] epilogue {
// NEST: tc.reduce_blocks %[[SUM]] to %{{.*}} through %[[STORAGE]] and %{{.*}} : f32
// NEST-NOT: tc.store_tile
// NEST: gpu.return
func.func @norm(%A: tensor<37x24xf32>, %B: tensor<24x45xf32>) -> tensor<f32> {
  %C = tensor.empty() : tensor<37x45xf32>
  %D = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<37x24xf32>, tensor<24x45xf32>)
    outs(%C : tensor<37x45xf32>) epilogue {
    ^bb0(%x: f32, %old: f32):
      %square = arith.mulf %x, %x : f32
      tc.yield %square : f32
    } -> tensor<37x45xf32>
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %zero = linalg.fill ins(%f0 : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %norm = linalg.reduce { arith.addf } ins(%D : tensor<37x45xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  return %norm : tensor<f32>
}
