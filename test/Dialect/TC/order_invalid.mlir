// RUN: tc-opt --tc-order -split-input-file -verify-diagnostics %s
// RUN: not tc-opt --tc-order="target=sm_12" %s 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not tc-opt --tc-order="target=cpu target-file=%S/missing.json" %s 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tc-opt --tc-order="target=cpu threads=0" %s 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not tc-opt --tc-order="memory-limit=15" %S/../../../examples/tensor_product_operator.mlir 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not tc-opt --tc-order="memory-limit=71" %S/Inputs/order_alignment.mlir 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not tc-opt --tc-order="memory-limit=64" -split-input-file %S/Inputs/order_many_slices.mlir 2>&1 | FileCheck %s --check-prefix=SLICES

// SLICES-COUNT-2: error: 'tc.einsum' op temporaries of 64 B ask for 33554432 slices, and at most 16777216 are computed; 128 B would do
// ALIGNMENT: order_alignment.mlir:3:3: error: 'tc.einsum' op the temporaries take 72 B with their places' alignment, more than 71 B
// TARGET: error: option 'target': {{.*}}sm_12
// FILE: error: option 'target-file': {{.*}}missing.json
// THREADS: error: option 'threads': must be 1 at least, but is 0
// MEMORY: tensor_product_operator.mlir:6:3: error: 'tc.einsum' op the temporaries take 16 B at least, whatever they are cut into, more than 15 B

func.func @unknown_buffer(%A: memref<?x40xf64>, %B: memref<40x50xf64>, %x: memref<50xf64>,
                          %out: memref<?xf64>) {
  // expected-error@+1 {{'tc.einsum' op has an unknown extent, of which temporaries would be made}}
  tc.einsum [i, j], [j, k], [k] -> [i]
    ins(%A, %B, %x : memref<?x40xf64>, memref<40x50xf64>, memref<50xf64>)
    outs(%out : memref<?xf64>) path = [[0, 1], [0, 1]]
  return
}

// -----

// Temporaries that no memory holds are refused, and not computed with.
func.func @huge(%A: memref<1099511627776x2xf64>, %B: memref<1048576x2xf64>,
                %x: memref<1099511627776xf64>, %y: memref<1048576xf64>, %out: memref<2x2xf64>) {
  // expected-error@+1 {{'tc.einsum' op temporaries of more than 2^63 - 1 bytes}}
  tc.einsum [i, j], [k, l], [i], [k] -> [j, l]
    ins(%A, %B, %x, %y : memref<1099511627776x2xf64>, memref<1048576x2xf64>,
                         memref<1099511627776xf64>, memref<1048576xf64>)
    outs(%out : memref<2x2xf64>) path = [[0, 1], [0, 1], [0, 1]]
  return
}
