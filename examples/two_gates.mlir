// Two gates on qubits of a state of 20 qubits, one kernel: G on the third and the tenth, then
// H on the tenth and the eighteenth. Qubits that no gate is on are joined to one index where
// they are neighbours.
func.func @two_gates(%psi: tensor<4x2x64x2x128x2x4xcomplex<f64>>, %G: tensor<2x2x2x2xcomplex<f64>>,
                     %H: tensor<2x2x2x2xcomplex<f64>>) -> tensor<4x2x64x2x128x2x4xcomplex<f64>> {
  %t = tensor.empty() : tensor<4x2x64x2x128x2x4xcomplex<f64>>
  %out = tensor.empty() : tensor<4x2x64x2x128x2x4xcomplex<f64>>
  %phi = tc.fused -> tensor<4x2x64x2x128x2x4xcomplex<f64>> {
    %0 = tc.contract [a, p, b, q, c, r, d], [x, y, p, q] -> [a, x, b, y, c, r, d]
      ins(%psi, %G : tensor<4x2x64x2x128x2x4xcomplex<f64>>, tensor<2x2x2x2xcomplex<f64>>)
      outs(%t : tensor<4x2x64x2x128x2x4xcomplex<f64>>) -> tensor<4x2x64x2x128x2x4xcomplex<f64>>
    %1 = tc.contract [a, x, b, q, c, r, d], [y, z, q, r] -> [a, x, b, y, c, z, d]
      ins(%0, %H : tensor<4x2x64x2x128x2x4xcomplex<f64>>, tensor<2x2x2x2xcomplex<f64>>)
      outs(%out : tensor<4x2x64x2x128x2x4xcomplex<f64>>) -> tensor<4x2x64x2x128x2x4xcomplex<f64>>
    tc.fused_yield %1 : tensor<4x2x64x2x128x2x4xcomplex<f64>>
  }
  return %phi : tensor<4x2x64x2x128x2x4xcomplex<f64>>
}
