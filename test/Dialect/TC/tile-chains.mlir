// Contractions that feed one another are computed tile by tile: of the indices
// that all have in common, the outermost is cut first.

// RUN: tc-opt %s --tc-tile-chains="target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json when=always tile-bytes=100000" | FileCheck %s
// RUN: tc-opt %s --tc-tile-chains="target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json when=never" | FileCheck %s --check-prefix=NEVER
// RUN: tc-opt %s --tc-tile-chains="target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// NEVER-NOT: scf.for

// EXPLAIN: chain [i, q, r, s] -> [i, q, s, j] -> [i, s, j, a]: tiles of s = 1 are predicted to take {{.*}}: left apart
// EXPLAIN: chain [e, j, i] -> [e, j, i]: tiles of e = 12 are predicted to take {{.*}} us, one after the other {{.*}} us: in tiles
// EXPLAIN: chain [h, q, k] -> [h, q, d]: tiles of h = 1, q = 40 are predicted to take {{.*}}: in tiles
// EXPLAIN: chain [m, l] -> [n, m]: tiles of m = 71 are predicted to take {{.*}}: in tiles
// EXPLAIN: chain [e, l, j] -> [e, i, j]: tiles of e = 10 are predicted to take {{.*}}: in tiles

// CHECK-LABEL: func.func @two_directions(
// CHECK-SAME:    %[[A:.*]]: tensor<12x10xf64>, %[[B:.*]]: tensor<12x10xf64>, %[[U:.*]]: tensor<4000x10x10xf64>, %[[V:.*]]: tensor<4000x12x12xf64>)
// CHECK:         %[[TILE:.*]] = tensor.empty() : tensor<32x10x12xf64>
// CHECK:         %[[ALL:.*]] = scf.for %[[E:.*]] = %c0 to %c4000 step %c32 iter_args(%[[OUT:.*]] = %[[V]]) -> (tensor<4000x12x12xf64>)
// CHECK-NEXT:      %[[IN:.*]] = tensor.extract_slice %[[U]][%[[E]], 0, 0] [32, 10, 10]
// CHECK-NEXT:      %[[T:.*]] = tc.contract [e, l, m], [j, m] -> [e, l, j] ins(%[[IN]], %[[B]] : tensor<32x10x10xf64>, tensor<12x10xf64>) outs(%[[TILE]] : tensor<32x10x12xf64>)
// CHECK-NEXT:      %[[PLACE:.*]] = tensor.extract_slice %[[OUT]][%[[E]], 0, 0] [32, 12, 12]
// CHECK-NEXT:      %[[R:.*]] = tc.contract [e, l, j], [i, l] -> [e, i, j] ins(%[[T]], %[[A]] : tensor<32x10x12xf64>, tensor<12x10xf64>) outs(%[[PLACE]] : tensor<32x12x12xf64>)
// CHECK-NEXT:      %[[WITH:.*]] = tensor.insert_slice %[[R]] into %[[OUT]][%[[E]], 0, 0] [32, 12, 12]
// CHECK-NEXT:      scf.yield %[[WITH]]
// CHECK:         return %[[ALL]]
func.func @two_directions(%A: tensor<12x10xf64>, %B: tensor<12x10xf64>, %U: tensor<4000x10x10xf64>,
                          %V: tensor<4000x12x12xf64>) -> tensor<4000x12x12xf64> {
  %t = tensor.empty() : tensor<4000x10x12xf64>
  %0 = tc.contract [e, l, m], [j, m] -> [e, l, j]
    ins(%U, %B : tensor<4000x10x10xf64>, tensor<12x10xf64>)
    outs(%t : tensor<4000x10x12xf64>) -> tensor<4000x10x12xf64>
  %1 = tc.contract [e, l, j], [i, l] -> [e, i, j]
    ins(%0, %A : tensor<4000x10x12xf64>, tensor<12x10xf64>)
    outs(%V : tensor<4000x12x12xf64>) -> tensor<4000x12x12xf64>
  return %1 : tensor<4000x12x12xf64>
}

// Slices of the result are not contiguous, and no length divides 211 rows.

