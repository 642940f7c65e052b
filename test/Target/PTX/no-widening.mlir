// RUN: tc-opt %s --tc-to-gpu | tc-translate --tc-to-ptx | FileCheck %s

// A thread reads three neighbours, one access each: one access of four would read
// an element that nothing wrote.

// CHECK: .entry tc_outer_product
// CHECK-NOT: ld.shared.v4
// CHECK-COUNT-4: ld.shared.b32
// CHECK-NOT: ld.shared
func.func @outer_product(%A: memref<1xf32>, %B: memref<3xf32>, %C: memref<1x3xf32>) {
  tc.contract [m], [n] -> [m, n] ins(%A, %B : memref<1xf32>, memref<3xf32>) outs(%C : memref<1x3xf32>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 1], n = [n: 3], k = [], register = [1, 3]>}
  return
}
