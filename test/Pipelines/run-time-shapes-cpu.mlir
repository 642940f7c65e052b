// A layer as torch-mlir exports it, for any number of rows: its product, with bias
// and rectifier, is computed by libtc_cpu_runtime, and by upstream's loops, which
// must print the same.

// REQUIRES: plugin
// DEFINE: %{bufferize} = -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map"
// DEFINE: %{to-llvm} = -convert-linalg-to-loops -expand-strided-metadata -lower-affine -convert-scf-to-cf -convert-vector-to-llvm -finalize-memref-to-llvm -convert-func-to-llvm -convert-math-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so,%tc-cpu-runtime

// RUN: tc-opt %s -convert-linalg-to-tc -tc-fuse-elementwise -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s -convert-linalg-to-tc -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s %{bufferize} %{to-llvm} | %{run} | FileCheck %s

// The whole layer is one contraction, and one call.
// RUN: tc-opt %s -convert-linalg-to-tc -tc-fuse-elementwise | FileCheck %s --check-prefix=FUSED
// FUSED-LABEL: func.func @layer
// FUSED-NOT: linalg.
// FUSED: tc.contract [m, k], [n, k] -> [m, n] {{.*}} auxiliaries(%{{.*}} [n] : tensor<7xf64>) epilogue {
// FUSED-LABEL: func.func @print
// RUN: tc-opt %s -convert-linalg-to-tc -tc-fuse-elementwise -tc-cpu-pipeline | FileCheck %s --check-prefix=LOWERED
// LOWERED-LABEL: func.func @layer
// LOWERED: llvm.call @tcCpuContract
// LOWERED: linalg.generic

// CHECK: sizes = [3, 7]
// CHECK-NEXT: {{\[\[}}120, 0, 0, 0, 0, 135, 0{{ *\]}}
// CHECK-NEXT: {{^ *\[}}80, 0, 0, 0, 0, 95, 0{{ *\]}}
// CHECK-NEXT: {{^ *\[}}40, 0, 0, 0, 0, 55, 0{{ *\]}}
// CHECK: sizes = [1, 7]
// CHECK-NEXT: {{\[\[}}120, 0, 0, 0, 0, 135, 0{{ *\]}}
// CHECK-NOT: sizes

#rows = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>
#bias = affine_map<(i, j) -> (j)>

func.func @layer(%x: tensor<?x20xf64>, %w: tensor<7x20xf64>, %b: tensor<7xf64>) -> tensor<?x7xf64> {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %rows = tensor.dim %x, %first : tensor<?x20xf64>
  %turned = tensor.empty() : tensor<20x7xf64>
  %wt = linalg.transpose ins(%w : tensor<7x20xf64>) outs(%turned : tensor<20x7xf64>) permutation = [1, 0]
  %empty = tensor.empty(%rows) : tensor<?x7xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<?x7xf64>) -> tensor<?x7xf64>
  %product = linalg.matmul ins(%x, %wt : tensor<?x20xf64>, tensor<20x7xf64>) outs(%init : tensor<?x7xf64>) -> tensor<?x7xf64>
  %biased = linalg.generic {
    indexing_maps = [#rows, #bias, #rows], iterator_types = ["parallel", "parallel"]
  } ins(%product, %b : tensor<?x7xf64>, tensor<7xf64>) outs(%empty : tensor<?x7xf64>) {
  ^bb0(%p: f64, %c: f64, %o: f64):
    %s = arith.addf %p, %c : f64
    linalg.yield %s : f64
  } -> tensor<?x7xf64>
  %y = linalg.generic {
    indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]
  } ins(%biased : tensor<?x7xf64>) outs(%empty : tensor<?x7xf64>) {
  ^bb0(%p: f64, %o: f64):
    %r = arith.maximumf %p, %zero : f64
    linalg.yield %r : f64
  } -> tensor<?x7xf64>
  return %y : tensor<?x7xf64>
}

func.func private @printMemrefF64(%values: memref<*xf64>) attributes {llvm.emit_c_interface}

func.func @print(%rows: index) {
  %x = tensor.generate %rows {
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
  } : tensor<?x20xf64>
  %w = tensor.generate {
  ^bb0(%j: index, %i: index):
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %one = arith.constant 1 : i64
    %five = arith.constant 5 : i64
    %p = arith.muli %i64, %j64 : i64
    %m = arith.remui %p, %five : i64
    %s = arith.subi %m, %one : i64
    %v = arith.sitofp %s : i64 to f64
    tensor.yield %v : f64
  } : tensor<7x20xf64>
  %b = arith.constant dense<[-10.0, -7.0, -4.0, -1.0, 2.0, 5.0, 8.0]> : tensor<7xf64>
  %y = call @layer(%x, %w, %b) : (tensor<?x20xf64>, tensor<7x20xf64>, tensor<7xf64>) -> tensor<?x7xf64>
  %buffer = bufferization.to_buffer %y : tensor<?x7xf64> to memref<?x7xf64>
  // The printer takes one row at least.
  %none = arith.constant 0 : index
  %any = arith.cmpi ne, %rows, %none : index
  scf.if %any {
    %print = memref.cast %buffer : memref<?x7xf64> to memref<*xf64>
    func.call @printMemrefF64(%print) : (memref<*xf64>) -> ()
  }
  return
}

func.func @main() {
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : index
  call @print(%three) : (index) -> ()
  call @print(%one) : (index) -> ()
  call @print(%none) : (index) -> ()
  return
}
