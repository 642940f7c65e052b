func.func @tensors(%A: tensor<16384x16384xf64>, %B: tensor<16384x16384xf64>, %C: tensor<16384x16384xf64>,
                   %out: tensor<16384x16384xf64>) -> tensor<16384x16384xf64> {
  %r = tc.einsum [i, j], [j, k], [k, l] -> [i, l]
    ins(%A, %B, %C : tensor<16384x16384xf64>, tensor<16384x16384xf64>, tensor<16384x16384xf64>)
    outs(%out : tensor<16384x16384xf64>) -> tensor<16384x16384xf64>
  return %r : tensor<16384x16384xf64>
}

// -----

func.func @memrefs(%A: memref<16384x16384xf64>, %B: memref<16384x16384xf64>, %C: memref<16384x16384xf64>,
                   %out: memref<16384x16384xf64>) {
  tc.einsum [i, j], [j, k], [k, l] -> [i, l]
    ins(%A, %B, %C : memref<16384x16384xf64>, memref<16384x16384xf64>, memref<16384x16384xf64>)
    outs(%out : memref<16384x16384xf64>)
  return
}
