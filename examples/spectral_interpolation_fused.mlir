// Interpolation on many spectral elements, from 10 to 12 points along each of three axes:
// V[e,i,j,k] = sum over l, m and n of A[k,l] B[j,m] C[i,n] U[e,l,m,n]. The three steps are
// one kernel, which keeps intermediate results in shared memory.
func.func @interpolate(%A: tensor<12x10xf64>, %B: tensor<12x10xf64>, %C: tensor<12x10xf64>,
                       %U: tensor<2000x10x10x10xf64>) -> tensor<2000x12x12x12xf64> {
  %t1 = tensor.empty() : tensor<2000x10x10x12xf64>
  %t2 = tensor.empty() : tensor<2000x10x12x12xf64>
  %t3 = tensor.empty() : tensor<2000x12x12x12xf64>
  %V = tc.fused -> tensor<2000x12x12x12xf64> {
    %0 = tc.contract [e, l, m, n], [i, n] -> [e, l, m, i]
      ins(%U, %C : tensor<2000x10x10x10xf64>, tensor<12x10xf64>)
      outs(%t1 : tensor<2000x10x10x12xf64>) -> tensor<2000x10x10x12xf64>
    %1 = tc.contract [e, l, m, i], [j, m] -> [e, l, i, j]
      ins(%0, %B : tensor<2000x10x10x12xf64>, tensor<12x10xf64>)
      outs(%t2 : tensor<2000x10x12x12xf64>) -> tensor<2000x10x12x12xf64>
    %2 = tc.contract [e, l, i, j], [k, l] -> [e, i, j, k]
      ins(%1, %A : tensor<2000x10x12x12xf64>, tensor<12x10xf64>)
      outs(%t3 : tensor<2000x12x12x12xf64>) -> tensor<2000x12x12x12xf64>
    tc.fused_yield %2 : tensor<2000x12x12x12xf64>
  }
  return %V : tensor<2000x12x12x12xf64>
}
