// RUN: tc-opt %s -split-input-file -tc-lower-transposes -canonicalize -cse | FileCheck %s

// One dimension is contiguous in the source, another in the target: squares are
// transposed in registers. Tiles of 32 x 32 come first; squares at the end of
// one begin earlier rather than being cut off.

// CHECK-LABEL: func.func @squares
// CHECK: scf.for %{{.*}} = %c0 to %c5
// CHECK: scf.for %{{.*}} = %c0 to %c2
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK-COUNT-4: vector.load {{.*}} vector<4xf64>
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store {{.*}} vector<4xf64>
// CHECK-NOT: linalg.transpose
func.func @squares(%A: memref<70x5x63xf64>, %B: memref<5x63x70xf64>) {
  linalg.transpose ins(%A : memref<70x5x63xf64>) outs(%B : memref<5x63x70xf64>)
    permutation = [1, 2, 0] {tc.lanes = 4 : i64}
  return
}

// -----

// The same dimension is contiguous in both: vectors are copied.

// CHECK-LABEL: func.func @rows
// CHECK: vector.load {{.*}} vector<8xf32>
// CHECK: vector.store {{.*}} vector<8xf32>
// CHECK-NOT: vector.shuffle
func.func @rows(%A: memref<7x5x20xf32>, %B: memref<5x7x20xf32>) {
  linalg.transpose ins(%A : memref<7x5x20xf32>) outs(%B : memref<5x7x20xf32>)
    permutation = [1, 0, 2] {tc.lanes = 8 : i64}
  return
}

// -----

// Squares are no larger than the dimensions.

// CHECK-LABEL: func.func @small
// CHECK-COUNT-2: vector.load {{.*}} vector<2xf64>
// CHECK-COUNT-2: vector.shuffle
// CHECK-COUNT-2: vector.store {{.*}} vector<2xf64>
func.func @small(%A: memref<3x9xf64>, %B: memref<9x3xf64>) {
  linalg.transpose ins(%A : memref<3x9xf64>) outs(%B : memref<9x3xf64>)
    permutation = [1, 0] {tc.lanes = 8 : i64}
  return
}

// -----

// Nothing is contiguous in the source.

// CHECK-LABEL: func.func @elements
// CHECK: memref.load
// CHECK: memref.store
// CHECK-NOT: vector
func.func @elements(%A: memref<3x9xf64, strided<[30, 2], offset: 7>>,
                    %B: memref<9x3xf64>) {
  linalg.transpose ins(%A : memref<3x9xf64, strided<[30, 2], offset: 7>>)
    outs(%B : memref<9x3xf64>) permutation = [1, 0] {tc.lanes = 8 : i64}
  return
}

// -----

// There is nothing to copy.

// CHECK-LABEL: func.func @empty
// CHECK-NEXT: return
func.func @empty(%A: memref<0x9xf64>, %B: memref<9x0xf64>) {
  linalg.transpose ins(%A : memref<0x9xf64>) outs(%B : memref<9x0xf64>)
    permutation = [1, 0] {tc.lanes = 8 : i64}
  return
}

// -----

// Other transpositions are not touched.

// CHECK-LABEL: func.func @other
// CHECK: linalg.transpose
func.func @other(%A: memref<3x9xf64>, %B: memref<9x3xf64>) {
  linalg.transpose ins(%A : memref<3x9xf64>) outs(%B : memref<9x3xf64>)
    permutation = [1, 0]
  return
}
