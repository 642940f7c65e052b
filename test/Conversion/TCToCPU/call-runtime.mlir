// Contractions of unknown shape become calls of libtc_cpu_runtime.

// RUN: tc-opt %s -split-input-file -tc-call-runtime=threads=3 -canonicalize -verify-diagnostics | FileCheck %s
// RUN: not tc-opt %s -split-input-file -tc-call-runtime=strict -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: 'tc.contract' op its shape is known at run time only, and the library that takes such shapes has no semiring min_plus

// Of each index there are the extent and three strides: here those of m.
// CHECK: llvm.func @tcCpuContract(!llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> i32
// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[A:.*]]: memref<?x?xf16>, %{{.*}}: memref
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK-DAG: %[[INDICES:.*]] = memref.alloca() {alignment = 8 : i64} : memref<12xi64>
// CHECK-DAG: %[[BETA:.*]] = memref.alloca() {alignment = 16 : i64} : memref<1xf32>
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %{{.*}} : memref<?x8xf32, strided<[?, ?], offset: ?>>
// CHECK: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %c4
// CHECK: arith.addi %{{.*}}, %[[BYTES]]
// CHECK: %[[M:.*]] = memref.dim %[[A]], %c0
// CHECK: %[[M64:.*]] = arith.index_cast %[[M]]
// CHECK: memref.store %[[M64]], %[[INDICES]][%c0]
// CHECK: memref.store %c0_i64, %[[INDICES]][%c2]
// CHECK: %[[STRIDE:.*]] = arith.index_cast %[[STRIDES]]#0
// CHECK: memref.store %[[STRIDE]], %[[INDICES]][%c3]
// CHECK: memref.store %{{.*}}, %[[BETA]][%c0] : memref<1xf32>
// CHECK: %[[STATUS:.*]] = llvm.call @tcCpuContract(%{{[0-9]+}}, %c3_i32, %c3_i32, %c3_i32, %c2_i32, %c0_i32, %{{.*}}, %{{.*}}, %{{.*}}, %[[NONE]], %{{.*}}, %c3_i32)
// CHECK: %[[VALID:.*]] = arith.cmpi ne, %[[STATUS]], %c1_i32
// CHECK: cf.assert %[[VALID]], "tc: a contraction is called with extents or addresses that cannot be"
// CHECK: %[[MEMORY:.*]] = arith.cmpi ne, %[[STATUS]], %c4_i32
// CHECK: cf.assert %[[MEMORY]], "tc: there is no memory for a contraction"
// CHECK: %[[DONE:.*]] = arith.cmpi eq, %[[STATUS]], %c0_i32
// CHECK: cf.assert %[[DONE]], "tc: the library of contractions failed, which is an error in it"
func.func @product(%a: memref<?x?xf16>, %b: memref<?x8xf16>, %c: memref<?x8xf32, strided<[?, ?], offset: ?>>, %beta: f32) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%a, %b : memref<?x?xf16>, memref<?x8xf16>)
    outs(%c : memref<?x8xf32, strided<[?, ?], offset: ?>>) beta(%beta : f32)
  return
}

// -----

// A known shape is left to other passes. In a loop, the stack does not grow.
// CHECK-LABEL: func.func @loop
// CHECK: memref.alloca
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK: llvm.call @tcCpuContract
// CHECK: tc.contract
func.func @loop(%a: memref<?xf64>, %b: memref<?xf64>, %c: memref<f64>, %d: memref<4xf64>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    tc.contract [k], [k] -> [] ins(%a, %b : memref<?xf64>, memref<?xf64>) outs(%c : memref<f64>)
  }
  tc.contract [k], [k] -> [] ins(%d, %d : memref<4xf64>, memref<4xf64>) outs(%c : memref<f64>)
  return
}

// -----

// A diagonal's strides are added up; the conjugate of B is flag 2.
// CHECK-LABEL: func.func @diagonal
// CHECK: %[[SUM:.*]] = arith.addi %strides#0, %strides#1
// CHECK: arith.index_cast %[[SUM]]
// CHECK: llvm.call @tcCpuContract(%{{[0-9]+}}, %c2_i32, %c9_i32, %c9_i32, %c9_i32, %c2_i32
func.func @diagonal(%a: memref<?x?xcomplex<f64>, strided<[?, ?]>>, %b: memref<?xcomplex<f64>>, %c: memref<?x?xcomplex<f64>>) {
  tc.contract [i, i], [j] -> [j, i] ins(%a, %b : memref<?x?xcomplex<f64>, strided<[?, ?]>>, memref<?xcomplex<f64>>)
    outs(%c : memref<?x?xcomplex<f64>>) conjugate_b
  return
}

// -----

