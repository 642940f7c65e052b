// RUN: tc-opt %s -split-input-file -tc-to-cpu -canonicalize -cse | FileCheck %s

// The regions stand on whole vectors, with the factors of A, which are those of
// columns here, before those of B. Sums begin with the identity, and blocks of
// K but the first are combined with the contents of C.

// CHECK-LABEL: func.func @manhattan
// CHECK-DAG: %[[IDENTITY:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK: scf.for {{.*}} iter_args(%[[SUM:[a-z0-9]+]] = %[[IDENTITY]]
// CHECK: %[[ROWS:.*]] = vector.load
// CHECK: %[[COLUMN:.*]] = vector.broadcast
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[COLUMN]], %[[ROWS]] : vector<8xf32>
// CHECK: %[[DISTANCE:.*]] = math.absf %[[DIFFERENCE]] : vector<8xf32>
// CHECK: arith.addf %[[DISTANCE]], %[[SUM]] : vector<8xf32>
// CHECK: scf.if
// CHECK: %[[OLD:.*]] = vector.load
// CHECK-NEXT: arith.addf %[[OLD]], %{{.*}} : vector<8xf32>
func.func @manhattan(%A: memref<16x64xf32>, %B: memref<16x64xf32>, %C: memref<16x16xf32>) {
  tc.contract [i, j], [k, j] -> [i, k]
    ins(%A, %B : memref<16x64xf32>, memref<16x64xf32>)
    outs(%C : memref<16x16xf32>) semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      %difference = arith.subf %x, %y : f32
      %distance = math.absf %difference : f32
      tc.yield %distance : f32
    } combine {
    ^bb0(%x: f32, %y: f32):
      %sum = arith.addf %x, %y : f32
      tc.yield %sum : f32
    }
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 16],
       n = [k: 16], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 8, store = cache>}
  return
}

// -----

// Nothing is multiplied: without `accumulate`, the identity is left.

// CHECK-LABEL: func.func @empty
// CHECK: %[[NONE:.*]] = arith.constant 2147483647 : i32
// CHECK: linalg.fill ins(%[[NONE]] : i32) outs(%arg2
// CHECK-NOT: linalg
func.func @empty(%A: memref<16x0xi32>, %B: memref<16x0xi32>, %C: memref<16x16xi32>, %D: memref<16x16xi32>) {
  tc.contract [i, j], [k, j] -> [i, k]
    ins(%A, %B : memref<16x0xi32>, memref<16x0xi32>)
    outs(%C : memref<16x16xi32>) semiring = user_defined(2147483647 : i32)
    product {
    ^bb0(%x: i32, %y: i32):
      tc.yield %x : i32
    } combine {
    ^bb0(%x: i32, %y: i32):
      %least = arith.minsi %x, %y : i32
      tc.yield %least : i32
    }
  tc.contract [i, j], [k, j] -> [i, k]
    ins(%A, %B : memref<16x0xi32>, memref<16x0xi32>)
    outs(%D : memref<16x16xi32>) semiring = user_defined(2147483647 : i32) accumulate
    product {
    ^bb0(%x: i32, %y: i32):
      tc.yield %x : i32
    } combine {
    ^bb0(%x: i32, %y: i32):
      %least = arith.minsi %x, %y : i32
      tc.yield %least : i32
    }
  return
}
