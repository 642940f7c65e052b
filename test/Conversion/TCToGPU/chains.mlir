// RUN: tc-opt %s --tc-outline-kernels | FileCheck %s --check-prefix=OUTLINE
// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-outline-kernels,gpu.module(tc-materialize-loop-nest,canonicalize,cse))" | FileCheck %s --check-prefix=LOOPS
// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-outline-kernels,gpu.module(tc-materialize-loop-nest,tc-lower-store-accumulators,canonicalize,cse))" | FileCheck %s --check-prefix=STORES

// Two tiles of four rows: the first product has three columns, in a tile of four,
// over which the second one sums.

#first = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#second = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [l: 4], register = [2, 1]>

// The first A has the place of the intermediate result, which is no argument;
// the first B comes last.
// OUTLINE: gpu.func @chain(%[[A:.*]]: memref<8x4xf64, {{.*}}>, %[[E:.*]]: memref<3x2xf64, {{.*}}>, %[[C:.*]]: memref<8x2xf64, {{.*}}>, %[[B:.*]]: memref<4x3xf64, {{.*}}>) kernel
// OUTLINE-SAME: known_grid_size = array<i32: 2, 1, 1>
// OUTLINE-SAME: edges = [C1 -> A : f64], terms = [#tc.kernel<a = [m, k], b = [k, l], c = [m, l]
// OUTLINE: %[[T:.*]] = memref.alloca() : memref<8x3xf64>
// OUTLINE: tc.contract [m, k], [k, l] -> [m, l] ins(%[[A]], %[[B]] :{{.*}} outs(%[[T]] :
// OUTLINE: tc.contract [m, l], [l, n] -> [m, n] ins(%[[T]], %[[E]] :{{.*}} outs(%[[C]] :
// No memory is left for it.
// OUTLINE: func.func @chain
// OUTLINE-NOT: memref.alloc
// OUTLINE: gpu.launch_func
// OUTLINE-NOT: memref.dealloc
// OUTLINE: return

// The copy of the second B is under way while the sums of the first are stored.
// LOOPS: gpu.func @chain
// LOOPS-NOT: alloca
// LOOPS: tc.copy_tile a term 1 {{.*}} into %[[TILE:[a-z0-9_]*]] :
// LOOPS: tc.copy_tile b term 1
// LOOPS: tc.wait_for_tiles
// LOOPS: %[[SUMS:.*]]:2 = tc.multiply_tiles term 1
// LOOPS: gpu.barrier
// LOOPS-NEXT: %[[OTHER:.*]] = memref.view {{.*}} to memref<4x2xf64
// LOOPS-NEXT: tc.copy_tile b {{.*}} into %[[OTHER]]
// LOOPS-NEXT: %[[GROUP:.*]] = tc.group_copies
// LOOPS-NEXT: tc.store_accumulators_to_shared %[[SUMS]]#0, %[[SUMS]]#1 from 1 to a of 0 at{{ ?}}[%c0_i32] into %[[TILE]]
// LOOPS-NEXT: %[[TILES:.*]]:2 = tc.wait_for_tiles %[[TILE]], %[[OTHER]] after %[[GROUP]] :
// LOOPS: tc.multiply_tiles %[[TILES]]#0, %[[TILES]]#1
// LOOPS: tc.store_tile
// LOOPS: gpu.return

// Four sums of each thread; the fourth column is zero.
// STORES: gpu.func @chain
// STORES: %[[FLAT:.*]] = memref.reinterpret_cast {{.*}} to memref<16xf64
// STORES: %[[FIRST:.*]] = arith.cmpi slt, %[[COLUMN:.*]], %c3_i32 : i32
// STORES: %[[SECOND:.*]] = arith.cmpi slt, %[[COLUMN]], %c2_i32 : i32
// STORES: %[[X:.*]] = arith.select %[[FIRST]], %{{.*}}, %[[ZERO:.*]] : f64
// STORES: memref.store %[[X]], %[[FLAT]]
// STORES: %[[Y:.*]] = arith.select %[[SECOND]], %{{.*}}, %[[ZERO]] : f64
// STORES: memref.store %[[Y]], %[[FLAT]]
// STORES-COUNT-2: memref.store {{.*}}, %[[FLAT]]
// STORES-NOT: memref.store
// STORES: tc.multiply_tiles
func.func @chain(%A: memref<8x4xf64>, %B: memref<4x3xf64>, %E: memref<3x2xf64>, %C: memref<8x2xf64>) {
  %T = memref.alloc() : memref<8x3xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%T : memref<8x3xf64>) {schedule = #first}
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %E : memref<8x3xf64>, memref<3x2xf64>) outs(%C : memref<8x2xf64>) {schedule = #second}
  }
  memref.dealloc %T : memref<8x3xf64>
  return
}

// Two chains may have one buffer between producer and consumer: each writes it before it reads it. It is gone
// with the last one.
// OUTLINE: func.func @one_buffer
// OUTLINE-NOT: memref.alloc
// OUTLINE-COUNT-2: gpu.launch_func
// OUTLINE-NOT: memref.dealloc
// OUTLINE: return
func.func @one_buffer(%A: memref<8x4xf64>, %B: memref<4x3xf64>, %E: memref<3x2xf64>, %C: memref<8x2xf64>, %D: memref<8x2xf64>) {
  %T = memref.alloc() : memref<8x3xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%T : memref<8x3xf64>) {schedule = #first}
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %E : memref<8x3xf64>, memref<3x2xf64>) outs(%C : memref<8x2xf64>) {schedule = #second}
  }
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%T : memref<8x3xf64>) {schedule = #first}
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %E : memref<8x3xf64>, memref<3x2xf64>) outs(%D : memref<8x2xf64>) {schedule = #second}
  }
  memref.dealloc %T : memref<8x3xf64>
  return
}