// CHECK-LABEL: func.func @elementwise_between(
// CHECK-DAG:     %[[T:.*]] = tensor.empty() : tensor<71x90xf32>
// CHECK-DAG:     %[[U:.*]] = tensor.empty() : tensor<71x90xf32>
// CHECK:         %[[MOST:.*]] = scf.for %[[M:.*]] = %c0 to %c142 step %c71 iter_args(
// CHECK:           tensor.extract_slice %{{.*}}[%[[M]], 0] [71, 100]
// CHECK:           linalg.exp ins(%{{.*}} : tensor<71x90xf32>) outs(%{{.*}} : tensor<71x90xf32>)
// CHECK:           tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[M]]] [70, 71]
// CHECK:         tensor.extract_slice %{{.*}}[142, 0] [69, 100]
// CHECK:         linalg.exp ins(%{{.*}} : tensor<69x90xf32>)
// CHECK:         tensor.insert_slice %{{.*}} into %[[MOST]][0, 142] [70, 69]
// CHECK-NEXT:    return
func.func @elementwise_between(%A: tensor<211x100xf32>, %B: tensor<100x90xf32>, %D: tensor<90x70xf32>) -> tensor<70x211xf32> {
  %t = tensor.empty() : tensor<211x90xf32>
  %u = tensor.empty() : tensor<211x90xf32>
  %c = tensor.empty() : tensor<70x211xf32>
  %0 = tc.contract [m, k], [k, l] -> [m, l]
    ins(%A, %B : tensor<211x100xf32>, tensor<100x90xf32>)
    outs(%t : tensor<211x90xf32>) -> tensor<211x90xf32>
  %1 = linalg.exp ins(%0 : tensor<211x90xf32>) outs(%u : tensor<211x90xf32>) -> tensor<211x90xf32>
  %2 = tc.contract [m, l], [l, n] -> [n, m]
    ins(%1, %D : tensor<211x90xf32>, tensor<90x70xf32>)
    outs(%c : tensor<70x211xf32>) -> tensor<70x211xf32>
  return %2 : tensor<70x211xf32>
}

// Attention of a few heads: of a head, a tile of rows has all keys, over which
// the softmax goes.

// CHECK-LABEL: func.func @attention(
// CHECK:         scf.for %[[H:.*]] = %c0 to %c3 step %c1 iter_args(
// CHECK:           scf.for %[[Q:.*]] = %{{.*}} to %c200 step %c25 iter_args(
// CHECK:             tc.contract [h, q, d], [h, k, d] -> [h, q, k] {{.*}} alpha
// CHECK:             linalg.softmax dimension(2) {{.*}} -> tensor<1x25x300xf32>
// CHECK:             tc.contract [h, q, k], [h, k, d] -> [h, q, d]
func.func @attention(%Q: tensor<3x200x64xf32>, %K: tensor<3x300x64xf32>, %V: tensor<3x300x64xf32>) -> tensor<3x200x64xf32> {
  %scale = arith.constant 0.125 : f32
  %s = tensor.empty() : tensor<3x200x300xf32>
  %p = tensor.empty() : tensor<3x200x300xf32>
  %o = tensor.empty() : tensor<3x200x64xf32>
  %0 = tc.contract [h, q, d], [h, k, d] -> [h, q, k]
    ins(%Q, %K : tensor<3x200x64xf32>, tensor<3x300x64xf32>)
    outs(%s : tensor<3x200x300xf32>) alpha(%scale : f32) -> tensor<3x200x300xf32>
  %1 = linalg.softmax dimension(2) ins(%0 : tensor<3x200x300xf32>) outs(%p : tensor<3x200x300xf32>) -> tensor<3x200x300xf32>
  %2 = tc.contract [h, q, k], [h, k, d] -> [h, q, d]
    ins(%1, %V : tensor<3x200x300xf32>, tensor<3x300x64xf32>)
    outs(%o : tensor<3x200x64xf32>) -> tensor<3x200x64xf32>
  return %2 : tensor<3x200x64xf32>
}

// Terms that are added up in one tensor go there tile by tile, too, beginning
// with its contents.

// CHECK-LABEL: func.func @sum_of_two(
// CHECK:         scf.for %[[E:.*]] = %c0 to %c{{[0-9]+}} step %c{{.*}} iter_args(%[[OUT:.*]] = %{{.*}})
// CHECK:           %[[PLACE:.*]] = tensor.extract_slice %[[OUT]][%[[E]], 0, 0]
// CHECK-NEXT:      %[[FIRST:.*]] = tc.contract {{.*}} outs(%[[PLACE]] : {{.*}}) beta(%{{.*}} : f64)
// CHECK:           %[[BOTH:.*]] = tc.contract {{.*}} outs(%[[FIRST]] : {{.*}}) beta(%{{.*}} : f64)
// CHECK-NEXT:      tensor.insert_slice %[[BOTH]] into %[[OUT]][%[[E]], 0, 0]
func.func @sum_of_two(%D: tensor<12x12xf64>, %ur: tensor<300x12x12xf64>, %us: tensor<300x12x12xf64>,
                      %w: tensor<300x12x12xf64>) -> tensor<300x12x12xf64> {
  %one = arith.constant 1.0 : f64
  %0 = tc.contract [e, j, l], [i, l] -> [e, j, i]
    ins(%ur, %D : tensor<300x12x12xf64>, tensor<12x12xf64>)
    outs(%w : tensor<300x12x12xf64>) beta(%one : f64) -> tensor<300x12x12xf64>
  %1 = tc.contract [e, l, i], [j, l] -> [e, j, i]
    ins(%us, %D : tensor<300x12x12xf64>, tensor<12x12xf64>)
    outs(%0 : tensor<300x12x12xf64>) beta(%one : f64) -> tensor<300x12x12xf64>
  return %1 : tensor<300x12x12xf64>
}

