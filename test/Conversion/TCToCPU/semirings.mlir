// RUN: tc-opt %s -split-input-file -tc-to-cpu -canonicalize -cse | FileCheck %s

// Sums begin at the semiring's zero. A comparison and a selection that keeps
// the sum leave products out that are not a number, and the blocks of K that
// come later combine with the contents of C.

// CHECK-LABEL: func.func @paths
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0x7F800000> : vector<8xf32>
// CHECK: scf.for {{.*}} iter_args(%[[SUM:[a-z0-9]+]] = %[[ZERO]]
// CHECK: %[[PRODUCT:.*]] = arith.addf %{{.*}} : vector<8xf32>
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[PRODUCT]], %[[SUM]] : vector<8xf32>
// CHECK: arith.select %[[LESS]], %[[PRODUCT]], %[[SUM]]
// CHECK: scf.if
// CHECK: arith.minnumf {{.*}} : vector<8xf32>
func.func @paths(%A: memref<16x64xf32>, %B: memref<64x16xf32>,
                 %C: memref<16x16xf32>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<16x64xf32>, memref<64x16xf32>)
    outs(%C : memref<16x16xf32>) semiring = min_plus
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 16],
       n = [k: 16], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 8, store = cache>}
  return
}

// -----

// Panels have the type of sums, and C is rounded once.

// CHECK-LABEL: func.func @halves
// CHECK: memref.view {{.*}} to memref<256xf32>
// CHECK: vector.load {{.*}} vector<8xf16>
// CHECK-NEXT: arith.extf {{.*}} : vector<8xf16> to vector<8xf32>
// CHECK: vector.fma {{.*}} : vector<8xf32>
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
func.func @halves(%A: memref<16x16xf16>, %B: memref<16x16xf16>,
                  %C: memref<16x16xf16>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<16x16xf16>, memref<16x16xf16>)
    outs(%C : memref<16x16xf16>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 16],
       n = [k: 16], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 8, store = cache>}
  return
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK: arith.extsi {{.*}} to vector<8xi32>
// CHECK: %[[PRODUCT:.*]] = arith.muli {{.*}} : vector<8xi32>
// CHECK: arith.addi %[[PRODUCT]], {{.*}} : vector<8xi32>
// CHECK: arith.trunci {{.*}} : vector<8xi32> to vector<8xi8>
func.func @integers(%A: memref<16x16xi8>, %B: memref<16x16xi8>,
                    %C: memref<16x16xi8>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<16x16xi8>, memref<16x16xi8>)
    outs(%C : memref<16x16xi8>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 16],
       n = [k: 16], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 8, store = cache>}
  return
}

// -----

// The prologue maps packed elements; lanes that no element fills repeat one.
// The epilogue maps the results of the last block of K. Of its auxiliary
// tensors, `row` is loaded by vectors, and `column` element by element.

// CHECK-LABEL: func.func @fused
// CHECK-SAME: %[[ROW:[a-z0-9]+]]: memref<18xf64>, %[[COLUMN:[a-z0-9]+]]: memref<16xf64>
// CHECK: %[[FILLER:.*]] = vector.broadcast %{{.*}} : f64 to vector<4xf64>
// CHECK: vector.maskedload {{.*}}, %[[FILLER]]
// CHECK: math.absf
// CHECK: vector.fma
// CHECK: scf.if
// CHECK: vector.load %[[ROW]]{{.*}} vector<4xf64>
// CHECK: %[[SCALAR:.*]] = memref.load %[[COLUMN]]
// CHECK: vector.broadcast %[[SCALAR]]
// CHECK: arith.mulf {{.*}} : vector<4xf64>
// CHECK: vector.store
// CHECK: } else {
// CHECK: vector.store
func.func @fused(%A: memref<16x64xf64>, %B: memref<64x18xf64>,
                 %C: memref<16x18xf64>, %row: memref<18xf64>,
                 %column: memref<16xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<16x64xf64>, memref<64x18xf64>)
    outs(%C : memref<16x18xf64>)
    auxiliaries(%row [k] : memref<18xf64>, %column [i] : memref<16xf64>)
    prologue_b {
    ^bb0(%b: f64):
      %x = math.absf %b : f64
      tc.yield %x : f64
    } epilogue {
    ^bb0(%sum: f64, %old: f64, %r: f64, %c: f64):
      %x = arith.addf %sum, %r : f64
      %y = arith.mulf %x, %c : f64
      tc.yield %y : f64
    }
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 16],
       n = [k: 18], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 4, store = cache>}
  return
}
