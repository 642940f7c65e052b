// RUN: tc-opt %s --tc-classify | FileCheck %s

// Index lists decide, so one function of scalars, vectors and matrices of
// extent 2 serves for all role sets.
// CHECK-LABEL: @roles
func.func @roles(%s: tensor<f64>, %v: tensor<2xf64>, %m: tensor<2x2xf64>,
                 %t: tensor<2x2x2xf64>, %q: tensor<2x2x2x2xf64>) {
  // The matrix product.
  // CHECK: [i, k], [k, j] -> [i, j] {{.*}} {tc.roles = {batch = [], k = ["k"], m = ["i"], n = ["j"]}}
  %0 = tc.contract [i, k], [k, j] -> [i, j]
         ins(%m, %m : tensor<2x2xf64>, tensor<2x2xf64>) outs(%m : tensor<2x2xf64>) -> tensor<2x2xf64>

  // Batched, with copies that are transposed in every operand.
  // CHECK: [k, b, i], [b, j, k] -> [j, i, b] {{.*}} {tc.roles = {batch = ["b"], k = ["k"], m = ["i"], n = ["j"]}}
  %1 = tc.contract [k, b, i], [b, j, k] -> [j, i, b]
         ins(%t, %t : tensor<2x2x2xf64>, tensor<2x2x2xf64>) outs(%t : tensor<2x2x2xf64>) -> tensor<2x2x2xf64>

  // Matrix-vector, both ways round.
  // CHECK: [i, k], [k] -> [i] {{.*}} {tc.roles = {batch = [], k = ["k"], m = ["i"], n = []}}
  %2 = tc.contract [i, k], [k] -> [i]
         ins(%m, %v : tensor<2x2xf64>, tensor<2xf64>) outs(%v : tensor<2xf64>) -> tensor<2xf64>
  // CHECK: [k], [k, j] -> [j] {{.*}} {tc.roles = {batch = [], k = ["k"], m = [], n = ["j"]}}
  %3 = tc.contract [k], [k, j] -> [j]
         ins(%v, %m : tensor<2xf64>, tensor<2x2xf64>) outs(%v : tensor<2xf64>) -> tensor<2xf64>

  // The outer product.
  // CHECK: [i], [j] -> [j, i] {{.*}} {tc.roles = {batch = [], k = [], m = ["i"], n = ["j"]}}
  %4 = tc.contract [i], [j] -> [j, i]
         ins(%v, %v : tensor<2xf64>, tensor<2xf64>) outs(%m : tensor<2x2xf64>) -> tensor<2x2xf64>

  // The inner product, a full contraction of matrices, and scalars alone.
  // CHECK: [k], [k] -> [] {{.*}} {tc.roles = {batch = [], k = ["k"], m = [], n = []}}
  %5 = tc.contract [k], [k] -> []
         ins(%v, %v : tensor<2xf64>, tensor<2xf64>) outs(%s : tensor<f64>) -> tensor<f64>
  // CHECK: [k, l], [l, k] -> [] {{.*}} {tc.roles = {batch = [], k = ["k", "l"], m = [], n = []}}
  %6 = tc.contract [k, l], [l, k] -> []
         ins(%m, %m : tensor<2x2xf64>, tensor<2x2xf64>) outs(%s : tensor<f64>) -> tensor<f64>
  // CHECK: [], [] -> [] {{.*}} {tc.roles = {batch = [], k = [], m = [], n = []}}
  %7 = tc.contract [], [] -> []
         ins(%s, %s : tensor<f64>, tensor<f64>) outs(%s : tensor<f64>) -> tensor<f64>

  // The elementwise product, and scaling by a scalar, which is a transposed copy.
  // CHECK: [b, c], [c, b] -> [c, b] {{.*}} {tc.roles = {batch = ["c", "b"], k = [], m = [], n = []}}
  %8 = tc.contract [b, c], [c, b] -> [c, b]
         ins(%m, %m : tensor<2x2xf64>, tensor<2x2xf64>) outs(%m : tensor<2x2xf64>) -> tensor<2x2xf64>
  // CHECK: [i, j], [] -> [j, i] {{.*}} {tc.roles = {batch = [], k = [], m = ["j", "i"], n = []}}
  %9 = tc.contract [i, j], [] -> [j, i]
         ins(%m, %s : tensor<2x2xf64>, tensor<f64>) outs(%m : tensor<2x2xf64>) -> tensor<2x2xf64>

  // Sums within one input, either of them.
  // CHECK: [i, p], [j, q] -> [i, j] {{.*}} {tc.roles = {batch = [], k = ["p", "q"], m = ["i"], n = ["j"]}}
  %10 = tc.contract [i, p], [j, q] -> [i, j]
         ins(%m, %m : tensor<2x2xf64>, tensor<2x2xf64>) outs(%m : tensor<2x2xf64>) -> tensor<2x2xf64>

  // Diagonals, kept, summed (a trace) and contracted.
  // CHECK: [i, i], [j, j] -> [j, i] {{.*}} {tc.roles = {batch = [], k = [], m = ["i"], n = ["j"]}}
  %11 = tc.contract [i, i], [j, j] -> [j, i]
         ins(%m, %m : tensor<2x2xf64>, tensor<2x2xf64>) outs(%m : tensor<2x2xf64>) -> tensor<2x2xf64>
  // CHECK: [p, p], [j] -> [j] {{.*}} {tc.roles = {batch = [], k = ["p"], m = [], n = ["j"]}}
  %12 = tc.contract [p, p], [j] -> [j]
         ins(%m, %v : tensor<2x2xf64>, tensor<2xf64>) outs(%v : tensor<2xf64>) -> tensor<2xf64>
  // CHECK: [k, k, b], [b, k] -> [b] {{.*}} {tc.roles = {batch = ["b"], k = ["k"], m = [], n = []}}
  %13 = tc.contract [k, k, b], [b, k] -> [b]
         ins(%t, %m : tensor<2x2x2xf64>, tensor<2x2xf64>) outs(%v : tensor<2xf64>) -> tensor<2xf64>

  // Several of each. M and N stand in the order of C, K in that of A.
  // CHECK: [l, i, k, h], [j, k, g, l] -> [g, h, i, j] {{.*}} {tc.roles = {batch = [], k = ["l", "k"], m = ["h", "i"], n = ["g", "j"]}}
  %14 = tc.contract [l, i, k, h], [j, k, g, l] -> [g, h, i, j]
         ins(%q, %q : tensor<2x2x2x2xf64>, tensor<2x2x2x2xf64>) outs(%q : tensor<2x2x2x2xf64>) -> tensor<2x2x2x2xf64>
  return
}

// Memrefs and other attributes are no different.
// CHECK-LABEL: @memrefs
// CHECK: {schedule = #tc.schedule<{{.*}}>, tc.roles = {batch = [], k = ["k"], m = ["i"], n = ["j"]}}
func.func @memrefs(%m: memref<?x?xf32>) {
  tc.contract [i, k], [k, j] -> [i, j]
    ins(%m, %m : memref<?x?xf32>, memref<?x?xf32>) outs(%m : memref<?x?xf32>)
    {schedule = #tc.schedule<target = "sm_90", m = [i: 2], n = [j: 2], k = [k: 1], register = [1, 1]>}
  return
}
