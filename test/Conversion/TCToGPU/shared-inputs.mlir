// RUN: tc-opt %s --tc-outline-kernels | FileCheck %s --check-prefix=OUTLINE
// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-outline-kernels,gpu.module(tc-materialize-loop-nest,canonicalize,cse))" | FileCheck %s --check-prefix=LOOPS

// Two tiles of four rows of the input that both have in common: as A of the one, and
// as B of the other, whose columns they are.

#first = #tc.schedule<target = "sm_90", m = [x: 2], n = [y: 4], k = [z: 4], register = [1, 2]>
#second = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>

// The input in common is one argument. The other input and the output of the first come last.
// OUTLINE: gpu.func @fan(%[[A:.*]]: memref<8x4xf64, {{.*}}>, %[[B:.*]]: memref<4x3xf64, {{.*}}>, %[[C:.*]]: memref<8x3xf64, {{.*}}>, %[[E:.*]]: memref<2x4xf64, {{.*}}>, %[[F:.*]]: memref<2x8xf64, {{.*}}>) kernel
// OUTLINE-SAME: known_grid_size = array<i32: 2, 1, 1>
// OUTLINE-SAME: edges = [A -> B1], terms = [#tc.kernel<a = [x, z], b = [y, z], c = [x, y], alpha = 2.000000e+00 : f64,
// OUTLINE: tc.contract [x, z], [y, z] -> [x, y] ins(%[[E]], %[[A]] :{{.*}} outs(%[[F]] :
// OUTLINE: tc.contract [m, k], [k, n] -> [m, n] ins(%[[A]], %[[B]] :{{.*}} outs(%[[C]] :
// OUTLINE: func.func @fan
// OUTLINE-COUNT-1: gpu.launch_func
// OUTLINE: return

// Both are at the block's rows of it.
// LOOPS: gpu.func @fan
// LOOPS: %[[ROW:.*]] = arith.muli %{{.*}}, %c4_i32
// LOOPS: tc.copy_tile a term 1 {{.*}}[%c0_i32, %c0_i32]
// LOOPS: tc.copy_tile b term 1 {{.*}}[%[[ROW]], %c0_i32]
// LOOPS: tc.multiply_tiles term 1
// LOOPS: tc.store_tile term 1 {{.*}}[%c0_i32, %[[ROW]]] alpha
// LOOPS-NEXT: gpu.barrier
// LOOPS: tc.copy_tile a of {{.*}}[%[[ROW]], %c0_i32]
// LOOPS: tc.multiply_tiles
// LOOPS: tc.store_tile {{.*}}[%[[ROW]], %c0_i32]
// LOOPS: gpu.return
func.func @fan(%A: memref<8x4xf64>, %B: memref<4x3xf64>, %E: memref<2x4xf64>, %C: memref<8x3xf64>, %F: memref<2x8xf64>) {
  %two = arith.constant 2.0 : f64
  tc.fused {
    tc.contract [x, z], [y, z] -> [x, y] ins(%E, %A : memref<2x4xf64>, memref<8x4xf64>) outs(%F : memref<2x8xf64>) alpha(%two : f64) {schedule = #first}
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%C : memref<8x3xf64>) {schedule = #second}
  }
  return
}
