module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "mine" = #dlti.target_device_spec<"tc.base" = "sm_80", "tc.multiprocessors" = 56 : i64>>} {
  func.func @product(%A: memref<64x8xf32>, %B: memref<8x64xf32>, %C: memref<64x64xf32>) {
    tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<64x8xf32>, memref<8x64xf32>) outs(%C : memref<64x64xf32>)
    return
  }
}
