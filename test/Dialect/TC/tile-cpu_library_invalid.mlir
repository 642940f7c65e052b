// RUN: tc-opt %s -tc-tile-cpu="strategy=library" -split-input-file -verify-diagnostics

func.func @semiring(%A: memref<64xf64>, %C: memref<f64>) {
  // expected-error@+1 {{strategy library: the library has no semiring min_plus}}
  tc.contract [i], [i] -> [] ins(%A, %A : memref<64xf64>, memref<64xf64>) outs(%C : memref<f64>)
    semiring = min_plus
  return
}

// -----

func.func @prologue(%A: memref<64xf64>, %C: memref<f64>) {
  // expected-error@+1 {{strategy library: the library has no prologues}}
  tc.contract [i], [i] -> [] ins(%A, %A : memref<64xf64>, memref<64xf64>) outs(%C : memref<f64>)
    prologue_a {
    ^bb0(%x: f64):
      %y = arith.negf %x : f64
      tc.yield %y : f64
    }
  return
}

// -----

func.func @epilogue(%A: memref<64xf64>, %C: memref<f64>) {
  // expected-error@+1 {{strategy library: the library has no epilogue}}
  tc.contract [i], [i] -> [] ins(%A, %A : memref<64xf64>, memref<64xf64>) outs(%C : memref<f64>)
    epilogue {
    ^bb0(%x: f64, %old: f64):
      %y = arith.negf %x : f64
      tc.yield %y : f64
    }
  return
}
