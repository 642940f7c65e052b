// REQUIRES: ptxas
// RUN: tc-opt %s --tc-to-gpu --tc-kernels-to-binary=format=cubin | FileCheck %s

// CHECK: gpu.binary @tc_kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80">, properties = {O = 3 : i32}, bin = "\7FELF
func.func @matmul(%A: memref<64x32xf64>, %B: memref<32x48xf64>, %C: memref<64x48xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>) outs(%C : memref<64x48xf64>)
    {schedule = #tc.schedule<target = "sm_80", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>}
  return
}
