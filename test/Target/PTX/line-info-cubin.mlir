// REQUIRES: ptxas
// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_80 | tc-translate --tc-to-cubin --line-info --launch-description=%t.json -o %t.cubin
// RUN: tc-launch %t.json --validate
// RUN: grep -c debug_line %t.cubin

func.func @dot(%A: memref<100xf32>, %B: memref<100xf32>, %C: memref<f32>) {
  tc.contract [k], [k] -> [] ins(%A, %B : memref<100xf32>, memref<100xf32>) outs(%C : memref<f32>)
  return
}
