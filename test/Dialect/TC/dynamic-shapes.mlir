// RUN: tc-opt %s --tc-dynamic-shapes | FileCheck %s
// RUN: tc-opt %s --tc-gpu-pipeline=dynamic-shapes=true | FileCheck %s --check-prefix=KERNELS

// Contractions are marked, and a copy behind each function is for all shapes.

// CHECK: func.func @f(
// CHECK-NEXT: tc.contract
// CHECK-SAME: dynamic_shape = #tc.dynamic_shape<multiples = 32, offset_bits = 32>
// CHECK: func.func @f_dynamic_shapes(%{{.*}}) attributes {tc.version_of = @f} {
// CHECK-NEXT: tc.contract
// CHECK-SAME: dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>

// A function that is a version gets no copy; large tensors have wide offsets.

// CHECK: func.func @f_large(%{{.*}}) attributes {tc.version_of = @f} {
// CHECK-NEXT: tc.contract
// CHECK-SAME: dynamic_shape = #tc.dynamic_shape<multiples = 32, offset_bits = 64>
// CHECK-NOT: func.func @f_large_dynamic_shapes

// Kernels take the shape behind their tensors: an extent for each index, the
// strides that accesses do not take for one, an offset for each tensor, the
// steps along K, and the divisors of blocks' numbers.

// KERNELS: gpu.func @f(
// KERNELS-SAME: memref<96x64xf64, #gpu.address_space<global>>
// KERNELS-SAME: memref<64x96xf64, #gpu.address_space<global>>
// KERNELS-SAME: memref<96x96xf64, #gpu.address_space<global>>
// KERNELS-SAME: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32,
// KERNELS-SAME: dynamic_shape = #tc.dynamic_shape<multiples = 32, offset_bits = 32>
// KERNELS-NOT: known_grid_size
// KERNELS: gpu.func @f_dynamic_shapes(
// KERNELS-SAME: i64
// KERNELS-SAME: dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>
// KERNELS-SAME: tc.version_of = "f"
// KERNELS-NOT: #gpu.address_space<global>>, vector<{{[248]}}x
// KERNELS: gpu.func @f_large(

func.func @f(%A: memref<96x64xf64>, %B: memref<64x96xf64>, %C: memref<96x96xf64>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<96x64xf64>, memref<64x96xf64>) outs(%C : memref<96x96xf64>)
  return
}
func.func @f_large(%A: memref<65536x8192xf64>, %B: memref<8192x96xf64>, %C: memref<65536x96xf64>) attributes {tc.version_of = @f} {
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<65536x8192xf64>, memref<8192x96xf64>) outs(%C : memref<65536x96xf64>)
  return
}

// Extents and strides that no type says get representatives: those that are
// given, or hundreds along M, along N and along K. One operand may know an
// extent that another does not. Such contractions need no copies.

// RUN: tc-opt %s --tc-dynamic-shapes="unknown-only representative-extents=i=24,k=100" | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: func.func @f(
// UNKNOWN-NOT: dynamic_shape
// UNKNOWN-NOT: func.func @f_dynamic_shapes
// UNKNOWN: func.func @unknown(
// UNKNOWN: dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64, representative = {a = 16 : i64, i = 24 : i64, k = 100 : i64}>
// UNKNOWN: dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>
// UNKNOWN: tc.contract
// UNKNOWN-NOT: dynamic_shape
// UNKNOWN: return
// UNKNOWN-NOT: func.func
func.func @unknown(%A: tensor<?x?x?xf64>, %B: tensor<?x32xf64>, %C: tensor<?x?x32xf64>, %S: memref<8x8xf64, strided<[?, 1]>>,
                   %E: memref<?x0xf64>, %F: memref<0x8xf64>, %G: memref<?x8xf64>) -> tensor<?x?x32xf64> {
  %0 = tc.contract [i, a, k], [k, n] -> [i, a, n] ins(%A, %B : tensor<?x?x?xf64>, tensor<?x32xf64>) outs(%C : tensor<?x?x32xf64>) -> tensor<?x?x32xf64>
  tc.contract [m, k], [k, n] -> [m, n] ins(%S, %S : memref<8x8xf64, strided<[?, 1]>>, memref<8x8xf64, strided<[?, 1]>>) outs(%S : memref<8x8xf64, strided<[?, 1]>>)
  // Nothing is multiplied.
  tc.contract [m, k], [k, n] -> [m, n] ins(%E, %F : memref<?x0xf64>, memref<0x8xf64>) outs(%G : memref<?x8xf64>)
  return %0 : tensor<?x?x32xf64>
}
