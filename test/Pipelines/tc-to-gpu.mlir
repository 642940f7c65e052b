// RUN: tc-opt %s --tc-tile --tc-to-gpu | FileCheck %s
// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_80 | FileCheck %s --check-prefix=COLLAPSED

// Tensors are bufferized on the way; nothing of the tc dialect is left but the
// record of the kernel's contraction.

// CHECK: gpu.func @ccsd_t
// CHECK-SAME: schedule = #tc.schedule<target = "sm_90"
// CHECK-NOT: tc.contract
// CHECK-NOT: tc.load_tile_from_global
// CHECK: llvm.nvvm.mma.m16n8k8.row.col.f64
// CHECK: vector.store
// CHECK: func.func @ccsd_t
// CHECK: gpu.launch_func

// Adjacent indices that move together are one index of the kernel.

// COLLAPSED: gpu.func @ccsd_t
// COLLAPSED-SAME: a = [de, g, a], b = [g, f, bc], c = [a, bc, de, f]
// COLLAPSED-SAME: target = "sm_80"
func.func @ccsd_t(%A: tensor<8x4x21x8xf64>, %B: tensor<21x4x4x4xf64>, %C: tensor<8x4x4x8x4x4xf64>) -> tensor<8x4x4x8x4x4xf64> {
  %D = tc.contract [d, e, g, a], [g, f, b, c] -> [a, b, c, d, e, f]
      ins(%A, %B : tensor<8x4x21x8xf64>, tensor<21x4x4x4xf64>)
      outs(%C : tensor<8x4x4x8x4x4xf64>) -> tensor<8x4x4x8x4x4xf64>
  return %D : tensor<8x4x4x8x4x4xf64>
}
