// Tiles whose offsets are known at run time only are transposed, and the
// product into one, whatever the strategy.

// DEFINE: %{to-llvm} = -convert-linalg-to-loops -expand-strided-metadata -lower-affine -convert-scf-to-cf -convert-vector-to-llvm -finalize-memref-to-llvm -convert-func-to-llvm -convert-math-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so

// RUN: tc-opt %s '--tc-cpu-pipeline=strategy=ttgt' | FileCheck %s --check-prefix=LOWERED
// LOWERED: scf.for
// LOWERED-COUNT-3: memref.alloc()
// RUN: tc-opt %s '--tc-cpu-pipeline=strategy=ttgt' %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s '--tc-cpu-pipeline=strategy=gett' %{to-llvm} | %{run} | FileCheck %s

// With a[k, i, m] = 10 k + i + m, of which rows k from 1 on are read, and
// b[n, k] = n + k, c[m, n, i] = 3 + sum over k < 4 of a[k + 1, i, m] b[n, k].
// CHECK: {{\[\[\[}}203, 209],
// CHECK-NEXT: {{^ *\[}}303, 313],
// CHECK-NEXT: {{^ *\[}}403, 417{{\]\]}},
// CHECK-NEXT: {{^ *\[\[}}209, 215],
// CHECK-NEXT: {{^ *\[}}313, 323],
// CHECK-NEXT: {{^ *\[}}417, 431{{\]\]\]}}

func.func @tiles(%a: memref<5x2x2xf64>, %b: memref<3x4xf64>, %c: memref<2x3x2xf64>, %first: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %1 = arith.constant 1.0 : f64
  scf.for %i = %zero to %two step %one {
    %ta = memref.subview %a[%first, %i, 0] [4, 1, 2] [1, 1, 1]
      : memref<5x2x2xf64> to memref<4x1x2xf64, strided<[4, 2, 1], offset: ?>>
    %tc = memref.subview %c[0, 0, %i] [2, 3, 1] [1, 1, 1]
      : memref<2x3x2xf64> to memref<2x3x1xf64, strided<[6, 2, 1], offset: ?>>
    tc.contract [k, i, m], [n, k] -> [m, n, i]
      ins(%ta, %b : memref<4x1x2xf64, strided<[4, 2, 1], offset: ?>>, memref<3x4xf64>)
      outs(%tc : memref<2x3x1xf64, strided<[6, 2, 1], offset: ?>>) beta(%1 : f64)
  }
  return
}

func.func @main() {
  %a = memref.alloc() : memref<5x2x2xf64>
  %b = memref.alloc() : memref<3x4xf64>
  %c = memref.alloc() : memref<2x3x2xf64>
  %ten = arith.constant 10 : index
  linalg.generic {
    indexing_maps = [affine_map<(k, i, m) -> (k, i, m)>], iterator_types = ["parallel", "parallel", "parallel"]
  } outs(%a : memref<5x2x2xf64>) {
  ^bb0(%o: f64):
    %k = linalg.index 0 : index
    %i = linalg.index 1 : index
    %m = linalg.index 2 : index
    %tens = arith.muli %k, %ten : index
    %im = arith.addi %i, %m : index
    %sum = arith.addi %tens, %im : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  linalg.generic {
    indexing_maps = [affine_map<(n, k) -> (n, k)>], iterator_types = ["parallel", "parallel"]
  } outs(%b : memref<3x4xf64>) {
  ^bb0(%o: f64):
    %n = linalg.index 0 : index
    %k = linalg.index 1 : index
    %sum = arith.addi %n, %k : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  %three = arith.constant 3.0 : f64
  linalg.fill ins(%three : f64) outs(%c : memref<2x3x2xf64>)
  %first = arith.constant 1 : index
  call @tiles(%a, %b, %c, %first) : (memref<5x2x2xf64>, memref<3x4xf64>, memref<2x3x2xf64>, index) -> ()
  %any = memref.cast %c : memref<2x3x2xf64> to memref<*xf64>
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  return
}
func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
