// Contractions whose extents and strides only the launch knows, in code of the
// host on a device that is the simulator: one kernel for all of them.

// REQUIRES: plugin
// DEFINE: %{to-llvm} = --pass-pipeline='builtin.module(func.func(convert-linalg-to-loops,convert-vector-to-scf,gpu-async-region),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-vector-to-llvm,gpu-to-llvm{use-bare-pointers-for-kernels=1},finalize-memref-to-llvm,convert-arith-to-llvm,convert-math-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)'
// DEFINE: %{run} = env LD_LIBRARY_PATH=%fake-cuda mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so,%tc-cuda-runtime

// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_90 --tc-kernels-to-binary | tc-opt %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s --tc-gpu-pipeline="target=sm_80 representative-extents=m=24,n=8,k=4000" --tc-kernels-to-binary -o %t.shared.mlir
// RUN: FileCheck %s --check-prefix=SHARED < %t.shared.mlir
// RUN: tc-opt %t.shared.mlir %{to-llvm} | %{run} | FileCheck %s

// For a long sum of few elements, blocks share it, in a workspace that is as large
// as the launch needs.
// SHARED: gpu.alloc (%{{.*}}) : memref<?xi8>
// SHARED: gpu.memset
// SHARED: gpu.launch_func
// SHARED: gpu.dealloc

// The sums of the differences to loops of the host, and of C's elements, over
// some shapes. An empty K scales C; an empty M or N does nothing. Then those of
// contiguous buffers, for which the host chooses between kernels: with extents
// that are multiples of 8 and with others. Then those of a layer with a bias and
// a residual, whose strides are those of rows, or of columns.
// CHECK-COUNT-14: {{^}}0{{$}}
// CHECK-NOT: {{.}}

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(i, j) -> (i, j)>

func.func @product(%a: memref<?x?xf64, strided<[?, 1]>>, %b: memref<?x?xf64, strided<[?, ?], offset: ?>>,
                   %c: memref<?x?xf64, strided<[?, 1], offset: ?>>, %beta: f64) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%a, %b : memref<?x?xf64, strided<[?, 1]>>, memref<?x?xf64, strided<[?, ?], offset: ?>>)
    outs(%c : memref<?x?xf64, strided<[?, 1], offset: ?>>) beta(%beta : f64)
  return
}

func.func @contiguous(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%c : memref<?x?xf64>)
  return
}

func.func @layer(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %bias: memref<?xf64, strided<[?], offset: ?>>,
                 %residual: memref<?x?xf64, strided<[?, ?], offset: ?>>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%c : memref<?x?xf64>)
    auxiliaries(%bias [n] : memref<?xf64, strided<[?], offset: ?>>, %residual [m, n] : memref<?x?xf64, strided<[?, ?], offset: ?>>)
    epilogue {
    ^bb0(%sum: f64, %old: f64, %x: f64, %y: f64):
      %biased = arith.addf %sum, %x : f64
      %added = arith.addf %biased, %y : f64
      tc.yield %added : f64
    }
  return
}

func.func @reference(%a: memref<?x?xf64, strided<[?, 1]>>, %b: memref<?x?xf64, strided<[?, ?], offset: ?>>,
                     %c: memref<?x?xf64>) {
  linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<?x?xf64, strided<[?, 1]>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%c : memref<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %product = arith.mulf %x, %y : f64
    %next = arith.addf %sum, %product : f64
    linalg.yield %next : f64
  }
  return
}

func.func @numbers(%matrix: memref<?x?xf64>, %factor: index) {
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%matrix : memref<?x?xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seven = arith.constant 7 : index
    %scaled = arith.muli %i, %factor : index
    %sum = arith.addi %scaled, %j : index
    %digit = arith.remui %sum, %seven : index
    %int = arith.index_cast %digit : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  return
}

