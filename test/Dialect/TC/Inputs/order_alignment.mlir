// Two temporaries of 1000 B each live at the same time.
func.func @chain(%A: memref<5x25xf64>, %B: memref<25x25xf64>, %C: memref<25x5xf64>, %out: memref<5x5xf64>) {
  tc.einsum [a, b], [b, c], [c, d], [d, e], [e, f] -> [a, f]
    ins(%A, %B, %B, %B, %C : memref<5x25xf64>, memref<25x25xf64>, memref<25x25xf64>, memref<25x25xf64>, memref<25x5xf64>)
    outs(%out : memref<5x5xf64>)
  return
}
