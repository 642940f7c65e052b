// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --canonicalize | FileCheck %s --check-prefix=CANONICAL
// RUN: tc-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s --check-prefix=BUFFERS
// RUN: tc-opt %s --tc-inline-fused | FileCheck %s --check-prefix=INLINE
// RUN: tc-opt %s --convert-tc-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: tc-opt %s --tc-cpu-pipeline | FileCheck %s --check-prefix=CPU
// RUN: tc-run %s --check | FileCheck %s --check-prefix=NUMBERS
// RUN: tc-run %s --target=cpu --check | FileCheck %s --check-prefix=CPU-NUMBERS

// One kernel for each group, and one for each contraction alone; CPUs have code
// for each contraction.
// NUMBERS-COUNT-7: check        passed
// NUMBERS-NOT: check
// CPU-NUMBERS-COUNT-11: check        passed
// CPU-NUMBERS-NOT: check
// CPU-NOT: tc.fused
// LINALG-NOT: tc.fused

// The example of the operation's description.

// CHECK-LABEL: @tensors
// CHECK: %[[D:.*]] = tc.fused -> tensor<64x64xf64> {
// CHECK-NEXT: %[[FIRST:.*]] = tc.contract
// CHECK-NEXT: %[[SECOND:.*]] = tc.contract {{.*}} outs(%[[FIRST]] :
// CHECK-NEXT: tc.fused_yield %[[SECOND]] : tensor<64x64xf64>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[D]]
// CANONICAL-LABEL: @tensors
// CANONICAL: tc.fused -> tensor<64x64xf64> {
// BUFFERS-LABEL: @tensors
// BUFFERS-SAME: %[[C:[a-z0-9]+]]: memref<64x64xf64>)
// BUFFERS-NOT: memref.alloc
// BUFFERS: tc.fused {
// BUFFERS-NEXT: tc.contract {{.*}} outs(%[[C]] :
// BUFFERS-NEXT: tc.contract {{.*}} outs(%[[C]] :
// BUFFERS-NEXT: }
// BUFFERS-NEXT: return %[[C]]
// INLINE-LABEL: @tensors
// INLINE: %[[FIRST:.*]] = tc.contract
// INLINE-NEXT: %[[SECOND:.*]] = tc.contract {{.*}} outs(%[[FIRST]] :
// INLINE-NEXT: return %[[SECOND]]
func.func @tensors(%A: tensor<64x32xf64>, %B: tensor<32x64xf64>, %E: tensor<64x24xf64>, %F: tensor<24x64xf64>,
                   %C: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %one = arith.constant 1.0 : f64
  %D = tc.fused -> tensor<64x64xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : tensor<64x32xf64>, tensor<32x64xf64>)
      outs(%C : tensor<64x64xf64>) -> tensor<64x64xf64>
    %1 = tc.contract [x, k], [k, y] -> [y, x]
      ins(%E, %F : tensor<64x24xf64>, tensor<24x64xf64>)
      outs(%0 : tensor<64x64xf64>) beta(%one : f64) -> tensor<64x64xf64>
    tc.fused_yield %1 : tensor<64x64xf64>
  }
  return %D : tensor<64x64xf64>
}

// C is needed afterwards: it is copied before the group, where it is read.

// BUFFERS-LABEL: @copied
// BUFFERS-SAME: %[[C:[a-z0-9]+]]: memref<64x64xf64>)
// BUFFERS: %[[D:.*]] = memref.alloc()
// BUFFERS: memref.copy %[[C]], %[[D]]
// BUFFERS: tc.fused {
// BUFFERS-NEXT: tc.contract {{.*}} outs(%[[D]] :
// BUFFERS-NEXT: tc.contract {{.*}} outs(%[[D]] :
// BUFFERS-NEXT: }
// BUFFERS-NEXT: return %[[D]], %[[C]]
func.func @copied(%A: tensor<64x32xf64>, %B: tensor<32x64xf64>, %C: tensor<64x64xf64>)
    -> (tensor<64x64xf64>, tensor<64x64xf64>) {
  %one = arith.constant 1.0 : f64
  %D = tc.fused -> tensor<64x64xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<64x32xf64>, tensor<32x64xf64>)
      outs(%C : tensor<64x64xf64>) beta(%one : f64) -> tensor<64x64xf64>
    %1 = tc.contract [n, k], [k, m] -> [m, n] ins(%A, %B : tensor<64x32xf64>, tensor<32x64xf64>)
      outs(%0 : tensor<64x64xf64>) beta(%one : f64) -> tensor<64x64xf64>
    tc.fused_yield %1 : tensor<64x64xf64>
  }
  return %D, %C : tensor<64x64xf64>, tensor<64x64xf64>
}

// Constants may stand in between.

// CHECK-LABEL: @buffers
// CHECK: tc.fused {
// CHECK-NEXT: tc.contract
// CHECK-NEXT: arith.constant
// CHECK-NEXT: tc.contract
// CHECK-NEXT: }
// CHECK-NEXT: return
// CANONICAL-LABEL: @buffers
// CANONICAL: arith.constant
// CANONICAL: tc.fused {
// CANONICAL-NEXT: tc.contract
// CANONICAL-NEXT: tc.contract
// CANONICAL-NEXT: }
func.func @buffers(%A: memref<64x32xf64>, %B: memref<32x64xf64>, %C: memref<64x64xf64>) {
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
    %one = arith.constant 1.0 : f64
    tc.contract [n, k], [k, m] -> [m, n] ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>) outs(%C : memref<64x64xf64>)
      beta(%one : f64)
  }
  return
}

