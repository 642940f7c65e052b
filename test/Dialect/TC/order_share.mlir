// RUN: tc-opt --tc-order="share" --tc-share-contractions -split-input-file %s | FileCheck %s
// RUN: tc-opt --tc-order="share explain" -split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tc-opt --tc-order="explain" -split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: tc-opt --tc-order="share explain memory-limit=100000000" -split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: is made once
// ALONE-NOT: together

// Both products have the first two tensors, which are multiplied once, though the
// fastest order of each alone begins elsewhere. Names of indices do not matter.
// EXPLAIN: order of 3 tensors for sm_90
// EXPLAIN: (2 (0 1)) is the best found of 3 trees
// EXPLAIN-NEXT: (0 1), [k, l, i, j], is made once for 2 products
// EXPLAIN-NEXT: alone, ((0 2) 1) would take 0.{{[0-9]+}} times as long
// EXPLAIN-NEXT: order of 4 tensors for sm_90
// EXPLAIN: (1 0), {{.*}}, is made once for 2 products
// EXPLAIN-NEXT: alone, {{.*}} would take 0.{{[0-9]+}} times as long
// EXPLAIN-NEXT: 2 products together: {{.*}} predicted, {{.*}} in the orders that are the best alone
// CHECK-LABEL: func @terms
// CHECK-SAME: %[[V:[^ :]*]]: tensor<10x10x30x30xf64>, %[[T:[^ :]*]]: tensor<30x30x10x10xf64>
// CHECK: %[[W:.*]] = tc.contract {{.*}} ins(%[[V]], %[[T]] :
// CHECK: tc.contract {{.*}}ins({{.*}}%[[W]]
// CHECK-NOT: ins(%[[T]], %[[V]] :
// CHECK-NOT: ins(%[[V]], %[[T]] :
// CHECK: tc.contract {{.*}}ins({{.*}}%[[W]]
// CHECK: return
func.func @terms(%V: tensor<10x10x30x30xf64>, %T: tensor<30x30x10x10xf64>, %U: tensor<30x30x10x10xf64>,
                 %X: tensor<10x8xf64>) -> (tensor<30x30x10x10xf64>, tensor<8x8x10x10xf64>) {
  %e = tensor.empty() : tensor<30x30x10x10xf64>
  %y = tc.einsum [k, l, c, d], [c, d, i, j], [a, b, k, l] -> [a, b, i, j]
         ins(%V, %T, %U : tensor<10x10x30x30xf64>, tensor<30x30x10x10xf64>, tensor<30x30x10x10xf64>)
         outs(%e : tensor<30x30x10x10xf64>) -> tensor<30x30x10x10xf64>
  %d = tensor.empty() : tensor<8x8x10x10xf64>
  %z = tc.einsum [x, y, s, t], [m, n, x, y], [m, p], [n, q] -> [p, q, s, t]
         ins(%T, %V, %X, %X : tensor<30x30x10x10xf64>, tensor<10x10x30x30xf64>, tensor<10x8xf64>, tensor<10x8xf64>)
         outs(%d : tensor<8x8x10x10xf64>) -> tensor<8x8x10x10xf64>
  return %y, %z : tensor<30x30x10x10xf64>, tensor<8x8x10x10xf64>
}

// -----

// A contraction of two has the part already; a scaled one is another product.
// EXPLAIN: order of 3 tensors
// EXPLAIN: (2 (0 1)) is the best found of 3 trees
// EXPLAIN-NEXT: (0 1), {{.*}}, is made once for 2 products
// CHECK-LABEL: func @statement
// CHECK: %[[W:.*]] = tc.contract [k, l, c, d], [c, d, i, j] -> [k, l, i, j]
// CHECK: tc.contract {{.*}}ins({{.*}}%[[W]]
// CHECK: return {{.*}}%[[W]]
func.func @statement(%V: tensor<10x10x30x30xf64>, %T: tensor<30x30x10x10xf64>, %U: tensor<30x30x10x10xf64>)
    -> (tensor<30x30x10x10xf64>, tensor<10x10x10x10xf64>) {
  %d = tensor.empty() : tensor<10x10x10x10xf64>
  %w = tc.contract [k, l, c, d], [c, d, i, j] -> [k, l, i, j]
         ins(%V, %T : tensor<10x10x30x30xf64>, tensor<30x30x10x10xf64>)
         outs(%d : tensor<10x10x10x10xf64>) -> tensor<10x10x10x10xf64>
  %e = tensor.empty() : tensor<30x30x10x10xf64>
  %y = tc.einsum [k, l, c, d], [c, d, i, j], [a, b, k, l] -> [a, b, i, j]
         ins(%V, %T, %U : tensor<10x10x30x30xf64>, tensor<30x30x10x10xf64>, tensor<30x30x10x10xf64>)
         outs(%e : tensor<30x30x10x10xf64>) -> tensor<30x30x10x10xf64>
  return %y, %w : tensor<30x30x10x10xf64>, tensor<10x10x10x10xf64>
}

// -----

// A path is obeyed.
// EXPLAIN: order of 3 tensors
// EXPLAIN-NOT: is made once
// CHECK-LABEL: func @path
// CHECK: tc.contract [k, l, c, d], [a, b, k, l]
func.func @path(%V: tensor<10x10x30x30xf64>, %T: tensor<30x30x10x10xf64>, %U: tensor<30x30x10x10xf64>)
    -> (tensor<30x30x10x10xf64>, tensor<10x10x10x10xf64>) {
  %d = tensor.empty() : tensor<10x10x10x10xf64>
  %w = tc.contract [k, l, c, d], [c, d, i, j] -> [k, l, i, j]
         ins(%V, %T : tensor<10x10x30x30xf64>, tensor<30x30x10x10xf64>)
         outs(%d : tensor<10x10x10x10xf64>) -> tensor<10x10x10x10xf64>
  %e = tensor.empty() : tensor<30x30x10x10xf64>
  %y = tc.einsum [k, l, c, d], [c, d, i, j], [a, b, k, l] -> [a, b, i, j]
         ins(%V, %T, %U : tensor<10x10x30x30xf64>, tensor<30x30x10x10xf64>, tensor<30x30x10x10xf64>)
         outs(%e : tensor<30x30x10x10xf64>) path = [[0, 2], [0, 1]] -> tensor<30x30x10x10xf64>
  return %y, %w : tensor<30x30x10x10xf64>, tensor<10x10x10x10xf64>
}
