// Factors that are given at run time.
func.func @factors(%A: memref<4x3xi8>, %B: memref<3x4xi8>, %C: memref<4x4xi32>,
                   %alpha: i32, %beta: i32) {
  tc.contract [i, k], [k, j] -> [i, j]
    ins(%A, %B : memref<4x3xi8>, memref<3x4xi8>)
    outs(%C : memref<4x4xi32>) alpha(%alpha : i32) beta(%beta : i32)
  return
}
