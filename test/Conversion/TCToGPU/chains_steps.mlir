// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-outline-kernels,gpu.module(tc-materialize-loop-nest,canonicalize,cse))" | FileCheck %s

// Attention of 8 queries and 12 keys, in tiles of 4: a block has one tile of queries,
// which stays, and goes along three of keys.

#scores = #tc.schedule<target = "sm_90", m = [q: 4], n = [k: 4], k = [d: 8], register = [2, 4]>
#values = #tc.schedule<target = "sm_90", m = [q: 4], n = [d: 8], k = [k: 4], register = [2, 8]>

// CHECK: gpu.func @attention
// CHECK-SAME: edges = [C1 -> A : f32 softmax], terms =
// The tile of Q and the first one of K.
// CHECK: tc.copy_tile a term 1 {{.*}} into %[[Q:[a-z0-9_]*]] :
// CHECK: tc.copy_tile b term 1 {{.*}} into %[[K:[a-z0-9_]*]] :
// CHECK: %[[FIRST:.*]] = tc.group_copies
// CHECK: scf.for %[[STEP:.*]] = %c0_i32 to %c3_i32 step %c1_i32 iter_args({{.*}}, %[[KEYS:[a-z0-9_]*]] = %[[FIRST]])
// CHECK: %[[QK:.*]]:2 = tc.wait_for_tiles %[[Q]], %[[K]] after %[[KEYS]] :
// CHECK-NOT: tc.copy_tile a term 1
// CHECK: tc.copy_tile b of {{.*}} into %[[V:[a-z0-9_]*]] :
// CHECK: %[[VALUES:.*]] = tc.group_copies
// CHECK: %[[SUMS:.*]]:{{[0-9]+}} = tc.multiply_tiles term 1 %[[QK]]#0, %[[QK]]#1
// CHECK: %[[E:.*]]:8, %{{.*}}:2, %{{.*}}:2 = tc.exponentiate_accumulators %[[SUMS]]#0, {{.*}} %[[SUMS]]#7 maxima
// The next keys are under way while the present scores are multiplied by values.
// CHECK: %[[MORE:.*]] = arith.cmpi slt
// CHECK: tc.copy_tile b term 1 {{.*}} into %[[K]] if %[[MORE]]
// CHECK: %[[NEXT:.*]] = tc.group_copies
// CHECK: tc.store_accumulators_to_shared %[[E]]#0, {{.*}} into %[[P:[a-z0-9_]*]] :
// CHECK: %[[PV:.*]]:2 = tc.wait_for_tiles %[[P]], %[[V]] after %[[VALUES]] later 1 :
// CHECK: %[[OLD:.*]]:4 = tc.rescale_accumulators
// CHECK: tc.multiply_tiles %[[PV]]#0, %[[PV]]#1 into %[[OLD]]#0,
// CHECK: scf.yield %{{.*}}, %[[NEXT]] :
// CHECK: tc.store_row_reciprocals
// CHECK: %[[OUT:.*]]:4 = tc.rescale_accumulators
// CHECK: tc.store_tile %[[OUT]]#0,
func.func @attention(%Q: memref<8x8xf32>, %K: memref<12x8xf32>, %V: memref<12x8xf32>, %O: memref<8x8xf32>) {
  %S = memref.alloc() : memref<8x12xf32>
  %P = memref.alloc() : memref<8x12xf32>
  tc.fused {
    tc.contract [q, d], [k, d] -> [q, k] ins(%Q, %K : memref<8x8xf32>, memref<12x8xf32>) outs(%S : memref<8x12xf32>) {schedule = #scores}
    linalg.softmax dimension(1) ins(%S : memref<8x12xf32>) outs(%P : memref<8x12xf32>)
    tc.contract [q, k], [k, d] -> [q, d] ins(%P, %V : memref<8x12xf32>, memref<12x8xf32>) outs(%O : memref<8x8xf32>) {schedule = #values}
  }
  return
}

// Without a softmax, nothing is done to rows. Neither input of the first product stays,
// as it takes two steps itself.

#first = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#second = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 8], k = [l: 4], register = [2, 4]>

// CHECK: gpu.func @steps
// CHECK: scf.for %{{.*}} = %c0_i32 to %c3_i32
// CHECK: tc.copy_tile a term 1
// CHECK: tc.copy_tile b term 1
// CHECK: tc.multiply_tiles term 1
// CHECK: tc.copy_tile b of
// CHECK-NOT: tc.exponentiate_accumulators
// CHECK: tc.store_accumulators_to_shared
// CHECK: tc.multiply_tiles %
// CHECK: scf.yield
// CHECK-NOT: tc.rescale_accumulators
// CHECK: tc.store_tile
func.func @steps(%A: memref<8x8xf32>, %B: memref<8x12xf32>, %E: memref<12x8xf32>, %C: memref<8x8xf32>) {
  %T = memref.alloc() : memref<8x12xf32>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x8xf32>, memref<8x12xf32>) outs(%T : memref<8x12xf32>) {schedule = #first}
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %E : memref<8x12xf32>, memref<12x8xf32>) outs(%C : memref<8x8xf32>) {schedule = #second}
  }
  return
}

// Each warp has all keys of its rows: the exponentials of its scores, in pairs, are the
// factors that it multiplies with the values, and have no shared tile.

#of_scores = #tc.schedule<target = "sm_90", m = [q: 32], n = [k: 16], k = [d: 16], register = [2, 4], instruction = mma_m16n8k16>
#of_values = #tc.schedule<target = "sm_90", m = [q: 32], n = [d: 16], k = [k: 16], register = [2, 4], instruction = mma_m16n8k16>

// CHECK-LABEL: gpu.func @registers
// CHECK: scf.for
// CHECK: tc.copy_tile b of {{.*}} into %[[V:[a-z0-9_]*]] :
// CHECK: %[[SUMS:.*]]:4 = tc.multiply_tiles term 1
// CHECK: %[[E:.*]]:4, %{{.*}}:2, %{{.*}}:2 = tc.exponentiate_accumulators %[[SUMS]]#0
// CHECK-NOT: tc.store_accumulators_to_shared
// CHECK: %[[F:.*]]:4 = tc.accumulators_to_factors %[[E]]#0, {{.*}} from 1 to a of 0
// CHECK: %[[ARRIVED:.*]] = tc.wait_for_tiles %[[V]] after
// CHECK: %[[OLD:.*]]:4 = tc.rescale_accumulators
// CHECK: tc.multiply_factors %[[F]]#0, %[[F]]#1, %[[F]]#2, %[[F]]#3 by %[[ARRIVED]] into %[[OLD]]#0,
// CHECK: scf.yield
func.func @registers(%Q: memref<64x16xf16>, %K: memref<48x16xf16>, %V: memref<48x16xf16>, %O: memref<64x16xf32>) {
  %S = memref.alloc() : memref<64x48xf32>
  %P = memref.alloc() : memref<64x48xf32>
  tc.fused {
    tc.contract [q, d], [k, d] -> [q, k] ins(%Q, %K : memref<64x16xf16>, memref<48x16xf16>) outs(%S : memref<64x48xf32>) {schedule = #of_scores}
    linalg.softmax dimension(1) ins(%S : memref<64x48xf32>) outs(%P : memref<64x48xf32>)
    tc.contract [q, k], [k, d] -> [q, d] ins(%P, %V : memref<64x48xf32>, memref<48x16xf16>) outs(%O : memref<64x16xf32>)
      prologue_a {
      ^bb0(%x: f32):
        %y = arith.truncf %x : f32 to f16
        tc.yield %y : f16
      } {schedule = #of_values}
  }
  return
}
