// RUN: tc-opt %s -split-input-file -verify-diagnostics \
// RUN:   -pass-pipeline="builtin.module(func.func(shard-partition))"

// Annotations that propagation does not make.

shard.grid @grid(shape = 2)

func.func @halo(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %halo = shard.sharding @grid split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %left = shard.shard %a to %halo annotate_for_users : tensor<4x8xf64>
  %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %right = shard.shard %b to %whole annotate_for_users : tensor<8x6xf64>
  %rows = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %out = shard.shard %c to %rows annotate_for_users : tensor<4x6xf64>
  // expected-error @+1 {{cannot be partitioned into parts with halos or offsets, only into equal ones}}
  %d = tc.contract [m, k], [k, n] -> [m, n]
         ins(%left, %right : tensor<4x8xf64>, tensor<8x6xf64>) outs(%out : tensor<4x6xf64>) -> tensor<4x6xf64>
  %result = shard.shard %d to %rows : tensor<4x6xf64>
  return %result : tensor<4x6xf64>
}

// -----

shard.grid @grid(shape = 2)

func.func @differs(%a: tensor<4x8xf64>, %b: tensor<8x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %left = shard.shard %a to %columns annotate_for_users : tensor<4x8xf64>
  %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %right = shard.shard %b to %whole annotate_for_users : tensor<8x6xf64>
  %out = shard.shard %c to %whole annotate_for_users : tensor<4x6xf64>
  // expected-error @+1 {{cannot be partitioned: index 'k' is cut in one place otherwise than in another}}
  %d = tc.contract [m, k], [k, n] -> [m, n]
         ins(%left, %right : tensor<4x8xf64>, tensor<8x6xf64>) outs(%out : tensor<4x6xf64>) -> tensor<4x6xf64>
  %result = shard.shard %d to %whole : tensor<4x6xf64>
  return %result : tensor<4x6xf64>
}

// -----

shard.grid @grid(shape = 2)

func.func @taken_twice(%a: tensor<4x8xf64>, %b: tensor<6x10xf64>, %c: tensor<8x10xf64>) -> tensor<8x10xf64> {
  %rows = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %left = shard.shard %a to %rows annotate_for_users : tensor<4x8xf64>
  %right = shard.shard %b to %rows annotate_for_users : tensor<6x10xf64>
  %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %out = shard.shard %c to %whole annotate_for_users : tensor<8x10xf64>
  // expected-error @+1 {{cannot be partitioned: dimension 0 of the grid cuts both 'k' and 'l'}}
  %d = tc.contract [k, m], [l, n] -> [m, n]
         ins(%left, %right : tensor<4x8xf64>, tensor<6x10xf64>) outs(%out : tensor<8x10xf64>) -> tensor<8x10xf64>
  %result = shard.shard %d to %whole : tensor<8x10xf64>
  return %result : tensor<8x10xf64>
}
