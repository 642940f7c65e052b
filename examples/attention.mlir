// Attention of several heads, in one kernel: O[b,h,q,d] = sum over k of P[b,h,q,k] V[b,h,k,d],
// where P is the softmax along k of the scores, scale * sum over d of Q[b,h,q,d] K[b,h,k,d].
// Neither scores nor P are ever in memory: a block goes from one tile of keys to the next, and
// carries the maximum and the sum of each row along.
func.func @attention(%Q: tensor<2x4x200x64xf16>, %K: tensor<2x4x200x64xf16>,
                     %V: tensor<2x4x200x64xf16>) -> tensor<2x4x200x64xf16> {
  %scale = arith.constant 0.125 : f32
  %s = tensor.empty() : tensor<2x4x200x200xf32>
  %p = tensor.empty() : tensor<2x4x200x200xf32>
  %o = tensor.empty() : tensor<2x4x200x64xf16>
  %O = tc.fused -> tensor<2x4x200x64xf16> {
    %0 = tc.contract [b, h, q, d], [b, h, k, d] -> [b, h, q, k]
      ins(%Q, %K : tensor<2x4x200x64xf16>, tensor<2x4x200x64xf16>)
      outs(%s : tensor<2x4x200x200xf32>) alpha(%scale : f32) -> tensor<2x4x200x200xf32>
    %1 = linalg.softmax dimension(3) ins(%0 : tensor<2x4x200x200xf32>)
      outs(%p : tensor<2x4x200x200xf32>) -> tensor<2x4x200x200xf32>
    %2 = tc.contract [b, h, q, k], [b, h, k, d] -> [b, h, q, d]
      ins(%1, %V : tensor<2x4x200x200xf32>, tensor<2x4x200x64xf16>)
      outs(%o : tensor<2x4x200x64xf16>)
      prologue_a {
      ^bb0(%x: f32):
        %rounded = arith.truncf %x : f32 to f16
        tc.yield %rounded : f16
      } -> tensor<2x4x200x64xf16>
    tc.fused_yield %2 : tensor<2x4x200x64xf16>
  }
  return %O : tensor<2x4x200x64xf16>
}
