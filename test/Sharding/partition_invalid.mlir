// RUN: tc-opt %s -split-input-file -verify-diagnostics \
// RUN:   -pass-pipeline="builtin.module(func.func(sharding-propagation,shard-partition))"

shard.grid @grid(shape = 2)

func.func @uneven(%a: tensor<4x9xf64>, %b: tensor<9x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<4x9xf64>
  // expected-error @+1 {{cannot be partitioned: index 'k' of extent 9 has no 2 equal parts}}
  %d = tc.contract [m, k], [k, n] -> [m, n]
         ins(%part, %b : tensor<4x9xf64>, tensor<9x6xf64>) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %d : tensor<4x6xf64>
}

// -----

shard.grid @grid(shape = 2)

func.func @alpha(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>, %alpha: f64) -> tensor<4x6xf64> {
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<4x8xf64>
  // expected-error @+1 {{cannot be partitioned along the summed index 'k': alpha does not distribute over the sums of its semiring}}
  %d = tc.contract [m, k], [k, n] -> [m, n] ins(%part, %b : tensor<4x8xf64>, tensor<8x6xf64>)
         outs(%c : tensor<4x6xf64>) alpha(%alpha : f64) semiring = max_times -> tensor<4x6xf64>
  return %d : tensor<4x6xf64>
}

// -----

shard.grid @grid(shape = 2)

func.func @epilogue(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<4x8xf32>
  // expected-error @+1 {{cannot be partitioned along the summed index 'k': its epilogue maps the whole sum}}
  %d = tc.contract [m, k], [k, n] -> [m, n] ins(%part, %b : tensor<4x8xf32>, tensor<8x6xf32>)
         outs(%c : tensor<4x6xf32>) epilogue {
         ^bb0(%sum: f32, %old: f32):
           %y = math.absf %sum : f32
           tc.yield %y : f32
         } -> tensor<4x6xf32>
  return %d : tensor<4x6xf32>
}

// -----

shard.grid @grid(shape = 2)

func.func @user_defined(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %cut = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %part = shard.shard %a to %cut annotate_for_users : tensor<4x8xf32>
  // expected-error @+1 {{cannot be partitioned along the summed index 'k': no all-reduce combines by a semiring that is user-defined}}
  %d = tc.contract [m, k], [k, n] -> [m, n] ins(%part, %b : tensor<4x8xf32>, tensor<8x6xf32>)
         outs(%c : tensor<4x6xf32>) semiring = user_defined(0.0 : f32)
         product {
         ^bb0(%x: f32, %y: f32):
           %z = arith.mulf %x, %y : f32
           tc.yield %z : f32
         } combine {
         ^bb0(%x: f32, %y: f32):
           %z = arith.addf %x, %y : f32
           tc.yield %z : f32
         } -> tensor<4x6xf32>
  return %d : tensor<4x6xf32>
}