// An epilogue's input waits in C if C can hold it.
// CHECK-LABEL: func.func @layer
// CHECK-SAME: %{{.*}}: memref<?x784xf32>, %{{.*}}: memref<784x10xf32>, %[[C:.*]]: memref<?x10xf32>, %[[BIAS:.*]]: memref<10xf32>
// CHECK-NOT: memref.alloc(
// CHECK: llvm.call @tcCpuContract
// CHECK: cf.assert
// CHECK: linalg.generic {{.*}} ins(%[[BIAS]], %[[C]] : {{.*}}) outs(%[[C]] : memref<?x10xf32>)
// CHECK: arith.addf
// CHECK: arith.maximumf
func.func @layer(%a: memref<?x784xf32>, %b: memref<784x10xf32>, %c: memref<?x10xf32>, %bias: memref<10xf32>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%a, %b : memref<?x784xf32>, memref<784x10xf32>)
    outs(%c : memref<?x10xf32>) auxiliaries(%bias [n] : memref<10xf32>) epilogue {
  ^bb0(%x: f32, %old: f32, %s: f32):
    %sum = arith.addf %x, %s : f32
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf %sum, %zero : f32
    tc.yield %y : f32
  }
  return
}

// -----

// Else it waits in memory, as does a prologue's result; the program first tests
// that the memory of both is there. Widening is left to the library.
// CHECK-LABEL: func.func @mapped
// CHECK: %[[COPY:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf32>
// CHECK: %[[SUMS:.*]] = memref.alloc(%{{.*}}) : memref<?x6xf32>
// CHECK: cf.assert
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<?x?xf32>) outs(%[[COPY]] : memref<?x?xf32>)
// CHECK: math.absf
// CHECK: llvm.call @tcCpuContract(%{{[0-9]+}}, %c3_i32, %c2_i32, %c2_i32, %c2_i32,
// CHECK: cf.assert
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : memref<?x6xf32>) outs(%{{.*}} : memref<?x6xf16>)
// CHECK: memref.dealloc %[[COPY]]
// CHECK: memref.dealloc %[[SUMS]]
func.func @mapped(%a: memref<?x?xf32>, %b: memref<?x6xf32>, %c: memref<?x6xf16>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%a, %b : memref<?x?xf32>, memref<?x6xf32>)
    outs(%c : memref<?x6xf16>) prologue_a {
  ^bb0(%x: f32):
    %y = math.absf %x : f32
    tc.yield %y : f32
  } epilogue {
  ^bb0(%x: f32, %old: f16):
    %wide = arith.extf %old : f16 to f32
    %y = arith.maximumf %x, %wide : f32
    %narrow = arith.truncf %y : f32 to f16
    tc.yield %narrow : f16
  }
  return
}

// -----

// CHECK-LABEL: func.func @widened
// CHECK-NOT: memref.alloc(
// CHECK: llvm.call @tcCpuContract(%{{[0-9]+}}, %c3_i32, %c4_i32, %c2_i32, %c2_i32,
func.func @widened(%a: memref<?x?xbf16>, %b: memref<?x6xf32>, %c: memref<?x6xf32>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%a, %b : memref<?x?xbf16>, memref<?x6xf32>)
    outs(%c : memref<?x6xf32>) prologue_a {
  ^bb0(%x: bf16):
    %y = arith.extf %x : bf16 to f32
    tc.yield %y : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func @shortest
// CHECK-NOT: llvm.call
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK: arith.minnumf
func.func @shortest(%a: memref<?x?xf32>, %c: memref<?x?xf32>) {
  // expected-remark @+1 {{becomes loops of linalg: its shape is known at run time only, and the library that takes such shapes has no semiring min_plus}}
  tc.contract [i, k], [k, j] -> [i, j] ins(%a, %a : memref<?x?xf32>, memref<?x?xf32>)
    outs(%c : memref<?x?xf32>) semiring = min_plus
  return
}

// -----

// A schedule may say that the library computes a known shape, and for how many threads.
// CHECK-LABEL: func.func @scheduled
// CHECK: memref.store %c64_i64, %{{.*}}[%c0]
// CHECK: llvm.call @tcCpuContract(%{{[0-9]+}}, %c1_i32, %c9_i32, %c9_i32, %c9_i32, %c1_i32, {{.*}}, %c2_i32)
func.func @scheduled(%a: memref<64xcomplex<f64>>, %c: memref<complex<f64>>) {
  tc.contract [k], [k] -> [] ins(%a, %a : memref<64xcomplex<f64>>, memref<64xcomplex<f64>>)
    outs(%c : memref<complex<f64>>) conjugate_a
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = library, threads = [batch: 2]>}
  return
}
