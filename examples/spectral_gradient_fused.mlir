// The derivatives of a field along the three directions of each of 2000 spectral elements,
// local_grad3 of Nekbone: three products of one field, which are one kernel, so that the
// field is read from memory once.
func.func @gradient(%u: tensor<2000x12x12x12xf64>, %D: tensor<12x12xf64>)
    -> (tensor<2000x12x12x12xf64>, tensor<2000x12x12x12xf64>, tensor<2000x12x12x12xf64>) {
  %t = tensor.empty() : tensor<2000x12x12x12xf64>
  %gradient:3 = tc.fused -> tensor<2000x12x12x12xf64>, tensor<2000x12x12x12xf64>, tensor<2000x12x12x12xf64> {
    %ur = tc.contract [e, k, j, l], [i, l] -> [e, k, j, i]
      ins(%u, %D : tensor<2000x12x12x12xf64>, tensor<12x12xf64>)
      outs(%t : tensor<2000x12x12x12xf64>) -> tensor<2000x12x12x12xf64>
    %us = tc.contract [e, k, l, i], [j, l] -> [e, k, j, i]
      ins(%u, %D : tensor<2000x12x12x12xf64>, tensor<12x12xf64>)
      outs(%t : tensor<2000x12x12x12xf64>) -> tensor<2000x12x12x12xf64>
    %ut = tc.contract [e, l, j, i], [k, l] -> [e, k, j, i]
      ins(%u, %D : tensor<2000x12x12x12xf64>, tensor<12x12xf64>)
      outs(%t : tensor<2000x12x12x12xf64>) -> tensor<2000x12x12x12xf64>
    tc.fused_yield %ur, %us, %ut : tensor<2000x12x12x12xf64>, tensor<2000x12x12x12xf64>, tensor<2000x12x12x12xf64>
  }
  return %gradient#0, %gradient#1, %gradient#2 : tensor<2000x12x12x12xf64>, tensor<2000x12x12x12xf64>, tensor<2000x12x12x12xf64>
}
