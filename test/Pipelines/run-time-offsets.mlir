// Tiles of buffers, whose offsets are known at run time only, are contracted
// where they are: on the CPU, and on a device that is the simulator.

// REQUIRES: plugin
// DEFINE: %{to-llvm} = --pass-pipeline='builtin.module(func.func(convert-linalg-to-loops,convert-vector-to-scf),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-vector-to-llvm,gpu-to-llvm{use-bare-pointers-for-kernels=1},finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)'
// DEFINE: %{run} = env LD_LIBRARY_PATH=%fake-cuda mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so,%tc-cuda-runtime

// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_90 --tc-kernels-to-binary | tc-opt %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s --tc-cpu-pipeline | tc-opt %{to-llvm} | %{run} | FileCheck %s

// With a[m, k] = m + k, of which columns from the second on are read, so that
// no tile is aligned to more than an element; b[k, n] = k n, whose rows are read
// from the last to the first; and row[m] = 1000 m: c[m, n] = n (28 m + 84) +
// 1000 m.
// CHECK: {{\[\[}}0, 84, 168, 252, 336],
// CHECK-NEXT: {{^ *\[}}1000, 1112, 1224, 1336, 1448],
// CHECK-NEXT: {{^ *\[}}2000, 2140, 2280, 2420, 2560],
// CHECK-NEXT: {{^ *\[}}3000, 3168, 3336, 3504, 3672],
// CHECK-NEXT: {{^ *\[}}4000, 4196, 4392, 4588, 4784],
// CHECK-NEXT: {{^ *\[}}5000, 5224, 5448, 5672, 5896{{\]\]}}

// A diagonal that ascends in a buffer one of whose strides descends.
// CHECK: {{^ *\[}}8, 9, 10{{\]}}

#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i) -> (i)>

func.func @tiles(%a: memref<6x10xf64>, %b: memref<8x5xf64>, %row: memref<6xf64>, %c: memref<6x5xf64>, %one: memref<f64>, %diagonal: memref<3xf64>, %last: index) {
  %zero = arith.constant 0 : index
  %step = arith.constant 3 : index
  %end = arith.constant 6 : index
  %reversed = memref.reinterpret_cast %b to offset: [%last], sizes: [8, 5], strides: [-5, 1]
    : memref<8x5xf64> to memref<8x5xf64, strided<[-5, 1], offset: ?>>
  %nine = arith.constant 9 : index
  %first = arith.subi %last, %nine : index
  %square = memref.reinterpret_cast %a to offset: [%first], sizes: [3, 3], strides: [11, -1]
    : memref<6x10xf64> to memref<3x3xf64, strided<[11, -1], offset: ?>>
  tc.contract [i, i], [] -> [i]
    ins(%square, %one : memref<3x3xf64, strided<[11, -1], offset: ?>>, memref<f64>) outs(%diagonal : memref<3xf64>)
  scf.for %i = %zero to %end step %step {
    %ta = memref.subview %a[%i, 1] [3, 8] [1, 1] : memref<6x10xf64> to memref<3x8xf64, strided<[10, 1], offset: ?>>
    %tc = memref.subview %c[%i, 0] [3, 5] [1, 1] : memref<6x5xf64> to memref<3x5xf64, strided<[5, 1], offset: ?>>
    %trow = memref.subview %row[%i] [3] [1] : memref<6xf64> to memref<3xf64, strided<[1], offset: ?>>
    tc.contract [m, k], [k, n] -> [m, n]
      ins(%ta, %reversed : memref<3x8xf64, strided<[10, 1], offset: ?>>, memref<8x5xf64, strided<[-5, 1], offset: ?>>)
      outs(%tc : memref<3x5xf64, strided<[5, 1], offset: ?>>)
      auxiliaries(%trow [m] : memref<3xf64, strided<[1], offset: ?>>)
      epilogue {
      ^bb0(%sum: f64, %old: f64, %r: f64):
        %stored = arith.addf %sum, %r : f64
        tc.yield %stored : f64
      }
  }
  return
}

func.func @main() {
  %a = memref.alloc() : memref<6x10xf64>
  %b = memref.alloc() : memref<8x5xf64>
  %row = memref.alloc() : memref<6xf64>
  %c = memref.alloc() : memref<6x5xf64>
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%a : memref<6x10xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %sum = arith.addi %i, %j : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%b : memref<8x5xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %product = arith.muli %i, %j : index
    %int = arith.index_cast %product : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  %thousand = arith.constant 1000 : index
  linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%row : memref<6xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %product = arith.muli %i, %thousand : index
    %int = arith.index_cast %product : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  %any_a = memref.cast %a : memref<6x10xf64> to memref<*xf64>
  %any_b = memref.cast %b : memref<8x5xf64> to memref<*xf64>
  %any_row = memref.cast %row : memref<6xf64> to memref<*xf64>
  %any_c = memref.cast %c : memref<6x5xf64> to memref<*xf64>
  gpu.host_register %any_a : memref<*xf64>
  gpu.host_register %any_b : memref<*xf64>
  gpu.host_register %any_row : memref<*xf64>
  gpu.host_register %any_c : memref<*xf64>
  %one = memref.alloc() : memref<f64>
  %diagonal = memref.alloc() : memref<3xf64>
  %number = arith.constant 1.0 : f64
  memref.store %number, %one[] : memref<f64>
  %any_one = memref.cast %one : memref<f64> to memref<*xf64>
  %any_diagonal = memref.cast %diagonal : memref<3xf64> to memref<*xf64>
  gpu.host_register %any_one : memref<*xf64>
  gpu.host_register %any_diagonal : memref<*xf64>
  %last = arith.constant 35 : index
  call @tiles(%a, %b, %row, %c, %one, %diagonal, %last) : (memref<6x10xf64>, memref<8x5xf64>, memref<6xf64>, memref<6x5xf64>, memref<f64>, memref<3xf64>, index) -> ()
  call @printMemrefF64(%any_c) : (memref<*xf64>) -> ()
  call @printMemrefF64(%any_diagonal) : (memref<*xf64>) -> ()
  return
}
func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
