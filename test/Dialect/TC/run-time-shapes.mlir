// RUN: tc-opt %s --tc-run-time-shapes | FileCheck %s
// RUN: tc-opt %s --tc-gpu-pipeline=run-time-shapes=true | FileCheck %s --check-prefix=KERNELS

// Contractions are marked, and a copy behind each function is for all shapes.

// CHECK: func.func @f(
// CHECK-NEXT: tc.contract
// CHECK-SAME: tc.run_time_shape = #tc.run_time_shape<multiples = 32, offset_bits = 32>
// CHECK: func.func @f_any_shape(%{{.*}}) attributes {tc.version_of = @f} {
// CHECK-NEXT: tc.contract
// CHECK-SAME: tc.run_time_shape = #tc.run_time_shape<multiples = 1, offset_bits = 64>

// What is a version gets no copy; large tensors have wide offsets.

// CHECK: func.func @f_large(%{{.*}}) attributes {tc.version_of = @f} {
// CHECK-NEXT: tc.contract
// CHECK-SAME: tc.run_time_shape = #tc.run_time_shape<multiples = 32, offset_bits = 64>
// CHECK-NOT: func.func @f_large_any_shape

// Kernels take the shape behind their tensors: an extent for each index, the
// strides that are not one by what accesses take for granted, an offset for each
// tensor, the steps along K, and what blocks divide their numbers by.

// KERNELS: gpu.func @f(
// KERNELS-SAME: memref<96x64xf64, #gpu.address_space<global>>
// KERNELS-SAME: memref<64x96xf64, #gpu.address_space<global>>
// KERNELS-SAME: memref<96x96xf64, #gpu.address_space<global>>
// KERNELS-SAME: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32,
// KERNELS-SAME: run_time_shape = #tc.run_time_shape<multiples = 32, offset_bits = 32>
// KERNELS-NOT: known_grid_size
// KERNELS: gpu.func @f_any_shape(
// KERNELS-SAME: i64
// KERNELS-SAME: run_time_shape = #tc.run_time_shape<multiples = 1, offset_bits = 64>
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
