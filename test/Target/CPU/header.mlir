// RUN: tc-opt %s --tc-cpu-pipeline=outline | tc-translate --tc-to-header | FileCheck %s
// RUN: tc-opt %s --tc-cpu-pipeline=outline | tc-translate --tc-to-object -o %t.o
// RUN: tc-opt %s "--tc-cpu-pipeline=outline schedule={target = \"x\", rows = n, m = [i: 28], n = [k: 8], k = [j: 16], order = [m, k, n], register = [8, 4], lanes = 4, store = cache, threads = [n: 3]}" | tc-translate --tc-to-header | FileCheck %s --check-prefix=THREADS
// RUN: tc-opt %s "--tc-cpu-pipeline=outline strategy=library" | tc-translate --tc-to-header | FileCheck %s --check-prefix=LIBRARY
// RUN: not tc-translate --tc-to-object %s -o %t.none.o 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not test -e %t.none.o

// NONE: error: has no function of a contraction: run --tc-cpu-pipeline=outline first

// THREADS: * Runs on 3 threads: link LLVM's OpenMP runtime (-lomp).
// THREADS-NEXT: * C may overlap neither A nor B.

// LIBRARY: * C[i,k] = alpha * A[i,j] * B[j,k]
// LIBRARY: * Ahead-of-time kernels compute it: link -ltc_cpu_runtime.
// LIBRARY-NEXT: * C may overlap neither A nor B.

// CHECK: #define TC_CONTRACTION_SUCCESS 0
// CHECK-NEXT: #define TC_CONTRACTION_OUT_OF_MEMORY 1
// CHECK-NEXT: #define TC_CONTRACTION_INVALID_ARGUMENT 2
// CHECK-NEXT: #define TC_CONTRACTION_INTERNAL_ERROR 3
// CHECK: extern "C" {
// CHECK: /*
// CHECK-NEXT: * C[i,k] = alpha * A[i,j] * B[j,k]
// CHECK-NEXT: * A: extents (28, 16), strides in elements (16, 1)
// CHECK-NEXT: * B: extents (16, 40), strides in elements (1, 20), the first element 3 elements after the pointer
// CHECK-NEXT: * C: extents (28, 40), strides in elements (40, 1)
// CHECK-NEXT: * C may overlap neither A nor B.
// CHECK-NEXT: */
// CHECK-NEXT: int matmul_contraction(const float *A, const float *B, float *C, float alpha);
func.func @matmul(%A: memref<28x16xf32>,
                  %B: memref<16x40xf32, strided<[1, 20], offset: 3>>,
                  %C: memref<28x40xf32>, %alpha: f32) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<28x16xf32>, memref<16x40xf32, strided<[1, 20], offset: 3>>)
    outs(%C : memref<28x40xf32>) alpha(%alpha : f32)
  return
}

// Unknown extents and strides are arguments.
// CHECK: * C[i,k] = A[i,j] * B[j,k]
// CHECK-NEXT: * A: extents (extent_i, 16), strides in elements (16, 1)
// CHECK-NEXT: * B: extents (16, extent_k), strides in elements (stride_b_j, stride_b_k)
// CHECK-NEXT: * C: extents (extent_i, extent_k), strides in elements (extent_k, 1)
// CHECK-NEXT: * Its shape is known with each call: link -ltc_cpu_runtime.
// CHECK-NEXT: * C may overlap neither A nor B.
// CHECK-NEXT: */
// CHECK-NEXT: int any_contraction(const float *A, const float *B, float *C, int64_t extent_i, int64_t extent_k, int64_t stride_b_j, int64_t stride_b_k);
func.func @any(%A: memref<?x16xf32>, %B: memref<16x?xf32, strided<[?, ?], offset: ?>>, %C: memref<?x?xf32>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<?x16xf32>, memref<16x?xf32, strided<[?, ?], offset: ?>>)
    outs(%C : memref<?x?xf32>)
  return
}

// No two parameters of a function have one name.

// CHECK: A: extents (extent_i), contiguous
// CHECK-NEXT: tensor_extent_i: extents (extent_i), contiguous
// CHECK-NEXT: tensor_for: extents (), contiguous
// CHECK-NEXT: tensor_tensor_for: extents (), contiguous
// CHECK-NEXT: workspace: as many bytes as the first function says, INT64_MAX for more than that,
// CHECK-NEXT: at a multiple of 64,
// CHECK: int64_t names_workspace_bytes(int64_t extent_i);
// CHECK-NEXT: int names_run(const double *A, const double *tensor_extent_i, double *tensor_for, double *tensor_tensor_for, int64_t extent_i, void *workspace);
func.func @names(%A: memref<?xf64> {tc.name = "A", tc.indices = ["i"]},
                 %x: memref<?xf64> {tc.name = "extent_i", tc.indices = ["i"]},
                 %y: memref<f64> {tc.name = "for"},
                 %z: memref<f64> {tc.name = "tensor_for"}) {
  tc.contract [i], [i] -> [] ins(%A, %x : memref<?xf64>, memref<?xf64>) outs(%y : memref<f64>)
  tc.contract [i], [i] -> [] ins(%A, %A : memref<?xf64>, memref<?xf64>) outs(%z : memref<f64>)
  return
}