func.func @try(%m: index, %k: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %m1 = arith.addi %m, %one : index
  %k1 = arith.addi %k, %one : index
  %n3 = arith.addi %n, %three : index
  %k2 = arith.muli %k1, %two : index
  %n2 = arith.muli %n3, %two : index
  %all_a = memref.alloc(%m1, %k1) : memref<?x?xf64>
  %all_b = memref.alloc(%k2, %n2) : memref<?x?xf64>
  %all_c = memref.alloc(%m1, %n3) : memref<?x?xf64>
  %expected = memref.alloc(%m, %n) : memref<?x?xf64>
  call @numbers(%all_a, %three) : (memref<?x?xf64>, index) -> ()
  call @numbers(%all_b, %two) : (memref<?x?xf64>, index) -> ()
  %old = arith.constant 3.0 : f64
  %beta = arith.constant 2.0 : f64
  %scaled = arith.mulf %old, %beta : f64
  linalg.fill ins(%old : f64) outs(%all_c : memref<?x?xf64>)
  linalg.fill ins(%scaled : f64) outs(%expected : memref<?x?xf64>)
  %any_a = memref.cast %all_a : memref<?x?xf64> to memref<*xf64>
  %any_b = memref.cast %all_b : memref<?x?xf64> to memref<*xf64>
  %any_c = memref.cast %all_c : memref<?x?xf64> to memref<*xf64>
  gpu.host_register %any_a : memref<*xf64>
  gpu.host_register %any_b : memref<*xf64>
  gpu.host_register %any_c : memref<*xf64>
  %a = memref.subview %all_a[0, 0] [%m, %k] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1]>>
  %b = memref.subview %all_b[1, %one] [%k, %n] [2, 2] : memref<?x?xf64> to memref<?x?xf64, strided<[?, 2], offset: ?>>
  %any_strides = memref.cast %b : memref<?x?xf64, strided<[?, 2], offset: ?>> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  %c = memref.subview %all_c[0, %two] [%m, %n] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1], offset: ?>>
  call @product(%a, %any_strides, %c, %beta)
    : (memref<?x?xf64, strided<[?, 1]>>, memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, 1], offset: ?>>, f64) -> ()
  call @reference(%a, %any_strides, %expected)
    : (memref<?x?xf64, strided<[?, 1]>>, memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64>) -> ()
  // The elements around C must be as they were.
  %difference = memref.alloc() : memref<f64>
  %none = arith.constant 0.0 : f64
  memref.store %none, %difference[] : memref<f64>
  scf.for %i = %zero to %m1 step %one {
    scf.for %j = %zero to %n3 step %one {
      %found = memref.load %all_c[%i, %j] : memref<?x?xf64>
      %column = arith.subi %j, %two : index
      %below = arith.cmpi ult, %i, %m : index
      %within = arith.cmpi ult, %column, %n : index
      %inside = arith.andi %below, %within : i1
      %wanted = scf.if %inside -> f64 {
        %element = memref.load %expected[%i, %column] : memref<?x?xf64>
        scf.yield %element : f64
      } else {
        scf.yield %old : f64
      }
      %error = arith.subf %found, %wanted : f64
      %size = math.absf %error : f64
      %before = memref.load %difference[] : memref<f64>
      %sum = arith.addf %before, %size : f64
      memref.store %sum, %difference[] : memref<f64>
    }
  }
  %total = memref.load %difference[] : memref<f64>
  call @printF64(%total) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @try_contiguous(%m: index, %k: index, %n: index) {
  %five = arith.constant 5 : index
  %two = arith.constant 2 : index
  %a = memref.alloc(%m, %k) : memref<?x?xf64>
  %b = memref.alloc(%k, %n) : memref<?x?xf64>
  %c = memref.alloc(%m, %n) : memref<?x?xf64>
  %expected = memref.alloc(%m, %n) : memref<?x?xf64>
  call @numbers(%a, %five) : (memref<?x?xf64>, index) -> ()
  call @numbers(%b, %two) : (memref<?x?xf64>, index) -> ()
  %none = arith.constant 0.0 : f64
  linalg.fill ins(%none : f64) outs(%expected : memref<?x?xf64>)
  %any_a = memref.cast %a : memref<?x?xf64> to memref<*xf64>
  %any_b = memref.cast %b : memref<?x?xf64> to memref<*xf64>
  %any_c = memref.cast %c : memref<?x?xf64> to memref<*xf64>
  gpu.host_register %any_a : memref<*xf64>
  gpu.host_register %any_b : memref<*xf64>
  gpu.host_register %any_c : memref<*xf64>
  call @contiguous(%a, %b, %c) : (memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
  call @print_difference(%a, %b, %c, %expected) : (memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
  return
}

// Prints the distance of C from the product added to the result that is
// expected without it.
func.func @print_difference(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>, %expected: memref<?x?xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %m = memref.dim %c, %zero : memref<?x?xf64>
  %n = memref.dim %c, %one : memref<?x?xf64>
  %strided_a = memref.cast %a : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1]>>
  %strided_b = memref.cast %b : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  call @reference(%strided_a, %strided_b, %expected)
    : (memref<?x?xf64, strided<[?, 1]>>, memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64>) -> ()
  %total = scf.for %i = %zero to %m step %one iter_args(%rows = %none) -> f64 {
    %sum = scf.for %j = %zero to %n step %one iter_args(%before = %rows) -> f64 {
      %found = memref.load %c[%i, %j] : memref<?x?xf64>
      %wanted = memref.load %expected[%i, %j] : memref<?x?xf64>
      %error = arith.subf %found, %wanted : f64
      %size = math.absf %error : f64
      %next = arith.addf %before, %size : f64
      scf.yield %next : f64
    }
    scf.yield %sum : f64
  }
  call @printF64(%total) : (f64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @try_layer(%m: index, %k: index, %n: index, %by_rows: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %five = arith.constant 5 : index
  %eight = arith.constant 8 : index
  %a = memref.alloc(%m, %k) : memref<?x?xf64>
  %b = memref.alloc(%k, %n) : memref<?x?xf64>
  %c = memref.alloc(%m, %n) : memref<?x?xf64>
  %expected = memref.alloc(%m, %n) : memref<?x?xf64>
  %m8 = arith.addi %m, %eight : index
  %n8 = arith.addi %n, %eight : index
  %most = arith.muli %m8, %n8 : index
  %room = arith.muli %most, %two : index
  %others = memref.alloc(%one, %room) : memref<?x?xf64>
  call @numbers(%a, %five) : (memref<?x?xf64>, index) -> ()
  call @numbers(%b, %two) : (memref<?x?xf64>, index) -> ()
  call @numbers(%others, %one) : (memref<?x?xf64>, index) -> ()
  %along_bias = arith.select %by_rows, %one, %two : index
  %along_m = arith.select %by_rows, %n8, %one : index
  %along_n = arith.select %by_rows, %one, %m8 : index
  %offset = arith.select %by_rows, %eight, %five : index
  %bias = memref.reinterpret_cast %others to offset: [%offset], sizes: [%n], strides: [%along_bias]
    : memref<?x?xf64> to memref<?xf64, strided<[?], offset: ?>>
  %residual = memref.reinterpret_cast %others to offset: [%offset], sizes: [%m, %n], strides: [%along_m, %along_n]
    : memref<?x?xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  scf.for %i = %zero to %m step %one {
    scf.for %j = %zero to %n step %one {
      %x = memref.load %bias[%j] : memref<?xf64, strided<[?], offset: ?>>
      %y = memref.load %residual[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
      %sum = arith.addf %x, %y : f64
      memref.store %sum, %expected[%i, %j] : memref<?x?xf64>
    }
  }
  %any_a = memref.cast %a : memref<?x?xf64> to memref<*xf64>
  %any_b = memref.cast %b : memref<?x?xf64> to memref<*xf64>
  %any_c = memref.cast %c : memref<?x?xf64> to memref<*xf64>
  %any_others = memref.cast %others : memref<?x?xf64> to memref<*xf64>
  gpu.host_register %any_a : memref<*xf64>
  gpu.host_register %any_b : memref<*xf64>
  gpu.host_register %any_c : memref<*xf64>
  gpu.host_register %any_others : memref<*xf64>
  call @layer(%a, %b, %c, %bias, %residual)
    : (memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>, memref<?xf64, strided<[?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) -> ()
  call @print_difference(%a, %b, %c, %expected) : (memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c17 = arith.constant 17 : index
  %c33 = arith.constant 33 : index
  %c64 = arith.constant 64 : index
  %c200 = arith.constant 200 : index
  call @try(%c33, %c17, %c5) : (index, index, index) -> ()
  call @try(%c64, %c64, %c64) : (index, index, index) -> ()
  call @try(%c1, %c1, %c1) : (index, index, index) -> ()
  call @try(%c5, %c200, %c33) : (index, index, index) -> ()
  call @try(%c5, %c0, %c17) : (index, index, index) -> ()
  call @try(%c0, %c5, %c17) : (index, index, index) -> ()
  call @try(%c17, %c5, %c0) : (index, index, index) -> ()
  call @try_contiguous(%c64, %c200, %c64) : (index, index, index) -> ()
  call @try_contiguous(%c200, %c64, %c33) : (index, index, index) -> ()
  call @try_contiguous(%c33, %c17, %c64) : (index, index, index) -> ()
  %true = arith.constant true
  %false = arith.constant false
  call @try_layer(%c64, %c200, %c64, %true) : (index, index, index, i1) -> ()
  call @try_layer(%c64, %c64, %c64, %false) : (index, index, index, i1) -> ()
  call @try_layer(%c33, %c17, %c5, %true) : (index, index, index, i1) -> ()
  call @try_layer(%c1, %c5, %c17, %false) : (index, index, index, i1) -> ()
  return
}
func.func private @printF64(f64)
func.func private @printNewline()
