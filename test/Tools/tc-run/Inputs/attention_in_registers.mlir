// Attention whose probabilities stay in the registers of warps that have whole rows, of
// queries and keys that the tiles do not divide.
#of_scores = #tc.schedule<target = "sm_90", m = [q: 32], n = [k: 32], k = [d: 64], register = [2, 8], instruction = mma_m16n8k16>
#of_values = #tc.schedule<target = "sm_90", m = [q: 32], n = [d: 64], k = [k: 32], register = [2, 16], instruction = mma_m16n8k16>
func.func @attention(%Q: tensor<2x100x64xbf16>, %K: tensor<2x75x64xbf16>, %V: tensor<2x75x64xbf16>) -> tensor<2x100x64xf32> {
  %scale = arith.constant 0.125 : f32
  %s = tensor.empty() : tensor<2x100x75xf32>
  %p = tensor.empty() : tensor<2x100x75xf32>
  %o = tensor.empty() : tensor<2x100x64xf32>
  %O = tc.fused -> tensor<2x100x64xf32> {
    %0 = tc.contract [h, q, d], [h, k, d] -> [h, q, k]
      ins(%Q, %K : tensor<2x100x64xbf16>, tensor<2x75x64xbf16>)
      outs(%s : tensor<2x100x75xf32>) alpha(%scale : f32) {schedule = #of_scores} -> tensor<2x100x75xf32>
    %1 = linalg.softmax dimension(2) ins(%0 : tensor<2x100x75xf32>)
      outs(%p : tensor<2x100x75xf32>) -> tensor<2x100x75xf32>
    %2 = tc.contract [h, q, k], [h, k, d] -> [h, q, d]
      ins(%1, %V : tensor<2x100x75xf32>, tensor<2x75x64xbf16>)
      outs(%o : tensor<2x100x64xf32>)
      prologue_a {
      ^bb0(%x: f32):
        %rounded = arith.truncf %x : f32 to bf16
        tc.yield %rounded : bf16
      } {schedule = #of_values} -> tensor<2x100x64xf32>
    tc.fused_yield %2 : tensor<2x100x64xf32>
  }
  return %O : tensor<2x100x64xf32>
}
