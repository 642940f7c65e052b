// RUN: tc-opt %s --tc-dispatch-versions | FileCheck %s
// RUN: tc-opt %s --tc-dispatch-versions --tc-tile --tc-to-gpu | FileCheck %s --check-prefix=KERNELS

// The host tests the needs of wide accesses: of A, whose strides are unknown,
// and of C, whose extents are; not of B, whose type says all. A schedule is for
// the contraction that was there.

// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[A:.*]]: memref<?x64xf64, strided<[?, ?], offset: ?>>, %[[B:.*]]: memref<64x64xf64>, %[[C:.*]]: memref<?x64xf64>
// CHECK: %{{.*}}, %[[OFFSET:.*]], %[[SIZES:.*]]:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[A]]
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: arith.remsi %[[POINTER]], %c16{{.*}} : index
// CHECK: arith.remsi %[[OFFSET]], %c8{{.*}} : index
// CHECK: arith.remsi %[[SIZES]]#0, %c8{{.*}} : index
// CHECK: arith.remsi %[[STRIDES]]#0, %c8{{.*}} : index
// CHECK: arith.cmpi eq, %[[STRIDES]]#1, %c1{{.*}} : index
// CHECK-NOT: extract_strided_metadata %[[B]]
// CHECK: %{{.*}}, %{{.*}}, %[[SIZESC:[a-z_0-9]*]]:2, %{{.*}}:2 = memref.extract_strided_metadata %[[C]]
// CHECK: %[[POINTERC:.*]] = memref.extract_aligned_pointer_as_index %[[C]]
// CHECK: arith.remsi %[[POINTERC]], %c16{{.*}} : index
// CHECK: arith.remsi %[[SIZESC]]#0, %c8{{.*}} : index
// CHECK: %[[ALL:.*]] = arith.andi
// CHECK-NEXT: scf.if %[[ALL]] {
// CHECK-NEXT: tc.contract
// CHECK-SAME: {dynamic_shape = #tc.dynamic_shape<multiples = 8, offset_bits = 64, representative = {m = 512 : i64}>}
// CHECK-NEXT: } else {
// CHECK-NEXT: tc.contract
// CHECK-SAME: {dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64, representative = {m = 512 : i64}>,
// CHECK-SAME: schedule = #tc.schedule<target = "sm_90", m = [m: 16],
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: return

// KERNELS: gpu.func @product(
// KERNELS-SAME: dynamic_shape = #tc.dynamic_shape<multiples = 8, offset_bits = 64>
// KERNELS: #gpu.address_space<global>>, vector<2xf64>
// KERNELS: gpu.func @product_0(
// KERNELS-SAME: alignment = [1, 0, 0]
// KERNELS-SAME: dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>
// KERNELS-NOT: #gpu.address_space<global>>, vector<2xf64>
// KERNELS: gpu.func @others(
// KERNELS: gpu.func @broadcast_0(
// KERNELS-SAME: memref<512x512xf64, strided<[1, 0]>,
// KERNELS: func.func @product
// KERNELS: scf.if
// KERNELS: gpu.launch_func @tc_kernels::@product blocks
// KERNELS: } else {
// KERNELS: gpu.launch_func @tc_kernels::@product_0 blocks
func.func @product(%A: memref<?x64xf64, strided<[?, ?], offset: ?>>, %B: memref<64x64xf64>, %C: memref<?x64xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<?x64xf64, strided<[?, ?], offset: ?>>, memref<64x64xf64>) outs(%C : memref<?x64xf64>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 16], k = [k: 8], register = [2, 2]>,
     dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64, representative = {m = 512 : i64}>}
  return
}

// Contractions whose shape is known, or that ask for multiples already, stay.

// CHECK-LABEL: func.func @others
// CHECK-NOT: scf.if
func.func @others(%A: memref<64x64xf64>, %D: memref<?x64xf64>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<64x64xf64>, memref<64x64xf64>) outs(%A : memref<64x64xf64>)
    {dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>}
  tc.contract [m, k], [k, n] -> [m, n] ins(%D, %A : memref<?x64xf64>, memref<64x64xf64>) outs(%D : memref<?x64xf64>)
    {dynamic_shape = #tc.dynamic_shape<multiples = 16, offset_bits = 64, representative = {m = 512 : i64}>}
  return
}

// Of a tensor that repeats its elements along one index, the stride along the
// other is one in the representative: it is an argument, and not zero.

// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%A: memref<?x?xf64, strided<[?, 0]>>, %B: memref<?xf64>, %C: memref<?xf64>) {
  tc.contract [m, k], [k] -> [m] ins(%A, %B : memref<?x?xf64, strided<[?, 0]>>, memref<?xf64>) outs(%C : memref<?xf64>)
    {dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64, representative = {k = 512 : i64, m = 512 : i64}>}
  return
}
