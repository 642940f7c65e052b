// A matrix product on views: A is the transpose of every second row of an array,
// B starts at its 64th element, C is a block of a wider matrix and is
// accumulated into.
func.func @product_of_views(
    %A: memref<96x48xf64, strided<[1, 192]>>,
    %B: memref<48x80xf64, strided<[80, 1], offset: 64>>,
    %C: memref<96x80xf64, strided<[256, 1]>>) {
  %alpha = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<96x48xf64, strided<[1, 192]>>,
                 memref<48x80xf64, strided<[80, 1], offset: 64>>)
    outs(%C : memref<96x80xf64, strided<[256, 1]>>)
    alpha(%alpha : f64) beta(%one : f64)
  return
}
