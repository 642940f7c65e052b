// RUN: tc-opt --tc-order="memory-limit=24000" -split-input-file %s | FileCheck %s
// RUN: tc-opt --tc-order="memory-limit=24000 explain" -split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// Parts of the output are written one after the other; along a summed index, the
// first part scales the old output, and the others add to it. The temporary is
// made before all loops.
// EXPLAIN: order of 3 tensors for sm_90: {{.*}} predicted, 23.44 KiB of temporaries
// EXPLAIN-NEXT: 50 slices: [i] in 5 parts of 60; [k] in 10 parts of 50
// EXPLAIN-NEXT: 1 times the products and {{.*}} times the time of (2 (0 1)) without a limit, with 1.144 MiB of temporaries; the first slice:
// EXPLAIN-NEXT: [i]
// EXPLAIN: (2 (0 1)) is given;
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[A:.*]]: tensor<300x400xf64>, %[[B:.*]]: tensor<400x500xf64>, %[[X:.*]]: tensor<500xf64>, %[[OUT:.*]]: tensor<300xf64>, %[[ALPHA:.*]]: f64, %[[BETA:.*]]: f64)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<60x50xf64>
// CHECK: %[[Y:.*]] = scf.for %[[I:.*]] = %c0{{.*}} to %c300{{.*}} step %c60{{.*}} iter_args(%[[ALL:.*]] = %[[OUT]])
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0{{.*}} to %c500{{.*}} step %c50{{.*}} iter_args(%[[OLD:.*]] = %[[ALL]])
// CHECK: %[[A1:.*]] = tensor.extract_slice %[[A]][%[[I]], 0] [60, 400] [1, 1]
// CHECK: %[[B1:.*]] = tensor.extract_slice %[[B]][0, %[[K]]] [400, 50] [1, 1]
// CHECK: %[[X1:.*]] = tensor.extract_slice %[[X]][%[[K]]] [50] [1]
// CHECK: %[[T:.*]] = tc.contract [i, j], [j, k] -> [i, k] ins(%[[A1]], %[[B1]] : {{.*}}) outs(%[[E]] :
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[OLD]][%[[I]]] [60] [1]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %c0
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: %[[SCALE:.*]] = arith.select %[[FIRST]], %[[BETA]], %[[ONE]]
// CHECK: %[[MADE:.*]] = tc.contract [k], [i, k] -> [i] ins(%[[X1]], %[[T]] : {{.*}}) outs(%[[PART]] : {{.*}}) alpha(%[[ALPHA]] : f64) beta(%[[SCALE]] : f64)
// CHECK: %[[NEW:.*]] = tensor.insert_slice %[[MADE]] into %[[OLD]][%[[I]]] [60] [1]
// CHECK: scf.yield %[[NEW]]
// CHECK: scf.yield %[[SUM]]
// CHECK: return %[[Y]]
func.func @rows(%A: tensor<300x400xf64>, %B: tensor<400x500xf64>, %x: tensor<500xf64>,
                %out: tensor<300xf64>, %alpha: f64, %beta: f64) -> tensor<300xf64> {
  %y = tc.einsum [i, j], [j, k], [k] -> [i]
         ins(%A, %B, %x : tensor<300x400xf64>, tensor<400x500xf64>, tensor<500xf64>)
         outs(%out : tensor<300xf64>) alpha(%alpha : f64) beta(%beta : f64)
         path = [[0, 1], [0, 1]] -> tensor<300xf64>
  return %y : tensor<300xf64>
}

// -----

// A shorter last part has code of its own, and two parts need no loop.
// EXPLAIN: 2 slices: [k] in 2 parts of 5004, the last of 5003
// CHECK-LABEL: func @sums
// CHECK-SAME: (%[[A:.*]]: memref<10007xf32>, %[[B:.*]]: memref<2xf32>, %[[C:.*]]: memref<10007xf32>, %[[OUT:.*]]: memref<f32>, %[[BETA:.*]]: f32)
// CHECK: %[[W:.*]] = memref.alloc() {alignment = 64 : i64} : memref<20016xi8>
// CHECK: %[[A0:.*]] = memref.subview %[[A]][0] [5004] [1]
// CHECK: memref.view %[[W]]{{.*}} to memref<{{.*}}xf32>
// CHECK: outs(%[[OUT]] : memref<f32>) beta(%[[BETA]] : f32) semiring = min_plus
// CHECK: memref.subview %[[A]][5004] [5003] [1]
// CHECK: %[[ONE:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: outs(%[[OUT]] : memref<f32>) beta(%[[ONE]] : f32) semiring = min_plus
// CHECK: memref.dealloc %[[W]]
// CHECK-NEXT: return
func.func @sums(%A: memref<10007xf32>, %B: memref<2xf32>, %C: memref<10007xf32>, %out: memref<f32>,
                %beta: f32) {
  tc.einsum [k], [i], [k] -> [] ins(%A, %B, %C : memref<10007xf32>, memref<2xf32>, memref<10007xf32>)
    outs(%out : memref<f32>) beta(%beta : f32) semiring = min_plus path = [[0, 1], [0, 1]]
  return
}

// -----

// Both parts of an output are parts of the whole.
// EXPLAIN: 2 slices: [l] in 2 parts of 29, the last of 28
// CHECK-LABEL: func @columns
// CHECK-SAME: %[[OUT:[^ :]*]]: memref<37x57xf64>, %{{.*}}: f64)
// CHECK: %[[LEFT:.*]] = memref.subview %[[OUT]][0, 0] [37, 29] [1, 1]
// CHECK: tc.contract [i, j], [l, j] -> [i, l] {{.*}} outs(%[[LEFT]] :
// CHECK: %[[RIGHT:.*]] = memref.subview %[[OUT]][0, 29] [37, 28] [1, 1]
// CHECK: tc.contract [i, j], [l, j] -> [i, l] {{.*}} outs(%[[RIGHT]] :
func.func @columns(%A: memref<37x100xf64>, %B: memref<100x50xf64>, %C: memref<50x57xf64>,
                   %out: memref<37x57xf64>, %alpha: f64) {
  tc.einsum [i, j], [j, k], [k, l] -> [i, l]
    ins(%A, %B, %C : memref<37x100xf64>, memref<100x50xf64>, memref<50x57xf64>)
    outs(%out : memref<37x57xf64>) alpha(%alpha : f64) semiring = max_times path = [[1, 2], [0, 1]]
  return
}

// -----

// An alpha that may be negative is multiplied with the maximum of all: rows of
// the output are all that is cut, though parts of k would do.
// EXPLAIN: slices: [i] in
// EXPLAIN-NOT: [k] in
// EXPLAIN: first slice
// CHECK-LABEL: func @maxima
// CHECK: iter_args
// CHECK-NOT: arith.select
// CHECK: return
func.func @maxima(%A: tensor<300x400xf64>, %B: tensor<400x500xf64>, %x: tensor<500xf64>,
                  %out: tensor<300xf64>, %alpha: f64) -> tensor<300xf64> {
  %y = tc.einsum [i, j], [j, k], [k] -> [i]
         ins(%A, %B, %x : tensor<300x400xf64>, tensor<400x500xf64>, tensor<500xf64>)
         outs(%out : tensor<300xf64>) alpha(%alpha : f64) semiring = max_times
         path = [[0, 1], [0, 1]] -> tensor<300xf64>
  return %y : tensor<300xf64>
}
