// For strategy ttgt, A and C are copied; for log, loops run along a and, summing,
// along e.
func.func @factors(%A: memref<3x8x12x32xf64>, %B: memref<40x3x32xf64>,
                   %C: memref<8x40x12xf64>, %alpha: f64, %beta: f64) {
  tc.contract [e, a, c, d], [b, e, d] -> [a, b, c]
    ins(%A, %B : memref<3x8x12x32xf64>, memref<40x3x32xf64>)
    outs(%C : memref<8x40x12xf64>) alpha(%alpha : f64) beta(%beta : f64)
  return
}
