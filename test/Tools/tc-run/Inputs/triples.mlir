// The epilogue and the sum of the energy of CCSD(T), of two contractions.
func.func @triples(%t: tensor<5x4x4x3xf64>, %v: tensor<3x4x5x5xf64>, %t1: tensor<5x4xf64>,
                   %e_hole: tensor<5xf64>, %e_particle: tensor<4xf64>) -> tensor<f64> {
  %one = arith.constant 1.0 : f64
  %minus = arith.constant -1.0 : f64
  %x0 = tensor.empty() : tensor<4x4x4x5x5x5xf64>
  %x1 = tc.contract [i, b, a, l], [l, c, j, k] -> [a, b, c, i, j, k]
    ins(%t, %v : tensor<5x4x4x3xf64>, tensor<3x4x5x5xf64>)
    outs(%x0 : tensor<4x4x4x5x5x5xf64>) alpha(%minus : f64) -> tensor<4x4x4x5x5x5xf64>
  %x2 = tc.contract [j, b, a, l], [l, c, i, k] -> [a, b, c, i, j, k]
    ins(%t, %v : tensor<5x4x4x3xf64>, tensor<3x4x5x5xf64>)
    outs(%x1 : tensor<4x4x4x5x5x5xf64>) beta(%one : f64)
    auxiliaries(%t1 [i, a] : tensor<5x4xf64>, %e_hole [j] : tensor<5xf64>, %e_particle [c] : tensor<4xf64>)
    epilogue {
    ^bb0(%x: f64, %old: f64, %s: f64, %h: f64, %p: f64):
      %both = arith.addf %x, %s : f64
      %square = arith.mulf %x, %both : f64
      %gap = arith.constant 4.0 : f64
      %d0 = arith.subf %h, %p : f64
      %d = arith.subf %d0, %gap : f64
      %energy = arith.divf %square, %d : f64
      tc.yield %energy : f64
    } -> tensor<4x4x4x5x5x5xf64>
  %zero = arith.constant 0.0 : f64
  %none = tensor.empty() : tensor<f64>
  %begin = linalg.fill ins(%zero : f64) outs(%none : tensor<f64>) -> tensor<f64>
  %sum = linalg.reduce { arith.addf } ins(%x2 : tensor<4x4x4x5x5x5xf64>)
    outs(%begin : tensor<f64>) dimensions = [0, 1, 2, 3, 4, 5]
  return %sum : tensor<f64>
}
