// The tensor-product operator of spectral elements, three matrices on one element's values,
// in one operation: which of the fifteen trees of contractions is the fastest, and where
// temporaries lie, is left to --tc-order.
func.func @interpolate(%A: memref<12x10xf64>, %B: memref<12x10xf64>, %C: memref<12x10xf64>,
                       %U: memref<10x10x10xf64>, %V: memref<12x12x12xf64>) {
  tc.einsum [k, l], [j, m], [i, n], [l, m, n] -> [i, j, k]
    ins(%A, %B, %C, %U : memref<12x10xf64>, memref<12x10xf64>, memref<12x10xf64>, memref<10x10x10xf64>)
    outs(%V : memref<12x12x12xf64>)
  return
}
