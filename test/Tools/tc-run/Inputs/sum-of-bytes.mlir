// The sum of squares, all of it in floats of 8 bits.
func.func @sum(%A: tensor<7x5xf8E4M3FN>, %B: tensor<5x3xf8E4M3FN>) -> tensor<f8E4M3FN> {
  %zero = arith.constant 0.0 : f8E4M3FN
  %empty = tensor.empty() : tensor<7x3xf8E4M3FN>
  %C = tc.contract [i, k], [k, j] -> [i, j] ins(%A, %B : tensor<7x5xf8E4M3FN>, tensor<5x3xf8E4M3FN>) outs(%empty : tensor<7x3xf8E4M3FN>)
    epilogue {
    ^bb0(%x: f32, %old: f8E4M3FN):
      %thousand = arith.constant 1000.0 : f32
      %square = arith.mulf %x, %x : f32
      %large = arith.mulf %square, %thousand : f32
      %rounded = arith.truncf %large : f32 to f8E4M3FN
      tc.yield %rounded : f8E4M3FN
    } -> tensor<7x3xf8E4M3FN>
  %number = tensor.empty() : tensor<f8E4M3FN>
  %begin = linalg.fill ins(%zero : f8E4M3FN) outs(%number : tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %sum = linalg.reduce { arith.addf } ins(%C : tensor<7x3xf8E4M3FN>) outs(%begin : tensor<f8E4M3FN>) dimensions = [0, 1]
  return %sum : tensor<f8E4M3FN>
}
