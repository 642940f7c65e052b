// RUN: tc-opt %s --tc-multi-version | FileCheck %s
// RUN: tc-opt %s --tc-gpu-pipeline=any-alignment=true | FileCheck %s --check-prefix=KERNELS

// A copy behind each function with contractions, under a name that nothing else
// has. A copy gets none.

// CHECK: func.func @f(
// CHECK-NEXT: tc.contract
// CHECK: func.func @f_unaligned_0(%{{.*}}) attributes {tc.unaligned, tc.version_of = @f} {
// CHECK-NEXT: tc.contract
// CHECK: func.func @f_unaligned(
// CHECK-NOT: func.func @f_unaligned_unaligned
// CHECK: func.func @g(
// CHECK: func.func @g_unaligned({{.*}}tc.version_of = @g}

// Their kernels take pointers to be aligned to elements, and accesses are as
// narrow.

// KERNELS: gpu.func @f(
// KERNELS-NOT: tc.version_of
// KERNELS-NOT: alignment = [1
// KERNELS: gpu.func @f_unaligned_0(
// KERNELS-SAME: alignment = [1, 1, 1]
// KERNELS-SAME: tc.version_of = "f"}
// KERNELS-NOT: #gpu.address_space<global>>, vector<{{[248]}}x
// KERNELS: gpu.func @g(
// KERNELS: gpu.func @g_0(
// KERNELS: gpu.func @g_unaligned(
// KERNELS-SAME: tc.version_of = "g"}
// KERNELS: gpu.func @g_unaligned_0(
// KERNELS-SAME: tc.version_of = "g_0"}
func.func @f(%A: memref<32x16xf32>, %B: memref<16x64xf32>, %C: memref<32x64xf32>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<32x16xf32>, memref<16x64xf32>) outs(%C : memref<32x64xf32>)
  return
}
func.func @f_unaligned() {
  return
}
// On tensors, too, and several contractions of a function in their order.
func.func @g(%A: tensor<32x16xf32>, %B: tensor<16x64xf32>, %C: tensor<32x64xf32>, %E: tensor<16x32xf32>, %D: tensor<16x64xf32>)
    -> (tensor<32x64xf32>, tensor<16x64xf32>) {
  %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<32x16xf32>, tensor<16x64xf32>)
    outs(%C : tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%E, %0 : tensor<16x32xf32>, tensor<32x64xf32>)
    outs(%D : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %0, %1 : tensor<32x64xf32>, tensor<16x64xf32>
}
