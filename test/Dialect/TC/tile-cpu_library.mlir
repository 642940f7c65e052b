// Contractions that a library computes: where elements are read once, if code may
// call it, and where it is asked for.

// RUN: tc-opt %s -tc-tile-cpu="strategy=library threads=2" | FileCheck %s --check-prefix=ASKED
// RUN: tc-opt %s -tc-tile-cpu=library-calls | FileCheck %s --check-prefix=CALLS
// RUN: tc-opt %s -tc-tile-cpu | FileCheck %s --check-prefix=NEVER
// RUN: tc-opt %s -tc-tile-cpu="library-calls target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json" | FileCheck %s --check-prefix=NEVER
// RUN: tc-opt %s -tc-cpu-pipeline=library-calls=always | FileCheck %s --check-prefix=CODE
// RUN: tc-opt %s -tc-cpu-pipeline | FileCheck %s --check-prefix=OWN

// How many threads pay is the library's prediction.
// ASKED-LABEL: func.func @dot
// ASKED: #tc.cpu_schedule<target = "host", strategy = library, threads = [batch: 2]>
// CALLS-LABEL: func.func @dot
// CALLS: #tc.cpu_schedule<target = "host", strategy = library>
// NEVER-LABEL: func.func @dot
// NEVER-NOT: strategy = library
// CODE-LABEL: func.func @dot
// CODE: llvm.call @tcCpuContract
// CODE-LABEL: func.func @product
// OWN-NOT: tcCpuContract
func.func @dot(%A: memref<1000000xcomplex<f64>>, %C: memref<complex<f64>>) {
  tc.contract [i], [i] -> []
    ins(%A, %A : memref<1000000xcomplex<f64>>, memref<1000000xcomplex<f64>>)
    outs(%C : memref<complex<f64>>) conjugate_a
  return
}

// Factors that are widened are no obstacle.
// ASKED-LABEL: func.func @mixed
// ASKED: strategy = library
// CALLS-LABEL: func.func @mixed
// CALLS: strategy = library
func.func @mixed(%A: memref<2000x1000xf32>, %B: memref<2000x1000xf64>, %C: memref<1000xf64>) {
  tc.contract [i, j], [i, j] -> [j]
    ins(%A, %B : memref<2000x1000xf32>, memref<2000x1000xf64>) outs(%C : memref<1000xf64>)
    prologue_a {
    ^bb0(%x: f32):
      %y = arith.extf %x : f32 to f64
      tc.yield %y : f64
    }
  return
}

// Panels are better made by code for the shape.
// ASKED-LABEL: func.func @product
// ASKED: strategy = library
// CALLS-LABEL: func.func @product
// CALLS-NOT: strategy = library
func.func @product(%A: memref<300x300xf64>, %C: memref<300x300xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<300x300xf64>, memref<300x300xf64>) outs(%C : memref<300x300xf64>)
  return
}
