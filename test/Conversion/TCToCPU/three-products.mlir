// RUN: tc-opt %s -tc-to-cpu -canonicalize -cse | FileCheck %s

// Complex numbers by three real products: panels hold three factors of each
// number of a block, those of one product after the other.

// CHECK-LABEL: func.func @matmul
// CHECK: %[[PARTS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32xf64>
// Rows are whole numbers of B, two panels of 4 x (3 x 6); columns are of A.
// CHECK: %[[ROWS:.*]] = memref.view {{.*}} to memref<144xf64>
// CHECK: %[[COLUMNS:.*]] = memref.view {{.*}} to memref<72xf64>
// Of numbers of C, two real ones each:

// B = x + iy: x, y - x and x + y; its conjugates have the other sign of y.
// CHECK: %[[B:.*]] = vector.load %{{.*}} : memref<96xf64>, vector<8xf64>
// CHECK-DAG: %[[X:.*]] = vector.shuffle %[[B]], %[[B]] [0, 2, 4, 6]
// CHECK-DAG: %[[Y:.*]] = vector.shuffle %[[B]], %[[B]] [1, 3, 5, 7]
// CHECK: vector.store %[[X]], %[[ROWS]]
// CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK: %[[SECOND:.*]] = arith.negf %[[SUM]]
// CHECK: vector.store %[[SECOND]], %[[ROWS]]
// CHECK: %[[THIRD:.*]] = arith.subf %[[X]], %[[Y]]
// CHECK: vector.store %[[THIRD]], %[[ROWS]]

// A = u + iv: u + v, u and -v. Both parts are transposed first.
// CHECK-COUNT-4: vector.load %{{.*}} : memref<48xf64>, vector<4xf64>
// CHECK: %[[SUM:.*]] = arith.addf %[[U:.*]], %[[V:[^ ]*]]
// CHECK: vector.store %[[SUM]], %[[COLUMNS]]
// CHECK: vector.store %[[U]], %[[COLUMNS]]
// CHECK: %[[NEGATED:.*]] = arith.negf %[[V]]
// CHECK: vector.store %[[NEGATED]], %[[COLUMNS]]

// The sums of the first product are where those of the other two begin. They
// are stored in the place of the real parts, of the second in that of the
// imaginary ones, and of the third in that of the real ones.
// CHECK-COUNT-4: vector.store %cst, %[[PARTS]][
// CHECK: scf.for %[[PRODUCT:.*]] = %c0 to %c3 step %c1 {
// CHECK: %[[FIRST:.*]] = vector.load %[[PARTS]][%c0]
// CHECK: %[[SUMS:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]],
// CHECK: %[[PART:.*]] = arith.remui %[[PRODUCT]], %c2
// CHECK: %[[PLACE:.*]] = arith.muli %[[PART]], %c16
// CHECK: vector.store %[[SUMS]]#0, %[[PARTS]][%[[PLACE]]]

// C is updated by pairs, all by vectors, as no tile is cut off.
// CHECK-NOT: scf.if
// CHECK: %[[REAL:.*]] = vector.load %[[PARTS]][%c0]
// CHECK: %[[IMAGINARY:.*]] = vector.load %[[PARTS]][%c16]
// CHECK: %[[PAIRS:.*]] = vector.interleave %[[REAL]], %[[IMAGINARY]]
// CHECK: vector.store %[[PAIRS]], %[[C:.*]][%{{.*}}] : memref<64xf64>, vector<8xf64>
// CHECK-NOT: vector<2xf64>
func.func @matmul(%A: memref<4x6xcomplex<f64>>, %B: memref<6x8xcomplex<f64>>,
                  %C: memref<4x8xcomplex<f64>>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<4x6xcomplex<f64>>, memref<6x8xcomplex<f64>>)
    outs(%C : memref<4x8xcomplex<f64>>) conjugate_b allow_three_products
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 4],
       n = [k: 8], k = [re_im_3m: 3, j: 6], order = [m, k, n],
       register = [4, 4], lanes = 4, store = cache>}
  return
}
