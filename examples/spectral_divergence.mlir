// The transposed gradient of spectral elements, as in Nekbone: for each of 500
// elements of 12^3 points, the derivatives of three fields, each along another
// axis, add up to one. The derivative is a product with a small matrix, which is
// M in one term's output where it is N in another's; one kernel computes all
// three, so that the sum is read and written once.
//
//   tc-run examples/spectral_divergence.mlir --blocks=first,last --check
func.func @divergence(%D: tensor<12x12xf64>,
                      %ur: tensor<500x12x12x12xf64>, %us: tensor<500x12x12x12xf64>, %ut: tensor<500x12x12x12xf64>,
                      %w: tensor<500x12x12x12xf64>) -> tensor<500x12x12x12xf64> {
  %one = arith.constant 1.0 : f64
  %r = tc.contract [l, i], [e, k, j, l] -> [e, k, j, i]
    ins(%D, %ur : tensor<12x12xf64>, tensor<500x12x12x12xf64>)
    outs(%w : tensor<500x12x12x12xf64>) beta(%one : f64) -> tensor<500x12x12x12xf64>
  %rs = tc.contract [l, j], [e, k, l, i] -> [e, k, j, i]
    ins(%D, %us : tensor<12x12xf64>, tensor<500x12x12x12xf64>)
    outs(%r : tensor<500x12x12x12xf64>) beta(%one : f64) -> tensor<500x12x12x12xf64>
  %rst = tc.contract [l, k], [e, l, j, i] -> [e, k, j, i]
    ins(%D, %ut : tensor<12x12xf64>, tensor<500x12x12x12xf64>)
    outs(%rs : tensor<500x12x12x12xf64>) beta(%one : f64) -> tensor<500x12x12x12xf64>
  return %rst : tensor<500x12x12x12xf64>
}
