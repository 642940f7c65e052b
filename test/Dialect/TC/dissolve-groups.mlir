// Groups that passes have made, and that buffers keep from being one kernel, are
// taken apart, for each of the reasons for which a kernel is refused; those that
// somebody has asked for are left to the passes that refuse them.
//
// RUN: tc-opt %s --tc-dissolve-groups -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @read_later
// CHECK-NOT: tc.fused
// CHECK-COUNT-3: tc.contract
// CHECK-NOT: schedule
func.func @read_later(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %D: memref<4x4xf64>) {
  %T = memref.alloc() : memref<4x4xf64>
  tc.fused dissolvable {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>) {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [1, 1]>}
    // expected-remark @below {{becomes a kernel of its own: something else uses the buffer between them}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>) {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [1, 1]>}
  }
  tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%D : memref<4x4xf64>)
  return
}

// -----

// The same through a view.

// CHECK-LABEL: @viewed_later
// CHECK-NOT: tc.fused
func.func @viewed_later(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %d: memref<f64>, %a: memref<16xf64>) {
  %T = memref.alloc() : memref<4x4xf64>
  %view = memref.collapse_shape %T [[0, 1]] : memref<4x4xf64> into memref<16xf64>
  tc.fused dissolvable {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-remark @below {{something else uses the buffer between them}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  tc.contract [k], [k] -> [] ins(%view, %a : memref<16xf64>, memref<16xf64>) outs(%d : memref<f64>)
  return
}

// -----

// A view whose elements have been written since is no reason.

// CHECK-LABEL: @written_anew
// CHECK: tc.fused dissolvable
func.func @written_anew(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %d: memref<f64>, %a: memref<16xf64>) {
  %T = memref.alloc() : memref<4x4xf64>
  tc.fused dissolvable {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  tc.contract [m, k], [n, k] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
  %view = memref.collapse_shape %T [[0, 1]] : memref<4x4xf64> into memref<16xf64>
  tc.contract [k], [k] -> [] ins(%view, %a : memref<16xf64>, memref<16xf64>) outs(%d : memref<f64>)
  return
}

// -----

// CHECK-LABEL: @in_argument
// CHECK-NOT: tc.fused
func.func @in_argument(%A: memref<4x4xf64>, %T: memref<4x4xf64>, %C: memref<4x4xf64>) {
  tc.fused dissolvable {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-remark @below {{the buffer between them is not allocated for that}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  return
}

// -----

// CHECK-LABEL: @output_in_input
// CHECK-NOT: tc.fused
func.func @output_in_input(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  %T = memref.alloc() : memref<4x4xf64>
  tc.fused dissolvable {
    tc.contract [m, k], [k, n] -> [m, n] ins(%C, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-remark @below {{the output is in the buffer of an input}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  return
}

// -----

// CHECK-LABEL: @scores
// CHECK-NOT: tc.fused
// CHECK: tc.contract
// CHECK-NEXT: linalg.softmax
// CHECK-NEXT: tc.contract
func.func @scores(%A: memref<4x4xf64>, %T: memref<4x4xf64>, %C: memref<4x4xf64>) {
  tc.fused dissolvable {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    linalg.softmax dimension(1) ins(%T : memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-remark @below {{the buffer between them is not allocated for that}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  return
}

// -----

// CHECK-LABEL: @sum
// CHECK-NOT: tc.fused
func.func @sum(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %beta: f64) {
  tc.fused dissolvable {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    // expected-remark @below {{beta of a later term is not the constant one}}
    tc.contract [m, k], [n, k] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>) beta(%beta : f64)
  }
  return
}

// -----

// CHECK-LABEL: @fan
// CHECK-NOT: tc.fused
func.func @fan(%A: memref<4x4xf64>, %B: memref<4x4xf64>, %C: memref<4x4xf64>, %D: memref<4x4xf64>, %beta: f64) {
  tc.fused dissolvable {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    // expected-remark @below {{one of them uses what its C held}}
    tc.contract [m, k], [n, k] -> [m, n] ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%D : memref<4x4xf64>) beta(%beta : f64)
  }
  return
}

// -----

// CHECK-LABEL: @asked_for
// CHECK: tc.fused {
func.func @asked_for(%A: memref<4x4xf64>, %T: memref<4x4xf64>, %C: memref<4x4xf64>) {
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  return
}
