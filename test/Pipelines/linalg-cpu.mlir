// A layer of a network in linalg: code around a contraction is lowered along
// with it. The program runs on the CPU, with the contraction compiled by the
// project and by upstream, and must print the same.

// DEFINE: %{bufferize} = -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map"
// DEFINE: %{to-llvm} = -convert-linalg-to-loops -expand-strided-metadata -lower-affine -convert-scf-to-cf -convert-vector-to-llvm -finalize-memref-to-llvm -convert-func-to-llvm -convert-math-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so

// RUN: tc-opt %s -convert-linalg-to-tc -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s %{bufferize} -convert-linalg-to-tc -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s -convert-linalg-to-tc -convert-tc-to-linalg %{bufferize} %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s -convert-linalg-to-tc -tc-fuse-elementwise -convert-tc-to-linalg %{bufferize} %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s %{bufferize} %{to-llvm} | %{run} | FileCheck %s

// The project compiles the contraction and nothing else.
// RUN: tc-opt %s -convert-linalg-to-tc | FileCheck %s --check-prefix=RAISED
// RAISED-COUNT-1: tc.contract [m, k], [k, n] -> [m, n]
// RAISED-NOT: tc.contract
// RUN: tc-opt %s -convert-linalg-to-tc -tc-fuse-elementwise | FileCheck %s --check-prefix=FUSED
// FUSED-LABEL: func.func @layer
// FUSED-NOT: linalg
// FUSED: tc.contract {{.*}} auxiliaries({{.*}} [n] : tensor<7xf64>) prologue_a {
// FUSED: epilogue {
// RUN: tc-opt %s -convert-linalg-to-tc -tc-cpu-pipeline | FileCheck %s --check-prefix=LOWERED
// LOWERED-LABEL: func.func @layer
// LOWERED: linalg.generic
// LOWERED: vector.fma
// LOWERED: linalg.generic
// LOWERED-NOT: tc.contract

// CHECK: {{\[\[}}0, 0, 0, 0, 7, 0, 6{{ *\]}}
// CHECK-NEXT: {{^ *\[}}0, 0, 6, 9, 17, 0, 13{{ *\]}}
// CHECK-NEXT: {{^ *\[}}0, 6, 15, 19, 28, 0, 21{{ *\]}}
// CHECK-NEXT: {{^ *\[}}0, 18, 31, 34, 47, 0, 33{{ *\]}}
// CHECK-NEXT: {{^ *\[}}0, 37, 50, 53, 66, 0, 52{{ *\]}}
// CHECK-NEXT: {{^ *\[}}0, 56, 73, 75, 92, 0, 71{{ *\]}}

#rows = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>

// max(max(x, 0) * w + b, 0)
func.func @layer(%x: tensor<6x20xf64>, %w: tensor<20x7xf64>, %b: tensor<7xf64>)
    -> tensor<6x7xf64> {
  %zero = arith.constant 0.0 : f64
  %xs = tensor.empty() : tensor<6x20xf64>
  %positive = linalg.generic {
    indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]
  } ins(%x : tensor<6x20xf64>) outs(%xs : tensor<6x20xf64>) {
  ^bb0(%a: f64, %o: f64):
    %r = arith.maximumf %a, %zero : f64
    linalg.yield %r : f64
  } -> tensor<6x20xf64>
  %empty = tensor.empty() : tensor<6x7xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<6x7xf64>) -> tensor<6x7xf64>
  %product = linalg.matmul ins(%positive, %w : tensor<6x20xf64>, tensor<20x7xf64>)
                           outs(%init : tensor<6x7xf64>) -> tensor<6x7xf64>
  %ys = tensor.empty() : tensor<6x7xf64>
  %y = linalg.generic {
    indexing_maps = [#rows, #bias, #rows], iterator_types = ["parallel", "parallel"]
  } ins(%product, %b : tensor<6x7xf64>, tensor<7xf64>) outs(%ys : tensor<6x7xf64>) {
  ^bb0(%p: f64, %c: f64, %o: f64):
    %s = arith.addf %p, %c : f64
    %r = arith.maximumf %s, %zero : f64
    linalg.yield %r : f64
  } -> tensor<6x7xf64>
  return %y : tensor<6x7xf64>
}

func.func private @printMemrefF64(%values: memref<*xf64>) attributes {llvm.emit_c_interface}

// x = 2 i - j + 3, w = i j mod 5 - 1, b = 3 j - 10
func.func @main() {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %two = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %p = arith.muli %i64, %two : i64
    %d = arith.subi %p, %j64 : i64
    %s = arith.addi %d, %three : i64
    %v = arith.sitofp %s : i64 to f64
    tensor.yield %v : f64
  } : tensor<6x20xf64>
  %w = tensor.generate {
  ^bb0(%i: index, %j: index):
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %one = arith.constant 1 : i64
    %five = arith.constant 5 : i64
    %p = arith.muli %i64, %j64 : i64
    %m = arith.remui %p, %five : i64
    %s = arith.subi %m, %one : i64
    %v = arith.sitofp %s : i64 to f64
    tensor.yield %v : f64
  } : tensor<20x7xf64>
  %b = arith.constant dense<[-10.0, -7.0, -4.0, -1.0, 2.0, 5.0, 8.0]> : tensor<7xf64>
  %y = call @layer(%x, %w, %b)
    : (tensor<6x20xf64>, tensor<20x7xf64>, tensor<7xf64>) -> tensor<6x7xf64>
  %buffer = bufferization.to_buffer %y : tensor<6x7xf64> to memref<6x7xf64>
  %print = memref.cast %buffer : memref<6x7xf64> to memref<*xf64>
  call @printMemrefF64(%print) : (memref<*xf64>) -> ()
  return
}
