// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_80 | FileCheck %s

// Layers of unknown shape with a bias and a residual of any strides, which the
// host hands to their kernels with those of the product's own tensors. Accesses
// to tensors of stride one along C's rows are as wide as those to C.

// CHECK: gpu.func @tensors(
// CHECK-COUNT-8: vector.load {{.*}} : memref<401408xf32, #gpu.address_space<global>>, vector<4xf32>
// CHECK: gpu.func @tensors_0(

// CHECK-LABEL: func.func @strided
// CHECK-SAME: %[[RESIDUAL:[a-z0-9]*]]: memref<?x10xf32, strided<[?, ?], offset: ?>>
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[RESIDUAL]]
// CHECK: %[[UNIT:.*]] = arith.cmpi eq, %[[STRIDES]]#1, %c1{{.*}} : index
// CHECK: %[[WIDE:.*]] = arith.andi %{{.*}}, %[[UNIT]] : i1
// CHECK: scf.if %[[WIDE]] {
// CHECK: gpu.launch_func @tc_kernels::@strided
// CHECK: } else {
// CHECK: memref.extract_strided_metadata %[[RESIDUAL]]
// CHECK: %{{.*}}, %[[BEGIN:.*]], %{{.*}}:2, %[[GIVEN:.*]]:2 = memref.extract_strided_metadata %[[RESIDUAL]]
// CHECK: %[[OFFSET:.*]] = arith.index_cast %[[BEGIN]] : index to i64
// CHECK: %[[M:.*]] = arith.index_cast %[[GIVEN]]#0 : index to i64
// CHECK: %[[N:.*]] = arith.index_cast %[[GIVEN]]#1 : index to i64
// CHECK: gpu.launch_func @tc_kernels::@strided_0
// CHECK-SAME: %c2_i64{{[_0-9]*}} : i64, %c0_i64{{[_0-9]*}} : i64, %[[M]] : i64, %[[N]] : i64, %[[OFFSET]] : i64
func.func @strided(%x: memref<?x784xf32>, %w: memref<784x10xf32>, %y: memref<?x10xf32>, %bias: memref<10xf32, strided<[2]>>,
                   %residual: memref<?x10xf32, strided<[?, ?], offset: ?>>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%x, %w : memref<?x784xf32>, memref<784x10xf32>) outs(%y : memref<?x10xf32>)
    auxiliaries(%bias [n] : memref<10xf32, strided<[2]>>, %residual [m, n] : memref<?x10xf32, strided<[?, ?], offset: ?>>)
    epilogue {
    ^bb0(%sum: f32, %old: f32, %b: f32, %r: f32):
      %biased = arith.addf %sum, %b : f32
      %added = arith.addf %biased, %r : f32
      tc.yield %added : f32
    }
  return
}

// As torch-mlir exports it.

// CHECK-LABEL: func.func @tensors
// CHECK: gpu.launch_func
// CHECK-NOT: linalg
func.func @tensors(%x: tensor<?x784xf32>, %w: tensor<784x784xf32>, %y: tensor<?x784xf32>, %bias: tensor<784xf32>,
                   %residual: tensor<?x784xf32>) -> tensor<?x784xf32> {
  %z = tc.contract [m, k], [k, n] -> [m, n] ins(%x, %w : tensor<?x784xf32>, tensor<784x784xf32>) outs(%y : tensor<?x784xf32>)
    auxiliaries(%bias [n] : tensor<784xf32>, %residual [m, n] : tensor<?x784xf32>) epilogue {
    ^bb0(%sum: f32, %old: f32, %b: f32, %r: f32):
      %biased = arith.addf %sum, %b : f32
      %added = arith.addf %biased, %r : f32
      tc.yield %added : f32
    } -> tensor<?x784xf32>
  return %z : tensor<?x784xf32>
}