// Something else uses the intermediate result.

// CHECK-LABEL: func.func @used_twice(
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @used_twice(%A: tensor<500x100xf32>, %B: tensor<100x90xf32>, %D: tensor<90x70xf32>) -> (tensor<500x90xf32>, tensor<500x70xf32>) {
  %t = tensor.empty() : tensor<500x90xf32>
  %c = tensor.empty() : tensor<500x70xf32>
  %0 = tc.contract [m, k], [k, l] -> [m, l]
    ins(%A, %B : tensor<500x100xf32>, tensor<100x90xf32>)
    outs(%t : tensor<500x90xf32>) -> tensor<500x90xf32>
  %1 = tc.contract [m, l], [l, n] -> [m, n]
    ins(%0, %D : tensor<500x90xf32>, tensor<90x70xf32>)
    outs(%c : tensor<500x70xf32>) -> tensor<500x70xf32>
  return %0, %1 : tensor<500x90xf32>, tensor<500x70xf32>
}

// The second one sums over an index of which a tile would have a part; and
// takes a diagonal.

// CHECK-LABEL: func.func @nothing_in_common(
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @nothing_in_common(%A: tensor<300x10xf64>, %B: tensor<10x300xf64>, %D: tensor<300x300xf64>) -> (tensor<300xf64>, tensor<300xf64>) {
  %t = tensor.empty() : tensor<300x300xf64>
  %u = tensor.empty() : tensor<300x300xf64>
  %c = tensor.empty() : tensor<300xf64>
  %0 = tc.contract [i, k], [k, j] -> [i, j]
    ins(%A, %B : tensor<300x10xf64>, tensor<10x300xf64>)
    outs(%t : tensor<300x300xf64>) -> tensor<300x300xf64>
  %1 = tc.contract [i, j], [i, k] -> [k]
    ins(%0, %D : tensor<300x300xf64>, tensor<300x300xf64>)
    outs(%c : tensor<300xf64>) -> tensor<300xf64>
  %2 = tc.contract [i, k], [j, k] -> [i, j]
    ins(%A, %A : tensor<300x10xf64>, tensor<300x10xf64>)
    outs(%u : tensor<300x300xf64>) -> tensor<300x300xf64>
  %3 = tc.contract [i, i], [i, k] -> [i]
    ins(%2, %A : tensor<300x300xf64>, tensor<300x10xf64>)
    outs(%c : tensor<300xf64>) -> tensor<300xf64>
  return %1, %3 : tensor<300xf64>, tensor<300xf64>
}

// Cutting the index of stride one, of all that is common, would leave rows of one element of
// the largest input, which contiguous tiles would not be.
func.func @cut_where_rows_stay(%X: tensor<28x8xf64>, %G: tensor<28x28x28x28xf64>, %Y: tensor<28x8xf64>, %Z: tensor<28x20xf64>) -> tensor<8x28x8x20xf64> {
  %t = tensor.empty() : tensor<8x28x28x28xf64>
  %u = tensor.empty() : tensor<8x28x28x8xf64>
  %v = tensor.empty() : tensor<8x28x8x20xf64>
  %0 = tc.contract [p, i], [p, q, r, s] -> [i, q, r, s] ins(%X, %G : tensor<28x8xf64>, tensor<28x28x28x28xf64>) outs(%t : tensor<8x28x28x28xf64>) -> tensor<8x28x28x28xf64>
  %1 = tc.contract [i, q, r, s], [r, j] -> [i, q, s, j] ins(%0, %Y : tensor<8x28x28x28xf64>, tensor<28x8xf64>) outs(%u : tensor<8x28x28x8xf64>) -> tensor<8x28x28x8xf64>
  %2 = tc.contract [i, q, s, j], [q, a] -> [i, s, j, a] ins(%1, %Z : tensor<8x28x28x8xf64>, tensor<28x20xf64>) outs(%v : tensor<8x28x8x20xf64>) -> tensor<8x28x8x20xf64>
  return %2 : tensor<8x28x8x20xf64>
}
