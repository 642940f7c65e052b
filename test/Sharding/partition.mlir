// RUN: tc-opt %s -split-input-file -pass-pipeline="builtin.module(func.func(sharding-propagation))" \
// RUN:   | FileCheck %s --check-prefix=PROPAGATED
// RUN: tc-opt %s -split-input-file -pass-pipeline="builtin.module(func.func(sharding-propagation,shard-partition,canonicalize))" \
// RUN:   | FileCheck %s

// Partial sums are added up.

shard.grid @grid(shape = 2)

// PROPAGATED-LABEL: @summed
// PROPAGATED-SAME: %[[A:[a-z0-9]+]]: tensor<4x8xf64>, %[[B:[a-z0-9]+]]: tensor<8x6xf64>, %[[C:[a-z0-9]+]]: tensor<4x6xf64>
// PROPAGATED: %[[COLUMNS:.*]] = shard.sharding @grid split_axes = {{\[\[}}], [0]]
// PROPAGATED: shard.shard %[[A]] to %[[COLUMNS]] annotate_for_users
// PROPAGATED: %[[ROWS:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]]
// PROPAGATED: shard.shard %[[B]] to %[[ROWS]] annotate_for_users
// PROPAGATED: %[[WHOLE:.*]] = shard.sharding @grid split_axes = {{\[\[}}]]
// PROPAGATED: shard.shard %[[C]] to %[[WHOLE]] annotate_for_users
// PROPAGATED: %[[D:.*]] = tc.contract
// PROPAGATED: %[[RESULT:.*]] = shard.sharding @grid split_axes = {{\[\[}}]]
// PROPAGATED: shard.shard %[[D]] to %[[RESULT]] : tensor<4x6xf64>

// CHECK-LABEL: @summed
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x4xf64>, %[[B:[a-z0-9]+]]: tensor<4x6xf64>, %[[C:[a-z0-9]+]]: tensor<4x6xf64>) -> tensor<4x6xf64>
// CHECK-NEXT: %[[D:.*]] = tc.contract [m, k], [k, n] -> [m, n] ins(%[[A]], %[[B]] : tensor<4x4xf64>, tensor<4x6xf64>) outs(%[[C]] : tensor<4x6xf64>)
// CHECK-NEXT: %[[SUM:.*]] = shard.all_reduce %[[D]] on @grid grid_axes = [0] : tensor<4x6xf64> -> tensor<4x6xf64>
// CHECK-NEXT: return %[[SUM]]
func.func @summed(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<4x8xf64>
  %d = tc.contract [m, k], [k, n] -> [m, n]
         ins(%part, %b : tensor<4x8xf64>, tensor<8x6xf64>) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %d : tensor<4x6xf64>
}

// -----

// Nothing else moves anything: here, rows and a batch are cut, and the result is too.

shard.grid @grid(shape = 2x3)

