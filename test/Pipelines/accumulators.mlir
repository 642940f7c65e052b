// A loop that carries hundreds of accumulators is cleaned up in milliseconds: what
// MLIR's canonicalizer does by default took nearly all of the time.

// RUN: tc-opt --tc-gpu-pipeline=target=sm_90 --mlir-timing %s -o /dev/null 2>&1 | FileCheck %s

// CHECK: TCExpandFloat8
// CHECK: 'gpu.module' Pipeline
// CHECK-NEXT: {{\( *([0-9]|[1-6][0-9])\.[0-9]%\)}} Canonicalizer

func.func @halves(%a: memref<2048x2048xf16>, %b: memref<2048x2048xf16>, %c: memref<2048x2048xf16>) {
  tc.contract [c, a], [b, c] -> [b, a] ins(%a, %b : memref<2048x2048xf16>, memref<2048x2048xf16>) outs(%c : memref<2048x2048xf16>)
  return
}
