// RUN: tc-opt --tc-order="target=cpu target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json" %s | FileCheck %s

// A representative extent decides about the order in place of an unknown one;
// the program computes with any.
// CHECK-LABEL: func @long
// CHECK: %[[E:.*]] = tensor.empty() : tensor<40xf64>
// CHECK: %[[T:.*]] = tc.contract [j, k], [k] -> [j] ins(%{{.*}}, %{{.*}} : tensor<40x?xf64>, tensor<?xf64>) outs(%[[E]] :
// CHECK: tc.contract {{.*}} -> [i]
func.func @long(%A: tensor<30x40xf64>, %B: tensor<40x?xf64>, %x: tensor<?xf64>, %out: tensor<30xf64>) -> tensor<30xf64> {
  %y = tc.einsum [i, j], [j, k], [k] -> [i]
         ins(%A, %B, %x : tensor<30x40xf64>, tensor<40x?xf64>, tensor<?xf64>)
         outs(%out : tensor<30xf64>) {tc.representative_extents = {k = 1000 : i64}} -> tensor<30xf64>
  return %y : tensor<30xf64>
}

// (A B) C if rows are few, A (B C) if they are many.
// CHECK-LABEL: func @few_rows
// CHECK: %[[ROWS:.*]] = tensor.dim %{{.*}}, %c0{{.*}} : tensor<?x300xf64>
// CHECK: tensor.empty({{.*}}) : tensor<{{.*}}?x{{.*}}xf64>
// CHECK: tc.contract [i, j], [j, k] ->
func.func @few_rows(%A: tensor<?x300xf64>, %B: tensor<300x300xf64>, %C: tensor<300x300xf64>, %out: tensor<?x300xf64>) -> tensor<?x300xf64> {
  %y = tc.einsum [i, j], [j, k], [k, l] -> [i, l]
         ins(%A, %B, %C : tensor<?x300xf64>, tensor<300x300xf64>, tensor<300x300xf64>)
         outs(%out : tensor<?x300xf64>) {tc.representative_extents = {i = 4 : i64}} -> tensor<?x300xf64>
  return %y : tensor<?x300xf64>
}

// CHECK-LABEL: func @many_rows
// CHECK: tensor.empty() : tensor<300x300xf64>
// CHECK: tc.contract [j, k], [k, l] ->
func.func @many_rows(%A: tensor<?x300xf64>, %B: tensor<300x300xf64>, %C: tensor<300x300xf64>, %out: tensor<?x300xf64>) -> tensor<?x300xf64> {
  %y = tc.einsum [i, j], [j, k], [k, l] -> [i, l]
         ins(%A, %B, %C : tensor<?x300xf64>, tensor<300x300xf64>, tensor<300x300xf64>)
         outs(%out : tensor<?x300xf64>) {tc.representative_extents = {i = 10000 : i64}} -> tensor<?x300xf64>
  return %y : tensor<?x300xf64>
}

// Without one, it is 128.
// CHECK-LABEL: func @plain
// CHECK: tc.contract [i, j], [j, k] ->
func.func @plain(%A: tensor<?x300xf64>, %B: tensor<300x300xf64>, %C: tensor<300x300xf64>, %out: tensor<?x300xf64>) -> tensor<?x300xf64> {
  %y = tc.einsum [i, j], [j, k], [k, l] -> [i, l]
         ins(%A, %B, %C : tensor<?x300xf64>, tensor<300x300xf64>, tensor<300x300xf64>)
         outs(%out : tensor<?x300xf64>) -> tensor<?x300xf64>
  return %y : tensor<?x300xf64>
}
