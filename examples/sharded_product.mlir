// A product of matrices of which each of two processes has a half: of the columns of A, as its annotation says, and so of
// the rows of B. Their results are added up. examples/sharded_product.py compiles and runs it.
module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "MPICH">} {
  shard.grid @grid(shape = 2) {sym_visibility = "private"}

  func.func @product(%A: tensor<64x96xf64>, %B: tensor<96x32xf64>, %C: tensor<64x32xf64>, %beta: f64) -> tensor<64x32xf64>
      attributes {llvm.emit_c_interface} {
    %columns = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
    %part = shard.shard %A to %columns annotate_for_users : tensor<64x96xf64>
    %D = tc.contract [m, k], [k, n] -> [m, n] ins(%part, %B : tensor<64x96xf64>, tensor<96x32xf64>)
           outs(%C : tensor<64x32xf64>) beta(%beta : f64) -> tensor<64x32xf64>
    return %D : tensor<64x32xf64>
  }
}