// CHECK-LABEL: @parallel
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<3x2x8xf64>, %[[B:[a-z0-9]+]]: tensor<3x8x5xf64>, %[[C:[a-z0-9]+]]: tensor<2x5x3xf64>) -> tensor<2x5x3xf64>
// CHECK-NEXT: %[[D:.*]] = tc.contract [b, m, k], [b, k, n] -> [m, n, b]
// CHECK-NEXT: return %[[D]]
func.func @parallel(%a: tensor<9x4x8xf64>, %b: tensor<9x8x5xf64>, %c: tensor<4x5x9xf64>) -> tensor<4x5x9xf64> {
  %cut = shard.sharding @grid split_axes = [[1], [0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<9x4x8xf64>
  %d = tc.contract [b, m, k], [b, k, n] -> [m, n, b]
         ins(%part, %b : tensor<9x4x8xf64>, tensor<9x8x5xf64>) outs(%c : tensor<4x5x9xf64>) -> tensor<4x5x9xf64>
  return %d : tensor<4x5x9xf64>
}

// -----

// From the result to the operands.

shard.grid @grid(shape = 2)

// CHECK-LABEL: @from_result
// CHECK-SAME: %{{.*}}: tensor<4x8xf64>, %{{.*}}: tensor<8x3xf64>, %{{.*}}: tensor<4x3xf64>) -> tensor<4x3xf64>
// CHECK-NEXT: tc.contract
// CHECK-NEXT: return
func.func @from_result(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %d = tc.contract [m, k], [k, n] -> [m, n]
         ins(%a, %b : tensor<4x8xf64>, tensor<8x6xf64>) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %d to %cut : tensor<4x6xf64>
  return %part : tensor<4x6xf64>
}

// -----

// One of those that share a sum adds the old C, whatever beta is elsewhere; alpha is the same value.

shard.grid @grid(shape = 2x3)

// CHECK-LABEL: @old_contents
// CHECK-SAME: %[[F:[a-z0-9]+]]: complex<f64>)
// CHECK-DAG: %[[ZERO:.*]] = complex.constant [0.0{{.*}}, 0.0{{.*}}] : complex<f64>
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 0 : index
// CHECK: %[[PROCESS:.*]]:2 = shard.process_multi_index on @grid axes = [0, 1]
// CHECK: %[[SHAPE:.*]]:2 = shard.grid_shape @grid axes = [0, 1]
// CHECK: %[[INDEX:.*]] = affine.apply {{.*}}[%[[PROCESS]]#0, %[[SHAPE]]#1, %[[PROCESS]]#1]
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[INDEX]], %[[FIRST]] : index
// CHECK: %[[BETA:.*]] = arith.select %[[IS_FIRST]], %[[F]], %[[ZERO]] : complex<f64>
// CHECK: tc.contract {{.*}} alpha(%[[F]] : complex<f64>) beta(%[[BETA]] : complex<f64>)
// CHECK-NEXT: shard.all_reduce %{{.*}} on @grid grid_axes = [0, 1] :
func.func @old_contents(%a: tensor<4x12x5xcomplex<f64>>, %b: tensor<12x6x5xcomplex<f64>>,
                        %c: tensor<4x6xcomplex<f64>>, %factor: complex<f64>) -> tensor<4x6xcomplex<f64>> {
  %cut = shard.sharding @grid split_axes = [[], [0, 1]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<4x12x5xcomplex<f64>>
  %d = tc.contract [m, k, l], [k, n, l] -> [m, n]
         ins(%part, %b : tensor<4x12x5xcomplex<f64>>, tensor<12x6x5xcomplex<f64>>)
         outs(%c : tensor<4x6xcomplex<f64>>) alpha(%factor : complex<f64>) beta(%factor : complex<f64>)
         -> tensor<4x6xcomplex<f64>>
  return %d : tensor<4x6xcomplex<f64>>
}

// -----

// A beta of zero reads nothing, on any device.

shard.grid @grid(shape = 2)

// CHECK-LABEL: @no_old_contents
// CHECK-NOT: process_multi_index
// CHECK: shard.all_reduce
func.func @no_old_contents(%a: tensor<8xf64>, %b: tensor<8xf64>, %c: tensor<f64>) -> tensor<f64> {
  %cut = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<8xf64>
  %zero = arith.constant 0.0 : f64
  %d = tc.contract [k], [k] -> [] ins(%part, %b : tensor<8xf64>, tensor<8xf64>) outs(%c : tensor<f64>)
         beta(%zero : f64) -> tensor<f64>
  return %d : tensor<f64>
}

// -----

// Sums are the semiring's, and so is the zero: with min_plus, that is infinity.

shard.grid @grid(shape = 2)

// CHECK-LABEL: @minima
// CHECK-DAG: %[[INFINITY:.*]] = arith.constant 0x7F800000 : f32
// CHECK: %[[BETA:.*]] = arith.select %{{.*}}, %{{.*}}, %[[INFINITY]] : f32
// CHECK: tc.contract {{.*}} beta(%[[BETA]] : f32) semiring = min_plus
// CHECK-NEXT: shard.all_reduce %{{.*}} on @grid grid_axes = [0] reduction = min :
func.func @minima(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>, %beta: f32) -> tensor<4x6xf32> {
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<4x8xf32>
  %d = tc.contract [m, k], [k, n] -> [m, n] ins(%part, %b : tensor<4x8xf32>, tensor<8x6xf32>)
         outs(%c : tensor<4x6xf32>) beta(%beta : f32) semiring = min_plus -> tensor<4x6xf32>
  return %d : tensor<4x6xf32>
}

// -----

// Those of bits, too.

shard.grid @grid(shape = 2)

// CHECK-LABEL: @bits
// CHECK: shard.all_reduce %{{.*}} on @grid grid_axes = [0] reduction = bitwise_xor :
func.func @bits(%a: tensor<4x8xi32>, %b: tensor<8x6xi32>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<4x8xi32>
  %d = tc.contract [m, k], [k, n] -> [m, n] ins(%part, %b : tensor<4x8xi32>, tensor<8x6xi32>)
         outs(%c : tensor<4x6xi32>) semiring = xor_and -> tensor<4x6xi32>
  return %d : tensor<4x6xi32>
}

// -----

// An epilogue maps parts of the result with parts of its auxiliary tensors, if the sums
// are whole.

shard.grid @grid(shape = 2)

// CHECK-LABEL: @epilogue
// CHECK: tc.contract {{.*}} auxiliaries(%{{.*}} [n] : tensor<3xf32>) epilogue {
// CHECK-NOT: all_reduce
func.func @epilogue(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>, %bias: tensor<6xf32>) -> tensor<4x6xf32> {
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %b to %cut annotate_for_users : tensor<8x6xf32>
  %d = tc.contract [m, k], [k, n] -> [m, n] ins(%a, %part : tensor<4x8xf32>, tensor<8x6xf32>)
         outs(%c : tensor<4x6xf32>) auxiliaries(%bias [n] : tensor<6xf32>) epilogue {
         ^bb0(%sum: f32, %old: f32, %x: f32):
           %y = arith.addf %sum, %x : f32
           tc.yield %y : f32
         } -> tensor<4x6xf32>
  return %d : tensor<4x6xf32>
}

// -----

// Two ask for one dimension of the grid: the other tensor is gathered.

shard.grid @grid(shape = 2)

// CHECK-LABEL: @conflict
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x8xf64>, %[[B:[a-z0-9]+]]: tensor<8x3xf64>, %{{.*}}: tensor<2x6xf64>) -> tensor<2x6xf64>
// CHECK-NEXT: %[[WHOLE:.*]] = shard.all_gather %[[B]] on @grid grid_axes = [0] gather_axis = 1
// CHECK-NEXT: tc.contract {{.*}} ins(%[[A]], %[[WHOLE]] : tensor<2x8xf64>, tensor<8x6xf64>)
func.func @conflict(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %rows = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %left = shard.shard %a to %rows annotate_for_users : tensor<4x8xf64>
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %right = shard.shard %b to %columns annotate_for_users : tensor<8x6xf64>
  %d = tc.contract [m, k], [k, n] -> [m, n]
         ins(%left, %right : tensor<4x8xf64>, tensor<8x6xf64>) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %d : tensor<4x6xf64>
}

// -----

// Diagonals are not cut.

shard.grid @grid(shape = 2)

// CHECK-LABEL: @diagonal
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<8x8x4xf64>, %[[B:[a-z0-9]+]]: tensor<4x6xf64>
// CHECK-NEXT: %[[WHOLE:.*]] = shard.all_gather %[[B]]
// CHECK-NEXT: tc.contract [k, k, m], [k, n] -> [m, n] ins(%[[A]], %[[WHOLE]] :
// CHECK-NOT: all_reduce
func.func @diagonal(%a: tensor<8x8x4xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %cut = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %part = shard.shard %b to %cut annotate_for_users : tensor<8x6xf64>
  %d = tc.contract [k, k, m], [k, n] -> [m, n]
         ins(%a, %part : tensor<8x8x4xf64>, tensor<8x6xf64>) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %d : tensor<4x6xf64>
}

// -----

// Extents that are known at run time are taken to be divided evenly.

shard.grid @grid(shape = 2)

// CHECK-LABEL: @any_extent
// CHECK: tc.contract {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x?xf64>, tensor<?x6xf64>)
// CHECK-NEXT: shard.all_reduce
func.func @any_extent(%a: tensor<4x?xf64>, %b: tensor<?x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<4x?xf64>
  %d = tc.contract [m, k], [k, n] -> [m, n]
         ins(%part, %b : tensor<4x?xf64>, tensor<?x6xf64>) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %d : tensor<4x6xf64>
}