// One contraction, or none, needs no group. A single one keeps its schedule.

// CHECK-LABEL: @trivial
// CHECK: tc.fused -> tensor<8x8xf64> attributes {kept} {
// CHECK-COUNT-2: tc.fused {
// CHECK: tc.fused -> tensor<8x8xf64> {
// CANONICAL-LABEL: @trivial
// CANONICAL-NOT: tc.fused
// CANONICAL: %[[D:.*]] = tc.contract {{.*}} {schedule =
// CANONICAL: tc.contract
// CANONICAL-NOT: tc.fused
// CANONICAL: return %[[D]], %{{.*}} : tensor<8x8xf64>, tensor<8x8xf64>
func.func @trivial(%A: tensor<8x8xf64>, %B: tensor<8x8xf64>, %C: tensor<8x8xf64>, %W: memref<8x8xf64>,
                   %X: memref<8x8xf64>, %Y: memref<8x8xf64>)
    -> (tensor<8x8xf64>, tensor<8x8xf64>) {
  %D = tc.fused -> tensor<8x8xf64> attributes {kept} {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 8], k = [k: 8], register = [2, 2]>} -> tensor<8x8xf64>
    tc.fused_yield %0 : tensor<8x8xf64>
  }
  tc.fused {
  }
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%W, %X : memref<8x8xf64>, memref<8x8xf64>) outs(%Y : memref<8x8xf64>)
  }
  %E = tc.fused -> tensor<8x8xf64> {
    tc.fused_yield %A : tensor<8x8xf64>
  }
  return %D, %E : tensor<8x8xf64>, tensor<8x8xf64>
}

// The other example of the description: the elements are added up, and not
// stored.

// CHECK-LABEL: @sum
// CHECK: tc.fused -> tensor<f64> {
// CHECK-NEXT: %[[PRODUCT:.*]] = tc.contract
// CHECK-NEXT: %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[PRODUCT]] : tensor<64x64xf64>)
// CHECK-NEXT: tc.fused_yield %[[SUM]] : tensor<f64>
// CANONICAL-LABEL: @sum
// CANONICAL: tc.fused -> tensor<f64> {
// BUFFERS-LABEL: @sum
// BUFFERS: linalg.fill
// BUFFERS: %[[D:.*]] = memref.alloc() {{.*}}: memref<64x64xf64>
// BUFFERS-NEXT: tc.fused {
// BUFFERS-NEXT: tc.contract {{.*}} outs(%[[D]] :
// BUFFERS-NEXT: linalg.reduce { arith.addf } ins(%[[D]] : memref<64x64xf64>) {{.*}}dimensions = [0, 1]
// BUFFERS-NEXT: }
func.func @sum(%A: tensor<64x32xf64>, %B: tensor<32x64xf64>) -> tensor<f64> {
  %f0 = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %zero = linalg.fill ins(%f0 : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %C = tensor.empty() : tensor<64x64xf64>
  %sum = tc.fused -> tensor<f64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : tensor<64x32xf64>, tensor<32x64xf64>)
      outs(%C : tensor<64x64xf64>) -> tensor<64x64xf64>
    %1 = linalg.reduce { arith.addf } ins(%0 : tensor<64x64xf64>)
      outs(%zero : tensor<f64>) dimensions = [0, 1]
    tc.fused_yield %1 : tensor<f64>
  }
  return %sum : tensor<f64>
}

// A chain: the intermediate tensor is A of the second contraction.

// CHECK-LABEL: @chain
// CHECK: tc.fused -> tensor<512x16xf64> {
// CHECK: %[[T:.*]] = tc.contract [m, k], [k, l] -> [m, l]
// CHECK-NEXT: tc.contract [m, l], [l, n] -> [m, n] ins(%[[T]],
// CANONICAL-LABEL: @chain
// CANONICAL: tc.fused -> tensor<512x16xf64> {
// BUFFERS-LABEL: @chain
// BUFFERS: %[[T:.*]] = memref.alloc() {{.*}}: memref<512x24xf64>
// BUFFERS: tc.fused {
// BUFFERS-NEXT: tc.contract {{.*}} outs(%[[T]] :
// BUFFERS-NEXT: tc.contract {{.*}} ins(%[[T]],
// BUFFERS-NEXT: }
func.func @chain(%A: tensor<512x32xf64>, %B: tensor<32x24xf64>,
                 %E: tensor<24x16xf64>, %C: tensor<512x16xf64>)
    -> tensor<512x16xf64> {
  %D = tc.fused -> tensor<512x16xf64> {
    %T = tensor.empty() : tensor<512x24xf64>
    %0 = tc.contract [m, k], [k, l] -> [m, l]
      ins(%A, %B : tensor<512x32xf64>, tensor<32x24xf64>)
      outs(%T : tensor<512x24xf64>) -> tensor<512x24xf64>
    %1 = tc.contract [m, l], [l, n] -> [m, n]
      ins(%0, %E : tensor<512x24xf64>, tensor<24x16xf64>)
      outs(%C : tensor<512x16xf64>) -> tensor<512x16xf64>
    tc.fused_yield %1 : tensor<512x16xf64>
  }
  return %D : tensor<512x16xf64>
}
