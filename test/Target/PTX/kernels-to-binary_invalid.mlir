// RUN: not tc-opt %s --tc-to-gpu --tc-kernels-to-binary=format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: error: option 'format': 'elf' is neither ptx nor cubin
// RUN: not tc-opt %s --tc-to-gpu --tc-kernels-to-binary 2>&1 | FileCheck %s
// CHECK: error: 'gpu.func' op is for sm_80, but others of its module are for sm_90

func.func @two_targets(%A: memref<64x32xf64>, %B: memref<32x48xf64>, %C: memref<64x48xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>) outs(%C : memref<64x48xf64>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>) outs(%C : memref<64x48xf64>)
    {schedule = #tc.schedule<target = "sm_80", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>}
  return
}
