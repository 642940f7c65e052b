// A program whose contractions a script lowers one by one prints the same as
// when a pipeline lowers them. Factors are arguments and constants.

// DEFINE: %{to-llvm} = -convert-linalg-to-loops -expand-strided-metadata -lower-affine -convert-scf-to-cf -convert-vector-to-llvm -finalize-memref-to-llvm -convert-func-to-llvm -convert-math-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so
// DEFINE: %{script} = --transform-preload-library=transform-library-paths=%S/Inputs/lower_to_cpu.mlir --transform-interpreter

// RUN: tc-opt %s %{script} | FileCheck %s --check-prefix=LOWERED
// LOWERED-NOT: tc.contract
// LOWERED-COUNT-2: vector.fma
// RUN: tc-opt %s %{script} %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s

func.func @both(%a: memref<2x3x4xf64>, %b: memref<4x5xf64>, %c: memref<3x2x5xf64>, %d: memref<5xf64>, %beta: f64) {
  %two = arith.constant 2.0 : f64
  tc.contract [i, m, k], [k, n] -> [m, i, n]
    ins(%a, %b : memref<2x3x4xf64>, memref<4x5xf64>) outs(%c : memref<3x2x5xf64>) alpha(%two : f64)
  tc.contract [k, n], [k, n] -> [n]
    ins(%b, %b : memref<4x5xf64>, memref<4x5xf64>) outs(%d : memref<5xf64>) beta(%beta : f64)
  return
}

// a[i,m,k] = i + m + k and b[k,n] = k * n, so c[m,i,n] = 2 n (6 (i + m) + 14) and
// d[n] = 14 n^2 + 10.
// CHECK: {{\[\[\[}}0, 28, 56, 84, 112],
// CHECK-NEXT: {{^ *\[}}0, 40, 80, 120, 160{{\]\]}},
// CHECK-NEXT: {{^ *\[\[}}0, 40, 80, 120, 160],
// CHECK-NEXT: {{^ *\[}}0, 52, 104, 156, 208{{\]\]}},
// CHECK-NEXT: {{^ *\[\[}}0, 52, 104, 156, 208],
// CHECK-NEXT: {{^ *\[}}0, 64, 128, 192, 256{{\]\]\]}}
// CHECK: {{^ *\[}}10, 24, 66, 136, 234{{\]}}
func.func @main() {
  %a = memref.alloc() : memref<2x3x4xf64>
  %b = memref.alloc() : memref<4x5xf64>
  %c = memref.alloc() : memref<3x2x5xf64>
  %d = memref.alloc() : memref<5xf64>
  linalg.generic {
    indexing_maps = [affine_map<(i, m, k) -> (i, m, k)>], iterator_types = ["parallel", "parallel", "parallel"]
  } outs(%a : memref<2x3x4xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %m = linalg.index 1 : index
    %k = linalg.index 2 : index
    %im = arith.addi %i, %m : index
    %sum = arith.addi %im, %k : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  linalg.generic {
    indexing_maps = [affine_map<(k, n) -> (k, n)>], iterator_types = ["parallel", "parallel"]
  } outs(%b : memref<4x5xf64>) {
  ^bb0(%o: f64):
    %k = linalg.index 0 : index
    %n = linalg.index 1 : index
    %product = arith.muli %k, %n : index
    %int = arith.index_cast %product : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  %ten = arith.constant 10.0 : f64
  linalg.fill ins(%ten : f64) outs(%d : memref<5xf64>)
  %one = arith.constant 1.0 : f64
  call @both(%a, %b, %c, %d, %one)
    : (memref<2x3x4xf64>, memref<4x5xf64>, memref<3x2x5xf64>, memref<5xf64>, f64) -> ()
  %c_any = memref.cast %c : memref<3x2x5xf64> to memref<*xf64>
  %d_any = memref.cast %d : memref<5xf64> to memref<*xf64>
  call @printMemrefF64(%c_any) : (memref<*xf64>) -> ()
  call @printMemrefF64(%d_any) : (memref<*xf64>) -> ()
  return
}
func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
