// The results of contractions that went through linalg and upstream's lowering
// are those of the project's own code for CPUs.

// DEFINE: %{to-llvm} = -convert-linalg-to-loops -expand-strided-metadata -lower-affine -convert-scf-to-cf -convert-vector-to-llvm -finalize-memref-to-llvm -convert-func-to-llvm -convert-math-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so
// RUN: tc-opt %s -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s -convert-tc-to-linalg %{to-llvm} | %{run} | FileCheck %s

// CHECK: {{\[\[}}-125, -700{{ *\]}}
// CHECK-NEXT: {{^ *\[}}155, 580{{ *\]}}
// CHECK-NEXT: {{^ *\[}}1075, 2500{{ *\]}}
// CHECK: {{\[\[}}1624, 1744, 1864, 1984{{ *\]}}
// CHECK-NEXT: {{^ *\[}}3064, 3184, 3304, 3424{{ *\]}}
// CHECK: {{\[\[}}1624, 10464, 20504, 31744, 6, 7{{ *\]}}
// CHECK-NEXT: {{^ *\[}}8, 9, 10, 11, 12, 13{{ *\]}}
// CHECK-NEXT: {{^ *\[}}3064, 19104, 36344, 54784, 18, 19{{ *\]}}
// CHECK-NEXT: {{^ *\[}}20, 21, 22, 23, 24, 25{{ *\]}}

func.func private @printMemrefF64(%values: memref<*xf64>) attributes {llvm.emit_c_interface}

// Fills with the integers from `first` on, in the order of a contiguous tensor.
func.func @iota(%target: memref<24xf64>, %first: f64) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    outs(%target : memref<24xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %v = arith.sitofp %n : i64 to f64
    %s = arith.addf %v, %first : f64
    linalg.yield %s : f64
  }
  return
}

func.func @main() {
  %a = memref.alloc() : memref<24xf64>
  %b = memref.alloc() : memref<24xf64>
  %c = memref.alloc() : memref<24xf64>
  %d = memref.alloc() : memref<6xf64>
  %e = memref.alloc() : memref<8xf64>
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %half = arith.constant 0.5 : f64
  %minus = arith.constant -9.0 : f64
  call @iota(%a, %one) : (memref<24xf64>, f64) -> ()
  call @iota(%b, %minus) : (memref<24xf64>, f64) -> ()
  call @iota(%c, %two) : (memref<24xf64>, f64) -> ()
  %A = memref.expand_shape %a [[0, 1, 2]] output_shape [2, 3, 4] : memref<24xf64> into memref<2x3x4xf64>
  %B = memref.expand_shape %b [[0, 1, 2]] output_shape [3, 4, 2] : memref<24xf64> into memref<3x4x2xf64>
  %C = memref.expand_shape %c [[0, 1]] output_shape [4, 6] : memref<24xf64> into memref<4x6xf64>
  %D = memref.expand_shape %d [[0, 1]] output_shape [3, 2] : memref<6xf64> into memref<3x2xf64>
  %E = memref.expand_shape %e [[0, 1]] output_shape [2, 4] : memref<8xf64> into memref<2x4xf64>

  // Batches, with alpha and beta.
  tc.contract [n, b, k], [b, k, n] -> [b, n]
    ins(%A, %B : memref<2x3x4xf64>, memref<3x4x2xf64>) outs(%D : memref<3x2xf64>)
  tc.contract [n, b, k], [b, k, n] -> [b, n]
    ins(%A, %B : memref<2x3x4xf64>, memref<3x4x2xf64>) outs(%D : memref<3x2xf64>)
    alpha(%half : f64) beta(%two : f64)
  %printD = memref.cast %D : memref<3x2xf64> to memref<*xf64>
  call @printMemrefF64(%printD) : (memref<*xf64>) -> ()

  // An inner product and sums within A, onto the contents of C.
  tc.contract [i, k, s], [k, t, j] -> [i, s]
    ins(%A, %B : memref<2x3x4xf64>, memref<3x4x2xf64>) outs(%E : memref<2x4xf64>)
  tc.contract [i, k, s], [k, t, j] -> [i, s]
    ins(%A, %B : memref<2x3x4xf64>, memref<3x4x2xf64>) outs(%E : memref<2x4xf64>)
    beta(%one : f64)
  %printE = memref.cast %E : memref<2x4xf64> to memref<*xf64>
  call @printMemrefF64(%printE) : (memref<*xf64>) -> ()

  // A diagonal, written to every second row of C.
  %S = memref.subview %C[0, 0] [2, 4] [2, 1]
    : memref<4x6xf64> to memref<2x4xf64, strided<[12, 1]>>
  %F = memref.reinterpret_cast %a to offset: [0], sizes: [4, 4], strides: [4, 1]
    : memref<24xf64> to memref<4x4xf64>
  tc.contract [i, i], [j, i] -> [j, i]
    ins(%F, %E : memref<4x4xf64>, memref<2x4xf64>)
    outs(%S : memref<2x4xf64, strided<[12, 1]>>)
  %printC = memref.cast %C : memref<4x6xf64> to memref<*xf64>
  call @printMemrefF64(%printC) : (memref<*xf64>) -> ()
  return
}
